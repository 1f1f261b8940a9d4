"""Which elements: positions of what is not zero, distinct elements, orders by several keys, open meshes."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import unsupported


def flatnonzero(a: Any) -> Any:
    """The flat positions of the elements that are not zero."""
    x = np.ravel(a)
    return np.arange(x.size)[x != 0]


def nonzero(a: Any) -> Any:
    """The indices of the elements that are not zero, one array per axis."""
    x = np.asarray(a)
    if x.ndim == 0:
        unsupported("np.nonzero of a number")
    places = flatnonzero(x)
    indices = ()
    for n in x.shape[:0:-1]:
        indices = (places % n, *indices)
        places = places // n
    return (places, *indices)


def argwhere(a: Any) -> Any:
    """The indices of the elements that are not zero, one row for each."""
    return np.stack(nonzero(a), axis=1)


def unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None
) -> Any:
    """The distinct elements in order; where each first occurs, which one each element is, how often each occurs."""
    if axis is not None:
        unsupported("np.unique along an axis")
    x = np.ravel(ar)
    order = np.argsort(x)
    s = x[order]
    first = np.ones(s.size, np.bool_)
    first[1:] = _differ(s[1:], s[:-1])
    results = (s[first],)
    if return_index:
        results = (*results, order[first])
    if return_inverse:
        which = np.zeros(x.size, np.int64)
        which[order] = np.cumsum(first) - 1
        results = (*results, np.reshape(which, np.shape(ar)))
    if return_counts:
        starts = flatnonzero(first)
        results = (*results, np.append(starts[1:], x.size) - starts if x.size > 0 else starts)
    return results if len(results) > 1 else results[0]


def _differ(x: Any, y: Any) -> Any:
    """Are neighbours in order different? All NaN are one element."""
    return (x != y) & ~(np.isnan(x) & np.isnan(y)) if x.dtype.kind == "f" else x != y


def lexsort(keys: Any, axis: int = -1) -> Any:
    """The order by the last key, equal ones by the key before it, and so on."""
    if axis not in (-1, 0) or keys[0].ndim != 1:
        unsupported("np.lexsort of keys that are not vectors")
    order = np.argsort(keys[0])
    for key in keys[1:]:
        order = order[np.argsort(key[order])]
    return order


def ix_(*args: Any) -> Any:
    """Vectors of indices shaped so that together they choose a block."""
    return tuple([_along(np.asarray(v), k, len(args)) for k, v in enumerate(args)])


def _along(v: Any, axis: int, rank: int) -> Any:
    places = flatnonzero(v) if v.dtype == np.bool_ else v
    return np.reshape(places, (1,) * axis + (places.size,) + (1,) * (rank - axis - 1))


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turned by right angles in a plane of two axes."""
    first, second = axes
    turns = k % 4
    if turns == 0:
        return m[...]
    if turns == 2:
        return np.flip(m, (first, second))
    return (
        np.swapaxes(np.flip(m, second), first, second) if turns == 1 else np.flip(np.swapaxes(m, first, second), second)
    )
