"""The derivative of `digamma`, as a formula over the other operations.

For z > 0:  trigamma(z) = sum_{k<10} 1/(z+k)^2 + series(z + 10), where the asymptotic series
1/w + 1/(2w^2) + sum_j B_2j / w^(2j+1) is exact to double precision for w >= 10. For x < 1/2 the reflection
trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x). Being made of smooth operations it can be
differentiated again.
"""

from __future__ import annotations

from fractions import Fraction

from .formula import Formula

SHIFT = 10
# B_2, B_4, ..., B_16; the first one left out changes the sum by less than 1e-17 at w = 10.
BERNOULLI = tuple(
    float(Fraction(text)) for text in ("1/6", "-1/30", "1/42", "-1/30", "5/66", "-691/2730", "7/6", "-3617/510")
)


def trigamma(x: Formula) -> Formula:
    """The second derivative of lgamma."""
    reflected = x.call("lt", 0.5)
    z = reflected.choose(1.0 - x, x, x.dtype)
    total = 1.0 / (z * z)
    for k in range(1, SHIFT):
        w = z + float(k)
        total = total + 1.0 / (w * w)
    total = total + _series(1.0 / (z + float(SHIFT)))
    pi = x.constant("acos", -1.0)
    ratio = pi / (pi * x).call("sin")
    return reflected.choose(ratio * ratio - total, total, x.dtype)


def _series(u: Formula) -> Formula:
    """The asymptotic series in u = 1/w, by Horner's rule in u^2."""
    square = u * u
    tail = BERNOULLI[-1] * square
    for coefficient in reversed(BERNOULLI[:-1]):
        tail = (tail + coefficient) * square
    return u * (1.0 + 0.5 * u + tail)
