"""gamma, lgamma and digamma, in f64 arithmetic; f32 uses the same code with shorter polynomials.

* 8 (lgamma, digamma: 16) and above: Stirling's series as a minimax polynomial in 1/x^2, with the logarithm as a pair.
* Below, lgamma and digamma have one polynomial for each power of two, in t = m - 3/2 for the mantissa m, with the factors
  (x - 1), (x - 2), (x - x0) of their roots taken out: so they are relatively exact also near these roots. Below 1 (1/2), one step
  of the recurrence. gamma is a polynomial on [2, 3) and up to five factors of the recurrence.
* Negative x: reflection. lgamma and digamma have a root between any two negative poles; near those the error is a few
  units in the last place of the terms that cancel, not of the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.types import F64, DType
from . import coefficients as table
from .coefficients import DIGAMMA, DIGAMMA_ROOT, GAMMA, LOG_2PI_HALF, LOG_PI, PI, STIRLING
from .double import (
    Pair, add, constant_pair, divide, exact_product, exact_sum, multiply, ordered_sum, polynomial_end, select_pair,
)  # fmt: skip
from .exponential import exp_pair, reduce, scale
from .formats import FORMATS, flip_sign, sign_bit
from .lanes import Lanes, at_least, at_most, fma, if_any, select
from .logarithm import log, log_long, log_of_pair
from .polynomial import piecewise, short_chain
from .trigonometric import cos_of_rest, sin_of_rest

_LGAMMA_PIECES = (table.LGAMMA_0, table.LGAMMA_1, table.LGAMMA_2, table.LGAMMA_3, table.LGAMMA_4)
_DIGAMMA_PIECES = (table.DIGAMMA_0, table.DIGAMMA_1, table.DIGAMMA_2, table.DIGAMMA_3)
_TINY = 2.0**-60
_INF, _NAN = float("inf"), float("nan")


def gamma(x: Lanes) -> Lanes:
    return _gamma(x.convert(F64), x.dtype).convert(x.dtype)


def lgamma(x: Lanes) -> Lanes:
    return _lgamma(x.convert(F64), x.dtype).convert(x.dtype)


def digamma(x: Lanes) -> Lanes:
    return _digamma(x.convert(F64), x.dtype).convert(x.dtype)


# -- gamma --------------------------------------------------------------------------------------

# gamma overflows at 171.6, and 1/gamma has vanished at 190.
_LARGEST = 190.0


def _gamma(x: Lanes, accuracy: DType) -> Lanes:
    size = at_least(at_most(x.abs(), _LARGEST), _TINY)
    large = size >= 8.0
    exponent = reduce(_stirling(at_least(size, 8.0), accuracy).hi, 0)
    value = select_pair(large, _exp_of(_stirling(at_least(size, 8.0), accuracy)), _gamma_below_8(size, accuracy))
    n = select(large, exponent.n, 0.0)
    negative = x < 0.0
    reflected = _reflected_gamma(size, x, value)
    number = select(negative, reflected, value.value())
    shifted = select(negative, -n, n) + FORMATS[F64].rounder(2 * FORMATS[F64].bias)
    result = scale(number, shifted)
    pole = negative & x.floor().eq(x)
    near_zero = select(x.abs() < _TINY, 1.0 / x, result)
    return select(pole | x.is_nan() | x.eq(-_INF), _NAN, near_zero)


def _exp_of(x: Pair) -> Pair:
    """exp(x) without its power of two."""
    reduced = reduce(x.hi, 0)
    found = exp_pair(ordered_sum(reduced.r.hi, reduced.r.lo + x.lo))
    return ordered_sum(found.hi, found.lo)


def _gamma_below_8(size: Lanes, accuracy: DType) -> Pair:
    """gamma(2 + fraction) times (x - 1)(x - 2)..., or divided by x or x (x + 1)."""
    whole = size.floor()
    t = (size - whole) - 0.5
    first, second = constant_pair(t, GAMMA[accuracy]), t.constant(GAMMA[accuracy][2])
    value = polynomial_end(t, first, second, short_chain(t, GAMMA[accuracy][3:]))
    zero = size.constant(0.0)
    for k in range(1, 6):
        factor = select(whole >= k + 2.0, size - float(k), 1.0)
        value = multiply(value, Pair(factor, zero))
    step = ordered_sum(size.constant(1.0), size)
    twice = multiply(step, Pair(size, zero))
    divisor = Pair(
        select(whole < 1.0, twice.hi, select(whole < 2.0, size, 1.0)),
        select(whole < 1.0, twice.lo, 0.0),
    )
    return divide(value, divisor)


def _reflected_gamma(size: Lanes, x: Lanes, value: Pair) -> Lanes:
    """gamma(-y) = -pi / (y sin(pi y) gamma(y)), without the power of two of gamma(y)."""
    sine = _sin_pi(x.abs())
    divisor = multiply(multiply(sine, Pair(size, size.constant(0.0))), value)
    return -divide(constant_pair(x, PI[F64]), divisor).value()


def _stirling(x: Lanes, accuracy: DType) -> Pair:
    """lgamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + P(1/x^2)/x, for x >= 8."""
    inverse = 1.0 / x
    correction = inverse * short_chain(inverse * inverse, STIRLING[accuracy])
    logarithm = log_long(x)
    product = multiply(logarithm, Pair(x - 0.5, x.constant(0.0)))
    hi, lo = LOG_2PI_HALF[F64][:2]
    leading = exact_sum(product.hi, -x)
    second = exact_sum(leading.hi, x.constant(hi))
    return Pair(second.hi, second.lo + (leading.lo + (product.lo + (correction + lo))))


# -- lgamma -------------------------------------------------------------------------------------


def _lgamma(x: Lanes, accuracy: DType) -> Lanes:
    size = x.abs()
    small, large = size < 0.5, size >= 16.0
    logarithm = log_long(select((size > 0.0) & (size < _INF), size, 1.0))
    product = _lgamma_pieces(x, size, small, accuracy)
    shifted = add(product, -logarithm)
    far = _stirling(select(large & (size < _INF), size, 16.0), accuracy)
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
    t = select(small, near, _mantissa(size) - 1.5)
    unit = (size >= 1.0) | (small & ~below)
    two, four, eight = size >= 2.0, size >= 4.0, size >= 8.0
    polynomial = _pieces(t, _LGAMMA_PIECES, [unit, two, four, eight], accuracy)
    from_one = select(small, x, size - 1.0)
    from_two = select(small, x - 1.0, size - 2.0)
    first = select(two, 1.0, from_one)
    second = select(four | ~unit, 1.0, from_two)
    return multiply(exact_product(first, second), polynomial)


def _reflected_lgamma(size: Lanes, value: Pair) -> Lanes:
    """log(pi / |y sin(pi y)|) - lgamma(y), infinite at the poles."""
    sine = _sin_pi(size)
    divisor = multiply(Pair(sine.hi.abs(), flip_sign(sine.lo, sign_bit(sine.hi))), Pair(size, size.constant(0.0)))
    pole = sine.hi.eq(0.0) | size.eq(_INF)
    safe = Pair(select(pole, 1.0, divisor.hi), select(pole, 0.0, divisor.lo))
    hi, lo = LOG_PI[F64][:2]
    total = add(Pair(size.constant(hi) - log_of_pair(safe), size.constant(lo)), -value)
    return select(pole, _INF, total.value())


# -- digamma ------------------------------------------------------------------------------------


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
    t = select(small, size - 0.5, _mantissa(size) - 1.5)
    two, four, eight = size >= 2.0, size >= 4.0, size >= 8.0
    polynomial = _pieces(t, _DIGAMMA_PIECES, [two, four, eight], accuracy)
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


# -- shared -------------------------------------------------------------------------------------


def _mantissa(x: Lanes) -> Lanes:
    fmt = FORMATS[F64]
    return ((x.bits() & ((1 << fmt.fraction) - 1)) | (fmt.bias << fmt.fraction)).bits()


def _pieces(t: Lanes, pieces: Sequence[table.Table], later: Sequence[Lanes], accuracy: DType) -> Pair:
    """The chosen polynomial; its lowest coefficient comes in two parts."""
    chosen = [piece[accuracy] for piece in pieces]
    lowest = [piecewise(t, [piece[k : k + 1] for piece in chosen], later) for k in range(3)]
    higher = piecewise(t, [piece[3:] for piece in chosen], later)
    return polynomial_end(t, Pair(lowest[0], lowest[1]), lowest[2], higher)


def _inverse(x: Lanes) -> Pair:
    inverse = 1.0 / x
    return Pair(inverse, fma(-inverse, x, 1.0) * inverse)


def _unsigned(angle: Pair) -> Pair:
    sign = sign_bit(angle.hi)
    return Pair(flip_sign(angle.hi, sign), flip_sign(angle.lo, sign))


def _sin_pi(y: Lanes) -> Pair:
    """sin(pi y) for y >= 0; exactly zero at integers."""
    nearest = y.rint()
    rest = y - nearest
    steep = rest.abs() > 0.25
    zero = y.constant(0.0)
    angle = multiply(Pair(select(steep, 0.5 - rest.abs(), rest.abs()), zero), constant_pair(y, PI[F64]))
    size = select_pair(steep, cos_of_rest(angle), sin_of_rest(angle))
    half = 0.5 * nearest
    odd = half.trunc().ne(half)
    sign = sign_bit(rest) ^ select(odd, sign_bit(y.constant(-0.0)), 0)
    return Pair(flip_sign(size.hi, sign), flip_sign(size.lo, sign))


