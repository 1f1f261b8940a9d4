"""The bulk-parallel operators as plain Python: what they mean when no compiler is around.

    map(f, *xs)              [f(x[0], ...), f(x[1], ...), ...]; a tuple of arrays when f returns tuples
    reduce(op, e, xs)        e (+) x[0] (+) x[1] (+) ..., for an associative op with neutral element e
    scan(op, e, xs)          all prefixes of that, the whole sum last
    hist(op, dest, ks, vs)   a copy of dest with dest[k] = op(dest[k], v) for each pair; keys out of range are ignored
    scatter(dest, ks, vs)    a copy of dest with dest[k] = v for each pair; keys out of range are ignored
    prange(...)              range, whose iterations the author says may run in any order

`op` is a NumPy ufunc (`np.add`) or a function of two arguments; where the neutral element is a tuple, so are both
arguments and the result of `op`. Elements are taken along the leading axis. Inside `tp.jit` the same names
become the operators of the intermediate language, with equal results (floating-point sums may be reordered).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

Array = np.ndarray[Any, Any]


def _highest(dtype: np.dtype[Any]) -> Any:
    """The largest value of a dtype: the neutral element of `minimum`."""
    return dtype.type(np.inf) if dtype.kind == "f" else np.iinfo(dtype).max if dtype.kind == "i" else np.True_


def _lowest(dtype: np.dtype[Any]) -> Any:
    """The smallest value of a dtype: the neutral element of `maximum`."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min if dtype.kind == "i" else np.False_


# The neutral elements that `hist` may assume, as functions of the dtype of the destination.
NEUTRAL: dict[np.ufunc, Callable[[np.dtype[Any]], Any]] = {
    np.add: lambda dtype: dtype.type(0),
    np.multiply: lambda dtype: dtype.type(1),
    np.minimum: _highest,
    np.maximum: _lowest,
    np.logical_and: lambda dtype: dtype.type(1),
    np.logical_or: lambda dtype: dtype.type(0),
    np.logical_xor: lambda dtype: dtype.type(0),
    np.bitwise_and: lambda dtype: ~dtype.type(0),
    np.bitwise_or: lambda dtype: dtype.type(0),
    np.bitwise_xor: lambda dtype: dtype.type(0),
}


def prange(*bounds: int) -> range:
    """`range`, whose iterations may run in any order."""
    return range(*bounds)


def map(f: Callable[..., Any], *arrays: Any) -> Any:
    """`f` of the elements of the arrays along their leading axis, stacked.

    >>> map(lambda row: row.sum(), np.ones((2, 3)))
    array([3., 3.])
    """
    columns = [np.asarray(a) for a in arrays]
    size = _common_length(columns)
    if size == 0:
        # Ones, because a function is more likely to be defined there than at zero.
        probe = f(*(np.ones(a.shape[1:], a.dtype)[()] for a in columns))
        return _transpose_tuples([probe], lambda rows: np.asarray(rows)[:0])
    return _transpose_tuples([f(*(a[i] for a in columns)) for i in range(size)], np.asarray)


def reduce(op: Callable[[Any, Any], Any], neutral: Any, xs: Any) -> Any:
    """The elements of `xs` combined by the associative `op`, whose neutral element is `neutral`.

    >>> int(reduce(np.maximum, 0, [3, 1, 4]))
    4
    """
    total, elements, stay = _start(neutral, xs)
    for x in elements:
        total = stay(op(total, x))
    return total


def scan(op: Callable[[Any, Any], Any], neutral: Any, xs: Any) -> Any:
    """The inclusive prefixes of `reduce`.

    >>> scan(np.add, 0, [3, 1, 4])
    array([3, 4, 8])
    """
    total, elements, stay = _start(neutral, xs)
    prefixes = [total]
    for x in elements:
        prefixes.append(stay(op(prefixes[-1], x)))
    return _transpose_tuples(prefixes, lambda rows: np.stack(rows)[1:])


def hist(op: Callable[[Any, Any], Any], dest: Any, keys: Any, values: Any, neutral: Any = None) -> Array:
    """A copy of `dest` with every value combined into the element that its key names.

    `neutral` is needed when `op` is not one of NumPy's: the compiled code combines in parallel.

    >>> hist(np.add, np.zeros(3), [0, 2, 2, 9], 1.0)
    array([1., 0., 2.])
    """
    if neutral is None and op not in NEUTRAL:
        raise TypeError("tp.hist needs neutral=... for an operator that is not a NumPy ufunc with a neutral element")
    result, pairs = _pairs(dest, keys, values)
    for key, value in pairs:
        result[key] = op(result[key], value)
    return result


def scatter(dest: Any, keys: Any, values: Any) -> Array:
    """A copy of `dest` with every value stored where its key says; the last one wins.

    >>> scatter(np.zeros(3), [0, 2, 2], [5.0, 6.0, 7.0])
    array([5., 0., 7.])
    """
    result, pairs = _pairs(dest, keys, values)
    for key, value in pairs:
        result[key] = value
    return result


def _common_length(columns: list[Array]) -> int:
    if not columns:
        raise TypeError("at least one array is needed")
    if any(a.ndim == 0 for a in columns):
        raise TypeError("elements are taken along the leading axis: a scalar has none")
    sizes = {len(a) for a in columns}
    if len(sizes) > 1:
        raise ValueError(f"arrays of different lengths: {sorted(sizes)}")
    return sizes.pop()


def _transpose_tuples(rows: list[Any], join: Callable[[list[Any]], Any]) -> Any:
    """One array for rows of values, a tuple of arrays for rows of tuples."""
    if isinstance(rows[0], tuple):
        return tuple(join(list(column)) for column in zip(*rows, strict=True))
    return join(rows)


def _start(neutral: Any, xs: Any) -> tuple[Any, list[Any], Callable[[Any], Any]]:
    """The first accumulator, the elements, and what makes a result of `op` an accumulator again."""
    if not isinstance(neutral, tuple):
        column = np.asarray(xs)
        _common_length([column])
        first = _accumulator(neutral, column)
        return first, list(column), lambda result: _like(first, result)
    neutrals = cast(tuple[Any, ...], neutral)
    columns = [np.asarray(x) for x in xs]
    _common_length(columns)
    firsts = tuple(_accumulator(e, column) for e, column in zip(neutrals, columns, strict=True))

    def stay(result: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(_like(first, part) for first, part in zip(firsts, result, strict=True))

    return firsts, list(zip(*columns, strict=True)), stay


def _accumulator(neutral: Any, column: Array) -> Any:
    """`neutral` with the type and shape that combining it with an element gives."""
    dtype = np.result_type(neutral, column)
    shape = np.broadcast_shapes(np.shape(neutral), column.shape[1:])
    return np.broadcast_to(np.asarray(neutral, dtype), shape)[()]


def _like(first: Any, result: Any) -> Any:
    return np.broadcast_to(np.asarray(result, first.dtype), np.shape(first))[()]


def _pairs(dest: Any, keys: Any, values: Any) -> tuple[Array, list[tuple[int, Any]]]:
    """A copy of the destination, and the pairs of key and value whose key is in range."""
    result, where, what = np.array(dest), np.asarray(keys), np.asarray(values)
    if where.dtype.kind != "i" or where.ndim != 1:
        raise TypeError("keys must be a one-dimensional array of integers")
    if what.ndim and len(what) != len(where):
        raise ValueError(f"{len(where)} keys but {len(what)} values")
    size = len(result)
    rows = what if what.ndim else [what] * len(where)
    return result, [(int(k), v) for k, v in zip(where, rows, strict=True) if 0 <= k < size]
