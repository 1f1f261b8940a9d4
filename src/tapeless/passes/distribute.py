"""Distribute: a sum over points of what all parts get becomes, for each part, a sum over the points.

    reduce i { w = ...; map k { rows(i, k, w) } }   ->   W = map i { w }
                                                         map k { reduce i { rows(i, k, W[i]) } }

The sum of all parts, a matrix for each, is too large for the caches near the core, and it would be read and written
once for each strip of points. The sum of one part is not, nor is what that part alone reads. What a point has for all
parts is computed first and kept: numbers, and one number for each part. It pays where a part takes many operations
for each number kept. Some thousand points at a time are treated so, whose numbers take little memory. What a point has
for each part may be dear, too: then that is computed part by part as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Type, Var, i64, zero
from ..ir.walk import free_vars, inline, map_lambdas, statements, substitute
from ..records import dataclass
from . import dce
from .cost import block_cost, has_check
from .notes import Notes
from .rewrite import name_of
from .sums import operators, sum_operator, zero_arrays
from .uses import bound_names

# Operations of a part for each number that is kept.
DEAR = 100.0
# So many elements of a sum are near the core.
NEAR = 8192
# Points of which numbers are kept at a time.
ROUND = 4096


def run(function: Function, notes: Notes) -> Function:
    """The function with its sums over points done part by part."""
    if not any(isinstance(stm.expr, Reduce) for stm in statements(function.body)):
        return function
    body = _block(function.body, zero_arrays(function), notes)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, zeros: Set[Var], notes: Notes) -> Block:
    """Only what runs by itself: inside another parallel form a sum has a small share of the work."""
    stms: list[Stm] = []
    for stm in block.stms:
        sum_ = _sum(stm, zeros)
        if sum_ is not None:
            notes.add(stm.pos, "parts", "summed one by one", "the sum of one part is near the core")
            stms += _by_parts(stm, sum_)
        elif isinstance(stm.expr, For | While | If):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, zeros, notes)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        else:
            stms.append(stm)
    return Block(tuple(stms), block.results)


# -- which sums -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum over points: statements before the parts, views among them, what is kept, and the parts."""

    points: Reduce
    before: tuple[Stm, ...]
    views: tuple[Stm, ...]
    kept: tuple[Var, ...]
    parts: Stm


def _sum(stm: Stm, zeros: Set[Var]) -> _Sum | None:
    expr = stm.expr
    if not isinstance(expr, Reduce) or isinstance(expr.size, Lit) or set(operators(expr) or "?") != {"add"}:
        return None
    if not all(start in zeros for start in expr.neutral):
        return None
    body = expr.body.body
    parts = next((s for s in body.stms if s.vars and set(body.results) <= set(s.vars)), None)
    if parts is None or not isinstance(parts.expr, Map) or has_check((parts,)):
        return None
    if all(var.type.rank < 3 or _elements(var.type) <= NEAR for var in parts.vars):
        return None
    before = tuple(s for s in body.stms if s is not parts)
    inside = bound_names(Block(before, ())) | {expr.body.params[0].name}
    made = _Sum(expr, before, *_needed(before, parts, inside), parts)
    return made if _is_possible(made, inside) and _pays(made) else None


def _elements(type: Type) -> float:
    """How many elements an array has; more than any number when that is not known."""
    return math.prod(size.value if isinstance(size, Lit) else math.inf for size in type.shape)


def _needed(before: Sequence[Stm], parts: Stm, inside: Set[str]) -> tuple[tuple[Stm, ...], tuple[Var, ...]]:
    """What the parts read of the statements before them: views that are made again, and what is kept."""
    wanted = {var for var in free_vars(parts.expr) if var.name in inside}
    own = {var.name for stm in before for var in stm.vars}
    views = tuple(stm for stm in before if wanted.intersection(stm.vars) and _is_view(stm, own))
    seen = {stm.vars[0] for stm in views}
    kept = tuple(var for stm in before for var in stm.vars if var in wanted and var not in seen)
    return views, kept


def _is_view(stm: Stm, own: Set[str]) -> bool:
    """Is this a row of an array from outside?"""
    match stm.expr:
        case Apply("index", args) if stm.vars[0].type.shape:
            return not any(name_of(arg) in own for arg in args)
        case _:
            return False


def _is_possible(sum_: _Sum, inside: Set[str]) -> bool:
    assert isinstance(sum_.parts.expr, Map)
    count = sum_.parts.expr.size
    shapes = [var.type.shape for var in (*sum_.kept, *sum_.parts.vars)]
    if any(name_of(size) in inside for shape in (*shapes, (count,)) for size in shape):
        return False
    return all(var.type.shape in ((), (count,)) for var in sum_.kept)


