"""Parallel forms over a range of their index in scalar code: strips of W iterations, then the rest.

A map, and a reduction whose operator may be reordered, are lane-parallel throughout; the reduction keeps
several vectors of accumulators so that additions need not wait for one another. The other forms compute
their values in lanes and take them up one by one, in order. When a body turns out not to fit lanes it
is written as scalar code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ..ir.core import Hist, Lambda, Map, Reduce, Scan, Scatter
from ..ir.types import I64, DType
from . import access, affine, control, cost, memory, uniform
from .carry import Carry
from .emitter import CannotVectorise, Emitter
from .parallel import Take, combine, map_row
from .scalar import emit_op
from .schedule import Plan, operators, plan
from .text import llvm_type
from .values import Array, Region, Scalar, Value, size

_CHEAP = ((12.0, 4), (40.0, 2))


def map_range(e: Emitter, expr: Map, targets: Sequence[Array], first: str, end: str, schedule: Plan) -> int:
    """The elements of a map at [first, end); returns the number of lanes used."""

    def write(width: int) -> None:
        height = cost.height(expr.body.body)
        if width == 1:
            _one_by_one(e, first, end, lambda i: map_row(e, expr.body, targets, i), height)
        else:
            with _varying(e, expr.body):
                control.strips(e, first, end, width, lambda i: map_row(e, expr.body, targets, i), height)

    return _first_that_works(e, schedule.lanes, write)


def reduce_range(e: Emitter, expr: Reduce, carry: Carry, first: str, end: str, schedule: Plan) -> int:
    """Combine the values at [first, end) into the accumulators."""
    names = operators(expr)
    height = max(cost.height(expr.body.body), cost.height(expr.op.body))

    def take(_: Scalar, values: Sequence[Value]) -> None:
        carry.update(combine(e, expr, carry, values))

    def write(width: int) -> None:
        if width > 1 and names is not None:
            _reordered(e, expr, carry, names, first, end, width)
        else:
            _consume(e, expr.body, (first, end), width, take, height)

    return _first_that_works(e, schedule.lanes, write)


def in_order(e: Emitter, expr: Reduce | Scan | Hist | Scatter, take: Take, height: int) -> None:
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
    with _varying(e, body):
        control.strips(e, *span, width, one, height)


def _one_by_one(e: Emitter, first: str, end: str, body: Callable[[Scalar], None], height: int) -> None:
    control.counted(e, Scalar(I64, end), body, height, first)


@contextmanager
def _varying(e: Emitter, body: Lambda) -> Iterator[None]:
    saved, e.varying = e.varying, uniform.varying(body)
    try:
        yield
    finally:
        e.varying = saved


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


# -- reductions that may be reordered ---------------------------------------------------------------


def _reordered(
    e: Emitter, expr: Reduce, carry: Carry, names: Sequence[str], first: str, end: str, width: int
) -> None:
    weight = cost.block_cost(expr.body.body)
    copies = next((count for limit, count in _CHEAP if weight <= limit), 1)
    height = cost.height(expr.body.body)
    index = e.frame.local("i64")
    e.w.line(f"store i64 {first}, ptr {index}")
    rest = e.w.new_label("rest")
    with _varying(e, expr.body), control.lanes(e, width, rest):
        sums = [[e.variable(x.type.dtype, True)[0] for _ in range(copies)] for x in expr.neutral]
        for atom, locals_ in zip(expr.neutral, sums, strict=True):
            for local in locals_:
                e.write(local, e.scalar(atom), True)

        def several(parts: int) -> None:
            start = e.w.op(f"load i64, ptr {index}")
            news = [_added(e, expr, names, sums, part, affine.text_of(e, "add", start, str(part * width)))
                    for part in range(parts)]  # fmt: skip
            for part, totals in enumerate(news):
                for locals_, total in zip(sums, totals, strict=True):
                    e.write(locals_[part], total, True)

        if copies > 1:
            control.guarded(e, index, end, width * copies, lambda: several(copies), height)
        control.guarded(e, index, end, width, lambda: several(1), height)
        e.jump(rest)
        e.w.label(rest)
        totals = [
            _folded(e, name, x.type.dtype, locals_)
            for name, x, locals_ in zip(names, expr.neutral, sums, strict=True)
        ]
    carry.update(combine(e, expr, carry, totals))

    def one() -> None:
        e.bind(expr.body.params[0], e.read(index, I64))
        carry.update(combine(e, expr, carry, e.block(expr.body.body)))

    control.guarded(e, index, end, 1, one, height)


def _added(
    e: Emitter, expr: Reduce, names: Sequence[str], sums: Sequence[Sequence[str]], part: int, base: str
) -> list[Scalar]:
    """The accumulators of one copy with the values at `base` and the lanes after it."""
    e.bind(expr.body.params[0], Scalar(I64, base, "1"))
    totals: list[Scalar] = []
    for name, locals_, value in zip(names, sums, e.block(expr.body.body), strict=True):
        assert isinstance(value, Scalar)
        old = e.read(locals_[part], value.dtype, True)
        totals.append(e.apply(name, (old, value), value.dtype))
    return totals


def _folded(e: Emitter, name: str, dtype: DType, locals_: Sequence[str]) -> Scalar:
    """All copies and all lanes combined, pairwise in a fixed order."""
    parts = [e.read(local, dtype, True) for local in locals_]
    while len(parts) > 1:
        parts = [e.apply(name, pair, dtype) for pair in zip(parts[0::2], parts[1::2], strict=True)]
    text, width = parts[0].text, e.width
    while width > 1:
        type, half = llvm_type(dtype, width), width // 2
        low, high = (
            e.w.op(f"shufflevector {type} {text}, {type} poison, <{half} x i32> <{picks}>")
            for picks in (", ".join(f"i32 {k + start}" for k in range(half)) for start in (0, half))
        )
        if half == 1:
            low, high = (e.w.op(f"extractelement <1 x {llvm_type(dtype)}> {one}, i64 0") for one in (low, high))
        text, width = emit_op(e.w, name, (), (dtype, dtype), dtype, half, (low, high)), half
    return Scalar(dtype, text)


