"""Gradients and whole Jacobians of a block, from `pushforward` and `pullback`.

A Jacobian needs one tangent per element of the inputs or one cotangent per element of the results. They are the lanes
of one map over the basis: its body is one sweep, in which everything that does not depend on the seed is the same
for all lanes. Entry (r, k) of a Jacobian has the shape of result r followed by the shape of input k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import Block
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from .jvp import pushforward
from .planner import Plan
from .values import zeros
from .vjp import pullback

MaybeAtoms: TypeAlias = Sequence[Atom | None]

# Per result, per input.
Jacobian: TypeAlias = tuple[Atoms, ...]


def gradient(b: Builder, block: Block, wrt: Sequence[Var], plan: Plan) -> tuple[Atoms, Atoms]:
    """The results of a block, and the adjoints of `wrt` for the seed one at the first result, a scalar."""
    values, pull = pullback(b, block, wrt, plan)
    adjoints = pull(b, [Lit(1.0, values[0].type.dtype), *[None] * (len(values) - 1)])
    return values, filled(b, adjoints, [var.type for var in wrt])


def jacobian_forward(b: Builder, block: Block, wrt: Sequence[Var]) -> Jacobian:
    """The derivative of every result of a block by every variable, one column at a time. All are floats."""
    types = [atom.type for atom in block.results]
    columns: list[Atoms] = []
    for var in wrt:

        def column(b: Builder, x_dot: Atom, var: Var = var) -> MaybeAtoms:
            return pushforward(b, block, {var: x_dot})[1]

        stacked = _over_basis(b, var.type, types, column)
        columns.append(tuple(_seed_last(b, entry, var.type.rank) for entry in stacked))
    return tuple(tuple(column[row] for column in columns) for row in range(len(types)))


def jacobian_reverse(b: Builder, block: Block, wrt: Sequence[Var], plan: Plan) -> tuple[Atoms, Jacobian]:
    """The results of a block, and the derivative of each by every variable, one row at a time; others give no rows.

    The forward sweep is made once, the return sweeps of all rows in parallel. Results that are not floats have an empty
    row.
    """
    values, pull = pullback(b, block, wrt, plan.in_parallel())
    types = [var.type for var in wrt]
    rows: list[Atoms] = []
    for number, value in enumerate(values):

        def row(b: Builder, seed: Atom, number: int = number) -> MaybeAtoms:
            return pull(b, [seed if k == number else None for k in range(len(values))])

        rows.append(_over_basis(b, value.type, types, row) if value.type.dtype.is_float else ())
    return values, tuple(rows)


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
        _reshaped(b, next(made), whole.shape) if there else zeros(b, whole)
        for whole, there in zip((Type(t.dtype, (*type.shape, *t.shape)) for t in types), present, strict=True)
    )


def _basis_vector(b: Builder, type: Type, place: Sequence[Atom]) -> Atom:
    """One at a place, zero elsewhere."""

    def level(b: Builder, dim: int, here: Atom | None) -> Atom:
        if dim == type.rank:
            assert here is not None
            return b.apply("select", here, Lit(1.0, type.dtype), Lit(0.0, type.dtype))

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


def _reshaped(b: Builder, array: Atom, shape: Atoms) -> Atom:
    return array if array.type.shape == shape else b.apply("reshape", array, *shape)


def _seed_last(b: Builder, array: Atom, rank: int) -> Atom:
    """Move the `rank` leading dimensions, those of the seed, to the end."""
    order = (*range(rank, array.type.rank), *range(rank))
    return array if order == tuple(range(array.type.rank)) else b.apply("transpose", array, attrs=order)
