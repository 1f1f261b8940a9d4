"""Reached: sums over the rows of a tangent pass over those that the direction does not reach.

    map s { x' = ...                           ->  map s { x' = ...;  (count, row) = the rows of x' that are not zero
            map i { for j < m {                            map i { for k < count {  j = row[k]
                    t' += e(i, j) * x'[j] } } }                    t' += e(i, j) * x'[j] } } }

in the sweeps for the columns of a Jacobian: direction s is a basis vector (operation `basis`), so that most of what is
made of it is zero where a program has parts. The joints of a finger do not move the other fingers, a coefficient of a
spline belongs to few cells. Which rows these are is known only at run time, and is found once for all points i, which
are many. Only sums pass over rows, in order, and rows that are blocks of several numbers. A product with such a zero is
zero, as with what is known to be zero while compiling. This comes after all derivatives: those of rows that are zero
need not be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, For, Function, Lambda, Map, Reduce, Stm
from ..ir.types import BOOL, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, map_lambdas, operands, statements
from ..records import replace
from . import dce
from .notes import Notes
from .row_sums import Reading

# A row of fewer numbers, or fewer rows, are not worth a look.
NUMBERS, ROWS = 4, 8

Rows = tuple[Var, Var]


def run(function: Function, notes: Notes) -> Function:
    """The function with loops that pass over the rows that a direction does not reach."""
    if not _has_basis(function.body):
        return function
    return replace(function, body=_block(function.body, notes))


def _block(block: Block, notes: Notes) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        expr = map_lambdas(stm.expr, lambda inner: Lambda(inner.params, _block(inner.body, notes)))
        if isinstance(expr, Map) and any(_is_seed(s) for s in expr.body.body.stms):
            sweep = _Sweep(notes)
            for inner in expr.body.body.stms:
                sweep.statement(inner)
            body = Block(tuple(sweep.stms), expr.body.body.results)
            expr = Map(expr.size, Lambda(expr.body.params, body))
        stms.append(replace(stm, expr=expr))
    return Block(tuple(stms), block.results)


def _has_basis(block: Block) -> bool:
    return any(isinstance(stm.expr, Apply) and stm.expr.op == "basis" for stm in statements(block))


def _is_seed(stm: Stm) -> bool:
    """Does a statement make a basis vector, or a number of one?"""
    return isinstance(stm.expr, Apply | Map) and _has_basis(Block((stm,), ()))


class _Sweep:
    """The statements so far for one direction, what moves with it, and which rows of which arrays were asked for."""

    def __init__(self, notes: Notes) -> None:
        self.stms: list[Stm] = []
        self._notes = notes
        self._moving: set[str] = set()
        self._arrays: dict[str, Var] = {}
        self._rows: dict[frozenset[str], Rows] = {}

    def statement(self, stm: Stm) -> None:
        expr = stm.expr
        if isinstance(expr, Map) and not isinstance(expr.size, Lit) and self._arrays:
            expr = self._inside(expr)
        self.stms.append(replace(stm, expr=expr))
        made = [var for var in stm.vars if _is_seed(stm) or self._moves(stm, var)]
        self._moving.update(var.name for var in made)
        self._arrays.update((var.name, var) for var in made if _has_blocks(var.type))

    def _moves(self, stm: Stm, var: Var) -> bool:
        return any(read.name in self._moving for read in dce.needs(stm, (var,)))

    def _points(self, block: Block) -> Block:
        """What is computed at one point, at any depth."""
        stms: list[Stm] = []
        for stm in block.stms:
            parts = self._loop(stm, stm.expr) if isinstance(stm.expr, For | Reduce) else None
            stms += parts or (replace(stm, expr=self._inside(stm.expr)),)
        return Block(tuple(stms), block.results)

    def _inside(self, expr: Expr) -> Expr:
        return map_lambdas(expr, lambda inner: Lambda(inner.params, self._points(inner.body)))

    def _loop(self, stm: Stm, loop: For | Reduce) -> list[Stm] | None:
        """A loop as what it computes besides sums of rows, and these sums over the rows that are not zero."""
        size = operands(loop)[0]
        reading = Reading(loop, {name: var for name, var in self._arrays.items() if var.type.shape[0] == size})
        sums = reading.sums()
        if not sums:
            return None
        self._notes.add(stm.pos, "rows", "only those that a direction reaches", "the others are zero in its column")
        others = dce.live(Block((stm,), tuple(var for k, var in enumerate(stm.vars) if k not in sums))).stms
        rows = self._nonzero(reading.read)
        return [*others, _over_rows(dce.part(stm, [stm.vars[k] for k in sorted(sums)]), *rows)]

    def _nonzero(self, read: Mapping[str, Var]) -> Rows:
        """How many rows of these arrays are not all zero, and which."""
        key = frozenset(read)
        if key not in self._rows:
            b = Builder(self.stms[-1].pos)
            self._rows[key] = _list_rows(b, list(read.values()))
            self.stms += b.stms
        return self._rows[key]


def _has_blocks(type: Type) -> bool:
    """Are these rows that are worth a look? The sizes of a row are known."""
    if not type.dtype.is_float or type.rank < 2:
        return False
    count, *sizes = type.shape
    numbers = math.prod(n.value if isinstance(n, Lit) else 0 for n in sizes)
    return numbers >= NUMBERS and (not isinstance(count, Lit) or count.value >= ROWS)


# -- what is written instead -------------------------------------------------------------------------------


def _over_rows(stm: Stm, count: Var, rows: Var) -> Stm:
    """A loop over some rows; what may fail was asked before."""
    loop = stm.expr
    assert isinstance(loop, For | Reduce)
    counter, *carried = loop.body.params
    number = fresh("row", counter.type)
    row = Stm((counter,), Apply("index", (rows, number)), stm.pos)
    kept = (row, *(s for s in loop.body.body.stms if not isinstance(s.expr, Check)))
    body = Lambda((number, *carried), Block(kept, loop.body.body.results))
    changed = For(count, loop.init, body) if isinstance(loop, For) else replace(loop, size=count, body=body)
    return replace(stm, expr=changed)


def _list_rows(b: Builder, arrays: Sequence[Var]) -> Rows:
    """How many rows are not zero in one of the arrays, and their numbers in front of a list."""
    size = arrays[0].type.shape[0]

    def any_in(b: Builder, block: Atom) -> Atom:
        """Is a number of a block not zero?"""
        if not block.type.shape:
            return b.apply("ne", block, Lit(0.0, block.type.dtype))
        start = (Lit(False, BOOL),)
        return b.reduce(block.type.shape[0], "or", start, lambda b, j: (any_in(b, b.apply("index", block, j)),))[0]

    def step(b: Builder, j: Var, count: Var, rows: Var) -> Sequence[Atom]:
        met = [any_in(b, b.apply("index", array, j)) for array in arrays]
        reached = met[0]
        for other in met[1:]:
            reached = b.apply("or", reached, other)
        return b.apply("add", count, b.apply("select", reached, i64(1), i64(0))), b.apply("update", rows, j, count)

    count, rows = b.for_(size, (i64(0), b.apply("replicate", i64(0), size)), step)
    return count, rows
