"""sinh, cosh and tanh, and their inverses.

With x = n log 2 + r, sinh(x) = sinh(n log 2) cosh(r) + cosh(n log 2) sinh(r), and cosh alike: no exponential
is divided, nothing cancels for n = 0, and the factors (2^n -+ 2^-n)/2 are exact or as good as exact.
The inverses are logarithms of arguments formed as pairs.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from ...records import dataclass
from .coefficients import COSH, SINH
from .double import Pair, divide, exact_product, exact_sum, ordered_sum, square_root
from .exponential import exp_tail, reduce
from .formats import format_of
from .lanes import Lanes, at_most, fma, select
from .logarithm import at_edges, log_of_pair
from .polynomial import polynomial

# Beyond these sinh and cosh are infinite, and tanh is 1.
_OVERFLOW = {F64: 711.0, F32: 90.0}
_SATURATED = {F64: 20.0, F32: 10.0}


def sinh(x: Lanes) -> Lanes:
    parts = _Parts.of(at_most(x.abs(), _OVERFLOW[x.dtype]))
    result = _combine(parts.minus, parts.plus, parts).value() * 4.0
    return select(x.abs() < _negligible(x), x, result.with_sign_of(x))


def cosh(x: Lanes) -> Lanes:
    parts = _Parts.of(at_most(x.abs(), _OVERFLOW[x.dtype]))
    return _combine(parts.plus, parts.minus, parts).value() * 4.0


def tanh(x: Lanes) -> Lanes:
    """E / (E + 2) with E = exp(2 |x|) - 1 as a pair."""
    fmt = format_of(x)
    reduced = reduce(2.0 * at_most(x.abs(), _SATURATED[x.dtype]), fmt.bias)
    power = (reduced.shifted.bits() << fmt.fraction).bits()
    rest = power - 1.0
    leading = fma(power, reduced.r.hi, rest)
    lost = fma(power, reduced.r.hi, rest - leading)
    above = ordered_sum(leading, fma(power, exp_tail(reduced.r), lost))
    total = exact_sum(above.hi, x.constant(2.0))
    quotient = divide(above, Pair(total.hi, total.lo + above.lo)).value()
    return select(x.abs() < _negligible(x), x, quotient.with_sign_of(x))


def asinh(x: Lanes) -> Lanes:
    """log(|x| + sqrt(x^2 + 1)), or log(2 |x|) where 1 no longer counts."""
    size = x.abs()
    huge = size > _square_limit(x)
    near = select(huge, 1.0, size)
    square = exact_product(near, near)
    total = exact_sum(x.constant(1.0), square.hi)
    root = square_root(ordered_sum(total.hi, total.lo + square.lo))
    result = _log_of_sum(near, root, size, huge)
    return select(size < _negligible(x), x, result.with_sign_of(x))


def acosh(x: Lanes) -> Lanes:
    """log(x + sqrt(x^2 - 1)); x^2 - 1 = t (t + 2) with t = x - 1, which is exact where it is small."""
    huge = x > _square_limit(x)
    near = select(huge, 1.0, x)
    above = exact_sum(near, near.constant(-1.0))
    product = exact_product(above.hi, above.hi)
    # 2t + t^2 in descending order; the part of t that was rounded off counts twice (1 + t) times.
    total = exact_sum(2.0 * above.hi, product.hi)
    rest = total.lo + fma(2.0 * above.lo, near, product.lo)
    root = square_root(ordered_sum(total.hi, rest))
    result = _log_of_sum(near, root, x, huge)
    return select(x < 1.0, float("nan"), result)


def atanh(x: Lanes) -> Lanes:
    """log((1 + x) / (1 - x)) / 2."""
    size = x.abs()
    one = x.constant(1.0)
    inner = select(size < 1.0, size, 0.5)
    quotient = divide(ordered_sum(one, inner), ordered_sum(one, -inner))
    result = 0.5 * log_of_pair(quotient)
    edge = select(size.eq(1.0), x.constant(float("inf")), float("nan"))
    bounded = select(size < 1.0, result, edge)
    return select(size < _negligible(x), x, bounded.with_sign_of(x))


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """(2^n - 2^-n)/8 and (2^n + 2^-n)/8; r; cosh(r) - 1 and sinh(r) - r.hi. The eighth keeps the largest n in range."""

    minus: Pair
    plus: Pair
    r: Lanes
    cosh_tail: Lanes
    sinh_tail: Lanes

    @staticmethod
    def of(x: Lanes) -> _Parts:
        fmt = format_of(x)
        reduced = reduce(x, fmt.bias - 3)
        r, z = reduced.r.hi, reduced.r.hi * reduced.r.hi
        up = (reduced.shifted.bits() << fmt.fraction).bits()
        down = _down(reduced.n)
        cosh_tail = z * fma(z, polynomial(z, COSH[x.dtype]), 0.5)
        sinh_tail = fma(z * r, polynomial(z, SINH[x.dtype]), reduced.r.lo)
        minus, plus = ordered_sum(up, -down), ordered_sum(up, down)
        slopes = fma(r, reduced.r.lo, cosh_tail), fma(cosh_tail, reduced.r.lo, sinh_tail)
        return _Parts(minus, plus, r, *slopes)


def _down(n: Lanes) -> Lanes:
    """2^-n / 8, taken as zero once it no longer counts beside 2^n."""
    fmt = format_of(n)
    shifted = (fmt.rounder() + (fmt.bias - 3)) - n
    return select(n < float(fmt.fraction + 3), (shifted.bits() << fmt.fraction).bits(), 0.0)


def _combine(on_cosh: Pair, on_sinh: Pair, parts: _Parts) -> Pair:
    """on_cosh * cosh(r) + on_sinh * sinh(r), largest terms first."""
    leading = fma(on_sinh.hi, parts.r, on_cosh.hi)
    lost = fma(on_sinh.hi, parts.r, on_cosh.hi - leading) + fma(on_sinh.lo, parts.r, on_cosh.lo)
    rest = fma(on_cosh.hi, parts.cosh_tail, fma(on_sinh.hi, parts.sinh_tail, lost))
    return ordered_sum(leading, rest)


def _log_of_sum(a: Lanes, b: Pair, whole: Lanes, huge: Lanes) -> Lanes:
    """log(a + b), or log(2 whole) where `huge`."""
    total = exact_sum(b.hi, a)
    argument = ordered_sum(total.hi, total.lo + b.lo)
    joined = Pair(select(huge, whole, argument.hi), select(huge, 0.0, argument.lo))
    return at_edges(joined.hi, log_of_pair(joined, select(huge, a.constant(1.0), 0.0)))


def _negligible(x: Lanes) -> float:
    """Below this, f(x) = x + c x^3 + ... rounds to x."""
    return 2.0 ** -(format_of(x).fraction // 2 + 2)


def _square_limit(x: Lanes) -> float:
    """Above this, x^2 + 1 and x^2 - 1 round to x^2."""
    return 2.0 ** (format_of(x).fraction // 2 + 3)
