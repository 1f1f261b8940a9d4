"""Records of a few numbers, one per lane: from array-of-structures in memory to one vector per field.

When lane l reads field c of record l and the records have r <= 16 elements each, the W records are r
contiguous vectors. They are loaded whole and field c is picked out by shuffles (`interleaved`); all fields share the
loads. Stores go the other way. Of records of W fields and more, W fields are read or written at
a time, and transposed in registers (log2 W shuffles for each vector): each lane's part of its record is one access.
Records of many fields are written by a loop over such groups.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import I64
from ..records import dataclass
from . import access, affine, control
from .emitter import Emitter
from .interleaved import Shape, Vector, of_fields, of_memory, shuffle
from .text import memory_type
from .values import Array, Scalar, as_literal, size

_LONGEST_LOADED = 16
# Records of more fields than this are stored by a loop.
_WRITTEN_OUT = 64


@dataclass(frozen=True, slots=True)
class Record:
    """Lane l reads element `start + l * length + field`."""

    start: str
    length: int
    field: int


def record_at(e: Emitter, array: Array, at: Sequence[Scalar]) -> Record | None:
    """How a full index reads records, one per lane, if it does."""
    if e.width == 1 or e.mask is not None or array.region.private:
        return None
    lane_dims = [d for d, index in enumerate(at) if not index.is_uniform]
    if len(lane_dims) + (not array.offset.is_uniform) != 1:
        return None
    tail = lane_dims[0] + 1 if lane_dims else 0
    start = affine.offset_at(e, array, at[:tail])
    length, extent = as_literal(start.step) if start.step else None, 1
    field = 0
    for index, dim, stride in reversed(list(zip(at[tail:], array.dims[tail:], array.strides[tail:], strict=True))):
        if stride.literal != extent or dim.literal is None or index.literal is None:
            return None
        field += index.literal * extent
        extent *= dim.literal
    if length != extent or not 1 < extent <= _LONGEST_LOADED:
        return None
    return Record(start.text, extent, field)


def load(e: Emitter, array: Array, record: Record) -> Scalar:
    """One field of W records."""
    text = _load_short(e, array, record) if record.length < e.width else _load_long(e, array, record)
    return access.loaded(e, array.dtype, text)


def _load_long(e: Emitter, array: Array, record: Record) -> str:
    """W fields of W records at a time are transposed; the last W fields may overlap those before."""
    width, length = e.width, record.length
    first = min(record.field - record.field % width, length - width)
    starts = [affine.text_of(e, "add", record.start, str(lane * length + first)) for lane in range(width)]
    rows = [access.vector_from(e, array, start) for start in starts]
    return transposed(e, memory_type(array.dtype, width), rows)[record.field - first]


def _load_short(e: Emitter, array: Array, record: Record) -> str:
    """A field is picked out of the vectors of memory."""

    def block(number: int) -> Vector:
        start = affine.text_of(e, "add", record.start, str(number * e.width))
        return Vector(access.vector_from(e, array, start), range(number * e.width, (number + 1) * e.width))

    shape = Shape(e, memory_type(array.dtype, e.width), record.length)
    return of_memory(shape, block)(record.field).text


def store(e: Emitter, target: Array, value: Array, length: int) -> None:
    """Write W records, one for each lane of `value`, as `stores_records` found them."""
    start = target.offset.text
    if length > _WRITTEN_OUT:
        _store_by_groups(e, target, value, length)
    elif length < e.width:
        _store_short(e, target, start, _fields(e, value, size(0), length))
    else:
        _store_long(e, target, start, _fields(e, value, size(0), length))


def _fields(e: Emitter, value: Array, first: Scalar, count: int) -> list[str]:
    """Elements of a packed lane-private array as vectors of memory."""
    start = affine.add(e, value.offset, first)
    return [access.storable(e, access.load(e, value, affine.add(e, start, size(k)))) for k in range(count)]


def _store_short(e: Emitter, array: Array, start: str, vectors: Sequence[str]) -> None:
    """Each vector of memory is put together from the fields."""
    shape = Shape(e, memory_type(array.dtype, e.width), len(vectors))
    block = of_fields(shape, [Vector(text, shape.field(k)) for k, text in enumerate(vectors)])
    for number in range(len(vectors)):
        _store_vector(e, array, affine.text_of(e, "add", start, str(number * e.width)), block(number).text, e.width)


def _store_long(e: Emitter, array: Array, start: str, vectors: Sequence[str]) -> None:
    """W fields of W records at a time; what is left is a shorter piece of each record, as short as it can be.

    The last piece may overlap the one before, and says the same there.
    """
    width, length = e.width, len(vectors)
    whole = length - length % width
    short = 1 << (length - whole - 1).bit_length()
    pieces = [(first, width) for first in range(0, whole, width)]
    for first, count in (*pieces, (length - short, short)) if length > whole else pieces:
        _store_group(e, array, affine.text_of(e, "add", start, str(first)), vectors[first : first + count], length)


def _store_by_groups(e: Emitter, target: Array, value: Array, length: int) -> None:
    """The same in a loop."""
    last = size(length - e.width)

    def group(number: Scalar) -> None:
        first = e.apply("min", (affine.mul(e, number, size(e.width)), last), I64)
        start = affine.text_of(e, "add", target.offset.text, first.text)
        _store_group(e, target, start, _fields(e, value, first, e.width), length)

    control.counted(e, size(-(-length // e.width)), group, compact=True)


def _store_group(e: Emitter, array: Array, start: str, vectors: Sequence[str], length: int) -> None:
    """Some fields of W records that are `length` elements apart; they are a power of two, at most W."""
    type, count = memory_type(array.dtype, e.width), len(vectors)
    rows = transposed(e, type, vectors)
    for lane in range(e.width):
        at = affine.text_of(e, "add", start, str(lane * length))
        _store_vector(e, array, at, _part(e, type, rows[lane % count], lane - lane % count, count), count)


def _part(e: Emitter, type: str, vector: str, first: int, count: int) -> str:
    """So many lanes of a vector; one is a number."""
    if count == 1:
        return access.lane(e, vector, type, first)
    return vector if count == e.width else shuffle(e, type, vector, "poison", range(first, first + count))


def transposed(e: Emitter, type: str, vectors: Sequence[str]) -> list[str]:
    """W vectors of W lanes: lane i of vector j becomes lane j of vector i. W is a power of two.

    Of fewer, a power of two g, vector i has lane k g + i of all of them in its lanes k g, ..., k g + g - 1.
    """
    rows, width, step = list(vectors), e.width, 1
    while step < len(rows):
        low = [lane if not lane & step else width + lane - step for lane in range(width)]
        high = [lane + step if not lane & step else width + lane for lane in range(width)]
        for i in (i for i in range(len(rows)) if not i & step):
            a, b = rows[i], rows[i | step]
            rows[i], rows[i | step] = shuffle(e, type, a, b, low), shuffle(e, type, a, b, high)
        step *= 2
    return rows


def _store_vector(e: Emitter, array: Array, start: str, vector: str, count: int) -> None:
    at, type = access.pointer(e, array, start), memory_type(array.dtype, count)
    e.w.line(f"store {type} {vector}, ptr {at}, align {array.dtype.itemsize}{access.tag(e, array)}")


def stores_records(e: Emitter, target: Array, value: Array) -> int | None:
    """The length of the records that copying lane-private `value` to shared `target` writes, if it does."""
    if e.width == 1 or e.mask is not None or target.region.private or not value.region.private:
        return None
    count = affine.count_of(e, target.dims).literal
    fits = target.packed and value.packed and value.offset.is_uniform and target.offset.step == str(count)
    return count if fits and count is not None and count > 1 else None
