"""Python's min and max by a key, and what `sorted` needs, over arrays and lists of run-time length."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import require_nonempty


def smallest_by(values: Any, key: Any) -> Any:
    """The first of the elements whose key is smallest."""
    require_nonempty(len(values))
    best = 0
    lowest = key(values[0])
    for i in range(1, len(values)):
        rank = key(values[i])
        if rank < lowest:
            best = i
            lowest = rank
    return values[best]


def largest_by(values: Any, key: Any) -> Any:
    """The first of the elements whose key is largest."""
    require_nonempty(len(values))
    best = 0
    highest = key(values[0])
    for i in range(1, len(values)):
        rank = key(values[i])
        if rank > highest:
            best = i
            highest = rank
    return values[best]


def require_numbers(x: Any) -> None:
    """Raise `ValueError` when a NaN is among the elements."""
    if np.any(np.isnan(x)):
        raise ValueError("sorted() of NaN is not compiled")


def descending(x: Any) -> Any:
    """The elements of a vector, the largest first."""
    return np.sort(x)[::-1].copy()
