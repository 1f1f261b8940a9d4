"""Forward rules of reductions, scans and histograms.

An associative operator (+) becomes the operator of its dual numbers: (x, x_dot) (+) (y, y_dot) is the value and the
tangent of x (+) y, the tangents of the operator's free variables included. It is associative because differentiating
both sides of (x (+) y) (+) z = x (+) (y (+) z) gives the same, and likewise its neutral element is the dual of the
neutral element: the tangent 0 for a constant one.

A reduction or histogram by `min` or `max` takes the mean of the tangents of all elements equal to the result. There the
operator carries the best value, the sum of the tangents of the elements that have it, and their number; the worse side
drops out. NaN equals nothing, so the number is 0 then, and the tangent of a NaN is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.build import Atoms, Builder
from ..ir.core import Expr, Hist, Lambda, Reduce, Scan, Stm
from ..ir.types import Atom, Lit, Type, Var, zero
from ..ir.walk import fresh
from .jvp_extrema import is_extremum
from .jvp_tangents import Tangents, dot, dot_name


@dataclass(frozen=True, slots=True)
class _Dual:
    """The accumulators that vary: by the dual operator (`plain`), by the mean over ties (`shared`).

    The dual operator combines the values, the tangents of the plain and then of the shared ones, and the numbers of
    ties of the shared ones, in this order.
    """

    plain: tuple[int, ...]
    shared: tuple[int, ...]

    @property
    def varied(self) -> tuple[int, ...]:
        return self.plain + self.shared


def push_reduce(t: Tangents, b: Builder, vars: Sequence[Var], expr: Reduce | Scan) -> None:
    """Emit a reduction or scan over values and tangents. A scan has no mean over ties: `min` and `max` go pairwise."""
    dual = _dual(t, expr.op, mean=isinstance(expr, Reduce))
    neutral = _neutral(t, b, expr.neutral, dual)
    op = _operator(t, b, expr.op, dual)
    inner = b.child()
    values = t.filled_block(inner, expr.body.body, dual.varied)
    ones = [_ones(inner, expr.neutral[k].type) for k in dual.shared]
    body = Lambda(expr.body.params, inner.block((*values, *ones)))
    ties = _bind(t, b, vars, dual, type(expr)(expr.size, op, neutral, body))
    for k, count in zip(dual.shared, ties, strict=True):
        fallback = _unless_met(t, b, vars[k], expr.neutral[k])
        t.define(vars[k], _ratio(b, t.filled(b, vars[k]), count, fallback, dot_name(vars[k])))


def push_hist(t: Tangents, b: Builder, vars: Sequence[Var], expr: Hist) -> None:
    """Emit a histogram over values and tangents; a destination's own element is one of those that may tie."""
    dual, keys = _dual(t, expr.op, mean=True), expr.keys
    neutral = _neutral(t, b, expr.neutral, dual)
    dots = [t.filled(b, expr.dest[k]) for k in dual.varied]
    dest = (*expr.dest, *dots, *(_ones(b, expr.dest[k].type) for k in dual.shared))
    op = _operator(t, b, expr.op, dual)
    inner = b.child()
    values = t.filled_block(inner, expr.body.body, [keys + k for k in dual.varied])
    ones = [_ones(inner, expr.dest[k].type.drop(keys)) for k in dual.shared]
    body = Lambda(expr.body.params, inner.block((*values, *ones)))
    ties = _bind(t, b, vars, dual, Hist(expr.size, op, neutral, dest, keys, body))
    for k, count in zip(dual.shared, ties, strict=True):
        t.define(vars[k], _ratios(b, vars[k], t.filled(b, vars[k]), count))


