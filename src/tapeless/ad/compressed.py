"""Sparse Jacobians in three programs: the pattern, and the sweeps along colours of columns or of rows.

The inputs are numbered through, leaf after leaf in row-major order; so are the results. In all three programs the
sweeps are the lanes of one map, whose seeds are computed where they are needed:

    pattern_words   sweep w carries the sets of the inputs 64 w, ..., 64 w + 63 through the program (`sparsity`)
    by_columns      sweep c is the tangent along the sum of the inputs of colour c
    by_rows         sweep c is the adjoint of the sum of the results of colour c

Each answers, for every result or input, an array with the sweeps as its leading dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Block
from ..ir.types import Atom, Lit, Type, Var, i64
from .jacobians import filled
from .jvp import pushforward
from .planner import Plan
from .sparsity import dependences
from .vjp import pullback

# The seed of an element, from its number.
Seed = Callable[[Builder, Atom], Atom]


def pattern_words(b: Builder, block: Block, wrt: Sequence[Var], first: Atom, count: Atom) -> Atoms:
    """The words `first`, ..., `first + count - 1` of the sets of inputs that each result may depend on."""

    def sweep(b: Builder, lane: Var) -> Atoms:
        word = b.apply("add", first, lane)

        def seed(b: Builder, number: Atom) -> Atom:
            bit = b.apply("shl", i64(1), b.apply("and", number, i64(63)))
            return b.apply("select", b.apply("eq", b.apply("shr", number, i64(6)), word), bit, i64(0))

        starts = _starts(b, [var.type for var in wrt])
        seeds = [_numbered(b, var.type.shape, start, seed) for var, start in zip(wrt, starts, strict=True)]
        return dependences(b, block, dict(zip(wrt, seeds, strict=True)))

    return b.map_(count, sweep, hint="sweep")


def by_columns(b: Builder, block: Block, wrt: Sequence[Var], colours: Atom, count: Atom) -> Atoms:
    """The tangents of the results along each colour of the inputs."""
    types = [var.type for var in wrt]
    _require_total(b, types, colours)

    def sweep(b: Builder, colour: Var) -> Atoms:
        seeds = _coloured(b, types, colours, colour)
        values, dots = pushforward(b, block, dict(zip(wrt, seeds, strict=True)))
        return filled(b, dots, [value.type for value in values])

    return b.map_(count, sweep, hint="sweep")


def by_rows(b: Builder, block: Block, wrt: Sequence[Var], colours: Atom, count: Atom, plan: Plan) -> Atoms:
    """The adjoints of the inputs for each colour of the results. The forward sweep is made once."""
    values, pull = pullback(b, block, wrt, plan.in_parallel())
    types = [value.type for value in values]
    _require_total(b, types, colours)

    def sweep(b: Builder, colour: Var) -> Atoms:
        return filled(b, pull(b, _coloured(b, types, colours, colour)), [var.type for var in wrt])

    return b.map_(count, sweep, hint="sweep")


def _coloured(b: Builder, types: Sequence[Type], colours: Atom, colour: Atom) -> list[Atom]:
    """Ones at the elements of a colour, zeros elsewhere."""
    seeds: list[Atom] = []
    for type, start in zip(types, _starts(b, types), strict=True):
        one, nought = Lit(1.0, type.dtype), Lit(0.0, type.dtype)

        def seed(b: Builder, number: Atom, one: Atom = one, nought: Atom = nought) -> Atom:
            return b.apply("select", b.apply("eq", b.apply("index", colours, number), colour), one, nought)

        seeds.append(_numbered(b, type.shape, start, seed))
    return seeds


def _numbered(b: Builder, shape: Sequence[Atom], number: Atom, seed: Seed) -> Atom:
    """The seeds of an array whose first element has a number."""
    if not shape:
        return seed(b, number)
    rest = _product(b, shape[1:])

    def element(b: Builder, i: Var) -> Sequence[Atom]:
        return (_numbered(b, shape[1:], b.apply("add", number, b.apply("mul", i, rest)), seed),)

    return b.map_(shape[0], element)[0]


def _starts(b: Builder, types: Sequence[Type]) -> Atoms:
    """The number of the first element of each."""
    starts: list[Atom] = [i64(0)]
    for type in types:
        starts.append(b.apply("add", starts[-1], _product(b, type.shape)))
    return tuple(starts[:-1])


def _require_total(b: Builder, types: Sequence[Type], colours: Atom) -> None:
    total: Atom = i64(0)
    for type in types:
        total = b.apply("add", total, _product(b, type.shape))
    b.check("equal", colours.type.shape[0], total)


def _product(b: Builder, sizes: Sequence[Atom]) -> Atom:
    total: Atom = i64(1)
    for size in sizes:
        total = b.apply("mul", total, size)
    return total
