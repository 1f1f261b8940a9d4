"""Sums in several directions at once: the tangent of a sum is the sum of the tangents, accumulated beside it.

    s     = reduce (+) x[i]
    s_dot = reduce (+) x_dot[i]      one such accumulator for each direction in which s varies

Scans by `+` alike. Every accumulator is a value that a loop keeps in a register, so only a few of them are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.core import Expr, Lambda, Reduce, Scan, Stm
from ..ir.types import Atom, Var
from ..passes.views import element_count
from .jvp_tangents import MaybeAtoms, Tangents, dot, filled_results
from .values import operator_names, plus

# Elements of the tangents of all accumulators in all directions.
ACCUMULATORS = 64


def is_sum(expr: Expr, varied: Sequence[bool], directions: int) -> bool:
    """Is every accumulator that varies a sum, and few enough of them in so many directions?"""
    if not isinstance(expr, Reduce | Scan):
        return False
    names = operator_names(expr.op, len(expr.neutral))
    if any(varies and name != "add" for varies, name in zip(varied, names, strict=True)):
        return False
    counts = [element_count(start.type) for start, varies in zip(expr.neutral, varied, strict=True) if varies]
    return None not in counts and sum(count or 0 for count in counts) * directions <= ACCUMULATORS


def push_sums(
    ts: Sequence[Tangents],
    b: Builder,
    vars: Sequence[Var],
    expr: Reduce | Scan,
    push: Callable[[Builder], Sequence[MaybeAtoms]],
) -> None:
    """Emit a reduction or scan by `+` in all directions; `push` emits its body and answers its tangents."""
    count, inner = len(vars), b.child()
    dots, values = push(inner), expr.body.body.results
    at = [t.varying(expr.op.params[:count]) for t in ts]
    neutral: list[Atom] = []
    elements: list[Atom] = []
    for t, found, places in zip(ts, dots, at, strict=True):
        neutral += [t.filled(b, expr.neutral[k]) for k in places]
        elements += filled_results(inner, values, found, places)
    op = _operator(b, expr.op, [expr.op.params[k] for places in at for k in places])
    body = Lambda(expr.body.params, inner.block((*values, *elements)))
    made = type(expr)(expr.size, op, (*expr.neutral, *neutral), body)
    bound = [x_dot for t, places in zip(ts, at, strict=True) for x_dot in t.dotted(vars, places)]
    b.stms.append(Stm((*vars, *bound), made, b.pos))


def _operator(b: Builder, op: Lambda, tangents: Sequence[Var]) -> Lambda:
    """The operator beside additions of tangents."""
    count = len(op.params) // 2
    inner = b.child()
    inner.splice(op.body)
    left, right = (tuple(dot(var) for var in tangents) for _ in range(2))
    sums = [plus(inner, x, y) for x, y in zip(left, right, strict=True)]
    params = (*op.params[:count], *left, *op.params[count:], *right)
    return Lambda(params, inner.block((*op.body.results, *sums)))
