"""Bessel functions of the first kind and of whole order, by their power series."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

from ..function import reversible


@reversible
def bessel_j(total: Any, order: Any, z: Any) -> Any:
    """Add J of a whole order >= 0 at z.

    The terms of the series alternate, and are as large as exp(|z|) / |z|: of the digits of a float, 15 - |z| / 2.3 are
    right.

    >>> round(bessel_j(0.0, 2, 1.0), 14)
    0.1149034849319
    """
    half = z / 2.0
    term = 1.0
    for k in range(order):
        term *= half / (k + 1.0)
    total += _series(term, order, half * half)
    return total


def _series(term: Any, order: Any, square: Any) -> Any:
    """Sum from the first term on: each is the one before times -(z/2)^2 / (k (k + order))."""
    total, k, size = term, 0.0, abs(term)
    while size > 1e-18 * abs(total):
        k += 1.0
        term *= -square / (k * (k + order))
        total += term
        size = abs(term) if square < k * (k + order) else size
    return total
