"""Loads and stores of elements, in one lane or many.

What an access costs depends on its offset: uniform offsets in shared memory are one scalar load,
linear ones with step 1 one vector load, everything else goes lane by lane (which on the machines
measured is no slower than the gather instruction) or, under a mask, through masked gathers, because
an inactive lane must not touch memory. Lane-private memory is contiguous for uniform offsets.
Booleans are bytes in memory and i1 in registers.
"""

from __future__ import annotations

from ..ir.types import BOOL, I64, DType
from . import affine
from .emitter import Emitter
from .text import llvm_type, memory_type
from .values import VARYING, Array, Scalar, size


def load(e: Emitter, array: Array, offset: Scalar) -> Scalar:
    """The element at an offset of the array's memory."""
    if array.region.private:
        if offset.is_uniform:
            at = affine.mul(e, offset, size(e.width))
            return _vector_load(e, array, at.text, None)
        return _gather(e, array, _private_offset(e, offset))
    if offset.is_uniform or e.width == 1:
        return _scalar_load(e, array, offset.text)
    if offset.step == "1":
        return _vector_load(e, array, offset.text, e.mask)
    if offset.near and e.mask is None:
        return _load_near(e, array, offset)
    return _gather(e, array, offset)


def store(e: Emitter, array: Array, offset: Scalar, value: Scalar) -> None:
    """Write an element in the active lanes."""
    if array.region.private:
        if offset.is_uniform:
            at = affine.mul(e, offset, size(e.width))
            _vector_store(e, array, at.text, value)
        else:
            _scatter(e, array, _private_offset(e, offset), value)
    elif e.width == 1:
        text = _to_memory(e, value.dtype, value.text, 1)
        type = memory_type(array.dtype)
        e.w.line(f"store {type} {text}, ptr {pointer(e, array, offset.text)}{tag(e, array)}")
    elif offset.step == "1":
        _vector_store(e, array, offset.text, value)
    else:
        _scatter(e, array, offset, value)


def pointer(e: Emitter, array: Array, offset: str) -> str:
    """The address of the element at a uniform offset."""
    if offset == "0":
        return array.pointer
    return e.w.op(f"getelementptr {memory_type(array.dtype)}, ptr {array.pointer}, i64 {offset}", "p")


def tag(e: Emitter, array: Array) -> str:
    """Metadata of an access in this array's region."""
    return e.frame.tag(array.region.scope)


def vector_from(e: Emitter, array: Array, offset: str) -> str:
    """`width` elements that follow one another, as they are in memory."""
    type = memory_type(array.dtype, e.width)
    return _load(e, array, f"load {type}, ptr {pointer(e, array, offset)}, align {array.dtype.itemsize}{tag(e, array)}")


def _load(e: Emitter, array: Array, text: str) -> str:
    """A load; from memory that nobody writes the same one is not done twice."""
    return e.w.once(text) if array.region.constant else e.w.op(text)


def lane(e: Emitter, vector: str, type: str, number: int) -> str:
    """One lane of a vector."""
    return e.w.op(f"extractelement {type} {vector}, i64 {number}")


def loaded(e: Emitter, dtype: DType, text: str) -> Scalar:
    """A vector as it was in memory, as a value."""
    return Scalar(dtype, _from_memory(e, dtype, text, e.width), VARYING)


def storable(e: Emitter, value: Scalar) -> str:
    """A value as the vector that memory holds."""
    return _to_memory(e, value.dtype, e.spread(value), e.width)


def _scalar_load(e: Emitter, array: Array, offset: str) -> Scalar:
    type = memory_type(array.dtype)
    text = _load(e, array, f"load {type}, ptr {pointer(e, array, offset)}{tag(e, array)}")
    return Scalar(array.dtype, _from_memory(e, array.dtype, text, 1))


def _vector_load(e: Emitter, array: Array, offset: str, mask: str | None) -> Scalar:
    if mask is None:
        text = vector_from(e, array, offset)
    else:
        type, at, width = memory_type(array.dtype, e.width), pointer(e, array, offset), e.width
        align = array.dtype.itemsize
        suffix = f"v{width}{_suffix(array.dtype)}"
        name = f"llvm.masked.load.{suffix}.p0"
        e.kernel.module.declare(name, f"declare {type} @{name}(ptr, i32, <{width} x i1>, {type})")
        text = e.w.op(
            f"call {type} @{name}(ptr {at}, i32 {align}, <{width} x i1> {mask}, {type} zeroinitializer){tag(e, array)}"
        )
    return loaded(e, array.dtype, text)


def _load_near(e: Emitter, array: Array, offset: Scalar) -> Scalar:
    """A vector load when the offsets follow one another, as they mostly do; else lane by lane."""
    type = llvm_type(I64, e.width)
    together, apart, done = (e.w.new_label(hint) for hint in ("together", "apart", "done"))
    first = Scalar(I64, lane(e, offset.text, type, 0), "1")
    differ = e.w.op(f"icmp ne {type} {offset.text}, {e.spread(first)}")
    local, _ = e.variable(array.dtype, True)
    e.branch(e.any_lane(differ), apart, together)
    for label, find in ((together, lambda: _vector_load(e, array, first.text, None)),
                        (apart, lambda: _gather(e, array, offset))):  # fmt: skip
        e.w.label(label)
        with e.w.region():
            e.write(local, find(), True)
        e.jump(done)
    e.w.label(done)
    return e.read(local, array.dtype, True)


