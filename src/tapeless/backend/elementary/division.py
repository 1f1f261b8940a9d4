"""Floored division and remainder of floats, as `np.floor_divide` and `np.mod` define them.

The truncated remainder a - trunc(a/b)*b is exact: as long as the quotient has at most as many bits
as the format, one fma gives it without rounding; larger quotients are brought down first by
subtracting multiples of b * 2^k, each step again exact.
"""

from __future__ import annotations

from ...ir.types import F64
from .lanes import Lanes, fma, if_any, select, while_any


def floordiv(a: Lanes, b: Lanes) -> Lanes:
    """The largest integer at or below a/b, judged by the exact remainder."""
    remainder = _truncated_remainder(a, b)
    wrong_side = remainder.ne(0.0) & ((remainder < 0.0) ^ (b < 0.0))
    quotient = (a - remainder) / b - select(wrong_side, a.constant(1.0), 0.0)
    floored = quotient.floor()
    nearest = floored + select(quotient - floored > 0.5, a.constant(1.0), 0.0)
    nonzero = select(quotient.eq(0.0), a.constant(0.0).with_sign_of(a / b), nearest)
    return select(b.eq(0.0), a / b, nonzero)


def mod(a: Lanes, b: Lanes) -> Lanes:
    """The remainder with the sign of the divisor."""
    remainder = _truncated_remainder(a, b)
    wrong_side = remainder.ne(0.0) & ((remainder < 0.0) ^ (b < 0.0))
    moved = select(wrong_side, remainder + b, remainder)
    return select(moved.eq(0.0), a.constant(0.0).with_sign_of(b), moved)


def _truncated_remainder(a: Lanes, b: Lanes) -> Lanes:
    """C's fmod: the sign of a, NaN when a is infinite or b is zero."""
    size, divisor = a.abs(), b.abs()
    short = _reduce(size, divisor)
    limit = divisor * float(2 ** _precision(a))
    far = (size >= limit) & (size < float("inf")) & (divisor > 0.0)
    near = if_any(far, lambda: _long_remainder(far, size, divisor, short), short)
    kept = select(divisor.eq(float("inf")) & (size < float("inf")), size, near)
    return kept.with_sign_of(a)


def _reduce(a: Lanes, b: Lanes) -> Lanes:
    """a mod b for 0 <= a < b * 2^p: the quotient may be rounded up by one, which the sign betrays."""
    remainder = fma(-(a / b).trunc(), b, a)
    return select(remainder < 0.0, remainder + b, remainder)


def _long_remainder(far: Lanes, size: Lanes, divisor: Lanes, short: Lanes) -> Lanes:
    """Divisors b * 2^k first, from the largest one not above a; other lanes than `far` keep `short`."""
    a, b = select(far, size, 1.0), select(far, divisor, 1.0)
    step = float(2 ** (_precision(a) - 2))

    def liftable(scaled: Lanes) -> Lanes:
        return scaled * step <= a

    def lift(scaled: Lanes) -> tuple[Lanes]:
        return (select(liftable(scaled), scaled * step, scaled),)

    def unfinished(_: Lanes, scaled: Lanes) -> Lanes:
        return scaled > 0.0

    def lower(rest: Lanes, scaled: Lanes) -> tuple[Lanes, Lanes]:
        # A lane is done when its divisor has come down to b; a divisor of zero marks that.
        active = unfinished(rest, scaled)
        following = select(scaled.eq(b), 0.0, scaled * (1.0 / step))
        return select(active, _reduce(rest, scaled), rest), select(active, following, scaled)

    (top,) = while_any((b,), liftable, lift)
    rest, _ = while_any((a, top), unfinished, lower)
    return select(far, rest, short)


def _precision(a: Lanes) -> int:
    return 53 if a.dtype is F64 else 24
