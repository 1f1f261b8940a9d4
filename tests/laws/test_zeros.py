"""Points with zeros tell a product from a masked one."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.testing.dice import Dice
from tapeless.testing.zeros import disagreement, with_zeros

MASKED = """\
def f(x.1: f64) {
  t.2: f64 = div 1.0 x.1
  t.3: f64 = scale t.2 x.1
  return t.3
}"""
LOOP = """\
def f(x.1: f64) {
  t.5: f64 = while [1.0] (y.2: f64) {
    t.3: bool = gt y.2 x.1
    return t.3
  } (y.4: f64) {
    return 2.0
  }
  return t.5
}"""

# Zero by algebra, and some units by rounding for numbers of 1e9; then x + y.
CANCELLED = """\
def f(x.1: f64, y.2: f64, a.3: f64, b.4: f64) {
  t.5: f64 = add a.3 b.4
  t.6: f64 = mul t.5 a.3
  t.7: f64 = mul a.3 a.3
  t.8: f64 = mul b.4 a.3
  t.9: f64 = sub t.6 t.7
  t.10: f64 = sub t.9 t.8
  t.11: f64 = add t.10 x.1
  t.12: f64 = add t.11 y.2
  return t.12
}"""
SHORT = """\
def f(x.1: f64, y.2: f64, a.3: f64, b.4: f64) {
  t.12: f64 = add x.1 y.2
  return t.12
}"""
LARGE = [np.float64(x) for x in (0.0, 1.0, 1e9 / 3, 1e9 / 11)]
SMALL = [np.float64(x) for x in (0.0, 1.0, 1 / 3, 1 / 11)]
WRONG = {
    "1e-6 too much": SHORT.replace("add x.1", "mul 1.000001"),
    "a lost term": SHORT.replace("y.2\n", "0.0\n"),
    "not a number": SHORT.replace("add x.1 y.2", "div x.1 x.1"),
}


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_left_of_large_numbers_that_cancel_is_rounding(exact: bool) -> None:
    function, short = parse_function(CANCELLED), parse_function(SHORT)
    assert abs(evaluate(function, LARGE)[0] - 1) > 0.1
    assert not disagreement(function, short, LARGE, exact=exact)
    assert disagreement(short, function, LARGE, exact=exact)  # a form that loses digits which the other one keeps


@pytest.mark.parametrize("what", WRONG)
def test_mistakes_are_told_from_rounding(what: str) -> None:
    function, wrong = parse_function(CANCELLED), parse_function(WRONG[what])
    assert disagreement(function, wrong, SMALL)
    assert disagreement(function, wrong, LARGE, exact=True)


def test_rounding_makes_no_number_infinite() -> None:
    function, wrong = parse_function(CANCELLED), parse_function(SHORT.replace("add x.1 y.2", "div y.2 x.1"))
    assert disagreement(function, wrong, LARGE)


def test_what_a_zero_hides_stays_hidden() -> None:
    masked, product = (parse_function(text) for text in (MASKED, MASKED.replace("scale", "mul")))
    assert not disagreement(masked, masked, [np.float64(0.0)])
    assert "result 0 differs by inf" in disagreement(masked, product, [np.float64(0.0)])
    assert not disagreement(product, masked, [np.float64(0.0)])  # nothing is promised where it was not finite
    assert not disagreement(masked, product, [np.float64(0.5)])


def test_loops_that_do_not_end_say_nothing() -> None:
    loop = parse_function(LOOP)
    assert not disagreement(loop, loop, [np.float64(0.0)])


def test_some_floats_become_zeros() -> None:
    array, count = with_zeros([np.ones(60), 3], Dice(0))
    assert count == 3
    assert 0 < np.count_nonzero(array == 0) < 60
