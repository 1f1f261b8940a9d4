"""Pieces of the rules on their own, where whole programs cannot tell right from nearly right."""

from __future__ import annotations

import pytest

from tapeless.ir.types import F64, I64, Type, Var
from tapeless.passes import pipeline
from tapeless.symbolic import exits, recurrences, sums
from tapeless.symbolic.affine import Forms
from tapeless.symbolic.graph import Graph

assert pipeline  # registers the operations

X, Y = (Var(name, Type(F64)) for name in "xy")


@pytest.mark.parametrize(
    ("coefficient", "step"),
    [
        (("add", 1.0, "x"), "x"),
        (("add", "x", 1.0), "x"),
        (("sub", 1.0, "x"), "-x"),
        (("sub", "x", 1.0), None),
        (("add", 2.0, "x"), None),
        (("add", "x", "y"), None),
        (("sub", "y", "x"), None),
        (("mul", 1.5, "x"), None),
        ("x", None),
    ],
)
def test_a_step_is_read_as_it_is_written(coefficient, step):
    g = Graph()
    leaves = {"x": g.atom(X), "y": g.atom(Y)}

    def node(part):
        return leaves[part] if isinstance(part, str) else g.const(part, F64)

    symbol = g.symbol(Var("s", Type(F64)))
    made = node(coefficient) if isinstance(coefficient, str) else g.apply(coefficient[0], *map(node, coefficient[1:]))
    unknown = recurrences.Unknown(symbol, g.const(0.0, F64), {symbol.mask: made})
    one = g.const(1.0, F64)
    expected = {"x": leaves["x"], "-x": g.apply("neg", leaves["x"]), None: g.apply("sub", made, one)}[step]
    assert recurrences.step_of(g, unknown) is expected
    assert recurrences.System((unknown,)).steps is (step is not None)


def test_the_step_of_what_is_not_in_itself():
    g = Graph()
    unknown = recurrences.Unknown(g.symbol(Var("s", Type(F64))), g.const(0.0, F64), {})
    assert recurrences.step_of(g, unknown).value == -1.0
    assert not recurrences.System((unknown,)).steps


@pytest.mark.parametrize(
    ("base", "exponent", "known"),
    [
        ([(0, None)], [(0, None), (1, None)], True),
        ([(0, None)], [(1, None)], True),
        ([(0, None)], [(0, None)], False),
        ([(1, None)], [(1, None)], False),
        ([(0, None), (1, None)], [(1, None)], False),
        ([(0, None)], [(1, None), (2, None)], False),
        ([(0, None)], [(0, None), (1, None), (2, None)], False),
    ],
)
def test_a_power_of_the_index(base, exponent, known):
    """q^(a i + b) is a part where q does not depend on i, and the exponent does, linearly."""
    g = Graph()
    parts = sums._Parts(g, g.symbol(Var("i", Type(I64))))
    x = {key: g.const(2.0, F64) for key in base}
    y = {key: g.const(5.0 + key[0], F64) for key in exponent}
    found = sums._raised(parts, g.atom(X), x, y)
    assert (found is not None) is known
    if found is not None:
        ((power, inner),) = found
        assert power == 0
        assert inner is not None
        assert inner.value == 2.0**6.0
        assert found[power, inner].value == (2.0**5.0 if (0, None) in y else 1.0)


def test_what_the_last_iteration_leaves_needs_no_choice():
    g = Graph()
    symbol, other, end = g.symbol(X), g.symbol(Y), g.atom(Var("end", Type(F64)))
    ends = {symbol.mask: end, other.mask: g.atom(Var("last", Type(F64)))}
    broke = g.apply("lt", end, g.const(1.0, F64))
    forms = Forms(g, symbol.mask | other.mask)
    assert exits._left(g, forms, ends, broke, symbol, symbol) is end
    assert g.used["F5"] == 1
    left = exits._left(g, forms, ends, broke, symbol, g.mul(g.const(3.0, F64), other))
    assert left is g.apply("select", broke, g.mul(g.const(3.0, F64), ends[other.mask]), end)
    assert g.used["F5"] == 1
