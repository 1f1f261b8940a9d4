"""Adding to the elements of an accumulator, in one lane or many.

"alone": every lane adds to an element of its own. "across": the accumulator is one for all lanes, whose values are
summed before they are added, W elements of a row at a time: a tree of shuffles turns W vectors of lanes into one
vector of sums with 3 (W - 1) instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import I64, zero
from . import access, affine, control
from .emitter import CannotVectorise, Emitter
from .scalar import emit_op
from .text import constant, llvm_type, memory_type
from .values import VARYING, Array, Scalar, size

# Rows up to this length are not worth a loop in strips.
_SHORT = 8


def add_element(e: Emitter, target: Array, offset: Scalar, value: Scalar) -> None:
    """Add a value to the element at an offset."""
    if target.adds == "across":
        _require_uniform(offset)
        _add_sum(e, target, offset, value)
        return
    total = e.apply("add", (access.load(e, target, offset), value), target.dtype)
    access.store(e, target, offset, total)


def add_all(e: Emitter, target: Array, value: Array) -> None:
    """Add an array to an accumulator of its shape."""
    inner = target.dims[-1]

    def row(outer: Sequence[Scalar]) -> None:
        if target.adds == "across" and target.strides[-1].literal == 1:
            _add_row(e, target, value, outer)
        elif e.width == 1 and (inner.literal is None or inner.literal > _SHORT):
            width = e.kernel.target.lanes([target.dtype])
            control.strips(e, "0", inner.text, width, None, lambda j: _add_at(e, target, value, (*outer, j)))
        else:
            control.over(e, (inner,), lambda at: _add_at(e, target, value, (*outer, *at)))

    if len(target.dims) == 1:
        row(())
    else:
        control.over(e, target.dims[:-1], row)


def _require_uniform(offset: Scalar) -> None:
    if not offset.is_uniform:
        raise CannotVectorise("an accumulator at places that differ between lanes")


def _add_at(e: Emitter, target: Array, value: Array, at: Sequence[Scalar]) -> None:
    more = access.load(e, value, affine.offset_at(e, value, at))
    add_element(e, target, affine.offset_at(e, target, at), more)


def _add_row(e: Emitter, target: Array, value: Array, outer: Sequence[Scalar]) -> None:
    """A row in groups of as many elements as there are lanes, then the rest one by one."""
    index, end, width = e.frame.local("i64"), target.dims[-1].text, e.width
    e.w.line(f"store i64 0, ptr {index}")

    def element(position: Scalar) -> Scalar:
        return access.load(e, value, affine.offset_at(e, value, (*outer, position)))

    def group() -> None:
        first = e.read(index, I64)
        rows = [_active(e, element(affine.add(e, first, size(k)))) for k in range(width)]
        _add_vector(e, target, affine.offset_at(e, target, (*outer, first)), _sums(e, target, rows))

    def one() -> None:
        position = e.read(index, I64)
        add_element(e, target, affine.offset_at(e, target, (*outer, position)), element(position))

    control.guarded(e, index, end, width, group, 0)
    control.guarded(e, index, end, 1, one, 0)


def _add_vector(e: Emitter, target: Array, offset: Scalar, sums: str) -> None:
    _require_uniform(offset)
    old = Scalar(target.dtype, access.vector_from(e, target, offset.text), VARYING)
    new = e.apply("add", (old, Scalar(target.dtype, sums, VARYING)), target.dtype)
    at, type = access.pointer(e, target, offset.text), memory_type(target.dtype, e.width)
    e.w.line(f"store {type} {new.text}, ptr {at}, align {target.dtype.itemsize}{access.tag(e, target)}")


def _sums(e: Emitter, target: Array, vectors: Sequence[str]) -> str:
    """The vector whose lane k is the sum over all lanes of vector k."""
    step, width, type = 1, e.width, llvm_type(target.dtype, e.width)
    while len(vectors) > 1:
        kept, moved = (
            ", ".join(f"i32 {(lane ^ flip) + (width if lane & step else 0)}" for lane in range(width))
            for flip in (0, step)
        )
        joined: list[str] = []
        for a, b in zip(vectors[0::2], vectors[1::2], strict=True):
            halves = [
                e.w.op(f"shufflevector {type} {a}, {type} {b}, <{width} x i32> <{picks}>") for picks in (kept, moved)
            ]
            joined.append(e.apply("add", [Scalar(target.dtype, half, VARYING) for half in halves], target.dtype).text)
        vectors, step = joined, 2 * step
    return vectors[0]


def _active(e: Emitter, value: Scalar) -> str:
    """The value in the active lanes, zero in the others."""
    text = e.spread(value)
    if e.mask is None:
        return text
    type = llvm_type(value.dtype, e.width)
    return e.w.op(f"select <{e.width} x i1> {e.mask}, {type} {text}, {type} {constant(zero(value.dtype), e.width)}")


def _add_sum(e: Emitter, target: Array, offset: Scalar, value: Scalar) -> None:
    """Add the sum over all lanes to one element."""
    total = across(e, "add", Scalar(target.dtype, _active(e, value), VARYING))
    at, type, tag = access.pointer(e, target, offset.text), memory_type(target.dtype), access.tag(e, target)
    old = Scalar(target.dtype, e.w.op(f"load {type}, ptr {at}{tag}"))
    e.w.line(f"store {type} {e.apply('add', (old, total), target.dtype).text}, ptr {at}{tag}")


def across(e: Emitter, name: str, total: Scalar) -> Scalar:
    """All lanes combined by an operation."""
    dtype, text, width = total.dtype, total.text, e.width
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
