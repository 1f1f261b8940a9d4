"""Branches and loops.

A condition that is the same for all iterations of the maps around is a branch of JAX's; otherwise both arms are
evaluated, and each iteration takes its own. A loop that is left at different times is run until the last iteration
has left, and those that have keep their values. What is carried depends on the axes that it ever depends on: they are
found by trying.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import UnsupportedFunctionError
from ...ir.core import Block, For, While
from ...ir.types import I64
from ...records import dataclass
from .library import jax, jnp, lax
from .values import Affine, Axes, Value, aligned, is_known, jax_dtype, of_affine, of_array, spread, united

if TYPE_CHECKING:
    from .run import Run


def branch(run: Run, cond: Value, then: Block, orelse: Block) -> Sequence[Value]:
    if cond.axes:
        return [_chosen(cond, *pair) for pair in zip(run.block(then), run.block(orelse), strict=True)]
    if is_known(cond.array):
        return run.block(then if bool(cond.array) else orelse)
    run = run.inner(then, orelse)
    shapes = [_sketches(lambda arm=arm: run.inner().block(arm)) for arm in (then, orelse)]
    axes = [tuple(sorted({*x.axes, *y.axes})) for x, y in zip(*shapes, strict=True)]
    if any(x.shape != y.shape for x, y in zip(*shapes, strict=True)):
        raise UnsupportedFunctionError(
            "arrays of different sizes cannot leave the arms of a branch in JAX", why="JAX's arrays have fixed shapes"
        )

    def arm(block: Block) -> Callable[[], list[Any]]:
        return lambda: [spread(value, own) for value, own in zip(run.inner().block(block), axes, strict=True)]

    made = lax.cond(jnp.asarray(cond.array), arm(then), arm(orelse))
    return [of_array(own, x) for own, x in zip(axes, made, strict=True)]


def _chosen(cond: Value, x: Value, y: Value) -> Value:
    axes = united((cond, x, y))
    holds = jnp.asarray(aligned(cond, axes))
    if x.rank:
        holds = lax.expand_dims(holds, range(holds.ndim, holds.ndim + x.rank))
    return of_array(axes, jnp.where(holds, aligned(x, axes), aligned(y, axes)))


@dataclass(frozen=True, slots=True)
class _Sketch:
    """The axes and the own dimensions of a value."""

    axes: Axes
    shape: tuple[int, ...]


def _sketches(make: Callable[[], Sequence[Value]]) -> list[_Sketch]:
    """What a function makes, without computing it."""
    found: list[_Sketch] = []

    def trial() -> list[Any]:
        values = make()
        found[:] = [_Sketch(value.axes, value.shape) for value in values]
        return [value.array for value in values]

    jax.eval_shape(trial)
    return found


def _settled(init: Sequence[Value], step: Callable[[Sequence[Value]], Sequence[Value]], more: Axes = ()) -> list[Axes]:
    """The axes of carried values: those at the start, and whatever a step adds to them."""
    axes = [tuple(sorted({*value.axes, *more})) for value in init]
    while True:
        state = [(own, value.rank, spread(value, own)) for own, value in zip(axes, init, strict=True)]
        after = _sketches(lambda state=state: step([Value(own, rank, x) for own, rank, x in state]))
        wider = [tuple(sorted({*x, *y.axes})) for x, y in zip(axes, after, strict=True)]
        if wider == axes:
            return axes
        axes = wider


def _as_values(axes: Sequence[Axes], arrays: Sequence[Any]) -> list[Value]:
    return [of_array(own, x) for own, x in zip(axes, arrays, strict=True)]


def loop(run: Run, expr: For) -> Sequence[Value]:
    """A loop of so many steps."""
    init = [run.value(atom) for atom in expr.init]
    count = run.value(expr.count)
    run = run.inner(expr.body)
    if count.axes:
        return _loop_of_lanes(run, expr, init, count)

    def step(k: Any, state: Sequence[Value]) -> list[Value]:
        return run.inner().call(expr.body, (of_affine(Affine(0, (), k)), *state))

    if count.static == 0:
        return init
    axes = _settled(init, lambda state: step(jnp.zeros((), jax_dtype(I64)), state))

    def body(k: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        made = step(lax.convert_element_type(k, jax_dtype(I64)), _as_values(axes, state))
        return tuple(spread(value, own) for value, own in zip(made, axes, strict=True))

    start = tuple(spread(value, own) for value, own in zip(init, axes, strict=True))
    end = count.static if count.static is not None else jnp.asarray(count.array)
    return _as_values(axes, lax.fori_loop(0, end, body, start))


def _loop_of_lanes(run: Run, expr: For, init: Sequence[Value], count: Value) -> Sequence[Value]:
    """Iterations of the maps around make different numbers of steps."""

    def step(k: Any, state: Sequence[Value]) -> list[Value]:
        made = run.inner().call(expr.body, (of_affine(Affine(0, (), k)), *state))
        going = of_array(count.axes, count.array > k)
        return [_chosen(going, new, old) for new, old in zip(made, state, strict=True)]

    axes = _settled(init, lambda state: step(jnp.zeros((), jax_dtype(I64)), state), count.axes)

    def body(k: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        made = step(lax.convert_element_type(k, jax_dtype(I64)), _as_values(axes, state))
        return tuple(spread(value, own) for value, own in zip(made, axes, strict=True))

    start = tuple(spread(value, own) for value, own in zip(init, axes, strict=True))
    return _as_values(axes, lax.fori_loop(0, jnp.max(count.array, initial=0), body, start))


def repeat(run: Run, expr: While) -> Sequence[Value]:
    """A loop that goes on while a condition holds."""
    init = [run.value(atom) for atom in expr.init]
    run = run.inner(expr.cond, expr.body)

    def going(state: Sequence[Value]) -> Value:
        return run.inner().call(expr.cond, state)[0]

    def step(state: Sequence[Value]) -> list[Value]:
        holds, made = going(state), run.inner().call(expr.body, state)
        if not holds.axes:
            return made
        return [_chosen(holds, new, old) for new, old in zip(made, state, strict=True)]

    axes = _settled(init, step)

    def cond(state: tuple[Any, ...]) -> Any:
        return jnp.any(going(_as_values(axes, state)).array)

    def body(state: tuple[Any, ...]) -> tuple[Any, ...]:
        made = step(_as_values(axes, state))
        return tuple(spread(value, own) for value, own in zip(made, axes, strict=True))

    start = tuple(spread(value, own) for value, own in zip(init, axes, strict=True))
    return _as_values(axes, lax.while_loop(cond, body, start))
