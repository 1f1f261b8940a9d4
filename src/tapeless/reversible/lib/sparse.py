"""Sparse matrices in compressed rows or columns: products that are added to their results.

A matrix is three arrays, as in SciPy: `data`, `indices` and `indptr`; row (or column) i holds `data[k]` in column (or
row) `indices[k]` for k from `indptr[i]` to `indptr[i + 1]`. Rows and columns may be empty. The inverses subtract.
"""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

from ..function import reversible


@reversible
def csr_matvec(y: Any, data: Any, indices: Any, indptr: Any, x: Any) -> None:
    """`y += A @ x` for a matrix in compressed rows.

    >>> import numpy as np
    >>> y, x = np.zeros(2), np.array([1.0, 10.0, 100.0])
    >>> matrix = np.array([2.0, 3.0]), np.array([0, 2]), np.array([0, 2, 2])
    >>> csr_matvec(y, *matrix, x)
    >>> y
    array([302.,   0.])
    >>> (~csr_matvec)(y, *matrix, x)
    >>> y
    array([0., 0.])
    """
    for i in range(len(y)):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]


@reversible
def csc_matvec(y: Any, data: Any, indices: Any, indptr: Any, x: Any) -> None:
    """`y += A @ x` for a matrix in compressed columns; with a matrix in compressed rows, `y += A.T @ x`.

    >>> import numpy as np
    >>> y = np.zeros(3)
    >>> csc_matvec(y, np.array([2.0, 3.0]), np.array([0, 2]), np.array([0, 2, 2]), np.array([1.0, 10.0]))
    >>> y
    array([2., 0., 3.])
    """
    for j in range(len(x)):
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * x[j]


@reversible
def csr_matmat(y: Any, data: Any, indices: Any, indptr: Any, x: Any) -> None:
    """`y += A @ x` for a matrix in compressed rows and a dense matrix x.

    >>> import numpy as np
    >>> y = np.zeros((2, 2))
    >>> csr_matmat(y, np.array([2.0, 3.0]), np.array([0, 1]), np.array([0, 2, 2]), np.eye(2))
    >>> y
    array([[2., 3.],
           [0., 0.]])
    """
    for i in range(y.shape[0]):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]


@reversible
def csc_matmat(y: Any, data: Any, indices: Any, indptr: Any, x: Any) -> None:
    """`y += A @ x` for a matrix in compressed columns and a dense matrix x; in compressed rows, `y += A.T @ x`.

    >>> import numpy as np
    >>> y = np.zeros((2, 2))
    >>> csc_matmat(y, np.array([2.0, 3.0]), np.array([0, 1]), np.array([0, 2, 2]), np.eye(2))
    >>> y
    array([[2., 0.],
           [3., 0.]])
    """
    for j in range(x.shape[0]):
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * x[j]


@reversible
def sparse_dot(total: Any, a: Any, a_indices: Any, a_indptr: Any, b: Any, b_indices: Any, b_indptr: Any) -> Any:
    """Add the sum of all products of elements at equal places of two matrices; both by rows, or both by columns.

    The indices of every row must ascend, as SciPy's `sort_indices` leaves them.

    >>> import numpy as np
    >>> a = np.array([2.0, 3.0]), np.array([0, 1]), np.array([0, 2, 2])
    >>> b = np.array([5.0, 7.0]), np.array([1, 0]), np.array([0, 1, 2])
    >>> sparse_dot(1.0, *a, *b)
    np.float64(16.0)
    """
    for row in range(len(a_indptr) - 1):
        start, stop, first, last = a_indptr[row], a_indptr[row + 1], b_indptr[row], b_indptr[row + 1]
        total += _row_dot(a, a_indices, start, stop, b, b_indices, first, last)
    return total


def _row_dot(a: Any, a_indices: Any, i: Any, a_end: Any, b: Any, b_indices: Any, j: Any, b_end: Any) -> Any:
    """The product of two rows, by merging their indices."""
    total = 0.0
    while i < a_end and j < b_end:
        left, right = a_indices[i], b_indices[j]
        if left == right:
            total += a[i] * b[j]
        i += left <= right
        j += right <= left
    return total
