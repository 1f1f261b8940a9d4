"""Defer: rows that only a later reduction reads are made there, so that the matrix of them need not exist.

    A, B = map r { s = ...; row = map c { s * l[r, c] }; ...; return row, ... }
    reduce r { A[r] }

becomes a map that keeps the numbers s instead of the rows, and a reduction that makes each row from them. The rows are
made once either way; only statements that make arrays move, and what they read of the body must be numbers. (Where the
reduction is the only consumer of the whole map, vertical fusion has joined them before.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..ir.core import Apply, Block, Check, Function, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Var
from ..ir.walk import fresh, inline, map_lambdas, substitute
from ..records import dataclass
from . import dce
from .cost import has_check
from .fuse_vertical import is_movable, reads
from .notes import Notes
from .rewrite import name_of
from .uses import mentioned, slice_for, use_counts
from .views import same

# So many numbers are kept for a row.
NUMBERS = 4


def run(function: Function, notes: Notes) -> Function:
    """The function with rows made where they are read."""
    body = _block(function.body)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block) -> Block:
    stms, uses = list(block.stms), use_counts(block)
    for number, stm in enumerate(stms):
        if isinstance(stm.expr, Reduce):
            _defer(stms, number, uses)
    return Block(tuple(_inside(stm) for stm in stms), block.results)


def _inside(stm: Stm) -> Stm:
    if isinstance(stm.expr, Apply | Check):
        return stm
    return Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body))), stm.pos)


def _defer(stms: list[Stm], number: int, uses: Counter[str]) -> None:
    """Let the reduction make the rows that only it reads."""
    for candidate in range(number - 1, -1, -1):
        producer, consumer = stms[candidate], stms[number]
        if not isinstance(producer.expr, Map) or not mentioned(consumer) & {var.name for var in producer.vars}:
            continue
        for k, var in enumerate(producer.vars):
            moved = _moved(producer.expr, k) if _is_read_here(stms, (candidate, number), var, uses) else None
            if moved is not None:
                stms[candidate], stms[number] = _moved_over(producer, consumer, k, moved)
                return


def _is_read_here(stms: Sequence[Stm], at: tuple[int, int], var: Var, uses: Counter[str]) -> bool:
    """Does the reduction alone read this array, at its own index, and may it be made that late?"""
    producer, consumer = (stms[number].expr for number in at)
    assert isinstance(producer, Map)
    assert isinstance(consumer, Reduce)
    if var.type.rank < 2 or not same(producer.size, consumer.size) or has_check((stms[at[0]],)):
        return False
    found = list(reads((stms[at[1]],), {var.name}))
    counter = consumer.body.params[0].name
    own = all(read is not None and name_of(read.indices[0]) == counter for read in found)
    return own and 0 < len(found) == uses[var.name] and is_movable(stms, *at, {var.name})


@dataclass(frozen=True, slots=True)
class _Moved:
    """The statements that make a row, and the numbers that they read."""

    stms: tuple[Stm, ...]
    numbers: tuple[Var, ...]


def _moved(producer: Map, k: int) -> _Moved | None:
    body, row = producer.body.body, producer.body.body.results[k]
    makers = {var.name: stm for stm in body.stms for var in stm.vars}
    stms = tuple(stm for stm in slice_for(body, (row,), checks=True).stms if _makes_array(stm))
    made = {var.name for stm in stms for var in stm.vars}
    read = {name: makers[name] for stm in stms for name in mentioned(stm) if name in makers and name not in made}
    numbers = [var for name, stm in read.items() for var in stm.vars if var.name == name]
    cheap = all(_is_cheap(stm) for stm in stms)
    if not stms or not cheap or any(var.type.shape for var in numbers) or len(numbers) > NUMBERS:
        return None
    others = slice_for(body, [x for number, x in enumerate(body.results) if number != k], checks=True).stms
    if any(isinstance(stm.expr, Map) and stm in others for stm in stms):
        return None  # the map goes on making them, for others
    return _Moved(stms, tuple(sorted(numbers, key=lambda var: list(makers).index(var.name))))


def _makes_array(stm: Stm) -> bool:
    return any(var.type.shape for var in stm.vars)


def _is_cheap(stm: Stm) -> bool:
    """Is this an operation, or a map whose body is made of operations?"""
    if isinstance(stm.expr, Map):
        return all(isinstance(inner.expr, Apply) for inner in stm.expr.body.body.stms)
    return isinstance(stm.expr, Apply)


def _moved_over(producer: Stm, consumer: Stm, k: int, moved: _Moved) -> tuple[Stm, Stm]:
    assert isinstance(producer.expr, Map)
    assert isinstance(consumer.expr, Reduce)
    size, body, old = producer.expr.size, producer.expr.body, consumer.expr.body
    arrays = [fresh(var.name, var.type.stacked(size)) for var in moved.numbers]
    others = [var for var in producer.vars if var is not producer.vars[k]]
    results = [x for number, x in enumerate(body.body.results) if number != k]
    kept = Lambda(body.params, Block(body.body.stms, (*results, *moved.numbers)))
    first = Stm((*others, *arrays), Map(size, kept), producer.pos)

    counter, row = old.params[0], body.body.results[k]
    news = [fresh(var.name, var.type) for var in moved.numbers]
    loads = [Stm((new,), Apply("index", (array, counter))) for new, array in zip(news, arrays, strict=True)]
    made = inline(Lambda((body.params[0], *moved.numbers), Block(moved.stms, (row,))), (counter, *news))
    new = _reading(old.body, producer.vars[k], made.results[0])
    joined = Lambda(old.params, Block((*loads, *made.stms, *new.stms), new.results))
    expr = map_lambdas(consumer.expr, lambda lam: joined if lam is old else lam)
    return first, Stm(consumer.vars, expr, consumer.pos)


def _reading(block: Block, array: Var, row: Atom) -> Block:
    """The block with `index(array, i, ...)` read from the row at i."""
    gone: dict[Var, Atom] = {}

    def change(block: Block) -> Block:
        stms: list[Stm] = []
        for stm in block.stms:
            expr = stm.expr
            if isinstance(expr, Apply) and expr.op == "index" and expr.args[0] == array:
                if len(expr.args) == 2:
                    gone[stm.vars[0]] = row
                    continue
                expr = Apply("index", (row, *expr.args[2:]))
            inner = map_lambdas(expr, lambda lam: Lambda(lam.params, change(lam.body)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        return Block(tuple(stms), block.results)

    return substitute(change(block), gone)
