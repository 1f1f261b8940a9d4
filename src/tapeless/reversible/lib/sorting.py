"""Vectors in ascending order, and the places of their elements; equal elements keep their order, NaN comes last."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def sort(y: Any, order: Any, x: Any) -> None:
    """`order += np.argsort(x); y += np.sort(x)`: the elements in order, and where each of them was.

    >>> import numpy as np
    >>> y, order = np.zeros(3), np.zeros(3, int)
    >>> sort(y, order, np.array([3.0, 1.0, 2.0]))
    >>> y, order
    (array([1., 2., 3.]), array([1, 2, 0]))
    """
    places = np.argsort(x, kind="stable")
    order += places
    for k in range(len(x)):
        y[k] += x[places[k]]


@reversible
def ranks(y: Any, x: Any) -> None:
    """Add to each element of y how many elements come before that of x, in ascending order.

    >>> import numpy as np
    >>> y = np.zeros(3, int)
    >>> ranks(y, np.array([3.0, 1.0, 2.0]))
    >>> y
    array([2, 0, 1])
    """
    places = np.argsort(x, kind="stable")
    for k in range(len(x)):
        y[places[k]] += k


@reversible
def permute(y: Any, order: Any, x: Any) -> None:
    """`y[order] += x`, where elements of the order may be equal: with the order of `sort`, what undoes it.

    >>> import numpy as np
    >>> y = np.zeros(3)
    >>> permute(y, np.array([1, 2, 0]), np.array([1.0, 2.0, 3.0]))
    >>> y
    array([3., 1., 2.])
    """
    for k in range(len(x)):
        y[order[k]] += x[k]
