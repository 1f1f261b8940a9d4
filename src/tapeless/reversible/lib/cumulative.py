"""Running sums, differences and extrema."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

from ..function import reversible


@reversible
def cumulative_sum(x: Any) -> None:
    """Running sums in place, along the first dimension; the inverse are differences of neighbours.

    >>> import numpy as np
    >>> x = np.array([1, 2, 3])
    >>> cumulative_sum(x)
    >>> x
    array([1, 3, 6])
    >>> (~cumulative_sum)(x)
    >>> x
    array([1, 2, 3])
    """
    for i in range(1, len(x)):
        x[i] += x[i - 1]


@reversible
def cumulative_max(y: Any, x: Any) -> None:
    """`y += np.maximum.accumulate(x)` for vectors.

    >>> import numpy as np
    >>> y = np.zeros(4)
    >>> cumulative_max(y, np.array([1.0, 3.0, 2.0, 5.0]))
    >>> y
    array([1., 3., 3., 5.])
    """
    tops = x.copy()
    for i in range(1, len(x)):
        tops[i] = max(tops[i], tops[i - 1])
    y += tops
