"""Inward: a map over directions goes inside the map over points in it, where directions share work.

    map s { t = own(s);  map i { w = dear(i);  e(i, w, t) } }   ->   T = map s { own(s) }
                                                                     map i { w = dear(i);  map s { e(i, w, T[s]) } }

The columns of a Jacobian are such a map: a sweep for each seed, with the values of the function at each point in all of
them. What is the same for all directions is computed once for each point instead of once for each point and direction,
and what a point reads of large arrays is read once. The result is transposed. What moves with s before the points is
kept for all s, which is a few numbers for each; sizes must be literals. Sums of a few terms are written out, since what
the directions share may be inside; a loop or a sum of several values comes apart into what moves with s and what not.

What may fail must be the same for all directions, so that the error is the one that would have been met first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import free_vars, fresh, inline, map_lambdas, statements
from ..records import dataclass
from . import dce
from .cost import block_cost, elements, has_check, statement_count, trips
from .notes import Notes
from .sums import operators
from .uses import bound_names

# Shared work, as a part of the work for one direction at one point.
SHARE = 0.25
# So many numbers are kept for all directions together.
KEPT = 1 << 16
# Sums of so many terms are written out, while that takes no more statements.
TERMS = 4
STATEMENTS = 2000


def run(function: Function, notes: Notes) -> Function:
    """The function with its maps over directions inside those over points."""
    if not any(isinstance(stm.expr, Map) and _is_few(stm.expr.size) for stm in statements(function.body)):
        return function
    body = _block(function.body, notes)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes) -> Block:
    """Only what runs by itself: inside another parallel form, iterations are side by side already."""
    stms: list[Stm] = []
    for stm in block.stms:
        made = _turned(stm, stm.expr) if isinstance(stm.expr, Map) else None
        if made is not None:
            notes.add(stm.pos, "directions", "side by side at each point", "they share work")
            stms += made
        elif isinstance(stm.expr, For | While | If):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        else:
            stms.append(stm)
    return Block(tuple(stms), block.results)


def _is_few(size: Atom) -> bool:
    return isinstance(size, Lit) and size.value > 1


# -- what moves with the direction ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Parts:
    """Statements that are the same for all directions, and those that are not."""

    same: tuple[Stm, ...]
    own: tuple[Stm, ...]


def _apart(stms: Iterable[Stm], moving: set[str]) -> _Parts | None:
    """Statements by whether they depend on `moving`, to which is added what they bind; None where such may fail."""
    same: list[Stm] = []
    own: list[Stm] = []
    for stm in stms:
        others = [var for var in stm.vars if _moves(stm, (var,), moving)]
        if not others and not (stm.vars == () and _moves(stm, (), moving)):
            same.append(stm)
            continue
        fixed = [var for var in stm.vars if var not in others]
        if fixed:
            same.append(dce.part(stm, fixed))
        elif has_check((stm,)):
            return None
        own.append(dce.part(stm, others) if fixed else stm)
        moving.update(var.name for var in others)
    return _Parts(tuple(same), tuple(own))


def _moves(stm: Stm, wanted: Sequence[Var], moving: Set[str]) -> bool:
    """Does what some results of a statement need depend on the direction?"""
    return any(var.name in moving for var in dce.needs(stm, wanted))


# -- the nest -------------------------------------------------------------------------------------


def _turned(stm: Stm, expr: Map) -> list[Stm] | None:
    """The statements that bind the same arrays with the directions inside, where that is possible and pays."""
    body, direction = expr.body.body, expr.body.params[0]
    if not _is_few(expr.size) or not body.results or not body.stms or body.results != body.stms[-1].vars:
        return None
    *before, points = body.stms
    if not isinstance(points.expr, Map) or isinstance(points.expr.size, Lit):
        return None
    inside = bound_names(Block(tuple(before), ())) | {direction.name}
    if any(isinstance(n, Var) and n.name in inside for var in points.vars for n in var.type.shape):
        return None
    moving = {direction.name}
    outer = _apart(before, moving)
    inner = _apart(_written_out(points.expr.body.body.stms), moving) if outer is not None else None
    if outer is None or inner is None or not _pays(expr, points.expr, outer, inner, moving):
        return None
    kept = _kept(outer, inner, points.expr)
    if any(not isinstance(n, Lit) for var in kept for n in var.type.shape):
        return None
    if sum(elements(var.type.stacked(expr.size)) for var in kept) > KEPT:
        return None
    return _inside_out(stm, expr, points, outer, inner, kept)


def _written_out(stms: Iterable[Stm]) -> list[Stm]:
    """Statements with their sums of a few terms written out."""
    return [new for stm in stms for new in (_terms(stm, stm.expr) if isinstance(stm.expr, Reduce) else None) or (stm,)]


def _terms(stm: Stm, expr: Reduce) -> list[Stm] | None:
    """The terms of a sum one after the other, where there are few of them."""
    if not isinstance(expr.size, Lit) or not 1 < expr.size.value <= TERMS or operators(expr) is None:
        return None
    count = int(expr.size.value)
    if statement_count(expr.body.body) * count > STATEMENTS or any(x.type.shape for x in expr.neutral):
        return None
    b, totals = Builder(stm.pos), expr.neutral
    for k in range(count):
        values = b.splice(inline(expr.body, (i64(k),)))
        totals = b.splice(inline(expr.op, (*totals, *values)))
    names = dict(zip(totals, stm.vars, strict=True))
    return [Stm(tuple(names.get(var, var) for var in made.vars), made.expr, made.pos) for made in b.stms]


def _pays(expr: Map, points: Map, outer: _Parts, inner: _Parts, moving: Set[str]) -> bool:
    """What is saved at the points, beside what is computed for all directions and for each of them before.

    A loop whose length moves with the direction goes over what the direction reaches, which is little.
    """
    assert isinstance(expr.size, Lit)
    again, same, own = (block_cost(Block(stms, ()), moving) for stms in (outer.same, inner.same, inner.own))
    saved = trips(points) * same * (expr.size.value - 1) - again
    return saved >= SHARE * trips(points) * own * expr.size.value


def _kept(outer: _Parts, inner: _Parts, points: Map) -> list[Var]:
    """What the points read that is made for each direction before."""
    made = {var for stm in outer.own for var in stm.vars}
    return [var for var in free_vars(Block(inner.own, points.body.body.results)) if var in made]


def _inside_out(stm: Stm, expr: Map, points: Stm, outer: _Parts, inner: _Parts, kept: Sequence[Var]) -> list[Stm]:
    b = Builder(stm.pos)
    b.stms += outer.same
    own = Lambda(expr.body.params, Block(outer.own, tuple(kept)))
    arrays = b.map_(expr.size, lambda b, s: b.splice(inline(own, (s,)))) if kept else ()
    nest = points.expr
    assert isinstance(nest, Map)
    direction = expr.body.params[0]
    reads = [Stm((var,), Apply("index", (array, direction)), stm.pos) for var, array in zip(kept, arrays, strict=True)]
    results = nest.body.body.results
    rows = tuple(fresh("row", result.type.stacked(expr.size)) for result in results)
    element = Lambda((direction,), Block((*reads, *inner.own), results))
    point = Block((*inner.same, Stm(rows, Map(expr.size, element), points.pos)), rows)
    wholes = tuple(fresh(var.name, row.type.stacked(nest.size)) for var, row in zip(stm.vars, rows, strict=True))
    b.stms.append(Stm(wholes, Map(nest.size, Lambda(nest.body.params, point)), points.pos))
    for var, whole in zip(stm.vars, wholes, strict=True):
        b.stms.append(Stm((var,), Apply("transpose", (whole,), (1, 0, *range(2, whole.type.rank))), stm.pos))
    return b.stms
