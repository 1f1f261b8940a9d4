"""All rows of an outer product together: what is added to them waits until the factors of all rows are known.

    map r { s = ...; map j < n(r) { x[j] * s } }   ->   S = map r { s };  for W elements j: for r: add x[j] * S[r]

where n(r) is r itself or the same for all rows. As in `outer` the sum is taken over all lanes, each of which has a row
x and factors S. With the loops in this order W elements of x in all lanes stay in registers for all rows, and the
factor of a lane is read from memory where it is multiplied, not shuffled out of a vector for each row anew.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence, Set
from contextlib import contextmanager

from ..ir.core import Apply, Block, Map
from ..ir.types import I64, Atom, Lit, Var
from ..passes.uses import use_counts
from ..records import dataclass
from . import access, affine, control, memory
from .emitter import Emitter
from .outer import Product, product
from .text import llvm_type, memory_type
from .values import VARYING, Array, Scalar, size


@dataclass(frozen=True, slots=True)
class Waiting:
    """A map of rows that are added to `target`: the map that makes a row, its product and size, and all factors."""

    target: Array
    part: Var
    made: Product
    counter: Var
    count: Atom
    factors: Array


@contextmanager
def together(e: Emitter, expr: Map, targets: Sequence[Array]) -> Generator[None, None, None]:
    """Inside, the rows of a map are written; those that can wait are added at the end."""
    waiting = _waiting(e, expr, targets)
    try:
        with memory.held([one.factors for one in waiting]):
            yield
            for one in waiting:
                _add(e, one, e.scalar(expr.size))
    finally:
        for one in waiting:
            del e.waiting[one.part]


def _waiting(e: Emitter, expr: Map, targets: Sequence[Array]) -> list[Waiting]:
    """The results that can wait; a few rows need not."""
    found: list[Waiting] = []
    if isinstance(expr.size, Lit) and expr.size.value < e.width:
        return found
    bound = {var for stm in expr.body.body.stms for var in stm.vars}
    for target, atom in zip(targets, expr.body.body.results, strict=True):
        part = _part(e, expr.body.body, atom) if _is_sum(e, target) else None
        made = product(part[1]) if part is not None else None
        if part is None or made is None or made.row in bound or made.row not in e.rows:
            continue
        if not _is_known(e, part[1].size, expr.body.params[0], bound):
            continue
        factors = memory.allocate(e, target.dtype, (e.scalar(expr.size),))
        found.append(Waiting(target, part[0], made, expr.body.params[0], part[1].size, factors))
        e.waiting[part[0]] = factors, expr.body.params[0], made.factor
    return found


def _is_sum(e: Emitter, target: Array) -> bool:
    """May whole rows be added to it?"""
    across = target.adds == "across" and e.mask is None
    return across and target.rank == 2 and target.strides[1].literal == 1


def _part(e: Emitter, block: Block, atom: Atom) -> tuple[Var, Map] | None:
    """The map that makes a row, or what is put into zeros from their beginning on, as `deposits` adds it."""
    makers = {stm.vars[0]: stm.expr for stm in block.stms if len(stm.vars) == 1}
    uses = use_counts(block)
    match makers.get(atom) if isinstance(atom, Var) and uses[atom.name] == 1 else None:
        case Apply("update_slice", (Var() as base, Var() as part, Lit(0), Lit(1))) if base in e.kernel.zeros:
            made = makers.get(part) if uses[part.name] == 1 else None
            return (part, made) if isinstance(made, Map) else None
        case Map() as made:
            assert isinstance(atom, Var)
            return atom, made
        case _:
            return None


def _is_known(e: Emitter, count: Atom, counter: Var, bound: Set[Var]) -> bool:
    """Is the length of a row the number of the row, or known before all rows?"""
    known = isinstance(count, Lit) or (count in e.env and count not in bound and e.scalar(count).is_uniform)
    return count == counter or known


def put(e: Emitter, part: Var) -> bool:
    """Keep the factor of a row that waits."""
    if part not in e.waiting:
        return False
    factors, counter, factor = e.waiting[part]
    access.store(e, factors, e.scalar(counter), e.scalar(factor))
    return True


def _add(e: Emitter, one: Waiting, rows: Scalar) -> None:
    """W elements of all rows after the other, the rows that are shorter than that under masks."""
    own = one.count == one.counter
    longest = affine.sub(e, rows, size(1)) if own else e.scalar(one.count)
    kept, index = e.rows[one.made.row], e.frame.local("i64")
    e.w.line(f"store i64 0, ptr {index}")

    def group() -> None:
        first = e.read(index, I64)
        starts = [affine.add(e, first, affine.mul(e, kept.dims[0], size(lane))).text for lane in range(e.width)]
        columns = [Scalar(kept.dtype, access.vector_from(e, kept, start), VARYING) for start in starts]
        after = affine.add(e, first, size(e.width))
        if own:
            begin, middle = affine.add(e, first, size(1)), e.apply("min", (after, rows), I64)
        else:
            whole = e.w.op(f"icmp sle i64 {after.text}, {longest.text}")
            begin = size(0)
            middle = Scalar(I64, e.w.op(f"select i1 {whole}, i64 0, i64 {rows.text}"))
        if own or longest.literal is None or longest.literal % e.width:
            _rows(e, one, columns, (begin, middle), first, lambda r: r if own else longest)
        _rows(e, one, columns, (middle, rows), first, None)

    control.guarded(e, index, affine.add(e, longest, size(e.width - 1)).text, e.width, group, 0)


def _rows(
    e: Emitter,
    one: Waiting,
    columns: Sequence[Scalar],
    span: tuple[Scalar, Scalar],
    first: Scalar,
    end: Callable[[Scalar], Scalar] | None,
) -> None:
    """W elements from `first` on of the rows of a span, all of them or those before the end of a row."""
    index, dtype = e.frame.local("i64"), one.target.dtype
    e.w.line(f"store i64 {span[0].text}, ptr {index}")
    places = Scalar(I64, first.text, "1")

    def row() -> None:
        r = e.read(index, I64)
        if end is not None:
            e.mask = e.w.op(f"icmp slt {llvm_type(I64, e.width)} {e.spread(places)}, {e.spread(end(r))}")
        at = Scalar(I64, affine.offset_at(e, one.target, (r, first)).text, "1")
        total = access.load(e, one.target, at)
        for lane, column in enumerate(columns):
            factor = _factor(e, one.factors, affine.add(e, affine.mul(e, r, size(e.width)), size(lane)))
            total = e.apply("add", (total, e.apply("mul", (column, factor), dtype)), dtype)
        access.store(e, one.target, at, total)
        e.mask = None

    control.guarded(e, index, span[1].text, 1, row, 0)


def _factor(e: Emitter, factors: Array, at: Scalar) -> Scalar:
    """The factor of a row in one lane."""
    text = f"load {memory_type(factors.dtype)}, ptr {access.pointer(e, factors, at.text)}{access.tag(e, factors)}"
    return Scalar(factors.dtype, e.w.op(text))
