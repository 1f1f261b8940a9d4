"""Gradients and whole Jacobians of a block, from `pushforward` and `pullback`.

A Jacobian needs one tangent per element of the inputs or one cotangent per element of the results. Few elements of
straight-line code are swept one after the other, each with what is not zero in its own direction. Otherwise they are
the lanes of one map over the basis: its body is one sweep, in which everything that does not depend on the seed is the
same for all lanes. Entry (r, k) of a Jacobian has the shape of result r followed by the shape of input k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, If
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import statements
from ..passes.cost import statement_count
from .activity import varied
from .elements import Input, Row, Side, assembled, reshaped, rows_of, seed_last
from .jvp import pushes_together, pushforward, pushforwards
from .merged import merge
from .planner import Plan
from .segments import Collapse
from .values import zeros
from .vjp import pullback

MaybeAtoms: TypeAlias = Sequence[Atom | None]

# Per result, per input.
Jacobian: TypeAlias = tuple[Atoms, ...]

# So many statements may be written for sweeps one after the other.
UNROLLED = 3000


def gradient(b: Builder, block: Block, wrt: Sequence[Var], plan: Plan) -> tuple[Atoms, Atoms]:
    """The results of a block, and the adjoints of `wrt` for the seed one at the first result, a scalar."""
    values, pull = pullback(b, block, wrt, plan)
    adjoints = pull(b, [Lit(1.0, values[0].type.dtype), *[None] * (len(values) - 1)])
    return values, filled(b, adjoints, [var.type for var in wrt])


def jacobian_forward(b: Builder, block: Block, inputs: Sequence[Input], collapse: Collapse | None = None) -> Jacobian:
    """The derivative of every result of a block by every input, one column at a time. All are floats."""
    rows = rows_of(block)
    flat = Block(block.stms, tuple(atom for row in rows for atom in row.atoms))
    columns = _columns(b, flat, [var for given in inputs if not given.is_whole for var in given.vars], collapse)
    by_input: list[list[Atom]] = []
    for given in inputs:
        side = Side(given.type, given.vars[0] not in columns)
        found = [_whole_column(b, flat, given, collapse)] if side.is_whole else [columns[var] for var in given.vars]
        cells = [[[column[k] for column in found] for k in row.places] for row in rows]
        dtypes = [row.side.type.dtype for row in rows]
        entries = zip(dtypes, rows, cells, strict=True)
        by_input.append([assembled(b, dtype, row.side, side, lines) for dtype, row, lines in entries])
    return tuple(zip(*by_input, strict=True))


def jacobian_reverse(b: Builder, block: Block, inputs: Sequence[Input], plan: Plan) -> tuple[Atoms, Jacobian]:
    """The results of a block, and the derivative of each by every input, one row at a time.

    The forward sweep is made once, the return sweeps of all rows after it. Results that are not floats have an empty
    row.
    """
    rows, count = rows_of(block), len(block.results)
    results = (*block.results, *(atom for row in rows for atom in row.atoms))
    vars = [var for given in inputs for var in given.vars]
    unrolled = _is_straight(block) and _is_short(block, len(results) - count)
    values, pull = pullback(b, Block(block.stms, results), vars, plan if unrolled else plan.in_parallel())

    def sweep(b: Builder, place: int, seed: Atom) -> MaybeAtoms:
        return pull(b, [seed if k == place else None for k in range(len(results))])

    def lines(number: int, row: Row) -> tuple[Side, list[MaybeAtoms]]:
        type = row.side.type
        if unrolled and not row.side.is_whole:
            return row.side, [sweep(b, count + k, Lit(1.0, type.dtype)) for k in row.places]
        made = _over_basis(b, type, [var.type for var in vars], lambda b, seed: sweep(b, number, seed))
        return Side(type, is_whole=True), [made]

    entries = [_row(b, *lines(k, row), inputs) if row.is_float else () for k, row in enumerate(rows)]
    return values[:count], tuple(entries)


def _columns(b: Builder, block: Block, vars: Sequence[Var], collapse: Collapse | None) -> dict[Var, MaybeAtoms]:
    """The tangents of the results by each of the scalars, when they can be pushed together; else nothing."""
    names = varied(block, [var.name for var in vars])
    if not _is_short(block, len(vars)) or not pushes_together(block, names, len(vars)):
        return {}
    merged = merge(b, block, vars)
    _, dots = pushforwards(b, merged.block, [{var: Lit(1.0, var.type.dtype)} for var in merged.vars], collapse)
    columns = dict(zip(merged.vars, dots, strict=True))
    return {var: merged.column(b, columns, var) for var in vars}


def _whole_column(b: Builder, block: Block, given: Input, collapse: Collapse | None) -> MaybeAtoms:
    """The derivative of each result by an input, in one piece."""

    def push(b: Builder, x_dot: Atom) -> MaybeAtoms:
        return pushforward(b, block, dict(zip(given.vars, given.parts(b, x_dot), strict=True)), collapse)[1]

    stacked = _over_basis(b, given.type, [atom.type for atom in block.results], push)
    return [seed_last(b, entry, given.type.rank) for entry in stacked]


def _row(b: Builder, side: Side, lines: Sequence[MaybeAtoms], inputs: Sequence[Input]) -> Atoms:
    """The derivatives of one result, given for each of its pieces by all variables of the inputs."""
    entries: list[Atom] = []
    start = 0
    for given in inputs:
        end = start + len(given.vars)
        cells = [line[start:end] for line in lines]
        entries.append(assembled(b, given.type.dtype, side, Side(given.type, given.is_whole), cells))
        start = end
    return tuple(entries)


def _is_short(block: Block, sweeps: int) -> bool:
    """May so many sweeps of a block be written one after the other?"""
    return 0 < sweeps * statement_count(block) <= UNROLLED


def _is_straight(block: Block) -> bool:
    """Is every statement executed at most once?"""
    return all(isinstance(stm.expr, Apply | Check | If) for stm in statements(block))


def filled(b: Builder, atoms: MaybeAtoms, types: Sequence[Type]) -> Atoms:
    """The atoms, with zeros of these types where there is none."""
    return tuple(zeros(b, type) if atom is None else atom for atom, type in zip(atoms, types, strict=True))


def _over_basis(b: Builder, type: Type, types: Sequence[Type], sweep: Callable[[Builder, Atom], MaybeAtoms]) -> Atoms:
    """`sweep` of every basis vector of a type, which answers values of `types`: stacked in the shape of the type."""
    if not type.is_array:
        return filled(b, sweep(b, Lit(1.0, type.dtype)), types)
    present: list[bool] = []

    def lane(b: Builder, i: Var) -> Sequence[Atom]:
        answers = sweep(b, _basis_vector(b, type, _split(b, type.shape, i)))
        present[:] = [answer is not None for answer in answers]
        return [answer for answer in answers if answer is not None]

    made = iter(b.map_(_product(b, type.shape), lane, hint="seed"))
    return tuple(
        reshaped(b, next(made), whole.shape) if there else zeros(b, whole)
        for whole, there in zip((Type(t.dtype, (*type.shape, *t.shape)) for t in types), present, strict=True)
    )


def _basis_vector(b: Builder, type: Type, place: Sequence[Atom]) -> Atom:
    """One at a place, zero elsewhere."""

    def level(b: Builder, dim: int, here: Atom | None) -> Atom:
        if dim == type.rank:
            assert here is not None
            return b.apply("basis", b.apply("select", here, Lit(1.0, type.dtype), Lit(0.0, type.dtype)))

        def element(b: Builder, j: Var) -> Sequence[Atom]:
            met = b.apply("eq", j, place[dim])
            return (level(b, dim + 1, met if here is None else b.apply("and", here, met)),)

        return b.map_(type.shape[dim], element)[0]

    return level(b, 0, None)


def _split(b: Builder, shape: Sequence[Atom], flat: Atom) -> Atoms:
    """The index of a position in row-major order."""
    index: list[Atom] = []
    for size in reversed(shape[1:]):
        index.append(b.apply("mod", flat, size))
        flat = b.apply("floordiv", flat, size)
    return (flat, *reversed(index))


def _product(b: Builder, shape: Sequence[Atom]) -> Atom:
    """The number of elements."""
    literal = 1
    symbolic: Atom | None = None
    for size in shape:
        if isinstance(size, Lit):
            literal *= int(size.value)
        else:
            symbolic = size if symbolic is None else b.apply("mul", symbolic, size)
    if symbolic is None:
        return i64(literal)
    return symbolic if literal == 1 else b.apply("mul", symbolic, Lit(literal, I64))
