"""Building an array where it will be written: `a[1:] = map(...)` fills that part of `a`.

In: a map, each of whose results is perhaps only used by one later write into a part of an array that dies there.
Then the map may write into that part at once, provided that nothing reads the array in between, and that the map itself
reads it, if at all, in other rows or only at the very element it is about to write (`u[i] -= ...`). A map that is only
joined to other arrays fills its part of the new array, which gets its memory now.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Map, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import operands, statements
from ..passes.place import Join
from ..records import dataclass, replace
from . import affine, memory
from .arrays import slice_of
from .emitter import Emitter
from .values import Array, size


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to build an array; `read` says that the elements there are read before they are overwritten."""

    place: Array
    read: bool


def find(e: Emitter, stm: Stm) -> list[Destination | None]:
    """The parts of arrays that the results of a map may be built in."""
    joins = [e.kernel.uses.joined(var) for var in stm.vars]
    return [
        _in_part(e, stm, var) if join is None else _in_join(e, var, join)
        for var, join in zip(stm.vars, joins, strict=True)
    ]


def _in_part(e: Emitter, stm: Stm, var: Var) -> Destination | None:
    expr, write = stm.expr, e.kernel.uses.destination(var)
    assert isinstance(expr, Map)
    if write is None or not _are_known(e, write.args[2:]):
        return None
    whole = write.args[0]
    assert isinstance(whole, Var)
    array = e.env.get(whole)
    if not isinstance(array, Array) or not _is_free(e, whole, array):
        return None
    shared = {other for other in e.kernel.uses.captured(expr.body.body) if e.array(other).region is array.region}
    captured = shared - e.kernel.uses.beside(var)
    if captured and (len(stm.vars) > 1 or captured != {whole} or not _reads_what_it_writes(expr, write, whole)):
        return None
    at = e.sizes(write.args[2:])
    if write.op == "update":
        place = memory.part(e, array, at)
    else:
        place = slice_of(e, array, e.sizes(var.type.shape), at[0::2], at[1::2])
    return Destination(place, bool(captured))


def _in_join(e: Emitter, var: Var, join: Join) -> Destination | None:
    """The place of a part in the array that it will be joined into; of several parts the first map takes it."""
    whole, expr = join.stm.vars[0], join.stm.expr
    assert isinstance(expr, Apply)
    before = expr.args[: expr.args.index(join.part)]
    sizes = [atom.type.shape[0] for atom in before]
    if expr.attrs != (0,) or e.width > 1 or whole in e.places or not _are_known(e, (*whole.type.shape, *sizes)):
        return None
    array = e.places[whole] = memory.allocate_typed(e, whole.type)
    start = size(0)
    for length in e.sizes(sizes):
        start = affine.add(e, start, length)
    dims = e.sizes(var.type.shape)
    offset, strides = affine.offset_at(e, array, (start,)), affine.row_major(e, dims)
    return Destination(replace(array, offset=offset, dims=dims, strides=strides), read=False)


def _are_known(e: Emitter, atoms: Sequence[Atom]) -> bool:
    return all(isinstance(atom, Lit) or atom in e.env for atom in atoms)


def _is_free(e: Emitter, whole: Var, array: Array) -> bool:
    """May the array be overwritten, but for the write that is to come?"""
    region = array.region
    if not region.writable or region.private != (e.width > 1):
        return False
    others = any(e.is_live(name) for name in region.names if name != whole)
    outside = any(scope.last_use.get(whole, -1) > scope.at or whole in scope.pinned for scope in e.scopes[:-1])
    return not others and not outside and whole not in e.scopes[-1].pinned


def _reads_what_it_writes(expr: Map, write: Apply, whole: Var) -> bool:
    """Does the body read `whole` only at the element which its own index will write?"""
    if write.op != "update_slice" or whole.type.rank != 1 or write.args[3] != Lit(1, write.args[3].type.dtype):
        return False
    index, start = expr.body.params[0], write.args[2]
    here: set[Atom] = {index} if isinstance(start, Lit) and start.value == 0 else set()
    for stm in statements(expr.body.body):
        match stm.expr:
            case Apply("add", (a, b)) if {a, b} == {index, start}:
                here.add(stm.vars[0])
            case Apply("index", (source, at)) if source == whole and at in here:
                continue
            case Apply(_, args) if whole in args:
                return False
            case _:
                pass
    return whole not in _beyond_reads(expr)


def _beyond_reads(expr: Map) -> set[Atom]:
    """What the body's inner forms take as operands other than by operations of the table."""
    found: set[Atom] = set(expr.body.body.results)
    for stm in statements(expr.body.body):
        if not isinstance(stm.expr, Apply):
            found.update(operands(stm.expr))
    return found
