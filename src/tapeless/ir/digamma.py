"""The digamma function in double precision, which neither NumPy nor the standard library has.

The recurrence psi(x) = psi(x + 1) - 1/x leads up to x >= 10, where the asymptotic series holds;
negative arguments are reflected by psi(x) = psi(1 - x) - pi / tan(pi x).
"""

from __future__ import annotations

import math

# B_2j / 2j for j = 1..7: psi(x) = log x - 1/(2x) - sum_j B_2j / (2j x^2j).
_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def digamma(x: float) -> float:
    """psi(x): NaN at negative integers, -inf at 0 and +inf at -0."""
    if x == 0.0:
        return -math.copysign(math.inf, x)
    if math.isnan(x) or x == math.inf:
        return x
    if x < 0.0:
        fraction = x - math.floor(x) if math.isfinite(x) else 0.0
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * fraction) if fraction else math.nan
    shifted = 0.0
    while x < 10.0:
        shifted -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    tail = 0.0
    for coefficient in reversed(_SERIES):
        tail = (tail + coefficient) * square
    return shifted + (math.log(x) - 0.5 / x - tail)
