"""Histograms and scatters: values written to keys along the innermost axis.

Keys out of range are dropped. Where one key is affine in the axis the values land side by side: for a sum that is a
padded addition. Where values may meet, the last one wins in a scatter: JAX leaves open which one does, so the winner
of each place is found first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ad.values import operator_names
from ...ir.core import Hist, Scatter
from ...ir.types import I64
from ...ir.walk import free_vars
from .arrays import dropped, size_of, write
from .library import jnp, lax
from .values import Affine, Axes, Axis, Value, aligned, jax_dtype, new_axis, of_affine, of_array, spread, summed, united

if TYPE_CHECKING:
    from .run import Run

_METHODS = {"add": "add", "mul": "multiply", "min": "min", "max": "max"}


def histogram(run: Run, expr: Hist) -> Sequence[Value]:
    """Each destination with the values combined into it."""
    axis = new_axis(size_of(run.value(expr.size)))
    results = run.call(expr.body, (of_affine(Affine(0, ((axis, 1),))),))
    dests = [run.value(atom) for atom in expr.dest]
    if axis.size == 0:
        return dests
    keys, values = results[: expr.keys], results[expr.keys :]
    names = operator_names(expr.op, len(dests))
    if not all(name in _METHODS for name in names):
        return _one_by_one(run, expr, dests, keys, values, axis)
    return [_met(dest, keys, value, axis, name or "") for dest, value, name in zip(dests, values, names, strict=True)]


def _met(dest: Value, keys: Sequence[Value], value: Value, axis: Axis, name: str) -> Value:
    if name == "add" and not any(axis in key.axes for key in keys):
        # All values meet at one place.
        return (
            write(dest, summed(value, axis), keys, add=True)
            if not _may_miss(keys, dest)
            else _put(dest, keys, value, axis, name)
        )
    beside = _side_by_side(dest, keys, value, axis) if name == "add" else None
    return _put(dest, keys, value, axis, name) if beside is None else beside


def _may_miss(keys: Sequence[Value], dest: Value) -> bool:
    """May a key be out of range?"""
    for key, size in zip(keys, dest.shape, strict=False):
        bounds = key.affine.bounds if key.affine is not None else None
        if bounds is None or bounds[0] < 0 or bounds[1] >= size:
            return True
    return False


def _side_by_side(dest: Value, keys: Sequence[Value], value: Value, axis: Axis) -> Value | None:
    """dest + the values padded with zeros, where the only key is affine in the axis alone; else nothing."""
    place = keys[0].affine if len(keys) == 1 else None
    if place is None or place.base is not None or place.axes != (axis,) or _may_miss(keys, dest):
        return None
    axes = tuple(each for each in united((dest, value)) if each != axis)
    base, new, dim = spread(dest, axes), spread(value, (*axes, axis)), len(axes)
    step, start = place.terms[0][1], place.const
    if step < 0:
        new, start, step = lax.rev(new, (dim,)), start + step * (axis.size - 1), -step
    config = [(0, 0, 0)] * new.ndim
    span = (axis.size - 1) * step + 1
    config[dim] = (start, base.shape[dim] - start - span, step - 1)
    return of_array(axes, base + lax.pad(new, np.zeros((), new.dtype), config))


def _places(dest: Any, keys: Sequence[Value], axes: Axes, lanes: Axes) -> tuple[Any, ...]:
    """Where in an array over `lanes` the values along `axes` go."""
    places = [aligned(of_affine(Affine(0, ((lane, 1),))), axes) for lane in lanes]
    places += [dropped(key, dest.shape[len(lanes) + d], axes) for d, key in enumerate(keys)]
    # Some place must say how many values there are, even where all go to the same.
    places[-1] = jnp.broadcast_to(places[-1], tuple(axis.size for axis in axes))
    return tuple(places)


def _put(dest: Value, keys: Sequence[Value], value: Value, axis: Axis, name: str) -> Value:
    lanes = tuple(each for each in united((dest, value, *keys)) if each != axis)
    axes = (*lanes, axis)
    base, new = spread(dest, lanes), spread(value, axes)
    at = base.at[_places(base, keys, axes, lanes)]
    return of_array(lanes, getattr(at, _METHODS[name])(new, mode="drop"))


def scattered(run: Run, expr: Scatter) -> Value:
    """The destination with the values written into it, later ones over earlier ones."""
    axis = new_axis(size_of(run.value(expr.size)))
    *keys, value = run.call(expr.body, (of_affine(Affine(0, ((axis, 1),))),))
    dest = run.value(expr.dest)
    if axis.size == 0:
        return dest
    lanes = tuple(each for each in united((dest, value, *keys)) if each != axis)
    axes = (*lanes, axis)
    base, new = spread(dest, lanes), spread(value, axes)
    places = _places(base, keys, axes, lanes)
    if any(key.affine is not None and axis in key.affine.axes and len(key.axes) == 1 for key in keys):
        return of_array(lanes, base.at[places].set(new, mode="drop"))
    lead, number = len(lanes), len(keys)
    order = jnp.broadcast_to(lax.iota(jax_dtype(I64), axis.size), new.shape[: lead + 1])
    winners = jnp.full(base.shape[: lead + number], -1, jax_dtype(I64)).at[places].max(order, mode="drop")
    own = [lax.broadcasted_iota(jax_dtype(I64), winners.shape, d) for d in range(lead)]
    found = new.at[(*own, jnp.maximum(winners, 0))].get(mode="promise_in_bounds")
    hit = lax.expand_dims(winners >= 0, range(winners.ndim, base.ndim))
    return of_array(lanes, jnp.where(hit, found, base))


def _one_by_one(
    run: Run, expr: Hist, dests: Sequence[Value], keys: Sequence[Value], values: Sequence[Value], axis: Axis
) -> Sequence[Value]:
    """Any operator: the values are combined into the destinations in order."""
    mentioned = [run.value(var) for var in free_vars(expr.op)]
    lanes = tuple(each for each in united((*dests, *values, *keys, *mentioned)) if each != axis)
    axes, lead, number = (*lanes, axis), len(lanes), len(keys)
    base = tuple(spread(dest, lanes) for dest in dests)
    if not base[0].size:
        return [of_array(lanes, x) for x in base]
    new = [spread(value, axes) for value in values]
    places = [jnp.broadcast_to(jnp.asarray(aligned(key, axes)), new[0].shape[: lead + 1]) for key in keys]
    run = run.inner(expr.op)
    inside = jnp.ones(places[0].shape, bool)
    for d, place in enumerate(places):
        inside = inside & (place >= 0) & (place < base[0].shape[lead + d])

    def step(k: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        own = [lax.broadcasted_iota(jax_dtype(I64), places[0].shape[:lead], d) for d in range(lead)]
        here = tuple(own) + tuple(
            jnp.clip(lax.dynamic_index_in_dim(place, k, lead, keepdims=False), 0, state[0].shape[lead + d] - 1)
            for d, place in enumerate(places)
        )
        fits = lax.dynamic_index_in_dim(inside, k, lead, keepdims=False)
        old = [x[here] for x in state]
        added = [lax.dynamic_index_in_dim(x, k, lead, keepdims=False) for x in new]
        # The operator is over scalars: what the values have of dimensions are axes for it.
        inner = [new_axis(size) for size in old[0].shape[lead:]]
        made = run.inner().call(expr.op, [of_array((*lanes, *inner), x) for x in (*old, *added)])
        full = [spread(value, (*lanes, *inner)) for value in made]
        wide = lax.expand_dims(fits, range(lead, full[0].ndim)) if full[0].ndim > lead else fits
        return tuple(x.at[here].set(jnp.where(wide, y, z)) for x, y, z in zip(state, full, old, strict=True))

    assert number
    return [of_array(lanes, x) for x in lax.fori_loop(0, axis.size, step, base)]
