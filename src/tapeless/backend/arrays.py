"""Array operations of the table: views cost nothing, writes go in place where the source dies.

`index` of leading dimensions, `slice`, `transpose` and (of packed arrays) `reshape` make views. In a
vectorised region a row that differs between lanes and is read in loops is first copied to lane-private
memory, where each element of all lanes is one vector.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from ..ir.core import Apply, Stm
from ..ir.types import I64, Var
from ..records import replace
from . import access, affine, control, memory, sorting
from .emitter import CannotVectorise, Emitter
from .values import Array, Scalar, size


def _index(e: Emitter, stm: Stm, expr: Apply) -> None:
    array = e.array(expr.args[0])
    at = e.sizes(expr.args[1:])
    var = stm.vars[0]
    if len(at) == array.rank:
        e.bind(var, memory.element(e, array, at))
        return
    row = memory.part(e, array, at)
    gathered = not row.region.private and not row.offset.is_uniform
    if gathered and e.kernel.uses.read_in_loops(var):
        row = memory.duplicate(e, row)
    e.bind(var, row)


def _slice(e: Emitter, stm: Stm, expr: Apply) -> None:
    array = e.array(expr.args[0])
    triples = e.sizes(expr.args[1:])
    starts, sizes, steps = triples[0::3], triples[1::3], triples[2::3]
    e.bind(stm.vars[0], slice_of(e, array, sizes + array.dims[len(starts) :], starts, steps))


def _transpose(e: Emitter, stm: Stm, expr: Apply) -> None:
    array = e.array(expr.args[0])
    axes = cast(tuple[int, ...], expr.attrs)
    view = replace(
        array,
        dims=tuple(array.dims[axis] for axis in axes),
        strides=tuple(array.strides[axis] for axis in axes),
        packed=array.packed and list(axes) == sorted(axes),
    )
    e.bind(stm.vars[0], view)


def _reshape(e: Emitter, stm: Stm, expr: Apply) -> None:
    array = memory.packed(e, e.array(expr.args[0]))
    dims = e.sizes(expr.args[1:])
    e.bind(stm.vars[0], replace(array, dims=dims, strides=affine.row_major(e, dims)))


def _update(e: Emitter, stm: Stm, expr: Apply) -> None:
    if _adds(e, stm, expr):
        return
    target, value = _target(e, stm, expr)
    memory.put(e, target, e.sizes(expr.args[2:]), value)
    e.bind(stm.vars[0], target)


def _adds(e: Emitter, stm: Stm, expr: Apply) -> bool:
    """Where the result is to be added to an accumulator, add the part that is written, and what is not zeros below."""
    place = e.places.get(stm.vars[0])
    if place is None or not place.adds:
        return False
    if expr.args[0] not in e.kernel.zeros:
        memory.put_all(e, place, e.array(expr.args[0]))
    memory.put(e, place, e.sizes(expr.args[2:]), e.value(expr.args[1]))
    e.bind(stm.vars[0], place)
    return True


def _update_slice(e: Emitter, stm: Stm, expr: Apply) -> None:
    pairs = e.sizes(expr.args[2:])
    place = e.places.get(stm.vars[0])
    if place is not None and place.adds:
        part = e.array(expr.args[1])
        memory.put_all(e, slice_of(e, place, part.dims, pairs[0::2], pairs[1::2]), part)
        e.bind(stm.vars[0], place)
        return
    target, value = _target(e, stm, expr)
    assert isinstance(value, Array)
    view = slice_of(e, target, value.dims, pairs[0::2], pairs[1::2])
    if not memory.is_same(view, value):
        memory.copy(e, view, _apart(e, target, value))
    e.bind(stm.vars[0], target)


def slice_of(
    e: Emitter, array: Array, dims: Sequence[Scalar], starts: Sequence[Scalar], steps: Sequence[Scalar]
) -> Array:
    """The view of leading dimensions from `starts` by `steps`; the sizes of the result are given."""
    cut = len(starts)
    strides = tuple(affine.mul(e, stride, step) for stride, step in zip(array.strides, steps, strict=False))
    return replace(
        array,
        offset=affine.offset_at(e, array, starts),
        dims=tuple(dims),
        strides=strides + array.strides[cut:],
        packed=array.packed and cut == 1 and steps[0].literal == 1,
    )


def _apart(e: Emitter, target: Array, value: Array) -> Array:
    """The value in memory that writing the target does not change."""
    return memory.duplicate(e, value) if value.region is target.region else value


def _accumulate(e: Emitter, stm: Stm, expr: Apply) -> None:
    if _adds(e, stm, expr):
        return
    target, value = _target(e, stm, expr)
    at = e.sizes(expr.args[2:])

    def add_at(offset: Scalar, more: Scalar, into: Array) -> None:
        total = e.apply("add", (access.load(e, into, offset), more), into.dtype)
        access.store(e, into, offset, total)

    if isinstance(value, Scalar):
        add_at(affine.offset_at(e, target, at), value, target)
    else:
        row, source = memory.part(e, target, at), _apart(e, target, value)
        control.over(e, row.dims, lambda k: add_at(affine.offset_at(e, row, k), memory.element(e, source, k), row))
    e.bind(stm.vars[0], target)


def _target(e: Emitter, stm: Stm, expr: Apply) -> tuple[Array, Scalar | Array]:
    """The array to be written, in place or as a copy, and what is written."""
    array, value = e.array(expr.args[0]), e.value(expr.args[1])
    in_place = memory.is_exclusive(e, array)
    if e.depth:
        how = "writes in place" if in_place else "copies the array before it writes, because the old one is used later"
        e.kernel.note(stm.pos, how)
    return (array if in_place else _copied(e, array, stm.vars[0])), value


def _copied(e: Emitter, array: Array, var: Var) -> Array:
    """A copy in the place that waits for `var`, unless the array itself was built there and somebody still reads it."""
    place = e.places.get(var)
    return memory.duplicate(e, array, None if place is not None and place.region is array.region else var)


def _replicate(e: Emitter, stm: Stm, expr: Apply) -> None:
    value, var = e.value(expr.args[0]), stm.vars[0]
    if var in e.idle:
        return
    outer = e.sizes(expr.args[1:])
    if isinstance(value, Scalar):
        target = memory.allocate(e, value.dtype, outer, var)
        if not expr.attrs:  # else scratch
            memory.fill(e, target, value)
    else:
        target = memory.allocate(e, value.dtype, outer + value.dims, var)
        control.over(e, outer, lambda at: memory.put(e, target, at, value))
    e.bind(var, target)


def _concat(e: Emitter, stm: Stm, expr: Apply) -> None:
    var, axis = stm.vars[0], cast(int, expr.attrs[0])
    target = memory.allocate_typed(e, var.type, var)
    start, stands = size(0), False
    for atom in expr.args[:-1]:
        piece = e.array(atom)
        at = [size(0)] * axis + [start]
        view = replace(
            target,
            offset=affine.offset_at(e, target, at),
            dims=piece.dims,
            packed=target.packed and axis == 0,
        )
        if piece.region is target.region and _is_joined_alone(e, cast(Var, atom), stm):
            stands = True  # `destinations` gave the array its memory, and let this part be built there
        else:
            memory.copy(e, view, piece)
        start = affine.add(e, start, piece.dims[axis])
    if stands:
        e.places.pop(var)
    e.bind(var, target)


def _is_joined_alone(e: Emitter, part: Var, stm: Stm) -> bool:
    join = e.kernel.uses.joined(part)
    return join is not None and join.stm is stm


def _stack(e: Emitter, stm: Stm, expr: Apply) -> None:
    var = stm.vars[0]
    target = memory.allocate_typed(e, var.type, var)
    for number, atom in enumerate(expr.args):
        memory.put(e, target, (size(number),), e.value(atom))
    e.bind(var, target)


def _iota(e: Emitter, stm: Stm, _: Apply) -> None:
    var = stm.vars[0]
    target = memory.allocate_typed(e, var.type, var)

    def write(index: Scalar) -> None:
        memory.put(e, target, (index,), index)

    if e.width > 1:
        control.over(e, target.dims, lambda at: write(at[0]))
    else:
        width = e.kernel.target.lanes([I64])
        control.strips(e, "0", target.dims[0].text, width, None, write, repeat=True)
    e.bind(var, target)


def _argsort(e: Emitter, stm: Stm, expr: Apply) -> None:
    if e.width > 1:
        raise CannotVectorise("sorting")
    var = stm.vars[0]
    source = memory.packed(e, e.array(expr.args[0]))
    target = memory.allocate_typed(e, var.type)
    scratch = memory.allocate(e, I64, target.dims[-1:])

    def sort(at: list[Scalar]) -> None:
        keys, order = memory.part(e, source, at), memory.part(e, target, at)
        sorting.call(e, keys, order, scratch)

    control.over(e, target.dims[:-1], sort)
    e.bind(var, target)


OPERATIONS: dict[str, Callable[[Emitter, Stm, Apply], None]] = {
    "index": _index,
    "slice": _slice,
    "transpose": _transpose,
    "reshape": _reshape,
    "update": _update,
    "update_slice": _update_slice,
    "accumulate": _accumulate,
    "replicate": _replicate,
    "concat": _concat,
    "stack": _stack,
    "iota": _iota,
    "argsort": _argsort,
}
