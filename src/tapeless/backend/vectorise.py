"""Parallel forms over a range of their index in scalar code: strips of W iterations, then the rest.

A map, and a reduction whose operator may be reordered, are lane-parallel throughout; the reduction keeps
several vectors of accumulators so that additions need not wait for one another. The other forms compute
their values in lanes and take them up one by one, in order. When a body turns out not to fit lanes it
is written as scalar code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Hist, Lambda, Map, Reduce, Scan, Scatter
from ..ir.types import I64
from . import affine, control, cost, memory
from .carry import Carry
from .emitter import CannotVectorise, Emitter
from .lanewise import lane_of
from .parallel import Take, map_row
from .reductions import added, combine, holds_arrays, operators, reordered
from .schedule import Plan, plan
from .values import Array, Scalar, Value


def map_range(
    e: Emitter,
    expr: Map,
    targets: Sequence[Array],
    span: tuple[str, str],
    schedule: Plan,
    *,
    asks: bool,
) -> int:
    """The elements of a map at the indices of a span; returns the number of lanes used. `asks`: may it run for long?"""

    def write(width: int) -> None:
        def row(i: Scalar) -> None:
            map_row(e, expr.body, targets, i)

        if width == 1:
            _one_by_one(e, *span, row, cost.height(expr.body.body) if asks else 0)
        else:
            repeat = not any(target.adds or target.replaces for target in targets)
            filled = next(filter(_is_filled, targets), None) if repeat and not asks else None
            control.strips(e, *span, width, expr.body, row, repeat=repeat, asks=asks, filled=filled)

    return _first_that_works(e, schedule.lanes, write)


def _is_filled(target: Array) -> bool:
    """Are its elements written one after another?"""
    return target.rank == 1 and target.strides[0].literal == 1


def reduce_range(e: Emitter, expr: Reduce, carry: Carry, span: tuple[str, str], schedule: Plan, *, asks: bool) -> int:
    """Combine the values at the indices of a span into the accumulators."""
    names = operators(expr)
    height = max(cost.height(expr.body.body), cost.height(expr.op.body)) if asks else 0

    def take(_: Scalar, values: Sequence[Value]) -> None:
        carry.update(combine(e, expr, carry, values))

    def write(width: int) -> None:
        # Several accumulators do not pay when rows are short.
        pays = expr.size not in e.kernel.changing and not e.plain and not e.brief
        if names is not None and holds_arrays(expr):
            added(e, expr, carry, names, span, width, asks=asks)
        elif names is not None and (width > 1 or pays):
            reordered(e, expr, carry, names, span, width, asks=asks)
        else:
            _consume(e, expr.body, span, width, take, height)

    return _first_that_works(e, schedule.lanes, write)


def in_order(e: Emitter, expr: Scan | Hist | Scatter, take: Take, height: int) -> None:
    """The loop of a form in scalar code: values are computed in lanes, and taken up in the order of the index."""
    lanes = plan(expr, e.kernel).lanes
    end = e.scalar(expr.size).text
    _first_that_works(e, lanes, lambda width: _consume(e, expr.body, ("0", end), width, take, height))


def _consume(e: Emitter, body: Lambda, span: tuple[str, str], width: int, take: Take, height: int) -> None:
    def one(i: Scalar) -> None:
        e.bind(body.params[0], i)
        values = e.block(body.body)
        if e.width == 1:
            take(i, values)
            return
        with memory.held([value for value in values if isinstance(value, Array)]):
            for lane in range(width):
                here = Scalar(I64, affine.text_of(e, "add", i.text, str(lane)))
                picked = [lane_of(e, value, lane) for value in values]
                with control.lanes(e, 1, ""):
                    take(here, picked)

    if width == 1:
        _one_by_one(e, *span, one, height)
        return
    control.strips(e, *span, width, body, one)


def _one_by_one(e: Emitter, first: str, end: str, body: Callable[[Scalar], None], height: int) -> None:
    control.counted(e, Scalar(I64, end), body, height, first)


def _first_that_works(e: Emitter, width: int, write: Callable[[int], None]) -> int:
    """Write in lanes, or as scalar code when that does not work out."""
    if width > 1 and not e.plain:
        try:
            with e.attempt() as lines:
                write(width)
        except CannotVectorise:
            pass
        else:
            e.w.lines.extend(lines)
            return width
    write(1)
    return 1
