"""Searching, interpolation and filtering in one dimension."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import require_equal, require_nonempty, unsupported


def searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    """Where each v would be inserted into the sorted a; NaN is the largest value."""
    if side not in ("left", "right"):
        unsupported("side=" + side)
    if np.ndim(v) == 0:
        return _insertion(a, v, side)
    flat = np.ravel(v)
    out = np.empty(flat.shape, np.int64)
    for i in range(len(flat)):
        out[i] = _insertion(a, flat[i], side)
    return np.reshape(out, np.shape(v))


def _insertion(a: Any, v: Any, side: str) -> Any:
    low, high = np.int64(0), np.int64(len(a))
    while low < high:
        mid = (low + high) // 2
        before = _precedes(a[mid], v) if side == "left" else not _precedes(v, a[mid])
        if before:
            low = mid + 1
        else:
            high = mid
    return low


def _precedes(x: Any, y: Any) -> Any:
    """x < y, every number before NaN."""
    return x < y or (np.isnan(y) and not np.isnan(x))


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Piecewise linear interpolation of the points (xp, fp) at x, constant outside."""
    require_nonempty(len(xp))
    require_equal(len(xp), len(fp))
    if np.ndim(x) == 0:
        return _interp_at(x, xp, fp, left, right)
    flat = np.ravel(x)
    out = np.empty(flat.shape, np.float64)
    for i in range(len(flat)):
        out[i] = _interp_at(flat[i], xp, fp, left, right)
    return np.reshape(out, np.shape(x))


def _interp_at(x: Any, xp: Any, fp: Any, left: Any, right: Any) -> Any:
    n = len(xp)
    before = np.float64(fp[0] if left is None else left)
    after = np.float64(fp[n - 1] if right is None else right)
    j = _insertion(xp, x, "right") - 1
    if np.isnan(x):
        return np.float64(x)
    if j < 0:
        return before
    if x > xp[n - 1]:
        return after
    if j >= n - 1 or x == xp[j]:
        return np.float64(fp[min(j, n - 1)])
    slope = (fp[j + 1] - fp[j]) / np.float64(xp[j + 1] - xp[j])
    return np.float64(slope * (x - xp[j]) + fp[j])


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The discrete convolution of two sequences."""
    n, m = len(a), len(v)
    require_nonempty(min(n, m))
    first, size = _window(n, m, mode)
    return _convolve(np.asarray(a), np.asarray(v), first, size)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The cross-correlation of two sequences."""
    n, m = len(a), len(v)
    require_nonempty(min(n, m))
    first, size = _window(n, m, mode)
    # NumPy exchanges the sequences when the second is longer and reverses the result.
    start = first if m <= n else n + m - 1 - first - size
    return _convolve(np.asarray(a), np.asarray(v)[::-1], start, size)


def _window(n: Any, m: Any, mode: str) -> Any:
    """The first element and the size of what `mode` keeps of the full convolution."""
    if mode == "full":
        return 0, n + m - 1
    if mode == "same":
        return (min(n, m) - 1) // 2, max(n, m)
    if mode != "valid":
        unsupported("mode=" + mode)
    return min(n, m) - 1, max(n, m) - min(n, m) + 1


def _convolve(a: Any, v: Any, first: Any, size: Any) -> Any:
    n, m = len(a), len(v)
    zero = a.dtype.type(0) * v.dtype.type(0)
    out = np.empty(size, zero.dtype)
    for k in range(size):
        at = first + k
        low = max(0, at - m + 1)
        high = min(n, at + 1)
        s = zero
        for j in range(low, high):
            s += a[j] * v[at - j]
        out[k] = s
    return out
