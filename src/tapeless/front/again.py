"""Calls of functions that reverse mode runs again instead of keeping values of them: `tp.checkpoint(f)`.

The function is executed abstractly in a block of its own, which becomes a mark of the intermediate language (`Custom`
without rules) as long as something will be differentiated. It may read what it is given and what is around it, and
writes only into what it makes itself. What it returns of its surroundings, or of its arguments, is handed on as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import DerivativeError
from ..ir.build import Builder
from ..ir.core import Custom, Lambda
from ..ir.types import Atom
from ..records import dataclass, field
from .context import Context, describe
from .control import PathEndsError
from .isolated import isolated
from .leaves import Container, Fixed, Leaf, Tree, from_atoms, opened_value
from .values import ArrayRef, Cell, DictRef, ListRef, ObjectRef, Scalar, Value


@dataclass(frozen=True, slots=True)
class Again:
    """A function whose values are computed again where the return sweep needs them."""

    function: Any

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", None) or getattr(self.function, "name", "the function")


def call_again(c: Context, again: Again, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
    """The value of a call."""
    if not c.orders:
        return c.call(again.function, args, kwargs)
    results, b = _Results(c, again, dict(c.store)), Builder(c.b.pos)
    try:
        with isolated(
            c, b, results.before, c.orders, f"{again.name}, which is run again (tp.checkpoint),",
            why="it would find what it wrote the first time", fix="copy the array first, or return the new value",
        ):  # fmt: skip
            tree = results.take(c.call(again.function, args, kwargs))
    except PathEndsError:
        c.b.splice(b.block(()))
        raise
    block = c.b.hoist_sizes((), b.block(results.atoms))
    bound = {var for stm in block.stms for var in stm.vars}
    types = [atom.type for atom in results.atoms]
    if any(size in bound for type in types for size in type.shape):
        results.refuse("an array whose size depends on what is computed inside", "return an array of a known size")
    return from_atoms(c, tree, c.b.bind(types, Custom((), Lambda((), block))))


@dataclass(slots=True)
class _Results:
    """What a call returns, taken apart: `atoms` are what is computed in its block."""

    c: Context
    again: Again
    before: dict[Any, Any]
    atoms: list[Atom] = field(default_factory=list[Atom])
    seen: set[Any] = field(default_factory=set[Any])

    def take(self, value: Value) -> Tree:
        """The structure of a value. What is not computed in the block is not taken apart."""
        ref = value.cell if isinstance(value, ArrayRef) else value
        if isinstance(ref, Cell | ListRef | DictRef | ObjectRef):
            if ref in self.before or ref in self.c.parameters.cells:
                return Fixed(value)
            if ref in self.seen:
                self.refuse("one array or container twice", "return a copy")
            self.seen.add(ref)
        if isinstance(value, Scalar | ArrayRef):
            self.atoms.append(self.c.read(value) if isinstance(value, ArrayRef) else self.c.atom(value))
            return Leaf(self.atoms[-1].type, self.c.is_weak(value))
        opened = opened_value(self.c, value)
        if opened is not None:
            kind, keys, parts = opened
            return Container(kind, keys, tuple(self.take(part) for part in parts))
        if type(value).__module__.startswith(__name__.rpartition(".")[0]):
            self.refuse(describe(value), "return numbers and arrays, or containers of them")
        return Fixed(value)

    def refuse(self, what: str, fix: str) -> NoReturn:
        self.c.refuse(
            f"{self.again.name}, which is run again (tp.checkpoint), returns {what}", fix=fix, error=DerivativeError
        )  # fmt: skip
