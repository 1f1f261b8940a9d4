"""Horizontal fusion: independent operators of one size that read the same array become one, and read it once.

Two maps become a map with the results of both, two reductions a reduction of tuples. A map that only checks is done
along with whatever runs over the same indices after it.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Hist, Lambda, Map, Reduce, Scan, Scatter, Stm
from ..ir.types import Var
from ..ir.walk import substitute_lambda
from .cost import statement_count
from .fuse_vertical import Consumer, fused, is_movable
from .uses import mentioned
from .views import same

# How far apart, and how large together.
DISTANCE = 8
MERGED_STATEMENTS = 80


def horizontal(stms: list[Stm]) -> list[Stm]:
    """The statements of a block, neighbours merged where that saves a pass over an array."""
    number = 1
    while number < len(stms):
        partner = _partner(stms, number)
        if partner is None:
            number += 1
            continue
        earlier, later = stms[partner], stms[number]
        both_fold = isinstance(earlier.expr, Reduce) and isinstance(later.expr, Reduce)
        names = {var.name for var in earlier.vars}
        stms[number] = _both(earlier, later) if both_fold else fused(earlier, later, names)
        del stms[partner]
    return stms


def _partner(stms: list[Stm], number: int) -> int | None:
    """An earlier statement that can be delayed until this one and done along with it."""
    later = stms[number]
    if not isinstance(later.expr, Map | Reduce | Scan | Hist | Scatter):
        return None
    used = mentioned(later)
    for candidate in range(number - 1, max(-1, number - 1 - DISTANCE), -1):
        earlier = stms[candidate]
        names = {var.name for var in earlier.vars}
        if not used & names and _alike(earlier, later.expr) and is_movable(stms, candidate, number, names):
            return candidate
    return None


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


def _streams(body: Lambda) -> set[str]:
    """The arrays that the body reads at its own index."""
    counter = body.params[0]
    return {
        stm.expr.args[0].name
        for stm in body.body.stms
        if isinstance(stm.expr, Apply) and stm.expr.op == "index" and isinstance(stm.expr.args[0], Var)
        and same(stm.expr.args[1], counter)
    }  # fmt: skip


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
