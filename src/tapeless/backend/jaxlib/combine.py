"""Reductions, prefixes and functions of other systems, along the innermost axis.

Sums, products and extremes are JAX's own reductions. Any other associative operator combines neighbours pairwise, each
round halving the number of elements, so that the order is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...ad.values import operator_names
from ...ir.core import Lambda, Reduce, Scan
from ...ir.walk import free_vars
from .arrays import size_of
from .library import jax, jnp, lax
from .values import Affine, Axes, Axis, Value, closed, new_axis, of_affine, of_array, spread, summed, united

if TYPE_CHECKING:
    from .run import Run


def _product(x: Any, axis: int) -> Any:
    return jnp.prod(x, axis=axis, dtype=x.dtype)


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "mul": _product, "min": jnp.min, "max": jnp.max,
    "and": jnp.bitwise_and.reduce, "or": jnp.bitwise_or.reduce, "xor": jnp.bitwise_xor.reduce,
}  # fmt: skip

PREFIXES: dict[str, Callable[..., Any]] = {
    "add": lax.cumsum, "mul": lax.cumprod, "min": lax.cummin, "max": lax.cummax,
}  # fmt: skip


def opened(run: Run, expr: Reduce | Scan) -> tuple[Axis, list[Value]]:
    """The elements that are to be combined, along an axis of their own."""
    axis = new_axis(size_of(run.value(expr.size)))
    return axis, run.call(expr.body, (of_affine(Affine(0, ((axis, 1),))),))


def reduced(run: Run, expr: Reduce) -> Sequence[Value]:
    axis, values = opened(run, expr)
    neutral = [run.value(atom) for atom in expr.neutral]
    if axis.size == 0:
        return neutral
    names = operator_names(expr.op, len(values))
    if all(name == "add" or name in REDUCTIONS for name in names):
        return [_simple(name or "", value, axis) for name, value in zip(names, values, strict=True)]
    # Values that the operator itself never answers are seen by it once, as in a loop that starts from the neutral ones.
    return run.call(expr.op, (*neutral, *_pairwise(run, expr.op, values, axis)))


def _simple(name: str, value: Value, axis: Axis) -> Value:
    if name == "add":
        return summed(value, axis)
    if axis not in value.axes:
        value = of_array((*value.axes, axis), closed(value, axis).array)
    rest = value.axes[:-1]
    return of_array(rest, REDUCTIONS[name](jnp.asarray(value.array), axis=len(rest)))


def _pairwise(run: Run, op: Lambda, values: Sequence[Value], axis: Axis) -> Sequence[Value]:
    """The operator applied to neighbours until one is left."""
    axes = united(values)
    outer = tuple(each for each in axes if each != axis)
    arrays = [spread(value, (*outer, axis)) for value in values]
    while (size := axis.size) > 1:
        half = size // 2
        pairs = new_axis(half)
        dim = len(outer)
        left = [of_array((*outer, pairs), lax.slice_in_dim(x, 0, 2 * half, 2, dim)) for x in arrays]
        right = [of_array((*outer, pairs), lax.slice_in_dim(x, 1, 2 * half, 2, dim)) for x in arrays]
        made = run.call(op, (*left, *right))
        wider = tuple(each for each in united((*left, *made)) if each != pairs)
        done = [spread(value, (*wider, pairs)) for value in made]
        if size % 2:
            last = [
                of_array((*outer, Axis(pairs.number, 1)), lax.slice_in_dim(x, size - 1, size, 1, dim)) for x in arrays
            ]
            rest = [spread(value, (*wider, Axis(pairs.number, 1))) for value in last]
            done = [lax.concatenate([x, y], len(wider)) for x, y in zip(done, rest, strict=True)]
        arrays, outer, axis = done, wider, Axis(pairs.number, half + size % 2)
    return [of_array(outer, lax.squeeze(x, (len(outer),))) for x in arrays]


def scanned(run: Run, expr: Scan) -> Sequence[Value]:
    axis, values = opened(run, expr)
    names = operator_names(expr.op, len(values))
    if all(name in PREFIXES for name in names):
        return [_prefixes(name or "", value, axis) for name, value in zip(names, values, strict=True)]
    outer = tuple(each for each in united(values) if each != axis)
    outer = _outer_axes(run, expr.op, outer)
    arrays = tuple(spread(value, (*outer, axis)) for value in values)
    if axis.size == 0:
        return [of_array(outer, x) for x in arrays]

    def combine(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
        pairs = new_axis(left[0].shape[len(outer)])
        made = run.call(expr.op, [of_array((*outer, pairs), x) for x in (*left, *right)])
        return tuple(spread(value, (*outer, pairs)) for value in made)

    made = lax.associative_scan(combine, arrays, axis=len(outer))
    neutral = [run.value(atom) for atom in expr.neutral]
    begun = run.call(expr.op, (*neutral, *(of_array((*outer, axis), x) for x in made)))
    return [closed(of_array((*outer, axis), spread(value, (*outer, axis))), axis) for value in begun]


def _outer_axes(run: Run, op: Lambda, outer: Axes) -> Axes:
    """The axes on which the results of an operator depend: those of the elements, and of what it mentions."""
    mentioned = {axis for var in free_vars(op) for axis in run.value(var).axes}
    return tuple(sorted({*outer, *mentioned}))


def _prefixes(name: str, value: Value, axis: Axis) -> Value:
    whole = value if axis in value.axes else of_array((*value.axes, axis), closed(value, axis).array)
    return closed(of_array(whole.axes, PREFIXES[name](jnp.asarray(whole.array), axis=len(whole.axes) - 1)), axis)


def foreign(operation: Any, values: Sequence[Value]) -> list[Value]:
    """The results of a function of JAX's own, mapped over the axes of its operands."""
    axes = united(values)
    function = operation.function
    # The outermost axis is mapped last: it is the first dimension of what comes out.
    for axis in reversed(axes):
        function = jax.vmap(function, in_axes=tuple(0 if axis in value.axes else None for value in values))
    return [of_array(axes, x) for x in function(*(jnp.asarray(value.array) for value in values))]
