"""exp, exp2 and expm1.

x = n log 2 + r with |r| <= log(2)/2, so exp(x) = 2^n exp(r); r is kept as a pair, because its rounding
error would reach the result undiminished. exp(r) = 1 + r + r^2 P(r), added up from the largest term down.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from ...records import dataclass
from .coefficients import EXP, INV_LN2, LN2
from .double import Pair, exact_product, ordered_sum
from .formats import format_of
from .lanes import Lanes, at_least, at_most, fma, select
from .polynomial import polynomial

# Beyond these the result is 0 or infinite; they keep the exponents that are built from bits in range.
_RANGE = {F64: (-746.0, 710.0), F32: (-104.0, 89.0)}
_LOWEST_EXPM1 = {F64: -40.0, F32: -20.0}
_RANGE2 = {F64: (-1076.0, 1025.0), F32: (-151.0, 129.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """x = n log 2 + r; `shifted` holds n + offset in its low bits."""

    shifted: Lanes
    n: Lanes
    r: Pair


def exp(x: Lanes) -> Lanes:
    reduced = reduce(clip(x), 2 * format_of(x).bias)
    return scale(exp_pair(reduced.r).value(), reduced.shifted)


def exp2(x: Lanes) -> Lanes:
    low, high = _RANGE2[x.dtype]
    clipped = at_least(at_most(x, high), low)
    rounder = format_of(x).rounder(2 * format_of(x).bias)
    shifted = clipped + rounder
    fraction = clipped - (shifted - rounder)
    hi, lo = LN2[x.dtype][:2]
    r = exact_product(fraction, hi)
    return scale(exp_pair(Pair(r.hi, fma(fraction, lo, r.lo))).value(), shifted)


def expm1(x: Lanes) -> Lanes:
    """2 (s (r + t) + (s - 1/2)) with s = 2^(n-1): the half keeps the greatest n representable."""
    fmt = format_of(x)
    reduced = reduce(at_least(clip(x), _LOWEST_EXPM1[x.dtype]), fmt.bias - 1)
    half = (reduced.shifted.bits() << fmt.fraction).bits()
    r = reduced.r.hi
    rest = half - 0.5
    leading = fma(half, r, rest)
    lost = fma(half, r, rest - leading)
    result = 2.0 * (leading + fma(half, exp_tail(reduced.r), lost))
    return select(x.abs() < fmt.epsilon / 4, x, result)


def clip(x: Lanes) -> Lanes:
    low, high = _RANGE[x.dtype]
    return at_least(at_most(x, high), low)


def reduce(x: Lanes, offset: int) -> Reduced:
    """Exact but for the last part of log 2: n log 2 is subtracted part by part with fma."""
    rounder = format_of(x).rounder(offset)
    shifted = fma(x, INV_LN2[x.dtype][0], rounder)
    n = shifted - rounder
    hi, lo = LN2[x.dtype][:2]
    first = fma(n, -hi, x)
    second = fma(n, -lo, first)
    return Reduced(shifted, n, Pair(second, fma(n, -lo, first - second)))


def exp_pair(r: Pair) -> Pair:
    """exp(r) for |r| <= log(2)/2; the second part is not small enough to make it a normalised pair."""
    leading = ordered_sum(r.hi.constant(1.0), r.hi)
    return Pair(leading.hi, leading.lo + exp_tail(r))


def exp_tail(r: Pair) -> Lanes:
    """exp(r.hi + r.lo) - 1 - r.hi."""
    return fma(r.hi * r.hi, polynomial(r.hi, EXP[r.hi.dtype]), fma(r.hi, r.lo, r.lo))


def scale(value: Lanes, shifted: Lanes) -> Lanes:
    """value * 2^n, where the low bits of `shifted` hold n + 2 bias.

    In two steps, as 2^n itself may be out of range; so a result below the normal numbers is rounded once.
    """
    fraction = format_of(value).fraction
    bits = shifted.bits()
    half = bits >> 1
    first = (half << fraction).bits()
    second = ((bits - half) << fraction).bits()
    return value * first * second
