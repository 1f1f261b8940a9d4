"""Statistics along axes, with and without NaN, from sums, sorting and counting."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import unsupported


def var(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The variance: the mean square distance from the mean."""
    x = np.asarray(a)
    d = x - np.mean(x, axis=axis, keepdims=True)
    return np.sum(d * d, axis=axis, keepdims=keepdims) / max(_count(x, axis) - ddof, 0)


def std(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The standard deviation."""
    return np.sqrt(var(a, axis, ddof=ddof, keepdims=keepdims))


def ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The distance of the largest from the smallest element."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    """The mean, or the weighted mean; weights have the shape of a, or lie along one axis."""
    if weights is None:
        return np.mean(a, axis=axis)
    x, w = np.asarray(a), np.asarray(weights)
    if w.ndim != x.ndim:
        x, axis = np.moveaxis(x, axis, -1), -1
    scale = np.sum(w, axis=axis if w.ndim == x.ndim else None)
    if np.any(scale == 0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return np.sum(x * w, axis=axis) / scale


def median(a: Any, axis: Any = None) -> Any:
    """The middle element, or the mean of the two; NaN if there is one."""
    return quantile(a, 0.5, axis)


def percentile(a: Any, q: Any, axis: Any = None) -> Any:
    """The value below which q percent of the elements lie, by linear interpolation."""
    return quantile(a, q / 100.0 if np.ndim(q) == 0 else np.asarray(q) / 100.0, axis)


def quantile(a: Any, q: Any, axis: Any = None) -> Any:
    """The value below which a part q of the elements lies, by linear interpolation; one for each of several q."""
    x = np.ravel(a) * 1.0 if axis is None else np.moveaxis(np.asarray(a), axis, -1) * 1.0
    s = np.sort(x, axis=-1)
    if np.ndim(q) == 0:
        return _part(s, q)
    parts = np.asarray(q)
    if parts.ndim != 1:
        unsupported("a matrix of quantiles")
    # Of any quantile: its shape and type are those of all.
    like = _part(s, parts.dtype.type(0))
    out = np.zeros((len(parts), *np.shape(like)), like.dtype)
    for k in range(len(parts)):
        out[k] = _part(s, parts[k])
    return out


def _part(s: Any, q: Any) -> Any:
    """The quantile of what is sorted along the last axis; NaN if there is one."""
    n = s.shape[-1]
    if not 0.0 <= q <= 1.0:
        raise ValueError("Quantiles must be in the range [0, 1]")
    place = q * (n - 1)
    first = int(np.floor(place))
    low, high = s[..., first], s[..., min(first + 1, n - 1)]
    t = place - first
    # As NumPy does: from the nearer end, so that both ends are met exactly.
    inner = low + (high - low) * t if t < 0.5 else high - (high - low) * (1 - t)
    last = s[..., n - 1]
    return np.where(np.isnan(last), last, inner)


def nansum(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The sum, NaN taken as zero."""
    return np.sum(np.where(np.isnan(a), 0, a), axis=axis, keepdims=keepdims)


def nanprod(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The product, NaN taken as one."""
    return np.prod(np.where(np.isnan(a), 1, a), axis=axis, keepdims=keepdims)


def nancumsum(a: Any, axis: Any = None) -> Any:
    """The sums of all prefixes, NaN taken as zero."""
    return np.cumsum(np.where(np.isnan(a), 0, a), axis=axis)


def nanmean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The mean of what is not NaN."""
    return nansum(a, axis, keepdims=keepdims) / _numbers(a, axis, keepdims)


def _numbers(a: Any, axis: Any, keepdims: bool) -> Any:
    """How many elements are not NaN, in the type of the elements' mean."""
    x = np.asarray(a)
    return np.sum(~np.isnan(x), axis=axis, keepdims=keepdims).astype(x.dtype if x.dtype.kind == "f" else np.float64)


def nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The variance of what is not NaN."""
    d = a - nanmean(a, axis, keepdims=True)
    return nansum(d * d, axis, keepdims=keepdims) / (_numbers(a, axis, keepdims) - ddof)


def nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: bool = False) -> Any:
    """The standard deviation of what is not NaN."""
    return np.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def nanmin(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The smallest element that is not NaN; NaN if there is none."""
    x = np.asarray(a)
    if x.dtype.kind != "f":
        return np.min(x, axis=axis, keepdims=keepdims)
    least = np.min(np.where(np.isnan(x), np.inf, x), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(x), axis=axis, keepdims=keepdims), np.nan, least)


def nanmax(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """The largest element that is not NaN; NaN if there is none."""
    return -nanmin(-np.asarray(a), axis, keepdims=keepdims)


def histogram(a: Any, bins: Any = 10, range: Any = None) -> Any:
    """How many elements lie in each of `bins` equal intervals, and the ends of the intervals."""
    x = np.ravel(a)
    low, high = (np.min(x) * 1.0, np.max(x) * 1.0) if range is None else (range[0] * 1.0, range[1] * 1.0)
    if bins < 1 or not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueError("the bins must be positive, their range finite and increasing")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, bins + 1)
    counts = np.zeros(bins, np.int64)
    for v in x:
        if low <= v <= high:
            k = min(int((v - low) / (high - low) * bins), bins - 1)
            # The division rounds; the edges decide.
            if v < edges[k]:
                k -= 1
            elif k < bins - 1 and v >= edges[k + 1]:
                k += 1
            counts[k] += 1
    return counts, edges


def cov(m: Any, y: Any = None, rowvar: bool = True, *, ddof: Any = 1) -> Any:
    """The covariances of the rows, those of `y` after those of `m`."""
    x = _rows(m, rowvar) if y is None else np.vstack((_rows(m, rowvar), _rows(y, rowvar)))
    d = x - np.mean(x, axis=-1, keepdims=True)
    if x.ndim == 1:
        return np.sum(d * d) / (len(x) - ddof)
    return d @ d.T / (x.shape[1] - ddof)


def _rows(m: Any, rowvar: bool) -> Any:
    x = np.asarray(m).astype(np.float64)
    return x if rowvar else np.transpose(x)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    """The correlation coefficients of the rows, those of `y` after those of `x`."""
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    d = np.sqrt(np.diag(c))
    return np.clip(c / d[:, None] / d[None, :], -1, 1)


def _count(x: Any, axis: Any) -> Any:
    """The number of elements along axes."""
    if axis is None:
        return x.size
    n = 1
    for k in axis if isinstance(axis, tuple) else (axis,):
        n *= x.shape[k]
    return n
