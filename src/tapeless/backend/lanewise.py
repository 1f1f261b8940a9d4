"""Sums of arrays to which each iteration adds at a place of its own: scalars in lanes, then one lane after the other.

The lanes of a vector would add to different rows. So the body is taken apart (`apart`): what is made of scalars runs in
lanes, and the statements that make the arrays run in scalar code once for each lane, where the elements of a row are in
lanes again. What these read of the rest goes through memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir.core import Block, Lambda
from ..ir.types import BOOL, I64, Var
from ..ir.walk import free_vars
from ..passes.cost import statement_count
from ..records import replace
from . import access, affine, control, deposits, memory
from .apart import Parts
from .carry import Carry
from .emitter import CannotVectorise, Emitter
from .text import llvm_type, memory_type
from .values import Array, Region, Scalar, Value, size

# Statements of a block that is written out for each lane.
_SHORT = 16


def in_lanes(e: Emitter, parts: Parts, carry: Carry) -> tuple[Value, ...]:
    """Write the body in the lanes at hand, with all that it adds to the arrays; returns its scalars."""
    values = e.block(parts.early)
    count = len(values) - len(parts.shared)
    shared = dict(zip(parts.shared, values[count:], strict=True))
    with memory.held([value for value in values if isinstance(value, Array)]):
        condition = None if parts.cond is None else shared.get(parts.cond)
        if parts.usual is None or not isinstance(condition, Scalar) or not condition.is_varying:
            _each_lane(e, parts.late, shared, carry)
        else:
            _in_either(e, condition, (parts.usual, parts.late), shared, carry)
    return values[:count]


def _in_either(
    e: Emitter, condition: Scalar, blocks: tuple[Block, Block], shared: Mapping[Var, Value], carry: Carry
) -> None:
    """The first block where the condition holds in all lanes, else the second."""
    labels, done = [e.w.new_label(hint) for hint in ("all", "some")], e.w.new_label("done")
    failed = e.w.op(f"xor {llvm_type(BOOL, e.width)} {condition.text}, splat (i1 true)")
    e.branch(e.any_lane(failed), labels[1], labels[0], likely=False)
    for label, block in zip(labels, blocks, strict=True):
        e.w.label(label)
        with e.w.region():
            _each_lane(e, block, shared, carry)
        e.jump(done)
    e.w.label(done)


def _each_lane(e: Emitter, block: Block, shared: Mapping[Var, Value], carry: Carry) -> None:
    """Write a block in scalar code for each lane, of which it reads `shared`: a short one once more for each."""
    needed, width = [var for var in free_vars(block) if var in shared], e.width

    def run(values: Iterable[Value]) -> None:
        for var, value in zip(needed, values, strict=True):
            e.bind(var, value)
        deposits.run(e, block, [array for array in carry.accumulators("alone") if array is not None])

    with e.repeated(Lambda((), block)):
        if statement_count(block) <= _SHORT:
            for picked in [[lane_of(e, shared[var], lane) for var in needed] for lane in range(width)]:
                with control.lanes(e, 1, ""):
                    run(picked)
            return
        kept = _spilled(e, [shared[var] for var in needed])
        with control.lanes(e, 1, ""):
            control.counted(
                e, size(width), lambda n: run(_of_lane(e, v, x, n, width) for v, x in zip(needed, kept, strict=True)), 0
            )


def lane_of(e: Emitter, value: Value, lane: int) -> Value:
    """What one lane has of a value, for scalar code."""
    if isinstance(value, Scalar):
        if not value.is_varying:
            return _of_linear(e, value, size(lane))
        return Scalar(value.dtype, access.lane(e, value.text, llvm_type(value.dtype, e.width), lane))
    if not value.region.private:
        offset = value.offset if value.offset.is_uniform else lane_of(e, value.offset, lane)
        assert isinstance(offset, Scalar)
        return replace(value, offset=offset)
    return _of_private(e, value, size(lane), e.width)


def _spilled(e: Emitter, values: Sequence[Value]) -> list[Value | str]:
    """Values of all lanes, to be read lane by lane: a vector is put into a local, whose name stands for it."""
    kept: list[Value | str] = []
    for value in values:
        if not isinstance(value, Scalar) or not value.is_varying:
            kept.append(value)
            continue
        type = memory_type(value.dtype, e.width)
        local = e.frame.local(type)
        e.w.line(f"store {type} {access.storable(e, value)}, ptr {local}")
        kept.append(local)
    return kept


def _of_lane(e: Emitter, var: Var, value: Value | str, lane: Scalar, width: int) -> Value:
    """What one lane has of a value, in scalar code."""
    if isinstance(value, str):
        region = Region("stack", writable=False)
        return access.load(e, Array(var.type.dtype, region, value, size(0), (), (), True), lane)
    if isinstance(value, Scalar):
        return _of_linear(e, value, lane)
    if not value.region.private:
        if value.offset.is_varying:
            raise CannotVectorise("a view that differs between lanes")
        return replace(value, offset=_of_linear(e, value.offset, lane))
    return _of_private(e, value, lane, width)


def _of_private(e: Emitter, value: Array, lane: Scalar, width: int) -> Array:
    if not value.offset.is_uniform:
        raise CannotVectorise("a lane-private view that differs between lanes")
    region = Region("part", writable=False, scope=value.region.scope)
    strides = tuple(affine.mul(e, stride, size(width)) for stride in value.strides)
    offset = affine.add(e, affine.mul(e, value.offset, size(width)), lane)
    return Array(value.dtype, region, value.pointer, offset, value.dims, strides, False)


def _of_linear(e: Emitter, value: Scalar, lane: Scalar) -> Scalar:
    if value.is_uniform:
        return value
    step = affine.mul(e, Scalar(I64, value.step), lane)
    return affine.add(e, Scalar(I64, value.text), step)
