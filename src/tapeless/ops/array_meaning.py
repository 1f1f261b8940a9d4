"""What the array operations compute, on NumPy arrays of any number type.

An index out of range or sizes that do not fit are bugs of the compiler here, hence `IRError`: the
user's own mistakes were caught by a `Check` before.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IRError
from ..ir.types import extents

Array = NDArray[Any]


def index(_n: Any, a: Array, *at: int) -> Any:
    return a[_inside("index", a, at)]


def slice(_n: Any, a: Array, *triples: int) -> Array:
    for axis in range(len(triples) // 3):
        start, size, step = triples[3 * axis : 3 * axis + 3]
        a = a.take(_places("slice", a.shape[axis], start, size, step), axis=axis)
    return a


def update(_n: Any, a: Array, v: Any, *at: int) -> Array:
    result = a.copy()
    result[_inside("update", a, at)] = v
    return result


def update_slice(_n: Any, a: Array, v: Array, *pairs: int) -> Array:
    places = [
        _places("update_slice", a.shape[axis], pairs[2 * axis], v.shape[axis], pairs[2 * axis + 1])
        for axis in range(len(pairs) // 2)
    ]
    result = a.copy()
    result[np.ix_(*places)] = v
    return result


def accumulate(_n: Any, a: Array, v: Any, *at: int) -> Array:
    place = _inside("accumulate", a, at)
    result = a.copy()
    result[place] = result[place] + v
    return result


def transpose(_n: Any, a: Array, *axes: int) -> Array:
    return a.transpose(axes)


def reshape(_n: Any, a: Array, *sizes: int) -> Array:
    shape = extents(sizes)
    if prod(shape) != a.size:
        raise IRError(f"reshape of {a.size} elements to {shape}")
    return a.reshape(shape)


def replicate(_n: Any, v: Any, *operands: Any) -> Array:
    shape = extents([size for size in operands if not isinstance(size, str)])
    if isinstance(v, np.ndarray):
        return np.broadcast_to(v, shape + v.shape)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return np.full(shape, v, dtype=_storage(v))


def concat(_n: Any, *operands: Any) -> Array:
    *parts, total, axis = operands
    result = np.concatenate(parts, axis=axis)
    if result.shape[axis] != total:
        raise IRError(f"concat of sizes that sum to {result.shape[axis]}, declared as {total}")
    return result


def stack(_n: Any, *parts: Any) -> Array:
    if isinstance(parts[0], np.ndarray):
        return np.stack(parts)
    return np.array(parts, dtype=_storage(parts[0]))


def iota(_n: Any, n: int) -> Array:
    return np.arange(extents((n,))[0], dtype=np.int64)


def argsort(n: Any, a: Array) -> Array:
    return n.argsort(a)


def _inside(op: str, a: Array, at: Sequence[int]) -> tuple[int, ...]:
    for i, size in zip(at, a.shape, strict=False):
        if not 0 <= i < size:
            raise IRError(f"{op} at {tuple(map(int, at))} of an array of shape {a.shape}")
    return tuple(at)


def _places(op: str, length: int, start: int, size: int, step: int) -> Array:
    """The positions start, start + step, ... along a dimension of `length`."""
    if size < 0 or (size > 0 and not (0 <= start < length and 0 <= start + (size - 1) * step < length)):
        raise IRError(f"{op} of {size} elements from {start} by {step} along a dimension of {length}")
    return start + step * np.arange(size, dtype=np.int64)


def _storage(value: Any) -> Any:
    return getattr(value, "dtype", object)
