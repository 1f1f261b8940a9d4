"""The array operations of the table on values of any axes.

Reading at places that are affine in the axes is slicing: a dimension that is read at `c * axis + k` becomes the
dimension of that axis. Everything else is a gather. Places out of range, which only lanes that are masked out can
name, are read somewhere within.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedFunctionError
from ...ir.types import I64
from .library import jnp, lax
from .scalars import apply_scalar, as_affine
from .values import Affine, Axes, Axis, Value, aligned, jax_dtype, new_axis, of_affine, of_array, spread, united


def size_of(value: Value) -> int:
    """A size, which must be known when the function is traced."""
    if value.static is None:
        raise UnsupportedFunctionError(
            "an array whose size is computed from data cannot exist in JAX", why="JAX's arrays have fixed shapes"
        )
    return value.static


def apply_array(op: str, values: Sequence[Value], attrs: tuple[Any, ...]) -> Value:
    """An array operation."""
    first = values[0]
    axes = first.axes
    lead = len(axes)
    match op:
        case "index":
            return read(first, values[1:])
        case "slice":
            return _slice(first, values[1:])
        case "update" | "accumulate":
            return write(first, values[1], values[2:], add=op == "accumulate")
        case "update_slice":
            return _update_slice(first, values[1], values[2:])
        case "transpose" if first.is_open:
            return first.turned(attrs)
        case "transpose":
            order = (*range(lead), *(lead + d for d in attrs))
            return of_array(axes, lax.transpose(jnp.asarray(first.array), order))
        case "reshape":
            sizes = [size_of(value) for value in values[1:]]
            return of_array(axes, jnp.reshape(first.array, (*first.array.shape[:lead], *sizes)))
        case "replicate":
            sizes = [size_of(value) for value in values[1:]]
            array = lax.expand_dims(jnp.asarray(first.array), range(lead, lead + len(sizes)))
            shape = (*array.shape[:lead], *sizes, *array.shape[lead + len(sizes) :])
            return of_array(axes, jnp.broadcast_to(array, shape))
        case "concat":
            everything = united(values[:-1])
            parts = [spread(value, everything) for value in values[:-1]]
            return of_array(everything, lax.concatenate(parts, len(everything) + attrs[0]))
        case "stack":
            everything = united(values)
            parts = [spread(value, everything) for value in values]
            return of_array(everything, jnp.stack(parts, len(everything)))
        case "iota":
            return of_array((), lax.iota(jax_dtype(I64), size_of(first)))
        case "argsort":
            return of_array(axes, jnp.argsort(first.array, axis=-1, stable=True).astype(jax_dtype(I64)))
        case _:
            raise UnsupportedFunctionError(f"the operation {op} cannot be run by JAX")


# -- reading ----------------------------------------------------------------------------------------


def read(x: Value, indices: Sequence[Value]) -> Value:
    """The element or part at the leading indices."""
    if x.is_open and (same := _relabelled(x, indices)) is not None:
        return same
    taken = set(x.axes)
    plain: dict[int, Affine] = {}
    for d, index in enumerate(indices):
        place = as_affine(index)
        if place is not None and _is_slice(place) and not taken & set(place.axes):
            uses = sum(axis in other.axes for other in indices for axis in place.axes)
            if uses <= 1:
                plain[d] = place
                taken |= set(place.axes)
    part = _sliced(x, plain, len(indices))
    left = [index for d, index in enumerate(indices) if d not in plain]
    return _gathered(part, left) if left else part


def _relabelled(x: Value, indices: Sequence[Value]) -> Value | None:
    """An open product read all along some axes, one for each index: it only depends on other axes then."""
    assert x.product is not None
    renamed: dict[Axis, Axis] = {}
    for old, index in zip(x.own, indices, strict=False):
        place = index.affine
        if place is None or place.base is not None or place.const or [c for _, c in place.terms] != [1]:
            return None
        (new,) = place.axes
        if new.size != old.size or new in x.axes or new in renamed.values():
            return None
        renamed[old] = new
    return None if x.product.summed else x.renamed(renamed)


def _is_slice(place: Affine) -> bool:
    if len(place.terms) > 1:
        return False
    return place.base is None or not place.terms or place.terms[0][1] == 1


def _sliced(x: Value, plain: dict[int, Affine], count: int) -> Value:
    """The array sliced along some of the first `count` own dimensions, whose places become axes; the others stay."""
    if not plain:
        return x
    array, lead = jnp.asarray(x.array), len(x.axes)
    labels: list[Axis | int | None] = [*x.axes, *range(count), *[None] * (array.ndim - lead - count)]
    for d, place in plain.items():
        array = _cut(array, lead + d, place)
        labels[lead + d] = place.axes[0] if place.terms else None
    gone = [lead + d for d, place in plain.items() if not place.terms]
    array = lax.squeeze(array, gone)
    kept = [label for k, label in enumerate(labels) if k not in gone]
    axes = tuple(sorted(label for label in kept if isinstance(label, Axis)))
    first = [kept.index(axis) for axis in axes]
    order = (*first, *(k for k in range(len(kept)) if k not in first))
    return of_array(axes, lax.transpose(array, order))


def _cut(array: Any, dim: int, place: Affine) -> Any:
    """The places along one dimension: as many as the axis has, or one."""
    size = array.shape[dim]
    axis, step = place.terms[0] if place.terms else (Axis(-1, 1), 1)
    if axis.size == 0 or size < (axis.size if place.base is not None else 1):
        # Nothing is read, or only by what is never executed.
        shape = list(array.shape)
        shape[dim] = axis.size
        return jnp.zeros(shape, array.dtype)
    if place.base is not None:
        start = place.base + np.asarray(place.const, jax_dtype(I64))
        starts = [start if k == dim else np.asarray(0, jax_dtype(I64)) for k in range(array.ndim)]
        sizes = [axis.size if k == dim else size for k, size in enumerate(array.shape)]
        return lax.dynamic_slice(array, starts, sizes, allow_negative_indices=False)
    ends = place.const, place.const + step * (axis.size - 1)
    low, high = min(ends), max(ends)
    # Lanes that are masked out may look beyond the edges.
    before, after = max(0, -low), max(0, high - size + 1)
    if (low, high, step) == (0, size - 1, 1):
        return array
    if before or after:
        config = [(before, after, 0) if k == dim else (0, 0, 0) for k in range(array.ndim)]
        array = lax.pad(array, np.zeros((), array.dtype), config)
    found = lax.slice_in_dim(array, low + before, high + before + 1, abs(step) or 1, dim)
    return lax.rev(found, (dim,)) if step < 0 else found


def _gathered(x: Value, indices: Sequence[Value]) -> Value:
    """The elements at any places of the leading own dimensions."""
    meant = united(indices)
    # Axes that no index depends on are parts that are taken whole.
    whole = tuple(axis for axis in x.axes if axis not in meant)
    common = tuple(axis for axis in x.axes if axis in meant)
    order = [x.axes.index(axis) for axis in common]
    lead, count = len(x.axes), len(indices)
    array = jnp.asarray(x.array)
    array = lax.transpose(
        array,
        (*order, *range(lead, lead + count), *(x.axes.index(a) for a in whole), *range(lead + count, array.ndim)),
    )
    places = [aligned(of_affine(Affine(0, ((axis, 1),))), meant) for axis in common]
    for d, index in enumerate(indices):
        places.append(_within(index, array.shape[len(common) + d], meant))
    found = array.at[tuple(places)].get(mode="promise_in_bounds") if all(array.shape) else _nothing(array, places)
    axes = tuple(sorted((*meant, *whole)))
    labels = [*meant, *whole]
    order = [labels.index(axis) for axis in axes]
    return of_array(axes, lax.transpose(found, (*order, *range(len(labels), found.ndim))))


def _nothing(array: Any, places: Sequence[Any]) -> Any:
    """What masked-out lanes read from an array without elements."""
    lanes = jnp.broadcast_shapes(*(place.shape for place in places))
    return jnp.zeros((*lanes, *array.shape[len(places) :]), array.dtype)


def _within(index: Value, size: int, axes: Axes) -> Any:
    """An index as an array over the axes, within range."""
    array = jnp.asarray(aligned(index, axes))
    bounds = index.affine.bounds if index.affine is not None else None
    if bounds is not None and bounds[0] >= 0 and bounds[1] < size:
        return array
    return jnp.clip(array, 0, max(0, size - 1))


def _slice(x: Value, triples: Sequence[Value]) -> Value:
    """Each sliced dimension is read along an axis of its own, which then is a dimension again."""
    indices: list[Value] = []
    sizes = triples[1::3]
    opened = [new_axis(size_of(size)) for size in sizes]
    for axis, start, step in zip(opened, triples[::3], triples[2::3], strict=True):
        along = _combined("mul", of_affine(Affine(0, ((axis, 1),))), step)
        indices.append(_combined("add", start, along))
    found = read(x, indices)
    axes = tuple(axis for axis in found.axes if axis not in opened)
    return of_array(axes, spread(found, (*axes, *opened)))


def _combined(op: str, x: Value, y: Value) -> Value:
    return apply_scalar(op, I64, (x, y), ())


# -- writing ----------------------------------------------------------------------------------------


def write(x: Value, value: Value, indices: Sequence[Value], *, add: bool) -> Value:
    """The array with a value set, or added, at the leading indices."""
    axes = united((x, value, *indices))
    base, new = spread(x, axes), spread(value, axes)
    if not base.size:
        return of_array(axes, base)
    if any(index.axes for index in indices):
        places: list[Any] = [aligned(of_affine(Affine(0, ((axis, 1),))), axes) for axis in axes]
        for d, index in enumerate(indices):
            places.append(dropped(index, base.shape[len(axes) + d], axes))
        at = base.at[tuple(places)]
        return of_array(axes, at.add(new, mode="drop") if add else at.set(new, mode="drop"))
    starts = [np.asarray(0, jax_dtype(I64))] * len(axes) + [jnp.asarray(index.array) for index in indices]
    starts += [np.asarray(0, jax_dtype(I64))] * (base.ndim - len(starts))
    part = lax.expand_dims(new, range(len(axes), len(axes) + len(indices)))
    if add:
        part = part + lax.dynamic_slice(base, starts, part.shape, allow_negative_indices=False)
    return of_array(axes, lax.dynamic_update_slice(base, part, starts, allow_negative_indices=False))


def dropped(index: Value, size: int, axes: Axes) -> Any:
    """An index as an array over the axes; what is below zero is beyond the end, where nothing is written."""
    array = jnp.asarray(aligned(index, axes))
    bounds = index.affine.bounds if index.affine is not None else None
    return array if bounds is not None and bounds[0] >= 0 else jnp.where(array < 0, size, array)


def _update_slice(x: Value, part: Value, pairs: Sequence[Value]) -> Value:
    axes = united((x, part, *pairs))
    if 0 in (*x.shape, *part.shape):
        return of_array(axes, spread(x, axes))
    if any(value.axes for value in pairs) or any(step.static is None for step in pairs[1::2]):
        return _update_anywhere(x, part, pairs, axes)
    base, new, lead = spread(x, axes), spread(part, axes), len(axes)
    steps = [size_of(step) for step in pairs[1::2]]
    backwards = [lead + d for d, step in enumerate(steps) if step < 0]
    starts = list(pairs[::2])
    for d, step in enumerate(steps):
        if step < 0:
            starts[d] = _combined("add", starts[d], of_affine(Affine(step * (new.shape[lead + d] - 1))))
    new = lax.rev(new, backwards) if backwards else new
    if all(abs(step) == 1 for step in steps):
        where = [np.asarray(0, jax_dtype(I64))] * lead + [jnp.asarray(start.array) for start in starts]
        where += [np.asarray(0, jax_dtype(I64))] * (base.ndim - len(where))
        return of_array(axes, lax.dynamic_update_slice(base, new, where, allow_negative_indices=False))
    if any(start.static is None for start in starts):
        return _update_anywhere(x, part, pairs, axes)
    config = [(0, 0, 0)] * base.ndim
    for d, (start, step) in enumerate(zip(starts, steps, strict=True)):
        low, inner = size_of(start), abs(step) - 1
        span = max(0, new.shape[lead + d] * abs(step) - inner)
        config[lead + d] = (low, base.shape[lead + d] - low - span, inner)
    there = lax.pad(jnp.ones(new.shape, bool), np.asarray(False), config)
    return of_array(axes, jnp.where(there, lax.pad(new, np.zeros((), new.dtype), config), base))


def _update_anywhere(x: Value, part: Value, pairs: Sequence[Value], axes: Axes) -> Value:
    """The part written element by element along axes of its own."""
    lead = len(part.axes)
    opened = [new_axis(part.array.shape[lead + d]) for d in range(len(pairs) // 2)]
    everything = (*axes, *opened)
    base = spread(x, axes)
    new = spread(of_array((*part.axes, *opened), part.array), everything)
    places: list[Any] = [aligned(of_affine(Affine(0, ((axis, 1),))), everything) for axis in axes]
    for d, (axis, start, step) in enumerate(zip(opened, pairs[::2], pairs[1::2], strict=True)):
        index = _combined("add", start, _combined("mul", of_affine(Affine(0, ((axis, 1),))), step))
        places.append(dropped(index, base.shape[len(axes) + d], everything))
    return of_array(axes, base.at[tuple(places)].set(new, mode="drop"))
