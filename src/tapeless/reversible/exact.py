"""Products of integers that lose nothing: what a division leaves over is kept, and comes back when it is undone.

Integers that stand for multiples of a small number, such as 2**-43, are fixed-point numbers. Sums of them are exact as
they are; a product with a fraction is not, unless the remainder goes somewhere (Maclaurin, Duvenaud and Adams, 2015):

    rest = rest * d + x mod d;    x = x // d          what n / d would lose goes into the rest,
    x = x * n + rest mod n;       rest = rest // n    and something else comes out of it instead

which n and d exchanged undo. Each product by n / d takes log2(d / n) bits of the rest, of which there are 63.
"""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .pairs import primitive

_LARGEST = 2**63 - 1


@primitive
def multiply(x: Any, rest: Any, n: Any, d: Any) -> Any:
    """x * n / d for integers, off by less than n, and the rest; n and d are positive, the rest is not negative.

    It raises where a result would not fit in 64 bits.

    >>> x, rest = multiply(1000, 0, 2, 3)
    >>> x, rest
    (667, 0)
    >>> multiply(x, rest, 3, 2)
    (1000, 0)
    """
    if n <= 0 or d <= 0:
        raise ValueError("the numerator and the denominator must be positive")
    if np.min(rest, initial=0) < 0:
        raise ValueError("the rest must not be negative")
    parts, most = x // d, (_LARGEST - n) // n
    too_long = np.max(rest, initial=0) > (_LARGEST - d) // d
    if too_long or np.max(parts, initial=0) > most or np.min(parts, initial=0) < -most:
        raise OverflowError("the product, or what is left over of it, does not fit in 64 bits")
    longer = rest * d + x % d
    return parts * n + longer % n, longer // n


@multiply.inverse
def _back(x: Any, rest: Any, n: Any, d: Any) -> Any:
    return multiply(x, rest, d, n)
