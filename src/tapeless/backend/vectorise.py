"""Parallel forms over a range of their index in scalar code: strips of W iterations, then the rest.

A map, and a reduction whose operator may be reordered, are lane-parallel throughout; the reduction keeps
several vectors of accumulators so that additions need not wait for one another. The other forms compute
their values in lanes and take them up one by one, in order. When a body turns out not to fit lanes it
is written as scalar code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ir.core import Hist, Lambda, Map, Reduce, Scan, Scatter
from ..ir.types import I64
from . import access, affine, control, cost, memory
from .carry import Carry
from .emitter import CannotVectorise, Emitter
from .parallel import Take, map_row
from .reductions import combine, operators, reordered
from .schedule import Plan, plan
from .text import llvm_type
from .values import Array, Region, Scalar, Value, size


def map_range(e: Emitter, expr: Map, targets: Sequence[Array], first: str, end: str, schedule: Plan) -> int:
    """The elements of a map at [first, end); returns the number of lanes used."""

    def write(width: int) -> None:
        if width == 1:
            height = cost.height(expr.body.body)
            _one_by_one(e, first, end, lambda i: map_row(e, expr.body, targets, i), height)
        else:
            control.strips(e, first, end, width, expr.body, lambda i: map_row(e, expr.body, targets, i), repeat=True)

    return _first_that_works(e, schedule.lanes, write)


def reduce_range(e: Emitter, expr: Reduce, carry: Carry, first: str, end: str, schedule: Plan) -> int:
    """Combine the values at [first, end) into the accumulators."""
    names = operators(expr)
    height = max(cost.height(expr.body.body), cost.height(expr.op.body))

    def take(_: Scalar, values: Sequence[Value]) -> None:
        carry.update(combine(e, expr, carry, values))

    def write(width: int) -> None:
        if names is not None:
            reordered(e, expr, carry, names, first, end, width)
        else:
            _consume(e, expr.body, (first, end), width, take, height)

    return _first_that_works(e, schedule.lanes, write)


def in_order(e: Emitter, expr: Scan | Hist | Scatter, take: Take, height: int) -> None:
    """The loop of a form in scalar code: values are computed in lanes, and taken up in the order of the index."""
    lanes = plan(expr, e.kernel.uses, e.kernel.target).lanes
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
                picked = [_lane(e, value, lane) for value in values]
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
    if width > 1:
        state = e.snapshot()
        try:
            with e.frame.capture() as lines:
                write(width)
        except CannotVectorise:
            e.restore(state)
        else:
            e.w.lines.extend(lines)
            return width
    write(1)
    return 1


def _lane(e: Emitter, value: Value, lane: int) -> Value:
    """What one lane has of a value, for scalar code."""
    if isinstance(value, Scalar):
        if value.is_uniform:
            return value
        text = access.lane(e, e.spread(value), llvm_type(value.dtype, e.width), lane)
        return Scalar(value.dtype, text)
    if not value.region.private:
        offset = value.offset if value.offset.is_uniform else _lane(e, value.offset, lane)
        assert isinstance(offset, Scalar)
        return replace(value, offset=offset)
    region = Region("part", writable=False, scope=value.region.scope)
    strides = tuple(affine.mul(e, stride, size(e.width)) for stride in value.strides)
    if not value.offset.is_uniform:
        raise CannotVectorise("a lane-private view that differs between lanes")
    offset = affine.add(e, affine.mul(e, value.offset, size(e.width)), size(lane))
    return Array(value.dtype, region, value.pointer, offset, value.dims, strides, False)
