"""lgamma and digamma, in f64 arithmetic; f32 takes the same way with shorter polynomials.

From 16 on, Stirling's series. Below, one polynomial for each power of two, in t = m - 3/2 for the mantissa m, with the
factors (x - 1), (x - 2), (x - x0) of the positive roots taken out: so both are relatively exact near these roots too.
Near 0, one step of the recurrence. For negative x, reflection: between any two poles there is a root, and close to it
the error is a few units in the last place of the terms that cancel, not of the result.
"""

from __future__ import annotations

from ...ir.types import F64, DType
from . import coefficients as table
from .coefficients import DIGAMMA, DIGAMMA_ROOT, LOG_PI, PI
from .double import Pair, add, constant_pair, divide, exact_product, exact_sum, multiply, select_pair
from .formats import flip_sign, sign_bit
from .gamma_parts import mantissa, pieces_by_power, sin_pi, stirling
from .lanes import Lanes, at_least, fma, if_any, select
from .logarithm import log, log_long, log_of_pair
from .polynomial import short_chain
from .trigonometric import cos_of_rest, sin_of_rest

_LGAMMA_PIECES = (table.LGAMMA_0, table.LGAMMA_1, table.LGAMMA_2, table.LGAMMA_3, table.LGAMMA_4)
_DIGAMMA_PIECES = (table.DIGAMMA_0, table.DIGAMMA_1, table.DIGAMMA_2, table.DIGAMMA_3)
# Below this, digamma(x) = -1/x.
_TINY = 2.0**-60
_INF, _NAN = float("inf"), float("nan")


def lgamma(x: Lanes) -> Lanes:
    return _lgamma(x.convert(F64), x.dtype).convert(x.dtype)


def digamma(x: Lanes) -> Lanes:
    return _digamma(x.convert(F64), x.dtype).convert(x.dtype)


def _lgamma(x: Lanes, accuracy: DType) -> Lanes:
    size = x.abs()
    small, large = size < 0.5, size >= 16.0
    logarithm = log_long(select((size > 0.0) & (size < _INF), size, 1.0))
    product = _lgamma_pieces(x, size, small, accuracy)
    shifted = add(product, -logarithm)
    far = stirling(select(large & (size < _INF), size, 16.0), accuracy)
    pair = select_pair(large, far, select_pair(small, shifted, product))
    value = select(pair.hi.abs() < _INF, pair.value(), pair.hi)
    positive = select(size.eq(0.0) | size.eq(_INF), _INF, value)
    negative = x <= -0.5
    result = if_any(negative, lambda: select(negative, _reflected_lgamma(size, pair), positive), positive)
    return select(x.is_nan(), x, result)


def _lgamma_pieces(x: Lanes, size: Lanes, small: Lanes, accuracy: DType) -> Pair:
    """lgamma(size), or lgamma(1 + x) where |x| < 1/2."""
    below = small & (x < 0.0)
    near = select(x < 0.0, fma(x, 2.0, 0.5), x - 0.5)
    t = select(small, near, mantissa(size) - 1.5)
    unit = (size >= 1.0) | (small & ~below)
    two, four, eight = size >= 2.0, size >= 4.0, size >= 8.0
    polynomial = pieces_by_power(t, _LGAMMA_PIECES, [unit, two, four, eight], accuracy)
    from_one = select(small, x, size - 1.0)
    from_two = select(small, x - 1.0, size - 2.0)
    first = select(two, 1.0, from_one)
    second = select(four | ~unit, 1.0, from_two)
    return multiply(exact_product(first, second), polynomial)


def _reflected_lgamma(size: Lanes, value: Pair) -> Lanes:
    """log(pi / |y sin(pi y)|) - lgamma(y), infinite at the poles."""
    sine = sin_pi(size)
    divisor = multiply(Pair(sine.hi.abs(), flip_sign(sine.lo, sign_bit(sine.hi))), Pair(size, size.constant(0.0)))
    pole = sine.hi.eq(0.0) | size.eq(_INF)
    safe = Pair(select(pole, 1.0, divisor.hi), select(pole, 0.0, divisor.lo))
    hi, lo = LOG_PI[F64][:2]
    total = add(Pair(size.constant(hi) - log_of_pair(safe), size.constant(lo)), -value)
    return select(pole, _INF, total.value())


def _digamma(x: Lanes, accuracy: DType) -> Lanes:
    size = at_least(x.abs(), _TINY)
    small, large = size < 1.0, size >= 16.0
    inverse = _inverse(size)
    near = _digamma_pieces(size, small, accuracy)
    z = inverse.hi * inverse.hi
    far = log(size) - fma(z, short_chain(z, DIGAMMA[accuracy]), 0.5 * inverse.hi)
    zero = x.constant(0.0)
    value = select_pair(large, Pair(far, zero), near)
    positive = select(small, add(-inverse, value).value(), value.value())
    negative = x < 0.0
    above = select_pair(small, value, add(value, inverse))
    result = if_any(negative, lambda: select(negative, _reflected_digamma(x, above), positive), positive)
    near_zero = select(x.abs() < _TINY, -1.0 / x, result)
    return select(x.eq(_INF), _INF, near_zero)


def _digamma_pieces(size: Lanes, small: Lanes, accuracy: DType) -> Pair:
    """digamma(size), or digamma(1 + size) below 1."""
    t = select(small, size - 0.5, mantissa(size) - 1.5)
    two, four, eight = size >= 2.0, size >= 4.0, size >= 8.0
    polynomial = pieces_by_power(t, _DIGAMMA_PIECES, [two, four, eight], accuracy)
    hi, lo = DIGAMMA_ROOT[F64][:2]
    root = select(small, size.constant(hi - 1.0), hi)
    distance = exact_sum(size, -root)
    factor = Pair(select(two, 1.0, distance.hi), select(two, 0.0, distance.lo - lo))
    return multiply(factor, polynomial)


def _reflected_digamma(x: Lanes, above: Pair) -> Lanes:
    """digamma(-y) = digamma(1 + y) + pi cot(pi y), undefined at the poles."""
    size = x.abs()
    rest = size - size.rint()
    pole = rest.eq(0.0) | size.eq(_INF)
    angle = multiply(Pair(select(pole, 0.25, rest), x.constant(0.0)), constant_pair(x, PI[F64]))
    steep = rest.abs() > 0.25
    # Beyond a quarter, the cotangent of the angle is the tangent of the rest to a right angle.
    other = multiply(Pair(0.5 - rest.abs(), x.constant(0.0)), constant_pair(x, PI[F64]))
    sine, cosine = (f(select_pair(steep, other, _unsigned(angle))) for f in (sin_of_rest, cos_of_rest))
    cotangent = divide(select_pair(steep, sine, cosine), select_pair(steep, cosine, sine))
    signed = Pair(flip_sign(cotangent.hi, sign_bit(rest)), flip_sign(cotangent.lo, sign_bit(rest)))
    total = add(above, multiply(signed, constant_pair(x, PI[F64])))
    return select(pole, _NAN, total.value())


def _inverse(x: Lanes) -> Pair:
    inverse = 1.0 / x
    return Pair(inverse, fma(-inverse, x, 1.0) * inverse)


def _unsigned(angle: Pair) -> Pair:
    sign = sign_bit(angle.hi)
    return Pair(flip_sign(angle.hi, sign), flip_sign(angle.lo, sign))