def _vector_store(e: Emitter, array: Array, offset: str, value: Scalar) -> None:
    type, at, align = memory_type(array.dtype, e.width), pointer(e, array, offset), array.dtype.itemsize
    text = storable(e, value)
    if e.mask is None:
        e.w.line(f"store {type} {text}, ptr {at}, align {align}{tag(e, array)}")
        return
    name = f"llvm.masked.store.v{e.width}{_suffix(array.dtype)}.p0"
    e.kernel.module.declare(name, f"declare void @{name}({type}, ptr, i32, <{e.width} x i1>)")
    e.w.line(f"call void @{name}({type} {text}, ptr {at}, i32 {align}, <{e.width} x i1> {e.mask}){tag(e, array)}")


def _private_offset(e: Emitter, offset: Scalar) -> Scalar:
    scaled = affine.mul(e, e.varied(offset), size(e.width))
    return affine.add(e, scaled, Scalar(I64, "0", "1"))


def _gather(e: Emitter, array: Array, offset: Scalar) -> Scalar:
    type, width = memory_type(array.dtype, e.width), e.width
    if e.mask is not None:
        name = f"llvm.masked.gather.v{width}{_suffix(array.dtype)}.v{width}p0"
        e.kernel.module.declare(name, f"declare {type} @{name}(<{width} x ptr>, i32, <{width} x i1>, {type})")
        at = _pointers(e, array, offset)
        text = e.w.op(
            f"call {type} @{name}(<{width} x ptr> {at}, i32 {array.dtype.itemsize}, <{width} x i1> {e.mask}, "
            f"{type} zeroinitializer){tag(e, array)}"
        )
        return loaded(e, array.dtype, text)
    one, text = memory_type(array.dtype), "poison"
    for number, at in enumerate(_lane_pointers(e, array, offset)):
        element = _load(e, array, f"load {one}, ptr {at}{tag(e, array)}")
        text = e.w.op(f"insertelement {type} {text}, {one} {element}, i64 {number}")
    return loaded(e, array.dtype, text)


def _scatter(e: Emitter, array: Array, offset: Scalar, value: Scalar) -> None:
    type, width = memory_type(array.dtype, e.width), e.width
    text = storable(e, value)
    if e.mask is not None:
        name = f"llvm.masked.scatter.v{width}{_suffix(array.dtype)}.v{width}p0"
        e.kernel.module.declare(name, f"declare void @{name}({type}, <{width} x ptr>, i32, <{width} x i1>)")
        at = _pointers(e, array, offset)
        e.w.line(
            f"call void @{name}({type} {text}, <{width} x ptr> {at}, i32 {array.dtype.itemsize}, "
            f"<{width} x i1> {e.mask}){tag(e, array)}"
        )
        return
    one = memory_type(array.dtype)
    for number, at in enumerate(_lane_pointers(e, array, offset)):
        e.w.line(f"store {one} {lane(e, text, type, number)}, ptr {at}{tag(e, array)}")


def _pointers(e: Emitter, array: Array, offset: Scalar) -> str:
    element = memory_type(array.dtype)
    return e.w.op(f"getelementptr {element}, ptr {array.pointer}, {llvm_type(I64, e.width)} {e.spread(offset)}")


def _lane_pointers(e: Emitter, array: Array, offset: Scalar) -> list[str]:
    """One address per lane; lanes a uniform distance apart need no vector of offsets.

    The fields of a record share the address of its first: lanes are taken out of the vector once.
    """
    if offset.is_varying:
        type, one = llvm_type(I64, e.width), memory_type(array.dtype)
        base, shift = offset.origin or (offset.text, 0)
        firsts = [pointer(e, array, lane(e, base, type, number)) for number in range(e.width)]
        return [e.w.op(f"getelementptr {one}, ptr {first}, i64 {shift}", "p") for first in firsts] if shift else firsts
    at, pointers = offset.text, list[str]()
    for _ in range(e.width):
        pointers.append(pointer(e, array, at))
        at = affine.text_of(e, "add", at, offset.step)
    return pointers


def _suffix(dtype: DType) -> str:
    return {"bool": "i8", "i32": "i32", "i64": "i64", "f32": "f32", "f64": "f64"}[dtype.value]


def _from_memory(e: Emitter, dtype: DType, text: str, width: int) -> str:
    if dtype is not BOOL:
        return text
    return e.w.op(f"icmp ne {memory_type(BOOL, width)} {text}, {'zeroinitializer' if width > 1 else '0'}")


def _to_memory(e: Emitter, dtype: DType, text: str, width: int) -> str:
    if dtype is not BOOL:
        return text
    return e.w.op(f"zext {llvm_type(BOOL, width)} {text} to {memory_type(BOOL, width)}")