def _dual(t: Tangents, op: Lambda, *, mean: bool) -> _Dual:
    varied = t.varying(op.params[: len(op.params) // 2])
    shared = tuple(k for k in varied if mean and is_extremum(op, k))
    return _Dual(tuple(k for k in varied if k not in shared), shared)


def _neutral(t: Tangents, b: Builder, neutral: Atoms, dual: _Dual) -> Atoms:
    nothing = [zero(neutral[k].type.dtype) for k in dual.shared]
    return (*neutral, *(t.filled(b, neutral[k]) for k in dual.plain), *nothing, *nothing)


def _bind(t: Tangents, b: Builder, vars: Sequence[Var], dual: _Dual, expr: Expr) -> tuple[Var, ...]:
    """Emit a dual form. Returns the numbers of ties; the tangents of the shared results are still sums over them."""
    ties = tuple(_ties(vars[k]) for k in dual.shared)
    b.stms.append(Stm((*vars, *t.dotted(vars, dual.varied), *ties), expr, b.pos))
    return ties


def _ties(var: Var) -> Var:
    return fresh("ties", var.type)


def _ones(b: Builder, type: Type) -> Atom:
    one = Lit(1.0, type.dtype)
    return b.apply("replicate", one, *type.shape, hint="ones") if type.is_array else one


def _operator(t: Tangents, b: Builder, op: Lambda, dual: _Dual) -> Lambda:
    """The operator on values, tangents and numbers of ties."""
    count, inner = len(op.params) // 2, b.child()
    sides = [_side(t, op.params[:count], dual), _side(t, op.params[count:], dual)]
    combined = t.filled_block(inner, op.body, dual.plain)
    totals: list[Atom] = []
    ties: list[Atom] = []
    for n, k in enumerate(dual.shared):
        best = op.body.results[k]
        left, right = (inner.apply("eq", side.values[k], best) for side in sides)
        for merged, of in ((totals, 0), (ties, 1)):
            x, y = (side.shared[n][of] for side in sides)
            nothing = zero(best.type.dtype)
            kept = inner.apply("select", left, x, nothing), inner.apply("select", right, y, nothing)
            merged.append(inner.apply("add", *kept))
    return Lambda((*sides[0].params, *sides[1].params), inner.block((*combined, *totals, *ties)))


@dataclass(frozen=True, slots=True)
class _Side:
    """One operand of a dual operator; `shared` pairs the sum of tangents with the number of ties."""

    values: tuple[Var, ...]
    plain: tuple[Var, ...]
    shared: tuple[tuple[Var, Var], ...]

    @property
    def params(self) -> tuple[Var, ...]:
        totals, ties = (total for total, _ in self.shared), (count for _, count in self.shared)
        return (*self.values, *self.plain, *totals, *ties)


def _side(t: Tangents, values: tuple[Var, ...], dual: _Dual) -> _Side:
    shared = tuple((dot(values[k]), _ties(values[k])) for k in dual.shared)
    return _Side(values, t.dotted(values, dual.plain), shared)


def _unless_met(t: Tangents, b: Builder, result: Var, neutral: Atom) -> Atom:
    """The tangent of an extremum that no element has: that of the neutral element, where that is the result."""
    nothing, n_dot = zero(result.type.dtype), t.of(neutral)
    if n_dot is None:
        return nothing
    return b.apply("select", b.apply("eq", result, neutral), n_dot, nothing)


def _ratio(b: Builder, total: Atom, count: Atom, fallback: Atom, hint: str) -> Var:
    """`total / count`, and the fallback where there is nothing to count."""
    some = b.apply("gt", count, zero(count.type.dtype))
    return b.apply("select", some, b.apply("div", total, count), fallback, hint=hint)


def _ratios(b: Builder, var: Var, totals: Atom, counts: Atom) -> Atom:
    """The ratios of two arrays, element by element."""

    def element(b: Builder, type: Type, at: Atoms) -> tuple[Var, ...]:
        if type.is_array:
            return b.map_(type.shape[0], lambda b, i: element(b, type.drop(1), (*at, i)))
        total, count = b.apply("index", totals, *at), b.apply("index", counts, *at)
        return (_ratio(b, total, count, zero(type.dtype), dot_name(var)),)

    return element(b, var.type, ())[0]
