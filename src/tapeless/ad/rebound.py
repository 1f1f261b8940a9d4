"""Values that a loop only hands on: `a = x`, or `last = a` beside `a` itself.

No iteration reads such a value, and each takes it as it is from outside or from another value that is carried. In the
program that is a name for an array; in the return sweep its adjoint would be added to another whole one, iteration
after iteration. So the loop runs without it, and behind the loop it is chosen: what the last iteration took, or the
initial value when there was none.
"""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Block, For, If, Lambda, Stm, While
from ..ir.types import Atom, Var, i64
from ..ir.walk import inline
from ..passes.uses import mentioned
from .sweep import Sweep, bound_in


def kept_apart(sweep: Sweep, stm: Stm) -> tuple[Stm, Stm] | None:
    """The loop without the values that it only hands on, and the choice of these; None when there are none."""
    expr = stm.expr
    assert isinstance(expr, For | While)
    counters = 1 if isinstance(expr, For) else 0
    taken = _taken(expr, stm.vars, counters)
    if not taken:
        return None
    rest = [k for k in range(len(expr.init)) if k not in taken]
    runs = _runs(sweep.b, expr)
    results = expr.body.body.results
    params = (*expr.body.params[:counters], *(expr.body.params[counters + k] for k in rest))
    body = Lambda(params, Block(expr.body.body.stms, tuple(results[k] for k in rest)))
    init = tuple(expr.init[k] for k in rest)
    if isinstance(expr, For):
        loop = For(expr.count, init, body)
    else:
        loop = While(init, Lambda(tuple(expr.cond.params[k] for k in rest), expr.cond.body), body)
    choice = If(runs, Block((), tuple(taken.values())), Block((), tuple(expr.init[k] for k in taken)))
    return (
        Stm(tuple(stm.vars[k] for k in rest), loop, stm.pos),
        Stm(tuple(stm.vars[k] for k in taken), choice, stm.pos),
    )


def _taken(expr: For | While, vars: tuple[Var, ...], counters: int) -> dict[int, Atom]:
    """The arrays that are only handed on, each with what it is behind the loop."""
    body, params = expr.body.body, expr.body.params[counters:]
    inside = bound_in(body) | {param.name for param in expr.body.params}
    read = mentioned(Block(body.stms, ())) | {param.name for param in params if param in body.results}
    if isinstance(expr, While):
        unread = [name.name not in mentioned(expr.cond.body) for name in expr.cond.params]
    else:
        unread = [True] * len(params)
    handed_on = {
        k: result
        for k, result in enumerate(body.results)
        if isinstance(result, Var) and result.type.shape and params[k].name not in read and unread[k]
    }
    found: dict[int, Atom] = {}
    for k, result in handed_on.items():
        same = [j for j, other in enumerate(body.results) if other == result]
        stays = next((j for j in same if j not in handed_on), same[-1])
        if result.name not in inside:
            found[k] = result
        elif stays != k:
            found[k] = vars[stays]
    return found


def _runs(b: Builder, expr: For | While) -> Atom:
    """Is there an iteration?"""
    if isinstance(expr, For):
        return b.apply("gt", expr.count, i64(0))
    return b.splice(inline(expr.cond, expr.init))[0]
