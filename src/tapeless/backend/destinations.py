"""Building an array where it will be written: `a[1:] = map(...)` fills that part of `a`.

In: a map, each of whose results is perhaps only used by one later write into a part of an array that dies there.
Then the map may write into that part at once, provided that nothing reads the array in between, and that the map itself
reads it, if at all, in other rows or only at the very element it is about to write (`u[i] -= ...`). A map that is only
joined to other arrays fills its part of the new array, which gets its memory now. A map that makes a new array of one
that dies, element by element (`u = u + v`), takes the memory of that one: less has to be in the cache.
An array that is joined and then written into a part of another one is that part from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..ir.core import Apply, Block, Expr, Map, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import lambdas, operands, statements
from ..passes.cost import has_check
from ..passes.place import Join
from ..passes.uses import mentioned
from ..records import replace
from . import affine, memory
from .arrays import slice_of
from .emitter import Emitter
from .values import Array, Region, size

# A map of more results stays beside its operands: what it reads next would wait for all that it has just written. (The
# lattice of bench/grad/arrays, whose cells are 19 numbers in as many arrays, takes 220 ms beside, and 300 over them.)
_MOST_OVER = 2


def find(e: Emitter, stm: Stm) -> list[Array | None]:
    """The parts of arrays that the results of a map may be built in."""
    joins = [e.kernel.uses.joined(var) for var in stm.vars]
    found = [
        _in_part(e, stm, var) if join is None else _in_join(e, stm, var, join)
        for var, join in zip(stm.vars, joins, strict=True)
    ]
    taken = [place.region for place in found if place is not None]
    for number, place in enumerate(found):
        if place is None and (over := _over_operand(e, stm, number, taken)) is not None:
            found[number] = over
            taken.append(over.region)
    return found


def _in_part(e: Emitter, stm: Stm, var: Var) -> Array | None:
    expr, write = stm.expr, e.kernel.uses.destination(var)
    assert isinstance(expr, Map)
    if write is None or not _is_ready(e, var, write):
        return None
    whole = write.args[0]
    assert isinstance(whole, Var)
    captured = _shared(e, expr, whole) - e.kernel.uses.beside(var)
    if captured and (len(stm.vars) > 1 or captured != {whole} or not _reads_what_it_writes(expr, write, whole)):
        return None
    return replace(_place(e, write, var), replaces=bool(captured))


def _is_ready(e: Emitter, var: Var, write: Apply) -> bool:
    """May the part of an array that `var` is to be written to be overwritten now?"""
    whole = write.args[0]
    assert isinstance(whole, Var)
    array = e.env.get(whole)
    known = isinstance(array, Array) and _are_known(e, write.args[2:])
    return known and _is_free(e, whole, e.kernel.uses.beside(var), e.array(whole))


def _shared(e: Emitter, expr: Map, whole: Var) -> set[Var]:
    """The arrays that a map reads in the memory of this one."""
    region = e.array(whole).region
    return {other for other in e.kernel.uses.captured(expr.body.body) if e.array(other).region is region}


def _place(e: Emitter, write: Apply, var: Var) -> Array:
    array, at = e.array(write.args[0]), e.sizes(write.args[2:])
    if write.op == "update":
        return memory.part(e, array, at)
    return slice_of(e, array, e.sizes(var.type.shape), at[0::2], at[1::2])


def _in_join(e: Emitter, stm: Stm, var: Var, join: Join) -> Array | None:
    """The place of a part in the array that it will be joined into; of several parts the first map takes it."""
    whole, expr = join.stm.vars[0], join.stm.expr
    assert isinstance(expr, Apply)
    before = expr.args[: expr.args.index(join.part)]
    sizes = [atom.type.shape[0] for atom in before]
    if expr.attrs != (0,) or e.width > 1 or whole in e.places or not _are_known(e, (*whole.type.shape, *sizes)):
        return None
    array = e.places[whole] = _of_join(e, stm, join) or memory.allocate_typed(e, whole.type)
    start = size(0)
    for length in e.sizes(sizes):
        start = affine.add(e, start, length)
    dims = e.sizes(var.type.shape)
    offset, strides = affine.offset_at(e, array, (start,)), affine.row_major(e, dims)
    return replace(array, offset=offset, dims=dims, strides=strides)


def _of_join(e: Emitter, stm: Stm, join: Join) -> Array | None:
    """The row that a joined array is written to afterwards, where that may be overwritten now."""
    expr, whole, write = stm.expr, join.stm.vars[0], join.write
    assert isinstance(expr, Map)
    if write is None or write.op != "update" or not _is_ready(e, whole, write):
        return None
    target = write.args[0]
    assert isinstance(target, Var)
    apart = _shared(e, expr, target) <= e.kernel.uses.beside(whole)
    return _place(e, write, whole) if apart and e.array(target).packed else None


def _over_operand(e: Emitter, stm: Stm, number: int, taken: Sequence[Region]) -> Array | None:
    """The memory of an array that dies here, if the map reads its elements only to make those in their places."""
    expr, var = stm.expr, stm.vars[number]
    assert isinstance(expr, Map)
    if e.width > 1 or len(stm.vars) > _MOST_OVER:
        return None
    captured = e.kernel.uses.captured(expr.body.body)
    for operand in sorted((x for x in captured if x.type == var.type), key=lambda x: x.name):
        array = e.array(operand)
        others = any(e.array(x).region is array.region for x in captured if x != operand)
        if array.region in taken or others or not memory.is_movable(e, array) or not memory.is_exclusive(e, array):
            continue
        if _reads_its_place(expr, number, operand, (i64(0),) * operand.type.rank):
            return replace(array, replaces=True)
    return None


def _are_known(e: Emitter, atoms: Sequence[Atom]) -> bool:
    return all(isinstance(atom, Lit) or atom in e.env for atom in atoms)


def _is_free(e: Emitter, whole: Var, beside: AbstractSet[Var], array: Array) -> bool:
    """May the array be overwritten, but for these rows and the write that is to come?"""
    region = array.region
    if not region.writable or region.private != (e.width > 1):
        return False
    others = any(e.is_live(name) for name in region.names if name != whole and name not in beside)
    outside = any(scope.last_use.get(whole, -1) > scope.at or whole in scope.pinned for scope in e.scopes[:-1])
    return not others and not outside and whole not in e.scopes[-1].pinned


def _reads_what_it_writes(expr: Map, write: Apply, whole: Var) -> bool:
    """Does the body read `whole` only at the element which its own index will write?"""
    starts, steps = write.args[2::2], write.args[3::2]
    if write.op != "update_slice" or len(starts) != whole.type.rank or any(step != i64(1) for step in steps):
        return False
    return _reads_its_place(expr, 0, whole, starts)


def _reads_its_place(
    expr: Map, number: int, whole: Var, starts: Sequence[Atom], outer: tuple[AbstractSet[Atom], ...] = ()
) -> bool:
    """Is element index + start of `whole` all that the nest reads of it for element index of result `number`?

    No other map in the nest reads any of it: it would come before or behind that one, row by row. Nor does one fail, in
    which case what was begun is begun again.
    """
    if whole.type.rank > 1 and has_check(expr.body.body.stms):
        return False
    body, index, start = expr.body.body, expr.body.params[0], starts[len(outer)]
    here: set[Atom] = {index} if start == i64(0) else _sums(body, {index, start})
    places = (*outer, here)
    if len(places) == whole.type.rank:
        return _reads_at(body, whole, places)
    if whole in body.results:
        return False
    for stm in body.stms:
        if body.results[number] in stm.vars:
            inner = stm.vars.index(body.results[number])  # type: ignore[arg-type]
            if not isinstance(stm.expr, Map) or not _reads_its_place(stm.expr, inner, whole, starts, places):
                return False
        elif whole.name in mentioned(stm):
            return False
    return True


def _sums(body: Block, terms: AbstractSet[Atom]) -> set[Atom]:
    """The sums of two numbers."""
    return {
        stm.vars[0]
        for stm in statements(body)
        if isinstance(stm.expr, Apply) and stm.expr.op == "add" and set(stm.expr.args) == terms
    }


def _reads_at(body: Block, whole: Var, places: Sequence[AbstractSet[Atom]]) -> bool:
    """Is `whole` read at this place only, if at all? What a block ends with may be read anywhere."""
    return whole not in body.results and all(
        _is_read_at(stm.expr, whole, places) and all(_reads_at(lam.body, whole, places) for lam in lambdas(stm.expr))
        for stm in body.stms
    )


def _is_read_at(expr: Expr, whole: Var, places: Sequence[AbstractSet[Atom]]) -> bool:
    if whole not in operands(expr):
        return True
    match expr:
        case Apply("index", (base, *at)) if base == whole and len(at) == len(places):
            return all(one in here for one, here in zip(at, places, strict=True))
        case _:
            return False
