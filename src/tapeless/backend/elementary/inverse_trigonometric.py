"""asin, acos, atan and atan2.

asin(x) = x + x^3 P(x^2) up to 1/2; above, asin(x) = pi/2 - 2 asin(sqrt((1 - x)/2)), where the root is kept as a pair.
atan(n/d) with n, d >= 0: n/d above 2 becomes -d/n beside pi/2, between 1/2 and 2 it becomes (n - d)/(n + d)
beside pi/4; one division serves all cases, and its error is found from the remainder.
"""

from __future__ import annotations

from ...records import dataclass
from .coefficients import ASIN, ATAN, PI, PI_2, THREE_PI_4
from .double import Pair, constant_pair, divide, exact_sum, ordered_sum, select_pair, square_root
from .formats import flip_sign, format_of, sign_bit
from .lanes import Lanes, at_most, fma, select
from .polynomial import polynomial


def asin(x: Lanes) -> Lanes:
    arc = _Arc.of(x)
    right_angle = constant_pair(x, PI_2[x.dtype])
    return select(arc.steep, _less_twice(right_angle, arc), arc.root.hi + arc.tail).with_sign_of(x)


def acos(x: Lanes) -> Lanes:
    arc = _Arc.of(x)
    right_angle, half_turn = (constant_pair(x, table[x.dtype]) for table in (PI_2, PI))
    leading = ordered_sum(right_angle.hi, -x)
    shallow = leading.hi + (leading.lo + (right_angle.lo - arc.tail.with_sign_of(x)))
    steep = select(x < 0.0, _less_twice(half_turn, arc), 2.0 * (arc.root.hi + (arc.root.lo + arc.tail)))
    return select(arc.steep, steep, shallow)


@dataclass(frozen=True, slots=True, eq=False)
class _Arc:
    """asin(root) = root.hi + root.lo + tail, where root is |x| or, when `steep`, sqrt((1 - |x|)/2)."""

    steep: Lanes
    root: Pair
    tail: Lanes

    @staticmethod
    def of(x: Lanes) -> _Arc:
        size = x.abs()
        steep = size > 0.5
        square = select(steep, fma(size, -0.5, 0.5), size * size)
        zero = x.constant(0.0)
        root = select_pair(steep, square_root(Pair(square, zero)), Pair(size, zero))
        return _Arc(steep, root, root.hi * square * polynomial(square, ASIN[x.dtype]))


def _less_twice(angle: Pair, arc: _Arc) -> Lanes:
    """angle - 2 asin(root)."""
    leading = ordered_sum(angle.hi, -2.0 * arc.root.hi)
    return leading.hi + (leading.lo + fma(arc.root.lo + arc.tail, -2.0, angle.lo))


def atan(x: Lanes) -> Lanes:
    # Beyond the bound the result is pi/2 rounded; the bound keeps infinities out of the division.
    size = at_most(x.abs(), 2.0 ** (format_of(x).fraction + 8))
    one = x.constant(1.0)
    turned, middle = size > 2.0, size > 0.5
    total = size + 1.0
    above = select(turned, -one, select(middle, size - 1.0, size))
    below = Pair(
        select(turned, size, select(middle, total, one)),
        select(middle & ~turned, size - (total - 1.0), 0.0),
    )
    right_angle = PI_2[x.dtype]
    base = Pair(*(select(turned, part, select(middle, x.constant(0.5 * part), 0.0)) for part in right_angle[:2]))
    return _add_arc(base, divide(Pair(above, x.constant(0.0)), below)).with_sign_of(x)


def atan2(y: Lanes, x: Lanes) -> Lanes:
    """The angle of the point (x, y), in all four quadrants, with signed zeros and infinities as in C99."""
    height, length = _bounded(y.abs(), x.abs())
    turned, middle = height > 2.0 * length, height > 0.5 * length
    total = exact_sum(height, length)
    zero = x.constant(0.0)
    above = select(turned, -length, select(middle, height - length, height))
    plain = Pair(select(turned, height, length), zero)
    below = select_pair(middle & ~turned, total, plain)
    left = sign_bit(x).ne(0)
    quotient = divide(Pair(above, zero), below)
    sign = sign_bit(x)
    signed = Pair(flip_sign(quotient.hi, sign), flip_sign(quotient.lo, sign))
    angle = _add_arc(_base_angle(turned, middle, left, x), signed)
    return select(x.is_nan() | y.is_nan(), x + y, angle.with_sign_of(y))


def _base_angle(turned: Lanes, middle: Lanes, left: Lanes, like: Lanes) -> Pair:
    """pi/2, or pi/4 and 3 pi/4, or 0 and pi."""
    dtype = like.dtype

    def part(k: int) -> Lanes:
        diagonal = select(left, like.constant(THREE_PI_4[dtype][k]), 0.5 * PI_2[dtype][k])
        flat = select(left, like.constant(PI[dtype][k]), 0.0)
        return select(turned, PI_2[dtype][k], select(middle, diagonal, flat))

    return Pair(part(0), part(1))


def _bounded(height: Lanes, length: Lanes) -> tuple[Lanes, Lanes]:
    """Two sizes of the same ratio whose sum and inverses stay in range; only zero over zero becomes zero over one."""
    inf = float("inf")
    larger = select(height > length, height, length)
    bias = format_of(height).bias
    far, near = larger > 2.0 ** (bias - 30), larger < 2.0 ** -(bias - 100)
    factor = select(far, height.constant(2.0**-60), select(near, height.constant(2.0**90), 1.0))
    infinite = larger.eq(inf)
    tall = select(infinite, select(height.eq(inf), height.constant(1.0), 0.0), height * factor)
    long = select(infinite, select(length.eq(inf), height.constant(1.0), 0.0), length * factor)
    return tall, select(larger.eq(0.0), 1.0, long)


def _add_arc(base: Pair, t: Pair) -> Lanes:
    """base + atan(t), |t| <= 1/2."""
    z = t.hi * t.hi
    tail = fma(z * t.hi, polynomial(z, ATAN[t.hi.dtype]), t.lo)
    leading = ordered_sum(base.hi, t.hi)
    return leading.hi + (leading.lo + (base.lo + tail))
