"""Differences, integrals, polynomials, comparisons up to rounding, and vector products."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import require_equal, unsupported


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """The n-th differences of neighbours along an axis."""
    if n < 0:
        unsupported("np.diff with a negative order")
    x = np.moveaxis(np.asarray(a), axis, -1)
    # Over a tuple, because each round makes an array of another size: the loop must unroll.
    for _ in (0,) * n:
        x = x[..., 1:] != x[..., :-1] if x.dtype == np.bool_ else x[..., 1:] - x[..., :-1]
    return np.moveaxis(x, -1, axis)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The integral of y by the trapezoidal rule."""
    f = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        return np.sum(dx * (f[..., 1:] + f[..., :-1]) / 2.0, axis=-1)
    p = np.asarray(x)
    d = diff(p) if p.ndim == 1 else diff(np.moveaxis(p, axis, -1))
    return np.sum(d * (f[..., 1:] + f[..., :-1]) / 2.0, axis=-1)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences, one-sided at the ends; a tuple with one array per axis."""
    y = np.asarray(f)
    axes = tuple(range(y.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    results = tuple([_slope(y, h, k, edge_order) for h, k in zip(steps, axes, strict=True)])
    return results[0] if len(results) == 1 else results


def _slope(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    if edge_order not in (1, 2):
        unsupported("this edge_order")
    y = np.moveaxis(f, axis, -1) * 1.0
    if y.shape[-1] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    out = np.zeros_like(y)
    if np.ndim(h) == 0:
        out[..., 1:-1] = (y[..., 2:] - y[..., :-2]) / (2.0 * h)
        first, last = h, h
        next_first, next_last = h, h
    else:
        d = diff(h)
        dx1, dx2 = d[:-1], d[1:]
        a = -dx2 / (dx1 * (dx1 + dx2))
        b = (dx2 - dx1) / (dx1 * dx2)
        c = dx1 / (dx2 * (dx1 + dx2))
        out[..., 1:-1] = a * y[..., :-2] + b * y[..., 1:-1] + c * y[..., 2:]
        first, last = d[0], d[-1]
        next_first, next_last = (d[1], d[-2]) if edge_order == 2 else (d[0], d[-1])
    if edge_order == 1:
        out[..., 0] = (y[..., 1] - y[..., 0]) / first
        out[..., -1] = (y[..., -1] - y[..., -2]) / last
    else:
        out[..., 0] = _three_point(y[..., 0], y[..., 1], y[..., 2], first, next_first)
        out[..., -1] = -_three_point(y[..., -1], y[..., -2], y[..., -3], last, next_last)
    return np.moveaxis(out, -1, axis)


def _three_point(y0: Any, y1: Any, y2: Any, h1: Any, h2: Any) -> Any:
    """The slope at the first of three points, second order."""
    return (
        -(2.0 * h1 + h2) / (h1 * (h1 + h2)) * y0
        + (h1 + h2) / (h1 * h2) * y1
        - h1 / (h2 * (h1 + h2)) * y2
    )  # fmt: skip


def polyval(p: Any, x: Any) -> Any:
    """The polynomial with coefficients p, the highest first, at x."""
    coefficients = np.asarray(p)
    y = np.zeros_like(x) * coefficients.dtype.type(0)
    for coefficient in coefficients:
        y = y * x + coefficient
    return y


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x)."""
    y = np.pi * np.where(np.asarray(x) == 0, 1e-20, x)
    return np.sin(y) / y


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """Equal up to a relative and an absolute tolerance."""
    x, y = np.asarray(a), np.asarray(b)
    near = np.less_equal(np.abs(x * 1.0 - y * 1.0), atol + rtol * np.abs(y * 1.0)) & np.isfinite(y)
    equal = near | (x == y)
    return equal | (np.isnan(x) & np.isnan(y)) if equal_nan else equal


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    """Are all elements close?"""
    return bool(np.all(isclose(a, b, rtol, atol, equal_nan)))


def isposinf(x: Any) -> Any:
    """Positive infinity, element by element."""
    return np.asarray(x) == np.inf


def isneginf(x: Any) -> Any:
    """Negative infinity, element by element."""
    return np.asarray(x) == -np.inf


def array_equal(a1: Any, a2: Any) -> Any:
    """Have two arrays one shape and equal elements?"""
    x, y = np.asarray(a1), np.asarray(a2)
    if x.ndim != y.ndim:
        return False
    if x.shape != y.shape:
        return False
    return bool(np.all(x == y))


