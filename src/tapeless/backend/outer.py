"""Sums over lanes of products of a row with a scalar: every lane has a row x and a number s, and s * x is added up.

    reduce i { x = map j { ... };  map r { s = ...;  map j { x[j] * s } } }

In lane-private memory the lanes of an element stand side by side, so the products of W elements would have to be
summed across lanes by shuffles. Instead the rows are transposed once, where they are made, so that each lane's
row is contiguous; then W elements of the sum take one fused multiplication and addition for each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.core import Apply, Function, Map, Stm
from ..ir.types import I64, Var
from ..ir.walk import statements
from ..records import dataclass
from . import access, affine, control, memory, rows
from .emitter import Emitter
from .text import llvm_type, memory_type
from .values import VARYING, Array, Scalar, size


@dataclass(frozen=True, slots=True)
class Product:
    """A map whose element j is `row[j] * factor`."""

    row: Var
    factor: Var


def product(expr: Map) -> Product | None:
    """The product of an array from outside, at the index of the map, with a scalar from outside."""
    index, body = expr.body.params[0], expr.body.body
    if len(body.stms) != 2 or body.results != body.stms[1].vars:
        return None
    match body.stms[0].expr, body.stms[1].expr:
        case Apply("index", (Var() as row, at)), Apply("mul", (x, y)) if at == index and row.type.rank == 1:
            element = body.stms[0].vars[0]
            factor = y if x == element else x
            if element not in (x, y) or not isinstance(factor, Var) or factor in (element, index):
                return None
            return Product(row, factor)
        case _:
            return None


def factors(function: Function) -> frozenset[Var]:
    """The arrays that are rows of such products."""
    made = (product(stm.expr) for stm in statements(function.body) if isinstance(stm.expr, Map) and len(stm.vars) == 1)
    return frozenset(found.row for found in made if found is not None)


def keep_rows(e: Emitter, stm: Stm, targets: Sequence[Array]) -> None:
    """Transpose what a map has made in lanes, where products with it may be summed over the lanes."""
    for var, array in zip(stm.vars, targets, strict=True):
        e.rows.pop(var, None)
        if var in e.kernel.factors and e.sums_lanes and e.mask is None and array.packed and array.region.private:
            e.rows[var] = _transposed(e, array)
            e.rows[var].region.names.append(var)  # it lives as long


def _transposed(e: Emitter, array: Array) -> Array:
    """A copy with each lane's elements in a row of their own; what fills it up to whole vectors is of no account."""
    count, width, type = array.dims[0], e.width, memory_type(array.dtype, e.width)
    last = affine.sub(e, count, size(1))
    length = _whole_vectors(e, count)
    copy = memory.allocate(e, array.dtype, (length,))

    def group(first: Scalar, *, whole: bool) -> None:
        places = [affine.add(e, first, size(k)) for k in range(width)]
        if not whole:
            places = [e.apply("min", (place, last), I64) for place in places]
        vectors = [access.storable(e, access.load(e, array, affine.add(e, array.offset, place))) for place in places]
        for lane, vector in enumerate(rows.transposed(e, type, vectors)):
            at = access.pointer(e, copy, affine.add(e, first, affine.mul(e, length, size(lane))).text)
            e.w.line(f"store {type} {vector}, ptr {at}, align {array.dtype.itemsize}{access.tag(e, copy)}")

    index = e.frame.local("i64")
    e.w.line(f"store i64 0, ptr {index}")
    control.guarded(e, index, count.text, width, lambda: group(e.read(index, I64), whole=True), 0)
    if length.literal is None or length.literal != count.literal:
        control.guarded(e, index, length.text, width, lambda: group(e.read(index, I64), whole=False), 0)
    return copy


def _whole_vectors(e: Emitter, count: Scalar) -> Scalar:
    """The least number of elements that is not below the count and fills whole vectors."""
    if count.literal is not None:
        return size(-(-count.literal // e.width) * e.width)
    return e.apply("and", (affine.add(e, count, size(e.width - 1)), size(-e.width)), I64)


def add(e: Emitter, expr: Map, place: Array) -> bool:
    """Add the sum over all lanes of a product to a row of an accumulator, if the rows are at hand."""
    made = product(expr)
    kept = e.rows.get(made.row) if made is not None else None
    if made is None or kept is None or e.mask is not None or place.strides[0].literal != 1:
        return False
    splats = _each_lane(e, e.scalar(made.factor))
    length, dtype = kept.dims[0], place.dtype

    def group(first: Scalar) -> None:
        at = Scalar(I64, affine.offset_at(e, place, (first,)).text, "1")
        total = access.load(e, place, at)
        for lane, splat in enumerate(splats):
            start = affine.add(e, first, affine.mul(e, length, size(lane))).text
            row = Scalar(dtype, access.vector_from(e, kept, start), VARYING)
            total = e.apply("add", (total, e.apply("mul", (row, splat), dtype)), dtype)
        access.store(e, place, at, total)

    _in_groups(e, e.scalar(expr.size), group)
    return True


def _each_lane(e: Emitter, value: Scalar) -> list[Scalar]:
    """For each lane a vector that has its value everywhere."""
    dtype, type, text = value.dtype, llvm_type(value.dtype, e.width), e.spread(value)
    picks = [f"<{e.width} x i32> splat (i32 {lane})" for lane in range(e.width)]
    return [Scalar(dtype, e.w.op(f"shufflevector {type} {text}, {type} poison, {pick}"), VARYING) for pick in picks]


def _in_groups(e: Emitter, end: Scalar, group: Callable[[Scalar], None]) -> None:
    """Run `group` for W elements at a time, at last for those that are left under a mask."""
    index, some, done = e.frame.local("i64"), e.w.new_label("some"), e.w.new_label("done")
    e.w.line(f"store i64 0, ptr {index}")
    control.guarded(e, index, end.text, e.width, lambda: group(e.read(index, I64)), 0)
    first = e.read(index, I64)
    e.branch(e.w.op(f"icmp slt i64 {first.text}, {end.text}"), some, done)
    e.w.label(some)
    with e.w.region():
        places = e.spread(Scalar(I64, first.text, "1"))
        e.mask = e.w.op(f"icmp slt {llvm_type(I64, e.width)} {places}, {e.spread(end)}")
        group(first)
        e.mask = None
    e.jump(done)
    e.w.label(done)
