"""Jam: eight rows of a matrix product at a time, so that each element of the other matrix is loaded once for all.

    map i { map j { reduce k { a[i, k] * b[k, j] } } }

reads all of b for every i. Eight iterations of the outer map are written into one body, loop by loop: one map over j
and one reduction over k, with eight accumulators and one load of b. What does not depend on i is computed once. The
last block repeats the last row where there are none left. Maps and reductions outside any other operator are jammed
when there is a reduction in a loop inside, which reads something that is the same for all rows.

Inside other operators the same is done to the map over j, if its sum reads a row that is the same for all j:

    map i { ... map j { reduce k { row[k] * b[j, k] } } ... }

takes eight of its elements at a time, with one load of the row for all. There may be few of them, so that those left
over are computed by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Lambda, Map, Reduce, Stm, While
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, inline, map_lambdas, refresh, statements
from . import dce
from .cost import has_check, statement_count
from .notes import Notes
from .products import emit_is_large, product
from .rewrite import name_of
from .sums import operators
from .uses import mentioned, reached

ROWS = 8
STATEMENTS = 40
NEAR = 4096


def run(function: Function, notes: Notes) -> Function:
    """The function with the rows of its matrix products taken together."""
    body = _block(function.body, notes, inside=False)
    return dce.run(Function(function.name, function.params, body, function.donated), notes)


def _block(block: Block, notes: Notes, *, inside: bool) -> Block:
    """`inside` another operator."""
    stms: list[Stm] = []
    for stm in block.stms:
        if not inside and isinstance(stm.expr, Map | Reduce) and _is_product(stm, stm.expr):
            notes.add(stm.pos, "loop", f"{ROWS} rows at a time", "they read the same elements")
            stms += _unless_large(stm, stm.expr)
        elif inside and isinstance(stm.expr, Map) and _is_row_of_product(stm, stm.expr):
            notes.add(stm.pos, "loop", f"{ROWS} elements at a time", "they read the same row")
            stms += _jammed_with_rest(stm, stm.expr)
        elif isinstance(stm.expr, Apply | Check):
            stms.append(stm)
        else:
            within = inside or not isinstance(stm.expr, For | While | If)
            lower = partial(_inner, notes=notes, inside=within)
            stms.append(Stm(stm.vars, map_lambdas(stm.expr, lower), stm.pos))
    return Block(tuple(stms), block.results)


def _inner(lam: Lambda, notes: Notes, *, inside: bool) -> Lambda:
    return Lambda(lam.params, _block(lam.body, notes, inside=inside))


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


def _is_row_of_product(stm: Stm, expr: Map) -> bool:
    """Is each element a sum that reads something which is the same for all elements, and something which is not?"""
    body = expr.body.body
    if isinstance(expr.size, Lit) or has_check((stm,)) or statement_count(body) > STATEMENTS:
        return False
    varied = reached(body, (expr.body.params[0].name,))
    sums = [s.expr for s in body.stms if isinstance(s.expr, Reduce)]
    if not sums or any(not isinstance(s.expr, Apply | Reduce) for s in body.stms):
        return False
    return all(_fits(s, varied) for s in statements(body)) and all(_is_flat_sum(s, varied) for s in sums)


def _is_flat_sum(expr: Reduce, varied: set[str]) -> bool:
    """Is it a sum of plain expressions of both kinds, what is the same for all and what is not?"""
    plain = all(isinstance(stm.expr, Apply) for stm in expr.body.body.stms)
    scalars = not any(atom.type.shape for atom in expr.neutral)
    return plain and scalars and operators(expr) is not None and _reads_both(expr, varied)


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
    outer = stm.expr
    sums = [s.expr for s in outer.body.body.stms if isinstance(s.expr, Reduce) and not s.vars[0].type.shape]
    return any(not _is_near(outer, inner) and _reads_both(inner, varied) for inner in sums)


def _reads_both(expr: Reduce, varied: set[str]) -> bool:
    """Does a sum read something that is the same for all rows, and something which is not?"""
    reads = [s.expr for s in expr.body.body.stms if isinstance(s.expr, Apply) and s.expr.op == "index"]
    return {bool({name_of(arg) for arg in read.args} & varied) for read in reads} == {True, False}


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
        indices = _indices(b, block)
        return indices, _together(b, expr.body, [b.apply("min", index, last) for index in indices])

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


def _unless_large(stm: Stm, expr: Map | Reduce) -> list[Stm]:
    """A large matrix product is left to the back end, which knows how to do that."""
    found = product(expr) if isinstance(expr, Map) else None
    if found is None or any(isinstance(n, Lit) for n in found.sizes):
        return _jammed(stm, expr)
    b = Builder(stm.pos)
    large = emit_is_large(b, found)
    forms = Map(expr.size, refresh(expr.body)), expr
    whole, rows = (Stm((fresh(stm.vars[0].name, stm.vars[0].type),), form, stm.pos) for form in forms)
    jammed = tuple(_jammed(rows, expr))
    return [*b.stms, Stm(stm.vars, If(large, Block((whole,), whole.vars), Block(jammed, rows.vars)), stm.pos)]


def _jammed_with_rest(stm: Stm, expr: Map) -> list[Stm]:
    """The map over blocks of elements, then over those that are left."""
    b = Builder(stm.pos)
    blocks = b.apply("floordiv", expr.size, i64(ROWS))
    whole = b.apply("mul", blocks, i64(ROWS))
    left = b.apply("sub", expr.size, whole)

    def block(b: Builder, number: Var) -> list[Atom]:
        return [b.apply("stack", *values) for values in _together(b, expr.body, _indices(b, number))]

    main = b.map_(blocks, block)
    rest = b.map_(left, lambda b, k: b.splice(inline(expr.body, (b.apply("add", k, whole),))))
    for var, first, last in zip(stm.vars, main, rest, strict=True):
        flat = b.apply("reshape", first, whole, *var.type.shape[1:])
        b.stms.append(Stm((var,), Apply("concat", (flat, last, expr.size), (0,)), stm.pos))
    return b.stms


def _indices(b: Builder, block: Var) -> list[Atom]:
    """The rows of a block."""
    first = b.apply("mul", block, i64(ROWS))
    return [b.apply("add", first, i64(row)) for row in range(ROWS)]


def _together(b: Builder, body: Lambda, indices: list[Atom]) -> list[list[Atom]]:
    """The body for all these rows; the values of each of its results."""
    jam = _Jam({body.params[0].name: indices})
    block = inline(body, (body.params[0],))
    jam.statements(b, block.stms)
    return [jam.rows(result) for result in block.results]


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
