"""Reduction of an angle: x = q pi/2 + r with |r| <= pi/4, r as a pair, for any x >= 0.

Up to a limit, q pi/2 is subtracted in three parts; each step is exact or has its error kept. The
product with the second part is rounded before it is subtracted: a fused tail would lose what is left near
multiples of pi/2. Beyond the limit, see `payne_hanek`.
"""

from __future__ import annotations

from ...ir.types import F32, F64
from ...records import dataclass
from .coefficients import INV_PI_2, PI_2
from .double import Pair, exact_product, exact_sum
from .formats import format_of
from .lanes import Lanes, at_least, fma
from .payne_hanek import call_reduction

# Above these the rounded quotient has too many bits for the subtraction in three parts.
LIMIT = {F64: 2.0**30, F32: 2.0**16}


@dataclass(frozen=True, slots=True, eq=False)
class Angle:
    """q, an integer of which the two lowest bits count, and r."""

    quadrant: Lanes
    r: Pair


def reduce_near(x: Lanes) -> Angle:
    """For 0 <= x <= LIMIT."""
    rounder = format_of(x).rounder()
    shifted = fma(x, INV_PI_2[x.dtype][0], rounder)
    q = shifted - rounder
    first, second, third = PI_2[x.dtype]
    high = fma(q, -first, x)
    product = exact_product(q, second)
    total = exact_sum(high, -product.hi)
    return Angle(shifted.bits(), Pair(total.hi, total.lo - fma(q, third, product.lo)))


def reduce_far(x: Lanes) -> Angle:
    """For a scalar x > LIMIT; infinite x gives NaN, smaller x anything."""
    wide = at_least(x, 2.0).convert(F64)
    quadrant, r = call_reduction(wide)
    r = Pair(r.hi + (wide - wide), r.lo)
    if x.dtype is F64:
        return Angle(quadrant, r)
    rounded = r.hi.convert(F32)
    return Angle(quadrant.convert(format_of(x).integer), Pair(rounded, (r.hi - rounded.convert(F64)).convert(F32)))
