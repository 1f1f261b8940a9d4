"""pow, cbrt and hypot.

pow(x, y) = exp(y log x): the error of the logarithm is multiplied by up to 745, so the logarithm and the product
are pairs. f32 takes the same way in f64, where single numbers have digits to spare.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from .coefficients import CBRT, EXP, LN2, LOG
from .double import exact_product, ordered_sum
from .exponential import clip, exp_pair, reduce, scale
from .formats import flip_sign, format_of, sign_bit
from .lanes import Lanes, at_least, at_most, fma, select
from .logarithm import log_long, split
from .polynomial import polynomial

_MANY_TURNS = 2.0**100


def pow(x: Lanes, y: Lanes) -> Lanes:
    """C99's pow, infinities, zeros and NaN included."""
    size = x.abs()
    # Larger exponents give 0, 1 or infinity all the same; the bound keeps products finite.
    exponent = at_least(at_most(y, _MANY_TURNS), -_MANY_TURNS)
    regular = _power_single(size, exponent) if x.dtype is F32 else _power_double(size, exponent)
    inf = float("inf")
    edge = select(size.eq(0.0) ^ (y < 0.0), x.constant(0.0), inf)
    value = select((size > 0.0) & (size < inf), regular, edge)
    return _with_sign_and_nan(x, y, value)


def _with_sign_and_nan(x: Lanes, y: Lanes, size: Lanes) -> Lanes:
    """The sign for odd exponents, NaN for fractional powers of negatives, and 1 where either operand forces it."""
    whole = y.trunc().eq(y)
    half = 0.5 * y
    odd = whole & half.trunc().ne(half)
    sign = select(odd, sign_bit(x), 0)
    signed = flip_sign(size, sign)
    undefined = (x < 0.0) & ~whole & (x.abs() < float("inf"))
    nan = x.is_nan() | y.is_nan()
    result = select(undefined | nan, float("nan"), signed)
    return select(y.eq(0.0) | x.eq(1.0), 1.0, result)


def _power_double(size: Lanes, y: Lanes) -> Lanes:
    logarithm = log_long(size)
    product = exact_product(logarithm.hi, y)
    lost = fma(logarithm.lo, y, product.lo)
    clipped = clip(product.hi)
    reduced = reduce(clipped, 2 * format_of(size).bias)
    rest = reduced.r.lo + select(clipped.eq(product.hi), lost, 0.0)
    return scale(exp_pair(ordered_sum(reduced.r.hi, rest)).value(), reduced.shifted)


def _power_single(size: Lanes, y: Lanes) -> Lanes:
    """In f64 arithmetic with the short polynomials of f32, whose errors are beyond f32's last place."""
    parts = split(size.convert(F64), normal=True)
    f = parts.m - 1.0
    s = f / (f + 2.0)
    z = s * s
    logarithm = fma(parts.k, LN2[F64][0], fma(z * s, polynomial(z, LOG[F32]), s + s))
    product = at_least(at_most(logarithm * y.convert(F64), 100.0), -120.0)
    reduced = reduce(product, format_of(product).bias)
    r = reduced.r.hi
    value = fma(r * r, polynomial(r, EXP[F32]), r + 1.0)
    power = (reduced.shifted.bits() << format_of(value).fraction).bits()
    return (value * power).convert(F32)


def cbrt(x: Lanes) -> Lanes:
    """Two corrections of a rough inverse root: the first to nearly all digits, the second from the exact remainder."""
    fmt = format_of(x)
    size = x.abs()
    below = size < fmt.tiny
    thirds = fmt.fraction // 3 + 1
    scaled = select(below, size * 2.0 ** (3 * thirds), size)
    bits = scaled.bits()
    one = fmt.bias << fmt.fraction
    m = ((bits & ((1 << fmt.fraction) - 1)) | one).bits()
    base = (fmt.bias + fmt.fraction) << fmt.fraction
    exponent = ((bits >> fmt.fraction) | base).bits() - (2.0**fmt.fraction + fmt.bias)
    rounder = fmt.rounder(fmt.bias)
    shifted = fma(exponent, 1.0 / 3.0, rounder)
    third = shifted - rounder
    rest = fma(third, -3.0, exponent)
    root = _root_of_mantissa(m, rest)
    power = (shifted.bits() << fmt.fraction).bits()
    result = root * power * select(below, x.constant(2.0**-thirds), 1.0)
    return select((size > 0.0) & (size < float("inf")), result.with_sign_of(x), x)


def _root_of_mantissa(m: Lanes, rest: Lanes) -> Lanes:
    """The cube root of t = m 2^rest for rest in -1, 0, 1."""
    up, down = rest > 0.0, rest < 0.0
    t = select(up, m + m, select(down, 0.5 * m, m))
    factor = select(up, m.constant(0.5 ** (1 / 3)), select(down, m.constant(2.0 ** (1 / 3)), 1.0))
    inverse = polynomial(m, CBRT[m.dtype]) * factor
    square = inverse * inverse
    rough = t * square
    # With e = 1 - t inverse^3, the root is rough (1 - e)^(-2/3).
    e = fma(-rough, inverse, 1.0)
    good = fma(rough * e, fma(e, fma(e, 40.0 / 81.0, 5.0 / 9.0), 2.0 / 3.0), rough)
    good_square = exact_product(good, good)
    cube = exact_product(good_square.hi, good)
    remainder = (t - cube.hi) - fma(good_square.lo, good, cube.lo)
    return fma(remainder, square * (1.0 / 3.0), good)


def hypot(x: Lanes, y: Lanes) -> Lanes:
    """sqrt(x^2 + y^2) with the sum of squares as a pair, rounded once before the root."""
    fmt = format_of(x)
    a, b = x.abs(), y.abs()
    first = a > b
    larger, smaller = select(first, a, b), select(first, b, a)
    limit = 2.0 ** (fmt.bias // 2 - 2)
    step = 2.0 ** (fmt.bias // 2 + fmt.fraction)
    far, near = larger > limit, larger < 1.0 / limit
    down = select(far, x.constant(1.0 / step), select(near, x.constant(step), 1.0))
    back = select(far, x.constant(step), select(near, x.constant(1.0 / step), 1.0))
    squares = [exact_product(side * down, side * down) for side in (larger, smaller)]
    total = ordered_sum(squares[0].hi, squares[1].hi)
    root = (total.hi + (total.lo + (squares[0].lo + squares[1].lo))).sqrt() * back
    inf = float("inf")
    return select(a.eq(inf) | b.eq(inf), inf, root)
