"""sin, cos and tan.

After the reduction of `angle` both polynomials are evaluated and the quadrant chooses, so that sin and cos of one
argument share everything but the choice: in lanes their bodies are written one after the other; scalar code, which
calls functions, always has both.
"""

from __future__ import annotations

from .angle import Angle, reduced
from .coefficients import COS, SIN
from .double import Pair, divide, ordered_sum, select_pair
from .formats import flip_sign, sign_bit
from .lanes import Lanes, fma, select
from .polynomial import polynomial


def sin(x: Lanes) -> Lanes:
    return flip_sign(_sin(reduced(x.abs())), sign_bit(x))


def cos(x: Lanes) -> Lanes:
    return _cos(reduced(x.abs()))


def tan(x: Lanes) -> Lanes:
    return flip_sign(_tan(reduced(x.abs())), sign_bit(x))


def sine_and_cosine(x: Lanes) -> tuple[Lanes, Lanes]:
    """The same two numbers as `sin` and `cos` give."""
    angle = reduced(x.abs())
    sine, cosine = _rough_sin_of_rest(angle.r).value(), _rough_cos_of_rest(angle.r).value()
    odd = (angle.quadrant & 1).ne(0)
    first, second = select(odd, cosine, sine), select(odd, sine, cosine)
    first = flip_sign(flip_sign(first, _to_sign(angle.quadrant >> 1)), sign_bit(x))
    return first, flip_sign(second, _to_sign((angle.quadrant + 1) >> 1))


def _sin(angle: Angle) -> Lanes:
    return _by_quadrant(angle.quadrant, angle.r)


def _cos(angle: Angle) -> Lanes:
    return _by_quadrant(angle.quadrant + 1, angle.r)


def _tan(angle: Angle) -> Lanes:
    """sin/cos, or -cos/sin in odd quadrants."""
    odd = (angle.quadrant & 1).ne(0)
    sine, cosine = sin_of_rest(angle.r), cos_of_rest(angle.r)
    quotient = divide(select_pair(odd, cosine, sine), select_pair(odd, sine, cosine)).value()
    return flip_sign(quotient, _to_sign(angle.quadrant))


def _by_quadrant(quadrant: Lanes, r: Pair) -> Lanes:
    """The sine of the whole angle: quadrants 1 and 3 take the cosine, 2 and 3 are negative."""
    odd = (quadrant & 1).ne(0)
    return flip_sign(select(odd, _rough_cos_of_rest(r).value(), _rough_sin_of_rest(r).value()), _to_sign(quadrant >> 1))


def _to_sign(bit: Lanes) -> Lanes:
    """The lowest bit as the sign bit."""
    return bit << (8 * bit.dtype.itemsize - 1)


def sin_of_rest(r: Pair) -> Pair:
    """sin(r) as a pair."""
    rough = _rough_sin_of_rest(r)
    return ordered_sum(rough.hi, rough.lo)


def _rough_sin_of_rest(r: Pair) -> Pair:
    """r.hi + (r.hi^3 P + r.lo cos(r.hi)), where cos is close enough to 1 - r^2/2; not yet a pair, as below."""
    z = r.hi * r.hi
    slope = fma(-0.5 * z, r.lo, r.lo)
    return Pair(r.hi, fma(z * r.hi, polynomial(z, SIN[r.hi.dtype]), slope))


def cos_of_rest(r: Pair) -> Pair:
    """cos(r) as a pair."""
    rough = _rough_cos_of_rest(r)
    return ordered_sum(rough.hi, rough.lo)


def _rough_cos_of_rest(r: Pair) -> Pair:
    """As two numbers of which the second is larger than in a pair: enough when they are added at once."""
    z = r.hi * r.hi
    leading = ordered_sum(z.constant(1.0), -0.5 * z)
    return Pair(leading.hi, fma(z * z, polynomial(z, COS[r.hi.dtype]), fma(-r.hi, r.lo, leading.lo)))
