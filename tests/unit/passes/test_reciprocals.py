"""Under `fastmath` divisions by one value share its reciprocal, and nothing else changes."""

from __future__ import annotations

import numpy as np

import tapeless as tp
import tapeless.ops as _ops
from tapeless.ir.check import check
from tapeless.ir.core import Apply
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import reciprocals
from tapeless.passes.notes import Notes

assert _ops

PROGRAM = """
def program(x: f64[n], d: f64, e: f64) {
  a: f64 = div e d
  y: f64[n] = map n (i: i64) {
    t: f64 = index x i
    u: f64 = div t e
    v: f64 = div d t
    w: f64 = add u v
    return w
  }
  c: bool = gt d 0.0
  z: f64 = if c {
    s: f64 = div e d
    return s
  } else {
    return 0.0
  }
  return a y z
}
"""


def _divisions(function) -> int:
    return sum(isinstance(stm.expr, Apply) and stm.expr.op == "div" for stm in statements(function.body))


def test_a_divisor_from_outside_a_loop_is_inverted_once():
    before = parse_function(PROGRAM)
    after = reciprocals.run(before, Notes())
    check(after)
    args = [np.array([0.5, 3.0, -7.0]), 1.3, 0.7]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_allclose(x, y, rtol=4e-16)
    inside = next(stm for stm in after.body.stms if stm.vars[0].name == "y").expr.body.body
    assert sum(s.expr.op == "div" for s in inside.stms if isinstance(s.expr, Apply)) == 1
    assert _divisions(after) == _divisions(before)  # d divides once per block, and a branch may not run


def test_the_option_changes_nothing_but_last_bits():
    def shares(x, d):
        return x[0] / d + x[1] / d + x[2] / d

    x = np.array([1.0, 2.0, 5.0])
    plain, fast = tp.jit(shares), tp.jit(fastmath=True)(shares)
    assert plain(x, 3.0) == shares(x, 3.0)
    np.testing.assert_allclose(fast(x, 3.0), shares(x, 3.0), rtol=1e-15)
    assert fast.show("ir").count("div") == 1 < plain.show("ir").count("div")


ROOTS = """
def program(a: f64, x: f64) {
  s: f64 = sqrt a
  y: f64 = div x s
  z: f64 = div 0.5 s
  w: f64 = div x a
  v: f64 = sqrt x
  u: f64 = div a v
  return y z w u
}
"""


def test_dividing_by_the_root_of_a_divisor_is_a_product():
    before = parse_function(ROOTS)
    after = reciprocals.run(before, Notes())
    check(after)
    for x, y in zip(evaluate(before, [2.3, 0.7]), evaluate(after, [2.3, 0.7]), strict=True):
        np.testing.assert_allclose(x, y, rtol=8e-16)
    assert _divisions(after) == 2  # 1 / a, and by the root of x, by which nothing else is divided
