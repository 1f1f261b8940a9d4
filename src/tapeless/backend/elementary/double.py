"""Numbers as unevaluated sums of two floats, for the places where one rounding is one too many.

A `Pair` stands for hi + lo, where lo is at most a few units in the last place of hi. It is not normalised after each
step, as that would only lengthen the chain of dependent operations. The error-free sums and products are
those of Dekker and Knuth, with the product's error found by fma.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...records import dataclass
from .lanes import Lanes, Operand, fma, select


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """hi + lo."""

    hi: Lanes
    lo: Lanes

    def value(self) -> Lanes:
        return self.hi + self.lo

    def __neg__(self) -> Pair:
        return Pair(-self.hi, -self.lo)


def constant_pair(like: Lanes, parts: Sequence[float]) -> Pair:
    return Pair(like.constant(parts[0]), like.constant(parts[1]))


def select_pair(cond: Lanes, yes: Pair, no: Pair) -> Pair:
    return Pair(select(cond, yes.hi, no.hi), select(cond, yes.lo, no.lo))


def ordered_sum(big: Lanes, small: Operand) -> Pair:
    """The exact sum, when |big| >= |small|, or big is zero or another multiple of the last place of small."""
    total = big + small
    return Pair(total, (big - total) + small)


def exact_sum(a: Lanes, b: Lanes) -> Pair:
    """The exact sum of any two numbers."""
    total = a + b
    part = total - a
    return Pair(total, (a - (total - part)) + (b - part))


def exact_product(a: Lanes, b: Operand) -> Pair:
    product = a * b
    return Pair(product, fma(a, b, -product))


def add(x: Pair, y: Pair) -> Pair:
    """The sum of two pairs that do not cancel."""
    total = exact_sum(x.hi, y.hi)
    return Pair(total.hi, total.lo + (x.lo + y.lo))


def multiply(x: Pair, y: Pair) -> Pair:
    product = exact_product(x.hi, y.hi)
    return Pair(product.hi, fma(x.hi, y.lo, fma(x.lo, y.hi, product.lo)))


def divide(x: Pair, y: Pair) -> Pair:
    """The quotient by one division: its error is found from the remainder."""
    inverse = 1.0 / y.hi
    quotient = x.hi * inverse
    remainder = fma(-quotient, y.hi, x.hi) + fma(-quotient, y.lo, x.lo)
    return Pair(quotient, remainder * inverse)


def polynomial_end(x: Lanes, first: Pair, second: Lanes, higher: Lanes) -> Pair:
    """first + x (second + x higher), the last two steps of a polynomial, with their rounding errors kept."""
    inner = ordered_sum(second, x * higher)
    product = exact_product(inner.hi, x)
    total = ordered_sum(first.hi, product.hi)
    return Pair(total.hi, total.lo + (fma(inner.lo, x, product.lo) + first.lo))


def square_root(x: Pair) -> Pair:
    """The root of a positive pair; of zero, zero."""
    root = x.hi.sqrt()
    remainder = fma(-root, root, x.hi) + x.lo
    # The least addition keeps 0/0 away and is lost in any other divisor.
    return Pair(root, remainder / (root + root + 2.0**-120))
