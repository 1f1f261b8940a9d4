"""Which conditions are said to exclude each other: never two that hold of one number, NaN included."""

from __future__ import annotations

import operator
from itertools import product
from math import inf, nan

import pytest

from tapeless.inversion.conditions import Final, Operation, exclude, negated
from tapeless.ir.types import F64, I64, Lit

X = Final(0)
SIMPLE = [Operation(op, (X, Lit(c, F64))) for op in ("lt", "le", "gt", "ge", "eq", "ne") for c in (0.0, 1.0)]
ALL = [*SIMPLE, *(negated(condition) for condition in SIMPLE)]


def holds(condition, x):
    if condition.op == "not":
        return not holds(condition.args[0], x)
    return getattr(operator, condition.op)(x, condition.args[1].value)


@pytest.mark.parametrize("one", ALL, ids=str)
def test_claims_are_right(one):
    """All that matters happens at, between and beside the two bounds."""
    for other in ALL:
        both = [x for x in (-inf, -1.0, 0.0, 0.5, 1.0, 2.0, inf, nan) if holds(one, x) and holds(other, x)]
        assert not (exclude(one, other) and both)
        assert exclude(one, other) == exclude(other, one)


def test_most_is_seen():
    """Of numbers, not NaN; what `!=` says of ranges is not looked at."""
    plain = [c for c in SIMPLE if c.op != "ne"]
    for one, other in product(plain, plain):
        both = [x for x in (-1.0, 0.0, 0.5, 1.0, 2.0) if holds(one, x) and holds(other, x)]
        assert exclude(one, other) == (not both)


def test_of_different_values_nothing_is_said():
    above, below = (Operation(op, (Final(k), Lit(0.0, F64))) for k, op in ((0, "gt"), (1, "le")))
    assert not exclude(above, below)


def test_large_integers_are_compared_exactly():
    above, below = (Operation(op, (X, Lit(2**62 + k, I64))) for op, k in (("gt", -1), ("lt", 1)))
    assert not exclude(above, below)
    assert exclude(above, Operation("le", (X, Lit(2**62 - 1, I64))))
