"""Horizontal fusion: independent operators of one size that read the same array become one, and read it once.

Two maps become a map with the results of both, two reductions a reduction of tuples. They may read it at the same
distance from their own index, as parts of the adjoint of a stencil do. A map that only checks is done along with
whatever runs over the same indices after it.
"""

from __future__ import annotations

from typing import TypeAlias

from ..ir.core import Apply, Block, Hist, Lambda, Map, Reduce, Scan, Scatter, Stm
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import statements, subst_atom, substitute, substitute_lambda
from .affine import form_of
from .cost import statement_count
from .fuse_vertical import Consumer, fused, is_movable
from .uses import mentioned
from .views import same

# How far apart, and how large together.
DISTANCE = 8
MERGED_STATEMENTS = 80

# An array with leading indices, and how far from a counter it is read along the next dimension.
_Stream: TypeAlias = tuple[tuple[Atom, ...], int, frozenset[tuple[str, int]]]


def horizontal(stms: list[Stm]) -> list[Stm]:
    """The statements of a block, neighbours merged where that saves a pass over an array."""
    number = 1
    while number < len(stms):
        found = _partner(stms, number)
        if found is None:
            number += 1
            continue
        partner, puts = found
        earlier, later = stms[partner], stms[number]
        both_fold = isinstance(earlier.expr, Reduce) and isinstance(later.expr, Reduce)
        names = {var.name for var in earlier.vars}
        merged = _both(earlier, later) if both_fold else _once(fused(earlier, later, names))
        between = [stm for stm in stms[partner + 1 : number] if stm not in puts]
        stms[partner : number + 1] = [*between, merged, *puts]
        number = partner + len(between) + 1
    return stms


def _partner(stms: list[Stm], number: int) -> tuple[int, list[Stm]] | None:
    """An earlier statement that can be delayed until this one and done along with it, and what follows it then.

    Those are statements that put what it makes into arrays, which nobody reads until then.
    """
    later = stms[number]
    if not isinstance(later.expr, Map | Reduce | Scan | Hist | Scatter):
        return None
    used = mentioned(later)
    for candidate in range(number - 1, max(-1, number - 1 - DISTANCE), -1):
        earlier = stms[candidate]
        names = {var.name for var in earlier.vars}
        if used & names or not _alike(earlier, later.expr):
            continue
        puts = [stm for stm in stms[candidate + 1 : number] if _puts(stm, names)]
        names |= {stm.vars[0].name for stm in puts}
        rest = [stm for stm in stms[candidate : number + 1] if stm not in puts]
        if not used & names and is_movable(rest, 0, len(rest) - 1, names):
            return candidate, puts
    return None


def _puts(stm: Stm, names: set[str]) -> bool:
    match stm.expr:
        case Apply("update_slice", (_, Var() as part, *_)):
            return part.name in names
        case _:
            return False


def _alike(earlier: Stm, later: Consumer) -> bool:
    x = earlier.expr
    if not isinstance(x, Map | Reduce) or not same(x.size, later.size):
        return False
    if isinstance(x, Map) and not earlier.vars:
        return True
    if type(x) is not type(later):
        return False
    few = statement_count(x.body.body) + statement_count(later.body.body) <= MERGED_STATEMENTS
    return few and bool(_streams(x.body) & _streams(later.body))


def _streams(body: Lambda) -> set[_Stream]:
    """The arrays that the body reads along one dimension, at its own index or at a fixed distance from it."""
    counter = body.params[0].name
    defs = {stm.vars[0].name: stm.expr for stm in statements(body.body) if isinstance(stm.expr, Apply)}
    found = set[_Stream]()
    for expr in defs.values():
        if expr.op != "index":
            continue
        for place, at in enumerate(expr.args[1:], 1):
            form = form_of(at, defs)
            if form.coefficient(counter) == 1:
                distance = form.without(counter)
                found.add((expr.args[:place], distance.const, frozenset(distance.terms.items())))
                break
    return found


def _once(stm: Stm) -> Stm:
    """A map that does what it reads, and where, once: the rows that both of its parts read are the same then."""
    expr = stm.expr
    if not isinstance(expr, Map):
        return stm
    known, subst, stms = dict[Apply, Var](), dict[Var, Atom](), list[Stm]()
    for inner in expr.body.body.stms:
        if isinstance(inner.expr, Apply) and (inner.expr.op == "index" or inner.vars[0].type == Type(I64)):
            args = tuple(subst_atom(x, subst) for x in inner.expr.args)
            first = known.setdefault(Apply(inner.expr.op, args, inner.expr.attrs), inner.vars[0])
            if first != inner.vars[0]:
                subst[inner.vars[0]] = first
                continue
        stms.append(inner)
    body = substitute(Block(tuple(stms), expr.body.body.results), subst)
    return Stm(stm.vars, Map(expr.size, Lambda(expr.body.params, body)), stm.pos)


def _both(earlier: Stm, later: Stm) -> Stm:
    """One reduction of tuples."""
    x, y = earlier.expr, later.expr
    assert isinstance(x, Reduce)
    assert isinstance(y, Reduce)
    counter = y.body.params[0]
    first = substitute_lambda(x.body, {x.body.params[0]: counter}).body
    body = Lambda((counter,), Block(first.stms + y.body.body.stms, first.results + y.body.body.results))
    m, n = len(x.neutral), len(y.neutral)
    params = (*x.op.params[:m], *y.op.params[:n], *x.op.params[m:], *y.op.params[n:])
    op = Lambda(params, Block(x.op.body.stms + y.op.body.stms, x.op.body.results + y.op.body.results))
    return Stm(earlier.vars + later.vars, Reduce(y.size, op, x.neutral + y.neutral, body), later.pos)
