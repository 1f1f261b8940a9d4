"""Linear algebra by elimination, for one square matrix of any size.

Pivots are found by exchanging rows whenever a later one has a larger head. The row that ends up on top is
the one partial pivoting would choose, and no index depends on data: for small literal sizes
everything unrolls to scalars and selects.
"""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import prefer_known, require_equal, require_regular, short_range, unsupported

# The named tuple that NumPy returns.
_Slogdet = type(np.linalg.slogdet(np.eye(1)))


def solve(a: Any, b: Any) -> Any:
    """x with a @ x = b, for a vector or a matrix b."""
    n = _square(a)
    m = np.asarray(a) * 1.0
    x = np.asarray(b) * np.ones((), m.dtype)
    if x.ndim not in (1, 2):
        unsupported("a system with a right-hand side of more than two dimensions")
    require_equal(x.shape[0], n)
    for k in short_range(0, n):
        for i in short_range(k + 1, n):
            if abs(m[i, k]) > abs(m[k, k]):
                _swap_rows(m, i, k)
                _swap_rows(x, i, k)
        require_regular(m[k, k] != 0.0)
        for i in short_range(k + 1, n):
            factor = m[i, k] / m[k, k]
            for j in short_range(k + 1, n):
                m[i, j] -= factor * m[k, j]
            x[i] -= factor * x[k]
    for back in short_range(0, n):
        k = n - 1 - back
        for j in short_range(k + 1, n):
            x[k] -= m[k, j] * x[j]
        x[k] /= m[k, k]
    return x


def inv(a: Any) -> Any:
    """The inverse matrix."""
    m = np.asarray(a) * 1.0
    return solve(m, np.eye(_square(m), dtype=m.dtype))


def det(a: Any) -> Any:
    """The determinant: in closed form up to 3 x 3, else the signed product of the pivots."""
    n = _square(a)
    m = np.asarray(a) * 1.0
    if n == 1:
        return m[0, 0]
    if n == 2:
        return m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    if n == 3:
        return (
            m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
            - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
            + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        )
    sign, pivots = _pivots(a)
    return sign * np.prod(pivots)


def slogdet(a: Any) -> Any:
    """The sign of the determinant and the logarithm of its absolute value."""
    sign, pivots = _pivots(a)
    return _Slogdet(sign * np.prod(np.sign(pivots)), np.sum(np.log(np.abs(pivots))))


def cholesky(a: Any) -> Any:
    """The lower triangular L with L @ L.T = a; only the lower triangle of a is read."""
    n = _square(a)
    m = np.asarray(a) * 1.0
    low = np.zeros_like(m)
    for j in short_range(0, n):
        head = m[j, j]
        for k in short_range(0, j):
            head -= low[j, k] * low[j, k]
        require_regular(head > 0.0)
        low[j, j] = np.sqrt(head)
        for i in short_range(j + 1, n):
            s = m[i, j]
            for k in short_range(0, j):
                s -= low[i, k] * low[j, k]
            low[i, j] = s / low[j, j]
    return low


def _square(a: Any) -> Any:
    """The size of a square matrix."""
    m = np.asarray(a)
    if m.ndim != 2:
        unsupported("linear algebra of anything but one matrix")
    require_regular(m.shape[1] == m.shape[0])
    prefer_known(m.shape[0])
    return m.shape[0]


def _pivots(a: Any) -> Any:
    """The sign of the row exchanges, and the diagonal after elimination."""
    n = _square(a)
    m = np.asarray(a) * 1.0
    sign = np.ones((), m.dtype)
    for k in short_range(0, n):
        for i in short_range(k + 1, n):
            if abs(m[i, k]) > abs(m[k, k]):
                _swap_rows(m, i, k)
                sign = -sign
        if m[k, k] != 0.0:
            for i in short_range(k + 1, n):
                factor = m[i, k] / m[k, k]
                for j in short_range(k + 1, n):
                    m[i, j] -= factor * m[k, j]
    return sign, np.diag(m)


def _swap_rows(m: Any, i: Any, k: Any) -> None:
    if m.ndim == 1:
        m[i], m[k] = m[k], m[i]
    else:
        for j in short_range(0, m.shape[1]):
            m[i, j], m[k, j] = m[k, j], m[i, j]