def nan_to_num(x: Any, *, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """NaN and infinities replaced by numbers."""
    y = np.asarray(x)
    if y.dtype.kind != "f":
        return y + np.zeros((), y.dtype)
    huge = 1.7976931348623157e308 if y.dtype == np.float64 else 3.4028234663852886e38
    high = huge if posinf is None else posinf
    low = -huge if neginf is None else neginf
    finite = np.where(np.isnan(y), nan, y)
    return np.where(finite == np.inf, high, np.where(finite == -np.inf, low, finite))


def cross(a: Any, b: Any) -> Any:
    """The vector product along last axes of size three."""
    x, y = np.asarray(a), np.asarray(b)
    require_equal(x.shape[-1], 3)
    require_equal(y.shape[-1], 3)
    return np.stack(
        (
            x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1],
            x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
            x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
        ),
        axis=-1,
    )


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The length of a vector, or a norm of a matrix."""
    y = np.asarray(x) * 1.0
    of_matrix = isinstance(axis, tuple) or (axis is None and y.ndim == 2)
    if ord is None or (ord == "fro" and of_matrix):
        return np.sqrt(np.sum(y * y, axis=axis, keepdims=keepdims))
    if isinstance(ord, str) or (axis is None and (y.ndim > 2 or (y.ndim == 2 and keepdims))):
        unsupported("this norm")
    if of_matrix:
        return _matrix_norm(y, ord, (0, 1) if axis is None else axis)
    if ord == 2:
        return np.sqrt(np.sum(y * y, axis=axis, keepdims=keepdims))
    size = np.abs(y)
    if ord == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if ord == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return np.sum((y != 0).astype(y.dtype), axis=axis, keepdims=keepdims)
    if ord == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    p: Any = ord
    return np.power(np.sum(size**p, axis=axis, keepdims=keepdims), 1.0 / p)


def _matrix_norm(y: Any, ord: Any, axes: Any) -> Any:
    """The largest or smallest sum along columns (1, -1) or rows (inf, -inf)."""
    if ord not in (1, -1, np.inf, -np.inf):
        unsupported("this norm of a matrix")
    size = np.moveaxis(np.abs(y), axes, (-2, -1))
    sums = np.sum(size, axis=-2 if abs(ord) == 1 else -1)
    return np.max(sums, axis=-1) if ord > 0 else np.min(sums, axis=-1)


def logspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0) -> Any:
    """Powers of the base with evenly spaced exponents."""
    return np.power(base, np.linspace(start, stop, num, endpoint))


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True) -> Any:
    """Numbers with equal ratios, the ends exactly as given."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(np.float64(start))
    result = sign * logspace(np.log10(start / sign), np.log10(stop / sign), num, endpoint)
    if num > 0:
        result[0] = start
    if num > 1 and endpoint:
        result[-1] = stop
    return result


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """Angles with jumps of more than half a period replaced by their complements."""
    x = np.moveaxis(np.asarray(p), axis, -1) * 1.0
    half = period / 2
    d = x[..., 1:] - x[..., :-1]
    turned = np.mod(d + half, period) - half
    turned = np.where((turned == -half) & (d > 0), half, turned)
    limit = half if discont is None or discont < half else discont
    out = x.copy()
    out[..., 1:] += np.cumsum(np.where(np.abs(d) < limit, 0.0, turned - d), axis=-1)
    return np.moveaxis(out, -1, axis)


def fill_diagonal(a: Any, val: Any) -> None:
    """Store a number on the main diagonal of a matrix."""
    for i in range(min(a.shape[0], a.shape[1])):
        a[i, i] = val


def put(a: Any, ind: Any, v: Any) -> None:
    """Store values at flat positions, one after another; a short list of values is repeated."""
    where, what = np.ravel(ind), np.ravel(v)
    flat = a.reshape(-1)
    for k in range(len(where)):
        flat[where[k]] = what[k % len(what)]


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The interval of monotonic bins that each x lies in."""
    edges = np.asarray(bins)
    n, steps = len(edges), diff(edges)
    if not (np.all(steps >= 0) or np.all(steps <= 0)):
        raise ValueError("bins must be monotonically increasing or decreasing")
    if n > 0 and edges[0] > edges[n - 1]:
        return n - np.searchsorted(edges[::-1], x, "right" if right else "left")
    return np.searchsorted(edges, x, "left" if right else "right")
