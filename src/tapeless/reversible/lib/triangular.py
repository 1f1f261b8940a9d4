"""Products with triangular matrices; those with ones on the diagonal in place, so that their inverses solve systems."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def lower_matvec(y: Any, matrix: Any, x: Any) -> None:
    """`y += L @ x` for the lower triangle of a matrix; what is above the diagonal is not read.

    >>> import numpy as np
    >>> y = np.zeros(2)
    >>> lower_matvec(y, np.array([[2.0, 9.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    >>> y
    array([ 2., 43.])
    """
    for i in range(len(y)):
        y[i] += np.dot(matrix[i, : i + 1], x[: i + 1])


@reversible
def upper_matvec(y: Any, matrix: Any, x: Any) -> None:
    """`y += U @ x` for the upper triangle of a matrix; what is below the diagonal is not read.

    >>> import numpy as np
    >>> y = np.zeros(2)
    >>> upper_matvec(y, np.array([[2.0, 9.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    >>> y
    array([92., 40.])
    """
    for i in range(len(y)):
        y[i] += np.dot(matrix[i, i:], x[i:])


@reversible
def unit_lower_product(matrix: Any, x: Any) -> None:
    """`x = L @ x` in place, for the strictly lower triangle of a matrix with ones on the diagonal.

    The inverse solves L x = b by substitution.

    >>> import numpy as np
    >>> matrix, x = np.array([[9.0, 9.0], [3.0, 9.0]]), np.array([1.0, 10.0])
    >>> unit_lower_product(matrix, x)
    >>> x
    array([ 1., 13.])
    >>> (~unit_lower_product)(matrix, x)
    >>> x
    array([ 1., 10.])
    """
    for i in range(len(x) - 1, 0, -1):
        x[i] += np.dot(matrix[i, :i], x[:i])


@reversible
def unit_upper_product(matrix: Any, x: Any) -> None:
    """`x = U @ x` in place, for the strictly upper triangle of a matrix with ones on the diagonal.

    >>> import numpy as np
    >>> matrix, x = np.array([[9.0, 3.0], [9.0, 9.0]]), np.array([1.0, 10.0])
    >>> unit_upper_product(matrix, x)
    >>> x
    array([31., 10.])
    """
    for i in range(len(x) - 1):
        x[i] += np.dot(matrix[i, i + 1 :], x[i + 1 :])
