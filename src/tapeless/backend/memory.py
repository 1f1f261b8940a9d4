"""Memory of arrays: where a new one goes, who may write it, copying, moving.

A new array goes into the place its consumer prepared (a row of the array being built), onto the stack
when it is small and its size is known, or into a buffer owned by a slot of the frame. In a vectorised
region new arrays are lane-private: element by element, the lanes side by side. A write happens in place
when nothing that shares the memory is used later (`passes/place.py`), otherwise into a copy.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

from ..ir.types import DType, Type, Var
from ..records import replace
from . import access, adding, affine, control, rows
from .emitter import CannotVectorise, Emitter
from .text import memory_type
from .values import Array, Region, Scalar, size

_TIMES = "llvm.umul.with.overflow.i64"
_STACK_BYTES = 1 << 10
_STACK_BYTES_PRIVATE = 1 << 14


def allocate(
    e: Emitter, dtype: DType, dims: Sequence[Scalar], var: Var | None = None, key: tuple[object, ...] = ()
) -> Array:
    """Memory for an array that will be bound to `var`; its contents are undefined.

    Arrays with the same `key` may use the same slot one after another; as a rule those of the same size.
    """
    _require_uniform(dims)
    place = e.places.get(var) if var is not None else None
    if place is not None:
        return place
    private = e.width > 1
    count = affine.count_of(e, dims).literal
    limit = _STACK_BYTES_PRIVATE if private else _STACK_BYTES
    if count is not None and e.frame.fits_stack(max(count, 1) * dtype.itemsize * e.width, limit):
        region = Region("stack", writable=True, private=private, level=e.level)
        pointer = e.frame.local(f"[{max(count, 1)} x {memory_type(dtype, e.width)}]")
        return Array(dtype, region, pointer, size(0), tuple(dims), affine.row_major(e, dims), True)
    key = key or (dtype.itemsize * e.width, *(dim.text for dim in dims))
    return in_slot(e, new_slot(e, key), dtype, dims)


def allocate_typed(e: Emitter, type: Type, var: Var | None = None) -> Array:
    """Memory for an array of this type."""
    return allocate(e, type.dtype, e.sizes(type.shape), var)


def new_slot(e: Emitter, key: tuple[object, ...]) -> Region:
    """A slot for the arrays that share `key`."""
    slot, private = e.frame.slot(key), e.width > 1
    scope = e.frame.scope_of[slot]
    region = Region("slot", writable=True, private=private, level=e.level, owner=slot, scope=scope)
    e.owned.append((region, key))
    return region


def in_slot(e: Emitter, region: Region, dtype: DType, dims: Sequence[Scalar]) -> Array:
    """An array in the buffer of a slot, which grows when it is too small."""
    _require_uniform(dims)
    pointer = e.frame.hold(region.owner, byte_count(e, dtype, dims))
    e.leave_if(e.w.op(f"icmp eq ptr {pointer}, null"), "starved")
    return Array(dtype, region, pointer, size(0), tuple(dims), affine.row_major(e, dims), True)


def _require_uniform(dims: Sequence[Scalar]) -> None:
    if not all(dim.is_uniform for dim in dims):
        raise CannotVectorise("an array whose size differs between iterations")


def byte_count(e: Emitter, dtype: DType, dims: Sequence[Scalar]) -> str:
    """The bytes of such an array in all lanes; too many saturate, so that the allocation fails."""
    known = dtype.itemsize * e.width
    unknown: list[str] = []
    for dim in dims:
        if dim.literal is not None:
            known *= max(dim.literal, 0)
        else:
            unknown.append(dim.text)
    total = str(known)
    for text in unknown:
        e.kernel.module.declare(_TIMES, f"declare {{ i64, i1 }} @{_TIMES}(i64, i64)")
        pair = e.w.op(f"call {{ i64, i1 }} @{_TIMES}(i64 {text}, i64 {total})")
        product, over = (e.w.op(f"extractvalue {{ i64, i1 }} {pair}, {k}") for k in (0, 1))
        total = e.w.op(f"select i1 {over}, i64 -1, i64 {product}")
    return total


# -- ownership ------------------------------------------------------------------------------------


def is_exclusive(e: Emitter, array: Array) -> bool:
    """May this memory be overwritten here: is nothing that shares it used later?"""
    region = array.region
    return region.writable and region.private == (e.width > 1) and not any(map(e.is_live, region.names))


def own(e: Emitter, array: Array) -> Array:
    """The same elements in memory that may be written: in place when the array dies here, else a copy."""
    return array if is_exclusive(e, array) else duplicate(e, array)


def own_packed(e: Emitter, array: Array) -> Array:
    """As `own`, in row-major order."""
    return array if array.packed and is_exclusive(e, array) else duplicate(e, array)


def duplicate(e: Emitter, array: Array, var: Var | None = None) -> Array:
    """A packed copy in new memory."""
    result = allocate(e, array.dtype, array.dims, var)
    copy(e, result, array)
    return result


def packed(e: Emitter, array: Array) -> Array:
    """The array itself when it is packed, else a packed copy."""
    return array if array.packed else duplicate(e, array)


def is_movable(e: Emitter, array: Array) -> bool:
    """Is the array all of a buffer that may change hands here? In a divergent branch only its own may."""
    region = array.region
    whole = array.packed and array.offset.literal == 0
    return whole and region.kind == "slot" and region.writable and region.level == e.level


def exchange(e: Emitter, a: Region, b: Region) -> None:
    """Let two slots exchange their buffers."""
    if a.owner != b.owner:
        e.frame.exchange(a.owner, b.owner)


def current(e: Emitter, array: Array) -> Array:
    """The array in the buffer that its slot owns now."""
    if array.region.kind != "slot":
        return array
    return replace(array, pointer=e.frame.buffer(array.region.owner))


def held(arrays: Sequence[Array]) -> AbstractContextManager[None]:
    """Inside, the memory of these arrays is not given to others."""
    return held_regions([array.region for array in arrays])


@contextmanager
def held_regions(regions: Sequence[Region]) -> Generator[None, None, None]:
    for region in regions:
        region.held += 1
    yield
    for region in regions:
        region.held -= 1


# -- copying --------------------------------------------------------------------------------------


def copy(e: Emitter, target: Array, source: Array) -> None:
    """Copy all elements; the two do not overlap."""
    if not all(size.is_uniform for size in target.dims):
        raise CannotVectorise("a part whose size differs between iterations")
    length = rows.stores_records(e, target, source)
    if length is not None:
        rows.store(e, target, source, length)
        return
    alike = target.region.private == source.region.private and target.packed and source.packed
    if alike and e.mask is None and target.offset.is_uniform and source.offset.is_uniform:
        _copy_bytes(e, target, source, target.dims)
        return
    if alike_rows(target, source) and e.width == 1 and target.rank > 1:
        inner = target.dims[-1:]
        control.over(e, target.dims[:-1], lambda at: _copy_bytes(e, part(e, target, at), part(e, source, at), inner))
        return
    control.over(e, target.dims, lambda at: copy_element(e, target, source, at))


def alike_rows(a: Array, b: Array) -> bool:
    """Are the last dimensions of both contiguous?"""
    return a.strides[-1].literal == 1 and b.strides[-1].literal == 1


def copy_element(e: Emitter, target: Array, source: Array, at: Sequence[Scalar]) -> None:
    access.store(e, target, affine.offset_at(e, target, at), element(e, source, at))


def element(e: Emitter, array: Array, at: Sequence[Scalar]) -> Scalar:
    """The element at a full index."""
    record = rows.record_at(e, array, at)
    if record is not None:
        return rows.load(e, array, record)
    return access.load(e, array, affine.offset_at(e, array, at))


def part(e: Emitter, array: Array, at: Sequence[Scalar]) -> Array:
    """The sub-array at the leading indices, as a view."""
    dims = len(at)
    offset = affine.offset_at(e, array, at)
    return replace(array, offset=offset, dims=array.dims[dims:], strides=array.strides[dims:])


def put(e: Emitter, target: Array, at: Sequence[Scalar], value: Scalar | Array) -> None:
    """Write an element, or a sub-array unless it stands there already."""
    if isinstance(value, Scalar):
        write = adding.add_element if target.adds else access.store
        write(e, target, affine.offset_at(e, target, at), value)
        return
    put_all(e, part(e, target, at), value)


def put_all(e: Emitter, target: Array, value: Array) -> None:
    """Write all elements of an array, unless they stand there already or were added there; the two may overlap."""
    if is_same(target, value) or (target.adds and value.adds):
        return
    if target.adds:
        adding.add_all(e, target, value)
        return
    if value.region is target.region:
        value = duplicate(e, value)
    copy(e, target, value)


def is_same(a: Array, b: Array) -> bool:
    """Do both name the same elements of the same memory in the same order?"""
    return (a.region, a.pointer, a.offset, a.strides) == (b.region, b.pointer, b.offset, b.strides)


def fill(e: Emitter, target: Array, value: Scalar) -> None:
    """Give every element of an array the same value."""
    if not target.packed:
        control.over(e, target.dims, lambda at: put(e, target, at, value))
        return
    count = affine.count_of(e, target.dims)
    if e.width > 1 or (count.literal is not None and count.literal <= 16):
        flat = replace(target, dims=(count,), strides=(size(1),))
        control.over(e, (count,), lambda at: put(e, flat, at, value))
        return
    width = e.kernel.target.lanes([target.dtype])

    def write(index: Scalar) -> None:
        access.store(e, target, affine.add(e, target.offset, index), value)

    control.strips(e, "0", count.text, width, None, write, repeat=True)


def _copy_bytes(e: Emitter, target: Array, source: Array, dims: Sequence[Scalar]) -> None:
    name = "llvm.memcpy.p0.p0.i64"
    e.kernel.module.declare(name, f"declare void @{name}(ptr, ptr, i64, i1)")
    lanes = size(e.width if target.region.private else 1)
    to, frm = (access.pointer(e, a, affine.mul(e, a.offset, lanes).text) for a in (target, source))
    bytes = affine.mul(e, affine.count_of(e, dims), affine.mul(e, size(target.dtype.itemsize), lanes))
    e.w.line(f"call void @{name}(ptr {to}, ptr {frm}, i64 {bytes.text}, i1 false)")
