"""Places of a program at which a hidden value is kept each time they are passed, so that it can be run backwards.

    if x > 0.0:       which way was taken does not follow from x afterwards: a bit is kept
        x -= 3.0
    while x > 1.0:    nor how often a loop went round: a count is kept
        x -= 0.3

An author may name values to be kept as well (`tp.saved`). `recording` makes the programs that keep and use them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import TypeAlias

from ..ir.core import Block, Check, Custom, For, If, Map, Pos, Stm, While
from ..ir.types import BOOL, I64, Type, Var
from ..ir.walk import lambdas, statements
from ..records import dataclass
from .solving import CannotInvert, Stuck


@dataclass(frozen=True, slots=True)
class Site:
    """A variable whose value is kept, by its name; a loop with a condition by the name of its first result."""

    name: str
    type: Type
    pos: Pos | None
    is_count: bool = False

    @property
    def var(self) -> Var:
        return Var(self.name, self.type)

    @property
    def kind(self) -> str:
        return "count" if self.is_count else "bit" if self.type.dtype is BOOL else "value"

    @property
    def what(self) -> str:
        """What is kept, in words."""
        each = " of each element" if self.type.shape else ""
        if self.kind == "bit":
            return f"a bit{each} (1 byte)"
        return f"a {self.kind}{each} ({self.type.dtype.itemsize} bytes)"


Attempt: TypeAlias = "Callable[[Sequence[Site]], tuple[bool, Stuck]]"


def named_sites(block: Block) -> list[Site]:
    """What an author asks to keep: values that are told to be themselves."""
    asked = {var: stm.pos for stm in statements(block) if isinstance(stm.expr, Custom) for var in _asked(stm.expr)}
    return [Site(var.name, var.type, pos) for var, pos in asked.items()]


def _asked(expr: Custom) -> Iterator[Var]:
    for stm in expr.body.body.stms:
        match stm.expr:
            case Check("told", (Var() as value, again)) if value == again:
                yield value
            case _:
                pass


def needed_sites(block: Block, attempt: Attempt) -> list[Site] | None:
    """The fewest sites, from the last to the first, with which an attempt to run a block backwards succeeds.

    None where nothing helps that can be kept.
    """
    sites = named_sites(block)
    order = {name: k for k, name in enumerate(_names(block))}
    while True:
        found, stuck = attempt(sites)
        if found:
            return sites
        kept = {site.name for site in sites}
        fresh = [site for site in _sites(block, stuck) if site.name not in kept]
        if not fresh:
            return None
        sites = [*sites, max(fresh, key=lambda site: order[site.name])]


def _names(block: Block) -> Iterator[str]:
    for stm in statements(block):
        for var in stm.vars:
            yield var.name


def _sites(block: Block, stuck: Set[str]) -> Iterator[Site]:
    for stm in statements(block):
        if isinstance(stm.expr, While) and stm.vars[0].name in stuck:
            yield Site(stm.vars[0].name, Type(I64), stm.pos, is_count=True)
            continue
        for var in stm.vars:
            if var.name in stuck and not var.type.shape:
                yield Site(var.name, var.type, _branch_on(block, var) or stm.pos)


def _branch_on(block: Block, cond: Var) -> Pos | None:
    """Where the value decides."""
    return next((stm.pos for stm in statements(block) if isinstance(stm.expr, If) and stm.expr.cond == cond), None)


def sites_within(stm: Stm, sites: Sequence[Site]) -> list[Site]:
    """The sites in the sub-blocks of a statement."""
    names = {name for lam in lambdas(stm.expr) for name in _names(lam.body)}
    return [site for site in sites if site.name in names]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a site is kept: the type of what is kept at once, with the sizes of maps around it.

    `once`: it is passed exactly once. `loops`: there are loops around it, here or further inside.
    """

    type: Type
    once: bool = True
    loops: bool = False


def outside(block: Block, sites: Sequence[Site]) -> list[Site]:
    """Sites that are passed before the block: what is kept comes from outside."""
    bound = {var.name for stm in statements(block) for lam in lambdas(stm.expr) for var in lam.params}
    bound |= set(_names(block))
    return [site for site in sites if site.name not in bound]


def layout(block: Block, site: Site) -> Layout:
    """How a site in a block is kept; refuses where it cannot be."""
    if outside(block, (site,)):
        return Layout(site.type)
    found = _layout(block, site)
    made = set(_names(block))
    if not found.once and any(isinstance(n, Var) and n.name in made for n in found.type.shape):
        raise CannotInvert("values of varying size would have to be kept", site.pos)
    return found


def _layout(block: Block, site: Site) -> Layout:
    for stm in block.stms:
        if any(var.name == site.name for var in stm.vars):
            return Layout(site.type)
        if not sites_within(stm, (site,)):
            continue
        inner = next(_layout(lam.body, site) for lam in lambdas(stm.expr) if site.name in set(_names(lam.body)))
        match stm.expr:
            case Map(size) if not inner.loops:
                return Layout(inner.type.stacked(size))
            case If():
                return Layout(inner.type, once=False, loops=inner.loops)
            case For() | While():
                return Layout(inner.type, once=False, loops=True)
            case _:
                break
    raise CannotInvert("a value would have to be kept for each element of a parallel loop", site.pos)
