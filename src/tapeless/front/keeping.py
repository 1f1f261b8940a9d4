"""Calls of reversible functions that keep what their inverses cannot tell: `f.keep(...)`, and `f.undo(kept, ...)`.

What is kept is found by solving the function for its arguments (`inversion.sites`), in the same way by both: one makes
the arrays, the other reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..ir.core import Block
from ..ir.types import Var
from ..ir.walk import substitute
from ..records import dataclass
from .context import Context
from .inverse import Call, executed, name_of, refuse, refuse_inverse, sites_of, undone, written
from .values import ArrayRef, Value, is_tuple

if TYPE_CHECKING:
    from ..inversion.sites import Site


@dataclass(frozen=True, slots=True)
class Keeping:
    """A function that also returns what its inverse needs besides."""

    function: Any

    @property
    def name(self) -> str:
        return f"{name_of(self.function)}_keep"


@dataclass(frozen=True, slots=True)
class Undoing:
    """The inverse of a function, which takes what was kept before its arguments."""

    function: Any

    @property
    def name(self) -> str:
        return f"{name_of(self.function)}_undo"


def call_keeping(c: Context, keeping: Keeping, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The result of the function, and a tuple of arrays."""
    from ..inversion.recording import recorded

    if kwargs:
        refuse(c, "a function that keeps something takes its arguments by position")
    call = executed(c, keeping.function, args)
    whole, sites = _sites(c, call)
    for site in sites:
        c.parameters.notes.add(site.pos, "backwards", f"keeps {site.what} each time", "its inverse cannot tell it")
    block = substitute(recorded(whole, sites), dict(zip(call.olds, call.now, strict=True)))
    made = c.b.splice(block)
    count = len(call.changed)
    result = written(c, call, dict(zip(call.changed, made[:count], strict=True)))
    return result, tuple(c.fresh(atom) for atom in made[count:])


def call_undoing(c: Context, undoing: Undoing, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """What there was before a call, given what it leaves behind and what was kept."""
    from ..inversion.recording import replayed

    kept, *rest = args
    if kwargs or not is_tuple(kept):
        refuse(c, f"{undoing.name} takes what {name_of(undoing.function)}.keep(...) returns second, then the arguments")
    call = executed(c, undoing.function, rest)
    whole, sites = _sites(c, call)
    arrays = [_fitting(c, undoing, site, value) for site, value in zip(sites, kept, strict=False)]
    if len(kept) != len(sites):
        _refuse_kept(c, undoing, f"{len(kept)} arrays are given where {len(sites)} are kept")
    block = replayed(whole, sites, {site.name: array for site, array in zip(sites, arrays, strict=True)})
    ends = {len(call.changed) + k: array.type.shape[0] for k, array in enumerate(arrays)}
    return undone(c, call, block, ends)


def _sites(c: Context, call: Call) -> tuple[Block, Sequence[Site]]:
    """Where the call keeps something."""
    from ..inversion.solving import CannotInvert

    found = sites_of(c, call)
    if found is not None:
        return found
    try:
        undone(c, call, call.block, {})
    except CannotInvert as problem:
        refuse_inverse(c, call, problem)
    raise AssertionError("what needs nothing kept can be undone")


def _fitting(c: Context, undoing: Undoing, site: Site, value: Value) -> Var:
    """An array of kept values as a variable."""
    atom = c.read(value) if isinstance(value, ArrayRef) else None
    if not isinstance(atom, Var) or atom.type.dtype is not site.type.dtype:
        _refuse_kept(c, undoing, "something else is given than what was kept")
    return atom


def _refuse_kept(c: Context, undoing: Undoing, why: str) -> NoReturn:
    name = name_of(undoing.function)
    refuse(
        c,
        f"{undoing.name} is not given what {name} keeps",
        why=why,
        fix=f"result, kept = {name}.keep(...), then {name}.undo(kept, ...)",
    )
