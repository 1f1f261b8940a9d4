"""Productions of forms that other programs hold too seldom for their rules to be tried: better rounding, matrices.

They are drawn in a share of the programs of their own (`coarsen_judge.request`), so that seeds of the others stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.types import Atom, Type, Var, zero
from .bounds import fit, settle
from .scope import Production, Scope, Value, real


def rounding(s: Scope) -> bool:
    """log(1 + x), sqrt(1 + x^2), and quotients that are 0 / 0 near the place where they are taken."""
    dtype = s.float_type()
    x, one, b = fit(s, s.scalar(dtype), 0.02, 3.0).atom, real(dtype, 1.0), s.b
    match s.dice.pick(("log1p", "hypot", "sine", "exponential", "versine")):
        case "log1p":
            found = b.apply("log", b.apply("add", one, x))
        case "hypot":
            found = b.apply("sqrt", b.apply("add", one, b.apply("mul", x, x)))
        case "sine":
            found = b.apply("div", b.apply("sin", x), x)
        case "exponential":
            found = b.apply("div", b.apply("sub", b.apply("exp", x), one), x)
        case _:
            found = b.apply("div", b.apply("sub", one, b.apply("cos", x)), b.apply("mul", x, x))
    settle(s, found, 0.0, 7.0)
    return True


def products(s: Scope) -> bool:
    """(X v)' (X X') (X v), with X v computed twice."""
    found = s.find(lambda v: v.type.rank == 2 and v.dtype.is_float and v.within(-3, 3))
    if found is None:
        return False
    (rows, columns), dtype = found.type.shape, found.dtype
    vector = s.find(lambda v: v.type == Type(dtype, (columns,)) and v.within(-3, 3))
    if vector is None or s.work * s.extent(rows)[1] ** 2 * s.extent(columns)[1] > s.most_work:
        return False

    def dot(b: Builder, size: Atom, pair: Callable[[Builder, Var], tuple[Atom, Atom]]) -> Atom:
        return b.reduce(size, "add", (zero(dtype),), lambda b, k: (b.apply("mul", *pair(b, k)),))[0]

    def at(b: Builder, array: Atom, *place: Atom) -> Atom:
        return b.apply("index", array, *place)

    def applied(matrix: Atom, length: Atom, to: Atom) -> Atom:
        def element(b: Builder, i: Var) -> Sequence[Atom]:
            return (dot(b, length, lambda b, k: (at(b, matrix, i, k), at(b, to, k))),)

        return s.b.map_(rows, element)[0]

    def row(b: Builder, i: Var) -> Sequence[Atom]:
        def cell(b: Builder, j: Var) -> Sequence[Atom]:
            return (dot(b, columns, lambda b, k: (at(b, found.atom, i, k), at(b, found.atom, j, k))),)

        return b.map_(rows, cell)

    once = applied(found.atom, columns, vector.atom)
    square = s.b.map_(rows, row)[0]
    through, again = applied(square, rows, once), applied(found.atom, columns, vector.atom)
    total = dot(s.b, rows, lambda b, k: (at(b, through, k), at(b, again, k)))
    s.add(fit(s, Value(total, -1e12, 1e12, exact=False), -4, 4))
    return True


FORMS = (Production("rounding", 60, rounding), Production("matrix_chain", 60, products))
