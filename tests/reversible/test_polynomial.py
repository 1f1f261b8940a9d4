"""What is said to be never zero: proven cases, cases that must not be, and numbers put in for the variables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tapeless.inversion.polynomial import ONE, TooLarge, expanded, is_never_zero, literal, number, variable
from tapeless.ir.core import Apply
from tapeless.ir.types import F64, Lit, Type, Var

REAL = Type(F64)
t, u = Var("t", REAL), Var("u", REAL)
DEFS = {
    "sin": Apply("sin", (t,)),
    "cos": Apply("cos", (t,)),
    "other": Apply("cos", (u,)),
    "exp": Apply("exp", (u,)),
    "minus": Apply("neg", (Var("sin", REAL),)),
    "twice": Apply("add", (t, t)),
    "shifted": Apply("sub", (t, Lit(0.1, F64))),
    "square": Apply("mul", (t, t)),
}
VALUES = {
    "t": 0.7,
    "u": -1.3,
    "sin": math.sin(0.7),
    "cos": math.cos(0.7),
    "other": math.cos(-1.3),
    "exp": math.exp(-1.3),
}
sin, cos, other, exp, minus, twice, shifted, square, x = (variable(name) for name in (*DEFS, "t"))


def square_of(p):
    return p.times(p)


NEVER_ZERO = [
    number(-2),
    literal(0.1),
    square_of(cos).plus(square_of(sin)),
    square_of(cos).plus(sin.times(minus), -1),
    ONE.plus(square),
    ONE.plus(square_of(x)).times(number(-3)),
    exp.times(literal(0.3)),
    exp.plus(exp.times(square)),
    twice.plus(x, -2).plus(ONE),
    literal(3.0, below=True),
]
PERHAPS_ZERO = [
    number(0),
    x,
    square,
    ONE.plus(square, -1),
    ONE.plus(x),
    square_of(cos).plus(square_of(sin), -1),
    square_of(other).plus(square_of(sin)),
    exp.plus(ONE, -1),
    exp.times(x),
    shifted.plus(x, -1).plus(literal(0.1)),
]


def value(p):
    """At one point, variables that are defined by others included."""
    at = dict(VALUES, minus=-VALUES["sin"], twice=1.4, shifted=0.7 - 0.1, square=0.49)
    return sum(
        float(c) * math.prod(at[n] if n in at else 1 / float(n[1:]) if n[0] == "/" else float(n[1:]) for n in m)
        for m, c in p.terms.items()
    )


@pytest.mark.parametrize("p", NEVER_ZERO)
def test_proven(p):
    assert is_never_zero(expanded(p, DEFS), DEFS)


@pytest.mark.parametrize("p", PERHAPS_ZERO)
def test_not_claimed(p):
    assert not is_never_zero(expanded(p, DEFS), DEFS)


@pytest.mark.parametrize("p", [*NEVER_ZERO, *PERHAPS_ZERO])
def test_expansion_changes_no_value(p):
    np.testing.assert_allclose(value(expanded(p, DEFS)), value(p), rtol=1e-12, atol=1e-15)


def test_large_ones_are_given_up():
    total = ONE
    for k in range(5):
        total = total.plus(variable(f"v{k}"))
    with pytest.raises(TooLarge):
        square_of(square_of(total))
