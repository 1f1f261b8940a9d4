"""Reverse rule of running minima and maxima.

Of each prefix, all elements equal to its extremum m_k share the adjoint equally, as in a reduction. An element that is
the extremum of its own prefix stays so up to the next better one, so that its adjoint is a sum over a stretch:

    s_j = m_adj_j / ties_j + (s_{j+1} if m_{j+1} = m_j else 0);    x_adj_j = s_j if x_j = m_j else 0

Both the numbers of ties and these sums are scans. NaN equals nothing: a prefix that is NaN has derivative 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Scan
from ..ir.types import BOOL, Atom, Lit, Type, Var, boolean, i64, zero
from .adjoints import Scope
from .ties import chosen
from .values import each, elementwise, total, zeros

# From a builder and an index to the element there.
Element = Callable[[Builder, Atom], Atom]


def running_seed(
    scope: Scope, expr: Scan, k: int, name: str, out: Var, adjoint: Atom, element: Element
) -> Callable[[Builder, Var, Atom], Atom]:
    """The adjoint of element i, given those of the prefixes `out`."""
    b, size, neutral = scope.b, expr.size, expr.neutral[k]
    ties = _ties(b, name, size, neutral, element)
    if scope.wants(neutral):
        scope.add(neutral, _of_neutral(b, size, neutral, ties, out, adjoint))
    sums = _stretches(b, size, out, elementwise(b, "div", adjoint, ties))
    last = b.apply("sub", size, i64(1))

    def seed(b: Builder, i: Var, value: Atom) -> Atom:
        mine = b.apply("index", sums, b.apply("sub", last, i))
        return chosen(b, value, b.apply("index", out, i), mine)

    return seed


def _ties(b: Builder, name: str, size: Atom, neutral: Atom, element: Element) -> Var:
    """How many elements of each prefix are its extremum."""
    type = neutral.type
    one, nil = Lit(1.0, type.dtype), zero(type.dtype)
    ones = b.apply("replicate", one, *type.shape) if type.shape else one

    def combine(b: Builder, x: Var, x_ties: Var, y: Var, y_ties: Var) -> Atoms:
        def scalar(b: Builder, x: Atom, x_ties: Atom, y: Atom, y_ties: Atom) -> Atoms:
            best = b.apply(name, x, y)
            left = b.apply("select", b.apply("eq", x, best), x_ties, nil)
            right = b.apply("select", b.apply("eq", y, best), y_ties, nil)
            return best, b.apply("add", left, right)

        return each(b, scalar, x, x_ties, y, y_ties)

    op = b.lam((type,) * 4, combine)
    return b.scan(size, op, (neutral, zeros(b, type)), lambda b, i: (element(b, i), ones))[1]


def _stretches(b: Builder, size: Atom, out: Var, shares: Atom) -> Var:
    """The sums of the shares from each place to the end of its stretch; the last place first."""
    element = out.type.drop(1)
    last, flags = b.apply("sub", size, i64(1)), Type(BOOL, element.shape)

    def backwards(b: Builder, i: Var) -> Sequence[Atom]:
        at = b.apply("sub", last, i)
        behind = b.apply("min", b.apply("add", at, i64(1)), last)
        values = b.apply("index", out, at), b.apply("index", out, behind)
        return elementwise(b, "eq", *values), b.apply("index", shares, at)

    def combine(b: Builder, goes_on: Var, x: Var, joins: Var, y: Var) -> Atoms:
        def scalar(b: Builder, goes_on: Atom, x: Atom, joins: Atom, y: Atom) -> Atoms:
            more = b.apply("select", joins, x, zero(element.dtype))
            return b.apply("and", goes_on, joins), b.apply("add", more, y)

        return each(b, scalar, goes_on, x, joins, y)

    yes = b.apply("replicate", boolean(True), *element.shape) if element.shape else boolean(True)
    op = b.lam((flags, element, flags, element), combine)
    return b.scan(size, op, (yes, zeros(b, element)), backwards)[1]


def _of_neutral(b: Builder, size: Atom, neutral: Atom, ties: Var, out: Var, adjoint: Atom) -> Atom:
    """The adjoint of the neutral element: it has that of the prefixes without an element that is their extremum."""
    start = b.apply("replicate", neutral, size)
    return total(b, chosen(b, ties, zeros(b, ties.type), chosen(b, start, out, adjoint)), 1)
