"""Forward rules of reductions, scans and histograms.

An associative operator (+) becomes the operator of its dual numbers: (x, x_dot) (+) (y, y_dot) is the value and the
tangent of x (+) y, the tangents of the operator's free variables included. It is associative because differentiating
both sides of (x (+) y) (+) z = x (+) (y (+) z) gives the same, and likewise its neutral element is the dual of the
neutral element: the tangent 0 for a constant one.

A reduction, scan or histogram by `min` or `max` takes the mean of the tangents of all elements equal to the result, or
to the prefix. There the operator carries the best value, the sum of the tangents of the elements that have it, and
their number; the worse side drops out. NaN equals nothing, so the number is 0 then, and the tangent of a NaN is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Expr, Hist, Lambda, Reduce, Scan, Stm
from ..ir.types import Atom, Lit, Type, Var, zero
from ..ir.walk import fresh
from ..records import dataclass
from .jvp_extrema import is_extremum
from .jvp_tangents import Tangents, dot
from .values import each, zeros


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
    """Emit a reduction or scan over values and tangents."""
    dual = _dual(t, expr.op)
    neutral = _neutral(t, b, expr.neutral, dual)
    op = _operator(t, b, expr.op, dual)
    inner = b.child()
    values = t.filled_block(inner, expr.body.body, dual.varied)
    ones = [_ones(inner, expr.neutral[k].type) for k in dual.shared]
    body = Lambda(expr.body.params, inner.block((*values, *ones)))
    ties = _bind(t, b, vars, dual, type(expr)(expr.size, op, neutral, body))
    for k, count in zip(dual.shared, ties, strict=True):
        n_dot, alone = t.of(expr.neutral[k]), tuple[Atom, ...]()
        if n_dot is not None:
            alone = (vars[k], *(_beside(b, expr, x) for x in (expr.neutral[k], n_dot)))
        t.define(vars[k], _mean(b, t.filled(b, vars[k]), count, *alone))


def push_hist(t: Tangents, b: Builder, vars: Sequence[Var], expr: Hist) -> None:
    """Emit a histogram over values and tangents; a destination's own element is one of those that may tie."""
    dual, keys = _dual(t, expr.op), expr.keys
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
        t.define(vars[k], _mean(b, t.filled(b, vars[k]), count))


def _beside(b: Builder, expr: Reduce | Scan, start: Atom) -> Atom:
    """What belongs to the neutral element, beside each prefix."""
    return b.apply("replicate", start, expr.size) if isinstance(expr, Scan) else start


def _dual(t: Tangents, op: Lambda) -> _Dual:
    varied = t.varying(op.params[: len(op.params) // 2])
    shared = tuple(k for k in varied if is_extremum(op, k))
    return _Dual(tuple(k for k in varied if k not in shared), shared)


def _neutral(t: Tangents, b: Builder, neutral: Atoms, dual: _Dual) -> Atoms:
    nothing = [zeros(b, neutral[k].type) for k in dual.shared]
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
        total, count = _merged(inner, op.body.results[k], [(side.values[k], *side.shared[n]) for side in sides])
        totals.append(total)
        ties.append(count)
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


def _merged(b: Builder, best: Atom, sides: Sequence[tuple[Var, Var, Var]]) -> Atoms:
    """The sum of tangents and the number of ties of both sides, as far as their values are the best."""
    nothing = zero(best.type.dtype)

    def element(b: Builder, top: Atom, *sides: Atom) -> Atoms:
        wins = [b.apply("eq", value, top) for value in (sides[0], sides[3])]
        pairs = zip(sides[1:3], sides[4:6], strict=True)
        kept = [[b.apply("select", won, x, nothing) for won, x in zip(wins, pair, strict=True)] for pair in pairs]
        return tuple(b.apply("add", x, y) for x, y in kept)

    return each(b, element, best, *(var for side in sides for var in side))


def _mean(b: Builder, total: Atom, count: Atom, *alone: Atom) -> Atom:
    """`total / count`, and 0 without anything to count.

    `alone` are a result, its neutral element and that one's tangent, which is taken where no element has the result.
    """
    nothing = zero(total.type.dtype)

    def element(b: Builder, total: Atom, count: Atom, *alone: Atom) -> Atoms:
        otherwise: Atom = nothing
        if alone:
            result, neutral, n_dot = alone
            otherwise = b.apply("select", b.apply("eq", result, neutral), n_dot, nothing)
        some = b.apply("gt", count, nothing)
        return (b.apply("select", some, b.apply("div", total, count), otherwise),)

    return each(b, element, total, count, *alone)[0]
