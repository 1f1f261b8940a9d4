"""Points with zeros tell a product from a masked one."""

from __future__ import annotations

import numpy as np

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


def test_what_a_zero_hides_stays_hidden() -> None:
    masked, product = (parse_function(text) for text in (MASKED, MASKED.replace("scale", "mul")))
    assert not disagreement(masked, masked, [np.float64(0.0)])
    assert "result 0 is nan" in disagreement(masked, product, [np.float64(0.0)])
    assert not disagreement(product, masked, [np.float64(0.0)])  # nothing is promised where it was not finite
    assert not disagreement(masked, product, [np.float64(0.5)])


def test_loops_that_do_not_end_say_nothing() -> None:
    loop = parse_function(LOOP)
    assert not disagreement(loop, loop, [np.float64(0.0)])


def test_some_floats_become_zeros() -> None:
    array, count = with_zeros([np.ones(60), 3], Dice(0))
    assert count == 3
    assert 0 < np.count_nonzero(array == 0) < 60
