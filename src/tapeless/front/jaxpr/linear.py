"""Factorisations and triangular systems as loops over rows, for any number of matrices at once.

Sums go over whole rows of a result that starts as zeros, so that nothing depends on where the loop stands: what is
not yet computed contributes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import I32, I64, Atom, Lit, Var, i64
from ..numpy.atoms import convert, literal
from ..numpy.nest import array_of, arrays_of
from .convert import Walk, rule
from .foreign import ruled
from .reductions import extreme_place, neutral


def _over_matrices(b: Builder, args: Atoms, make: Callable[[Builder, Atoms], Sequence[Atom]]) -> Sequence[Atom]:
    """`make` of the last two dimensions of the operands, for each index of the leading ones."""
    leading = args[0].type.shape[:-2]

    def one(b: Builder, index: Atoms) -> Sequence[Atom]:
        return make(b, tuple(b.apply("index", arg, *index) if index else arg for arg in args))

    return arrays_of(b, leading, one)


def _sum(b: Builder, size: Atom, dtype: Any, term: Callable[[Builder, Atom], Atom]) -> Atom:
    return b.reduce(size, "add", (literal(0, dtype),), lambda b, k: (term(b, k),))[0]


@rule("cholesky")
def _cholesky(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    return _over_matrices(walk.b, args, lambda b, given: (_factor(b, given[0]),))


def _factor(b: Builder, a: Atom) -> Atom:
    """The lower triangular matrix whose square this is; its columns are found one after the other."""
    n, dtype = a.type.shape[0], a.type.dtype

    def column(b: Builder, j: Var, columns: Var) -> Sequence[Atom]:
        def rest(b: Builder, i: Atom) -> Atom:
            done = _sum(
                b, n, dtype,
                lambda b, k: b.apply("mul", b.apply("index", columns, k, i), b.apply("index", columns, k, j)),
            )  # fmt: skip
            return b.apply("sub", b.apply("index", a, i, j), done)

        head = b.apply("sqrt", rest(b, j))

        def element(b: Builder, index: Atoms) -> Atom:
            (i,) = index
            below = b.apply("div", rest(b, i), head)
            on = b.apply("select", b.apply("eq", i, j), head, below)
            return b.apply("select", b.apply("lt", i, j), literal(0, dtype), on)

        return (b.apply("update", columns, array_of(b, (n,), element), j),)

    empty = b.apply("replicate", literal(0, dtype), n, n)
    return b.apply("transpose", b.for_(n, (empty,), column)[0], attrs=(1, 0))


@rule("triangular_solve")
def _triangular_solve(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    p = equation.params

    def solve(b: Builder, given: Atoms) -> Sequence[Atom]:
        a, right = given
        # x a = b is a' x' = b'.
        turned = bool(p["transpose_a"]) != (not p["left_side"])
        rows = right if p["left_side"] else b.apply("transpose", right, attrs=(1, 0))
        x = _substituted(b, a, rows, bool(p["lower"]) != turned, turned, bool(p["unit_diagonal"]))
        return (x if p["left_side"] else b.apply("transpose", x, attrs=(1, 0)),)

    return _over_matrices(walk.b, args, solve)


def _substituted(b: Builder, a: Atom, right: Atom, lower: bool, turned: bool, unit: bool) -> Atom:
    """The solution of a triangular system: rows in the order in which each needs only those before it."""
    n, m, dtype = a.type.shape[0], right.type.shape[1], a.type.dtype

    def entry(b: Builder, i: Atom, j: Atom) -> Atom:
        return b.apply("index", a, *((j, i) if turned else (i, j)))

    def row(b: Builder, step: Var, x: Var) -> Sequence[Atom]:
        k = step if lower else b.apply("sub", b.apply("sub", n, i64(1)), step)

        def element(b: Builder, index: Atoms) -> Atom:
            (c,) = index

            def term(b: Builder, j: Atom) -> Atom:
                # What stands on the other side of the diagonal is not part of the matrix, whatever it is.
                inside = b.apply("lt" if lower else "gt", j, k)
                seen = b.apply("select", inside, entry(b, k, j), literal(0, dtype))
                return b.apply("mul", seen, b.apply("index", x, j, c))

            rest = b.apply("sub", b.apply("index", right, k, c), _sum(b, n, dtype, term))
            return rest if unit else b.apply("div", rest, entry(b, k, k))

        return (b.apply("update", x, array_of(b, (m,), element), k),)

    empty = b.apply("replicate", literal(0, dtype), n, m)
    return b.for_(n, (empty,), row)[0]


@rule("lu")
def _lu(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    def value(b: Builder, given: Atoms) -> Sequence[Atom]:
        return _over_matrices(b, given, lambda b, one: _eliminated(b, one[0]))

    return ruled(walk, equation, args, value)


def _eliminated(b: Builder, a: Atom) -> Sequence[Atom]:
    """Both factors in one matrix, the row exchanged at each step, and the order of the rows in the end."""
    n, m, dtype = *a.type.shape, a.type.dtype
    assert isinstance(n, Lit)
    assert isinstance(m, Lit)
    steps = i64(min(int(n.value), int(m.value)))

    def step(b: Builder, k: Var, lu: Var, pivots: Var, order: Var) -> Sequence[Atom]:
        def candidate(b: Builder, i: Var) -> Sequence[Atom]:
            size = b.apply("abs", b.apply("index", lu, i, k))
            return b.apply("select", b.apply("ge", i, k), size, literal(-1, dtype)), i

        start = (neutral("max", dtype), Lit((1 << 63) - 1, I64))
        pivot = b.reduce(n, extreme_place("gt"), start, candidate)[1]
        swapped = _exchanged(b, lu, k, pivot)
        head = b.apply("index", swapped, k, k)
        # A column of zeros below the diagonal is left as it is.
        divisor = b.apply("select", b.apply("eq", head, literal(0, dtype)), literal(1, dtype), head)

        def element(b: Builder, index: Atoms) -> Atom:
            i, j = index
            own = b.apply("index", swapped, i, j)
            factor = b.apply("div", b.apply("index", swapped, i, k), divisor)
            less = b.apply("sub", own, b.apply("mul", factor, b.apply("index", swapped, k, j)))
            right = b.apply("select", b.apply("gt", j, k), less, own)
            inside = b.apply("select", b.apply("eq", j, k), factor, right)
            return b.apply("select", b.apply("gt", i, k), inside, own)

        noted = b.apply("update", pivots, convert(b, pivot, I32), k)
        return array_of(b, (n, m), element), noted, _exchanged(b, order, k, pivot)

    rows = array_of(b, (n,), lambda b, index: convert(b, index[0], I32))
    pivots = b.apply("replicate", literal(0, I32), steps)
    return b.for_(steps, (a, pivots, rows), step)


def _exchanged(b: Builder, x: Atom, i: Atom, j: Atom) -> Atom:
    """An array with two rows exchanged."""
    upper, lower = b.apply("index", x, i), b.apply("index", x, j)
    return b.apply("update", b.apply("update", x, lower, i), upper, j)


@rule("lu_pivots_to_permutation")
def _pivots_to_permutation(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    pivots = args[0]
    size = i64(int(equation.params["permutation_size"]))

    def line(b: Builder, index: Atoms) -> Sequence[Atom]:
        own = b.apply("index", pivots, *index) if index else pivots

        def step(b: Builder, k: Var, order: Var) -> Sequence[Atom]:
            return (_exchanged(b, order, k, convert(b, b.apply("index", own, k), I64)),)

        rows = array_of(b, (size,), lambda b, index: convert(b, index[0], I32))
        return b.for_(own.type.shape[0], (rows,), step)

    return arrays_of(walk.b, pivots.type.shape[:-1], line)
