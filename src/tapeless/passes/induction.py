"""Induction variables: a carried integer that grows by the same amount in every iteration has a closed form.

    p' = p + step, step invariant   =>   in iteration i: p = start + i * step;  at the end: start + count * step

exact for i64, because arithmetic modulo 2^64 is a ring. The loop then no longer carries it.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, For, Lambda, Stm
from ..ir.types import I64, Atom, Type, i64
from ..ir.walk import fresh
from .affine import Affine, emit_form, form_of, variable
from .rewrite import Rewriter
from .uses import bound_names


def close(r: Rewriter, loop: For) -> tuple[For, dict[int, Atom]]:
    """The loop without its induction variables, and the final values of those by position."""
    params, results = loop.body.params[1:], loop.body.body.results
    bound = bound_names(loop.body.body) | {param.name for param in loop.body.params}
    steps: dict[int, Affine] = {}
    for k, (param, result) in enumerate(zip(params, results, strict=True)):
        if param.type != Type(I64):
            continue
        step = form_of(result, r.defs).plus(variable(param.name), -1)
        if not any(name in bound for name in step.terms):
            steps[k] = step
    if not steps:
        return loop, {}
    trips = r.apply("max", loop.count, i64(0))
    finals: dict[int, Atom] = {}
    closed: list[Stm] = []
    for k, step in steps.items():
        amount = emit_form(step, r.apply)
        finals[k] = r.apply("add", loop.init[k], r.apply("mul", trips, amount))
        closed += _closed_form(r, loop, k, amount)
    keep = [k for k in range(len(params)) if k not in steps]
    lam = Lambda(
        (loop.body.params[0], *(params[k] for k in keep)),
        Block((*closed, *loop.body.body.stms), tuple(results[k] for k in keep)),
    )
    return For(loop.count, tuple(loop.init[k] for k in keep), lam), finals


def _closed_form(r: Rewriter, loop: For, k: int, amount: Atom) -> list[Stm]:
    """Statements that bind the parameter itself to its value in iteration i."""
    param = loop.body.params[k + 1]
    progress = fresh("t", Type(I64))
    exprs = Apply("mul", (loop.body.params[0], amount)), Apply("add", (progress, loop.init[k]))
    r.defs[progress.name], r.defs[param.name] = exprs
    return [Stm((progress,), exprs[0]), Stm((param,), exprs[1])]
