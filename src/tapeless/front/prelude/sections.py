"""Arrays taken apart along an axis, into views of their parts."""

# Values here are numbers or arrays of any type, as in the code of users.
# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np

from .intrinsics import require_equal, unsupported


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of one size, or the parts between some places."""
    x = np.asarray(ary)
    if not isinstance(indices_or_sections, int):
        return _between(x, tuple(indices_or_sections), axis)
    if indices_or_sections < 0:
        raise ValueError("number sections must be larger than 0.")
    size = x.shape[axis] // indices_or_sections
    require_equal(size * indices_or_sections, x.shape[axis])
    return [_part(x, k * size, (k + 1) * size, axis) for k in range(indices_or_sections)]


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """As `split`; where parts cannot be of one size, the first ones have an element more."""
    x = np.asarray(ary)
    if not isinstance(indices_or_sections, int):
        return _between(x, tuple(indices_or_sections), axis)
    if indices_or_sections < 1:
        raise ValueError("number sections must be larger than 0.")
    size, longer = divmod(x.shape[axis], indices_or_sections)
    starts = [k * size + min(k, longer) for k in range(indices_or_sections + 1)]
    return [_part(x, starts[k], starts[k + 1], axis) for k in range(indices_or_sections)]


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts along the first axis."""
    if np.ndim(ary) < 2:
        unsupported("np.vsplit of a vector")
    return split(ary, indices_or_sections, 0)


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts along the second axis, or of a vector."""
    return split(ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


def _between(x: Any, places: Any, axis: int) -> Any:
    starts, stops = (0, *places), (*places, x.shape[axis])
    return [_part(x, start, stop, axis) for start, stop in zip(starts, stops, strict=True)]


def _part(x: Any, start: Any, stop: Any, axis: int) -> Any:
    if axis in (0, -x.ndim):
        return x[start:stop]
    if axis in (-1, x.ndim - 1):
        return x[..., start:stop]
    if axis != 1:
        unsupported("np.split along an inner axis beyond the second")
    return x[:, start:stop]
