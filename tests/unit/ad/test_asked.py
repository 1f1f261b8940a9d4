"""Branches that are read only where a truth value of their own holds are not gone back through elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.asked import asked
from tapeless.ad.functions import vjp_function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.testing.derivative_law import judge_derivatives

PROGRAM = """\
def program(x.1: f64, c.2: bool) {
  y.6: f64, good.7: bool = if c.2 {
    t.3: f64 = mul x.1 1e300
    t.4: f64 = mul t.3 t.3
    t.5: bool = lt t.4 1e300
    return t.4 t.5
  } else {
    return x.1 False
  }
  z.9: f64 = if good.7 {
    return y.6
  } else {
    t.8: f64 = mul x.1 x.1
    return t.8
  }
  return z.9
}"""
OTHERS = {
    "read elsewhere": ("  return z.9\n}", "  w.10: f64 = add z.9 y.6\n  return w.10\n}"),
    "a result": ("  return z.9\n}", "  return y.6\n}"),
    "read where it does not hold": ("return t.8", "return y.6"),
    "asked for by another truth value": ("if good.7", "if c.2"),
    "true in the other arm": ("return x.1 False", "return x.1 True"),
    "unknown in the other arm": ("return x.1 False", "return x.1 c.2"),
}


def test_what_was_not_good_enough_is_not_gone_back_through():
    function = parse_function(PROGRAM)
    assert {name: good.name for name, good in asked(function.body).items()} == {"y.6": "good.7"}
    for x, slope in ((3.0, 6.0), (1e-200, 2e-200), (0.0, 0.0)):
        value, adjoint = evaluate(vjp_function(function, (0,)), [np.float64(x), np.True_, np.float64(1.0)])
        assert np.isfinite(value)
        np.testing.assert_allclose(adjoint, slope if x != 1e-200 else 2e-200 * 1e300 * 1e300, rtol=1e-14)


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("x", [0.7, 0.1])
def test_the_law_holds(x, c):
    function = parse_function(PROGRAM.replace("1e300", "4.0"))
    assert judge_derivatives(function, [np.float64(x), np.bool_(c)], order=2).kind == "ok"


WITHOUT = """\
def without(x: f64, c: bool) {
  y: RESULT, good: bool, k: i64 = if c {
    t: bool = lt x 1.0
    return FIRST t 1
  } else {
    return SECOND False 0
  }
  z: i64 = if good {
    return k
  } else {
    return 2
  }
  return z
}"""


def test_only_truth_values_ask_and_only_for_numbers():
    """Nobody reads y, and neither is it a truth value, nor is k, though both are zero where c does not hold."""

    def found(result, first, second):
        text = WITHOUT.replace("RESULT", result).replace("FIRST", first).replace("SECOND", second)
        return {name: good.name for name, good in asked(parse_function(text).body).items()}

    assert found("f64", "x", "0.0") == {"y": "good"}
    assert found("i64", "3", "0") == {}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_others_are_told_apart(change):
    assert not asked(parse_function(PROGRAM.replace(*change)).body)


def two(x, v, h, n):
    for _ in range(n):
        v = v - h * x
        x = x + h * v
    return x * v


@pytest.mark.parametrize("n", [300, 1000, 5000])
def test_closed_forms_that_overflow(n):
    """From zeros the loop stays at zero for ever; its matrix to the n-th overflows."""
    assert tp.grad(two, (0, 1, 2))(0.0, 0.0, 3.0, n) == (0.0, 0.0, 0.0)
    assert np.all(np.isfinite(tp.hessian(lambda h: two(0.0, 0.0, h, n))(3.0)))
