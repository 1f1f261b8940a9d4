"""log, log2, log10 and log1p, and the logarithm of a pair that the inverse hyperbolic functions use.

x = 2^k m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f / (2 + f):
log(1 + f) = f - f^2/2 + s (f^2/2 + s^2 P(s^2)), in which f is exact and the rest is small.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from ...records import dataclass
from .coefficients import INV_LN2, INV_LN10, LN2_SHORT, LOG, LOG10_2, LOG_LONG, TWO_THIRDS
from .double import Pair, divide, exact_product, exact_sum, multiply, ordered_sum
from .formats import format_of
from .lanes import Lanes, fma, select
from .polynomial import polynomial, short_chain

_ROOT_HALF_BITS = {F64: 0x3FE6A09E667F3BCD, F32: 0x3F3504F3}


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """x = 2^k m, m in [sqrt(1/2), sqrt(2)); `exponent` is k + bias as an integer."""

    k: Lanes
    m: Lanes
    exponent: Lanes


def log(x: Lanes) -> Lanes:
    return at_edges(x, _with_exponent(split(x), None))


def log2(x: Lanes) -> Lanes:
    parts = split(x)
    fraction = _times(_log_of_mantissa(parts.m - 1.0), INV_LN2[x.dtype])
    total = ordered_sum(parts.k, fraction.hi)
    return at_edges(x, total.hi + (total.lo + fraction.lo))


def log10(x: Lanes) -> Lanes:
    parts = split(x)
    fraction = _times(_log_of_mantissa(parts.m - 1.0), INV_LN10[x.dtype])
    hi, lo = LOG10_2[x.dtype][:2]
    total = ordered_sum(parts.k * hi, fraction.hi)
    return at_edges(x, total.hi + (total.lo + fma(parts.k, lo, fraction.lo)))


def log1p(x: Lanes) -> Lanes:
    one_more = exact_sum(x.constant(1.0), x)
    return at_edges(one_more.hi, log_of_pair(one_more)).with_sign_of(x)


def log_of_pair(x: Pair, doublings: Lanes | None = None) -> Lanes:
    """log(x) for a normal positive x (plus log 2 times `doublings`); relatively exact also near x = 1."""
    parts = split(x.hi, normal=True)
    fmt = format_of(x.hi)
    inverse = ((2 * fmt.bias - parts.exponent) << fmt.fraction).bits()
    # Far above 1 the second part no longer counts, and the inverse power may be out of range.
    small = select(x.hi < 2.0 ** (fmt.bias // 2), x.lo * inverse, 0.0)
    if doublings is not None:
        parts = Split(parts.k + doublings, parts.m, parts.exponent)
    return _with_exponent(parts, small)


def log_long(x: Lanes) -> Pair:
    """log(x) of a positive finite f64 to about 70 bits: 2s + 2s^3/3 + s^5 P(s^2), the first two terms as pairs."""
    parts = split(x)
    f = parts.m - 1.0
    s = divide(Pair(f, x.constant(0.0)), ordered_sum(x.constant(2.0), f))
    z = multiply(s, s)
    two_thirds = TWO_THIRDS[x.dtype]
    factor = ordered_sum(x.constant(two_thirds[0]), z.hi * short_chain(z.hi, LOG_LONG[x.dtype]))
    cubic = multiply(multiply(s, z), Pair(factor.hi, factor.lo + two_thirds[1]))
    mantissa = ordered_sum(2.0 * s.hi, cubic.hi)
    hi, lo = LN2_SHORT[x.dtype][:2]
    leading = ordered_sum(parts.k * hi, mantissa.hi)
    rest = mantissa.lo + fma(s.lo, 2.0, cubic.lo)
    return Pair(leading.hi, fma(parts.k, lo, leading.lo + rest))


def split(x: Lanes, *, normal: bool = False) -> Split:
    """By integer arithmetic on the bits; numbers below the normal ones are scaled up first."""
    fmt = format_of(x)
    offset = fmt.fraction + 2
    if normal:
        scaled, correction = x, x.constant(float(fmt.bias))
    else:
        below = x < fmt.tiny
        scaled = select(below, x * 2.0**offset, x)
        correction = select(below, x.constant(float(fmt.bias + offset)), float(fmt.bias))
    one, root = fmt.bias << fmt.fraction, _ROOT_HALF_BITS[x.dtype]
    moved = scaled.bits() + (one - root)
    exponent = moved >> fmt.fraction
    m = ((moved & ((1 << fmt.fraction) - 1)) + root).bits()
    # An integer in the low bits of 2^fraction is itself once 2^fraction is subtracted.
    base = (fmt.bias + fmt.fraction) << fmt.fraction
    k = ((exponent | base).bits() - 2.0**fmt.fraction) - correction
    return Split(k, m, exponent)


def at_edges(x: Lanes, result: Lanes) -> Lanes:
    """The logarithm of 0 is -inf, of a negative number NaN, of inf and NaN themselves."""
    inf = float("inf")
    outside = select(x <= 0.0, select(x.eq(0.0), x.constant(-inf), float("nan")), x)
    return select((x > 0.0) & (x < inf), result, outside)


def _with_exponent(parts: Split, small: Lanes | None) -> Lanes:
    """k log 2 + log(m + small)."""
    f, rest = parts.m - 1.0, None
    if small is not None:
        total = ordered_sum(f, small)
        f, rest = total.hi, fma(-total.lo, total.hi, total.lo)
    hi, lo = LN2_SHORT[f.dtype][:2]
    leading = ordered_sum(parts.k * hi, f)
    beyond = fma(parts.k, lo, leading.lo)
    if rest is not None:
        beyond = beyond + rest
    return leading.hi + _minus_f(f, beyond)


def _log_of_mantissa(f: Lanes) -> Pair:
    return ordered_sum(f, _minus_f(f, f.constant(0.0)))


def _minus_f(f: Lanes, beyond: Lanes) -> Lanes:
    """log(1 + f) - f + beyond."""
    s = f / (f + 2.0)
    z = s * s
    half = 0.5 * f
    return fma(-half, f, fma(s, fma(half, f, z * polynomial(z, LOG[f.dtype])), beyond))


def _times(x: Pair, factor: tuple[float, ...]) -> Pair:
    product = exact_product(x.hi, factor[0])
    return ordered_sum(product.hi, fma(x.hi, factor[1], fma(x.lo, factor[0], product.lo)))