def _pays(sum_: _Sum) -> bool:
    assert isinstance(sum_.parts.expr, Map)
    return block_cost(sum_.parts.expr.body.body) >= DEAR * max(1, len(sum_.kept))


# -- part by part ---------------------------------------------------------------------------------


def _by_parts(stm: Stm, sum_: _Sum) -> list[Stm]:
    """The sum in rounds of so many points that what is kept of them takes little memory."""
    b, points = Builder(stm.pos), sum_.points
    raised = b.apply("add", points.size, i64(ROUND - 1))
    rounds = b.apply("floordiv", raised, i64(ROUND))

    def round(b: Builder, number: Var, *sums: Var) -> Sequence[Atom]:
        first = b.apply("mul", number, i64(ROUND))
        count = b.apply("min", b.apply("sub", points.size, first), i64(ROUND))
        return b.splice(inline(points.op, (*sums, *_part_sums(b, sum_, first, count))))

    b.for_(rounds, points.neutral, round)
    b.stms[-1] = Stm(stm.vars, b.stms[-1].expr, stm.pos)
    return b.stms


def _part_sums(b: Builder, sum_: _Sum, first: Atom, count: Atom) -> Sequence[Atom]:
    """The sums of all parts over `count` points."""
    parts, counter = sum_.parts.expr, sum_.points.body.params[0]
    assert isinstance(parts, Map)
    results = [parts.body.body.results[sum_.parts.vars.index(x)] for x in sum_.points.body.body.results]  # type: ignore[arg-type]

    # Where points are checked, nothing of them may be read before.
    tables = {} if has_check(sum_.before) else _tables(b, sum_, first, count)

    def numbers(b: Builder, j: Var) -> Sequence[Atom]:
        i = b.apply("add", first, j)
        before = tuple(_read(stm, tables[stm], j) if stm in tables else stm for stm in sum_.before)
        return b.splice(inline(Lambda((counter,), Block(before, sum_.kept)), (i,)))

    arrays = b.map_(count, numbers)  # with all checks of the points

    def part(b: Builder, k: Var) -> Sequence[Atom]:
        def values(b: Builder, j: Var) -> Sequence[Atom]:
            i = b.apply("add", first, j)
            read: dict[Var, Atom] = {v: b.apply("index", a, j) for v, a in zip(sum_.kept, arrays, strict=True)}
            block = Block((*sum_.views, *parts.body.body.stms), tuple(results))
            return b.splice(inline(Lambda((counter, *parts.body.params), substitute(block, read)), (i, k)))

        start = [_zeros(b, result) for result in results]
        return b.reduce(count, sum_operator(b, [x.type for x in results]), start, values)

    return b.map_(parts.size, part)


def _tables(b: Builder, sum_: _Sum, first: Atom, count: Atom) -> dict[Stm, Sequence[Var]]:
    """What a point has for each part, where that is dear: for all points of one part after another.

    So what belongs to a part is read from memory once for all points, not for each of them again.
    """
    counter = sum_.points.body.params[0]
    own = {var.name for stm in sum_.before for var in stm.vars}
    rows = tuple(stm for stm in sum_.before if _is_view(stm, own))
    computed = own - {stm.vars[0].name for stm in rows}
    tables: dict[Stm, Sequence[Var]] = {}
    for stm in sum_.before:
        maker = stm.expr
        if not isinstance(maker, Map) or not _is_table(stm, maker, computed):
            continue
        value = Lambda((counter, *maker.body.params), Block((*rows, *maker.body.body.stms), maker.body.body.results))

        def part(b: Builder, k: Var, value: Lambda = value) -> Sequence[Atom]:
            return b.map_(count, lambda b, j: b.splice(inline(value, (b.apply("add", first, j), k))))

        tables[stm] = b.map_(maker.size, part)
    return tables


def _is_table(stm: Stm, maker: Map, computed: Set[str]) -> bool:
    """Is this a number for each part, dear, and made of nothing that is computed for the point?"""
    numbers = all(var.type.rank == 1 for var in stm.vars)
    own = any(var.name in computed for var in free_vars(maker))
    return numbers and not own and block_cost(maker.body.body) >= DEAR


def _read(stm: Stm, table: Sequence[Var], j: Var) -> Stm:
    """The numbers of a point, read from tables."""
    assert isinstance(stm.expr, Map)
    b = Builder(stm.pos)
    b.map_(stm.expr.size, lambda b, k: [b.apply("index", column, k, j) for column in table])
    return Stm(stm.vars, b.stms[-1].expr, stm.pos)


def _zeros(b: Builder, value: Atom) -> Atom:
    start = zero(value.type.dtype)
    return b.apply("replicate", start, *value.type.shape) if value.type.shape else start
