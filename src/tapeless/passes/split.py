"""Split: the dear numbers of a sum of vectors are computed first, side by side.

    reduce i { w = dear(i); map k { e(i, k, w) } }   ->   W = map i { dear(i) }
                                                          reduce i { map k { e(i, k, W[i]) } }

A sum of vectors whose length is not known is done one vector after another. Its numbers need not be: a map of them
runs in lanes, so that eight exponentials take as long as one. It is done where numbers take an elementary function, and
where the sum reads an array at i, beside which W takes little memory. Checks are made with the numbers, as before.

Vectors that turn out to be short are summed up element by element instead, `map k { reduce i { e(i, k, W[i]) } }`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var, i64, zero
from ..ir.walk import free_vars, inline, map_lambdas, refresh, statements, substitute
from ..records import dataclass
from . import dce
from .cost import has_check
from .notes import Notes
from .rewrite import name_of
from .sums import operators

# An operation that costs so much is worth a pass over memory.
DEAR = 8.0
# So many numbers are kept for a vector.
NUMBERS = 4
# Shorter vectors than this are summed up element by element, over points side by side.
SHORT = 8


def run(function: Function, notes: Notes) -> Function:
    """The function with the numbers of its sums of vectors computed apart."""
    if not any(isinstance(stm.expr, Reduce) for stm in statements(function.body)):
        return function
    body = _block(function.body, notes)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes) -> Block:
    """Only what runs by itself: inside another parallel form its iterations are side by side already."""
    stms: list[Stm] = []
    for stm in block.stms:
        sum_ = _sum(stm)
        if sum_ is not None:
            notes.add(stm.pos, "numbers", "computed side by side before the sum", "they take elementary functions")
            stms += _apart(stm, sum_)
        elif isinstance(stm.expr, For | While | If):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        else:
            stms.append(stm)
    return Block(tuple(stms), block.results)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of vectors: the statements that make numbers, those that make vectors, and the numbers these read."""

    points: Reduce
    numbers: tuple[Stm, ...]
    vectors: tuple[Stm, ...]
    kept: tuple[Var, ...]


def _sum(stm: Stm) -> _Sum | None:
    expr = stm.expr
    if not isinstance(expr, Reduce) or set(operators(expr) or "?") != {"add"}:
        return None
    if any(len(var.type.shape) != 1 or isinstance(var.type.shape[0], Lit) for var in stm.vars):
        return None
    body, counter = expr.body.body, expr.body.params[0]
    vectors = tuple(s for s in body.stms if _is_array(s))
    numbers = tuple(s for s in body.stms if s not in vectors)
    own = {var.name: var for s in numbers for var in s.vars}
    kept = tuple(own[var.name] for var in free_vars(Block(vectors, body.results)) if var.name in own)
    made = _Sum(expr, numbers, vectors, kept)
    if has_check(vectors) or not 0 < len(kept) <= NUMBERS or not all(var.type.dtype.is_float for var in kept):
        return None
    # Vectors read numbers, never the other way round.
    if {var.name for s in vectors for var in s.vars} & {var.name for var in free_vars(Block(numbers, ()))}:
        return None
    return made if _is_dear(numbers) and _reads_at(body, counter) else None


def _is_array(stm: Stm) -> bool:
    return any(var.type.shape for var in stm.vars)


def _is_dear(numbers: Sequence[Stm]) -> bool:
    return any(
        isinstance(s.expr, Apply) and lookup(s.expr.op).cost >= DEAR for s in statements(Block(tuple(numbers), ()))
    )


def _reads_at(body: Block, counter: Var) -> bool:
    """Is an array read at the counter itself?"""
    return any(
        isinstance(s.expr, Apply) and s.expr.op == "index" and name_of(s.expr.args[1]) == counter.name
        for s in statements(body)
    )


def _apart(stm: Stm, sum_: _Sum) -> list[Stm]:
    b, points = Builder(stm.pos), sum_.points
    numbers = Lambda(points.body.params, Block(sum_.numbers, sum_.kept))
    arrays = b.map_(points.size, lambda b, i: b.splice(inline(numbers, (i,))))
    maker = sum_.vectors[-1]
    if len(stm.vars) == 1 and isinstance(maker.expr, Map) and maker.vars == points.body.body.results:
        is_short = b.apply("lt", maker.expr.size, i64(SHORT))
        b.if_(is_short, lambda b: _by_elements(b, sum_, arrays), lambda b: _by_vectors(b, sum_, arrays))
    else:
        _by_vectors(b, sum_, arrays)
    b.stms[-1] = Stm(stm.vars, b.stms[-1].expr, stm.pos)
    return b.stms


def _by_vectors(b: Builder, sum_: _Sum, arrays: Sequence[Var]) -> Sequence[Atom]:
    """One vector after another."""
    points = sum_.points

    def vector(b: Builder, i: Var) -> Sequence[Atom]:
        return _with_numbers(b, sum_, arrays, (), Block(sum_.vectors, points.body.body.results), (i,))

    return b.reduce(points.size, refresh(points.op), points.neutral, vector)


def _by_elements(b: Builder, sum_: _Sum, arrays: Sequence[Var]) -> Sequence[Atom]:
    """One element after another, each a sum over all points: these are in lanes."""
    points, maker = sum_.points, sum_.vectors[-1].expr
    assert isinstance(maker, Map)
    block = Block((*sum_.vectors[:-1], *maker.body.body.stms), maker.body.body.results)

    def element(b: Builder, k: Var) -> Sequence[Atom]:
        def term(b: Builder, i: Var) -> Sequence[Atom]:
            return _with_numbers(b, sum_, arrays, maker.body.params, block, (i, k))

        start = b.apply("index", points.neutral[0], k)
        (total,) = b.reduce(points.size, "add", (zero(start.type.dtype),), term)
        return (b.apply("add", start, total),)

    return b.map_(maker.size, element)


def _with_numbers(
    b: Builder, sum_: _Sum, arrays: Sequence[Var], params: Sequence[Var], block: Block, at: Sequence[Var]
) -> Sequence[Atom]:
    """A block that reads the numbers of point `at[0]`, with the rest of `at` for its parameters."""
    read: dict[Var, Atom] = {var: b.apply("index", a, at[0]) for var, a in zip(sum_.kept, arrays, strict=True)}
    one = refresh(Lambda((*sum_.points.body.params, *params), substitute(block, read)))
    return b.splice(inline(one, tuple(at)))
