"""What gamma, lgamma and digamma share: Stirling's series, sin(pi y), and polynomials by powers of two.

All of it is f64 arithmetic; `accuracy` says whether the polynomials are those for f64 or the shorter ones for f32.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.types import F64, I64, DType
from .coefficients import LOG_2PI_HALF, PI, STIRLING, Table
from .double import Pair, constant_pair, exact_sum, multiply, polynomial_end, select_pair
from .formats import FORMATS, flip_sign, sign_bit
from .lanes import Lanes, select
from .logarithm import log_long
from .polynomial import piecewise, short_chain
from .trigonometric import cos_of_rest, sin_of_rest


def stirling(x: Lanes, accuracy: DType) -> Pair:
    """lgamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + P(1/x^2)/x, for x >= 8."""
    inverse = 1.0 / x
    correction = inverse * short_chain(inverse * inverse, STIRLING[accuracy])
    logarithm = log_long(x)
    product = multiply(logarithm, Pair(x - 0.5, x.constant(0.0)))
    hi, lo = LOG_2PI_HALF[F64][:2]
    leading = exact_sum(product.hi, -x)
    second = exact_sum(leading.hi, x.constant(hi))
    return Pair(second.hi, second.lo + (leading.lo + (product.lo + (correction + lo))))


def sin_pi(y: Lanes) -> Pair:
    """sin(pi y) for y >= 0; exactly zero at integers."""
    nearest = y.rint()
    rest = y - nearest
    steep = rest.abs() > 0.25
    zero = y.constant(0.0)
    angle = multiply(Pair(select(steep, 0.5 - rest.abs(), rest.abs()), zero), constant_pair(y, PI[F64]))
    size = select_pair(steep, cos_of_rest(angle), sin_of_rest(angle))
    half = 0.5 * nearest
    odd = half.trunc().ne(half)
    sign = sign_bit(rest) ^ (odd.convert(I64) << 63)
    return Pair(flip_sign(size.hi, sign), flip_sign(size.lo, sign))


def pieces_by_power(t: Lanes, pieces: Sequence[Table], later: Sequence[Lanes], accuracy: DType) -> Pair:
    """The chosen polynomial; its lowest coefficient comes in two parts."""
    chosen = [piece[accuracy] for piece in pieces]
    lowest = [piecewise(t, [piece[k : k + 1] for piece in chosen], later) for k in range(3)]
    higher = piecewise(t, [piece[3:] for piece in chosen], later)
    return polynomial_end(t, Pair(lowest[0], lowest[1]), lowest[2], higher)


def mantissa(x: Lanes) -> Lanes:
    fmt = FORMATS[F64]
    return ((x.bits() & ((1 << fmt.fraction) - 1)) | (fmt.bias << fmt.fraction)).bits()
