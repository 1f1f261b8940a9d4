"""The decomposition of a matrix into an orthogonal and an upper triangular one, by Householder's reflections."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from ..function import reversible


@reversible
def qr(q: Any, r: Any, matrix: Any) -> None:
    """`q += Q; r += R` with Q R the matrix, of m rows and n columns; q has m columns or min(m, n), r as many rows.

    The signs are those of `np.linalg.qr`. Columns that depend on those before them do no harm; there is no derivative
    there.

    >>> import numpy as np
    >>> q, r = np.zeros((2, 2)), np.zeros((2, 2))
    >>> qr(q, r, np.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> np.round(r, 12) + 0
    array([[-5. , -2.2],
           [ 0. ,  0.4]])
    >>> np.round(q @ r, 12)
    array([[3., 1.],
           [4., 2.]])
    """
    triangle, mirrors = _reflected(matrix)
    for i in range(r.shape[0]):
        r[i, i:] += triangle[i, i:]
    q += _product(mirrors, q.shape[1])


def _reflected(matrix: Any) -> Any:
    """The matrix after its reflections, and in columns the normals of their mirrors, zero where there is none."""
    work, count = matrix.copy(), min(matrix.shape[0] - 1, matrix.shape[1])
    mirrors = np.zeros((matrix.shape[0], max(count, 0)))
    for j in range(count):
        column = work[j:, j].copy()
        length = np.sqrt(np.sum(column * column))
        if length > 0.0:
            column[0] += length if column[0] >= 0.0 else -length
            normal = column / np.sqrt(np.sum(column * column))
            mirrors[j:, j] = normal
            work[j:, j:] -= 2.0 * np.outer(normal, normal @ work[j:, j:])
    return work, mirrors


def _product(mirrors: Any, columns: Any) -> Any:
    """The first columns of the product of all reflections."""
    q = np.eye(mirrors.shape[0], columns)
    for j in range(mirrors.shape[1] - 1, -1, -1):
        normal = mirrors[j:, j].copy()
        q[j:, j:] -= 2.0 * np.outer(normal, normal @ q[j:, j:])
    return q
