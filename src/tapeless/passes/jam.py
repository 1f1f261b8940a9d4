"""Jam: eight rows of a matrix product at a time, so that each element of the other matrix is loaded once for all.

    map i { map j { reduce k { a[i, k] * b[k, j] } } }

reads all of b for every i. Eight iterations of the outer map are written into one body, loop by loop: one map over j
and one reduction over k, with eight accumulators and one load of b. What does not depend on i is computed once. The
last block repeats the last row where there are none left. Maps and reductions outside any other operator are jammed
when there is a reduction in a loop inside, which reads something that is the same for all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, inline, map_lambdas, statements
from . import dce
from .cost import has_check, statement_count
from .notes import Notes
from .rewrite import name_of
from .sums import operators
from .uses import mentioned, reached

ROWS = 8
STATEMENTS = 40
NEAR = 4096


def run(function: Function, notes: Notes) -> Function:
    """The function with the rows of its matrix products taken together."""
    body = _block(function.body, notes)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes) -> Block:
    stms: list[Stm] = []
    for stm in block.stms:
        if isinstance(stm.expr, Map | Reduce) and _is_product(stm, stm.expr):
            notes.add(stm.pos, "loop", f"{ROWS} rows at a time", "they read the same elements")
            stms += _jammed(stm, stm.expr)
        elif isinstance(stm.expr, For | While | If):
            inner = map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body, notes)))
            stms.append(Stm(stm.vars, inner, stm.pos))
        else:
            stms.append(stm)
    return Block(tuple(stms), block.results)


# -- which maps -----------------------------------------------------------------------------------


def _is_product(stm: Stm, expr: Map | Reduce) -> bool:
    body = expr.body.body
    if isinstance(expr, Reduce) and (operators(expr) is None or any(atom.type.shape for atom in expr.neutral)):
        return False
    if isinstance(expr.size, Lit) or has_check((stm,)) or statement_count(body) > STATEMENTS:
        return False
    varied = reached(body, (expr.body.params[0].name,))
    inside = list(statements(body))
    return all(_fits(s, varied) for s in inside) and any(_shares(s, varied) for s in body.stms)


def _fits(stm: Stm, varied: set[str]) -> bool:
    """Can the rows do this statement together: is every loop a map or a sum, of the same length for all?"""
    if any(name_of(size) in varied for var in stm.vars for size in var.type.shape):
        return False
    match stm.expr:
        case Apply():
            return True
        case Map(size):
            return name_of(size) not in varied
        case Reduce(size, op):
            return name_of(size) not in varied and not mentioned(op) & varied - {p.name for p in op.params}
        case _:
            return False


def _shares(stm: Stm, varied: set[str]) -> bool:
    """Is this a loop of sums that read something which is the same for all rows, and something which is not?"""
    if not isinstance(stm.expr, Map | Reduce):
        return False
    for inner in stm.expr.body.body.stms:
        if isinstance(inner.expr, Reduce) and not inner.vars[0].type.shape and not _is_near(stm.expr, inner.expr):
            reads = [s for s in inner.expr.body.body.stms if isinstance(s.expr, Apply) and s.expr.op == "index"]
            kinds = {bool({name_of(arg) for arg in s.expr.args} & varied) for s in reads if isinstance(s.expr, Apply)}
            if kinds == {True, False}:
                return True
    return False


def _is_near(outer: Map | Reduce, inner: Reduce) -> bool:
    """Is what the rows share so small that it stays in the nearest cache, so that reading it again is cheap?"""
    sizes = [form.size.value for form in (outer, inner) if isinstance(form.size, Lit)]
    return len(sizes) == 2 and sizes[0] * sizes[1] <= NEAR


# -- jamming --------------------------------------------------------------------------------------


def _jammed(stm: Stm, expr: Map | Reduce) -> list[Stm]:
    """The form over blocks of rows; the last block repeats the last row where there are no more."""
    b = Builder(stm.pos)
    raised = b.apply("add", expr.size, i64(ROWS - 1))
    blocks = b.apply("floordiv", raised, i64(ROWS))
    last = b.apply("sub", expr.size, i64(1))

    def rows(b: Builder, block: Var) -> tuple[list[Atom], list[list[Atom]]]:
        first = b.apply("mul", block, i64(ROWS))
        indices = [b.apply("add", first, i64(row)) for row in range(ROWS)]
        jam = _Jam({expr.body.params[0].name: [b.apply("min", index, last) for index in indices]})
        body = inline(expr.body, (expr.body.params[0],))
        jam.statements(b, body.stms)
        return list(indices), [jam.rows(result) for result in body.results]

    match expr:
        case Map():
            together = b.apply("mul", blocks, i64(ROWS))
            main = b.map_(blocks, lambda b, block: [b.apply("stack", *values) for values in rows(b, block)[1]])
            for var, whole in zip(stm.vars, main, strict=True):
                flat = b.apply("reshape", whole, together, *whole.type.shape[2:])
                b.stms.append(Stm((var,), Apply("slice", (flat, i64(0), expr.size, i64(1))), stm.pos))
        case Reduce(_, op, neutral):
            names = operators(expr) or []
            main = b.reduce(blocks, op, neutral, lambda b, block: _folded(b, expr, names, *rows(b, block)))
            vars = dict(zip(main, stm.vars, strict=True))
            b.stms[-1] = Stm(tuple(vars[var] for var in main), b.stms[-1].expr, stm.pos)
    return b.stms


def _folded(
    b: Builder, expr: Reduce, names: Sequence[str], indices: Sequence[Atom], values: Sequence[list[Atom]]
) -> list[Atom]:
    """The values of all rows that there are, combined for each accumulator."""
    exist = [b.apply("lt", index, expr.size) for index in indices]
    return [
        reduce(
            lambda x, y, name=name: b.apply(name, x, y),
            [b.apply("select", there, value, nothing) for there, value in zip(exist, rows, strict=True)],
        )
        for name, nothing, rows in zip(names, expr.neutral, values, strict=True)
    ]


class _Jam:
    """Writes statements for all rows; `copies` holds what a name stands for in each row, where that differs."""

    def __init__(self, copies: dict[str, list[Atom]]) -> None:
        self.copies = copies

    def rows(self, atom: Atom) -> list[Atom]:
        """What an atom is in each row."""
        return self.copies.get(name_of(atom), [atom] * ROWS)

    def statements(self, b: Builder, stms: Iterable[Stm]) -> None:
        for stm in stms:
            if not mentioned(stm) & self.copies.keys():
                b.stms.append(stm)
                continue
            with b.at(stm.pos):
                self._statement(b, stm)

    def _statement(self, b: Builder, stm: Stm) -> None:
        match stm.expr:
            case Apply(op, args, attrs):
                news = [b.apply(op, *row, attrs=attrs) for row in zip(*map(self.rows, args), strict=True)]
                self.copies[stm.vars[0].name] = list(news)
            case Map(size, body):
                self._bind(b, stm, Map(size, self._lambda(b, body)))
            case Reduce(size, op, neutral, body):
                start = [atom for row in self._by_row(neutral) for atom in row]
                self._bind(b, stm, Reduce(size, self._operator(op), tuple(start), self._lambda(b, body)))
            case _:
                raise AssertionError("refused before")

    def _bind(self, b: Builder, stm: Stm, expr: Expr) -> None:
        """The results of all rows, row by row."""
        vars = [[fresh(var.name, var.type) for var in stm.vars] for _ in range(ROWS)]
        b.stms.append(Stm(tuple(var for row in vars for var in row), expr, stm.pos))
        for k, var in enumerate(stm.vars):
            self.copies[var.name] = [row[k] for row in vars]

    def _by_row(self, atoms: Sequence[Atom]) -> list[tuple[Atom, ...]]:
        return list(zip(*map(self.rows, atoms), strict=True))

    def _lambda(self, b: Builder, lam: Lambda) -> Lambda:
        inner = b.child()
        self.statements(inner, lam.body.stms)
        return Lambda(lam.params, inner.block(atom for row in self._by_row(lam.body.results) for atom in row))

    def _operator(self, op: Lambda) -> Lambda:
        half = len(op.params) // 2
        accs, values = (
            [fresh(p.name, Type(p.type.dtype, p.type.shape)) for p in op.params[:half] * ROWS] for _ in "ab"
        )
        stms: list[Stm] = []
        results: list[Atom] = []
        for row in range(ROWS):
            here = slice(row * half, (row + 1) * half)
            block = inline(op, (*accs[here], *values[here]))
            stms += block.stms
            results += block.results
        return Lambda((*accs, *values), Block(tuple(stms), tuple(results)))
