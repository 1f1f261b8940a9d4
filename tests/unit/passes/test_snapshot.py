"""A part that is read after it is overwritten is copied, and nothing else of the array is read after the write."""

from __future__ import annotations

import numpy as np

import tapeless.ops as _ops
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import snapshot
from tapeless.passes.notes import Notes

assert _ops

ROW = """
def program(a: f64[n, m], i: i64, z: f64[m]) {
  row: f64[m] = index a i
  b: f64[n, m] = update a z i
  x: f64 = index a i 0
  y: f64[m] = map m (j: i64) {
    t: f64 = index row j
    u: f64 = index a i j
    v: f64 = add t u
    return v
  }
  return b y x
}
"""


def _copies(function) -> int:
    return sum(isinstance(stm.expr, Map) for stm in function.body.stms)


def _same_meaning(text: str, args: list) -> tuple:
    before = parse_function(text)
    after = snapshot.run(before, Notes())
    check(after)
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_array_equal(x, y)
    return before, after


def test_a_row_read_after_the_write_is_kept():
    a = np.arange(6.0).reshape(2, 3)
    before, after = _same_meaning(ROW, [a, 1, np.zeros(3)])
    assert _copies(after) == _copies(before) + 1
    write = next(k for k, s in enumerate(after.body.stms) if isinstance(s.expr, Apply) and s.expr.op == "update")
    assert "a" not in {getattr(x, "name", "") for s in after.body.stms[write + 1 :] for x in getattr(s.expr, "args", ())}


def test_an_array_read_elsewhere_is_left_alone():
    text = ROW.replace("u: f64 = index a i j", "u: f64 = index a j 0").replace("f64[n, m]", "f64[3, m]")
    before, after = _same_meaning(text, [np.arange(9.0).reshape(3, 3), 1, np.zeros(3)])
    assert before == after


def test_a_place_that_may_be_out_of_range_is_not_read_early():
    text = """
def program(a: f64[n], i: i64, k: i64) {
  b: f64[n] = update a 0.0 i
  c: bool = lt k n
  x: f64 = if c {
    t: f64 = index a k
    return t
  } else {
    return 0.0
  }
  return b x
}
"""
    before, after = _same_meaning(text, [np.ones(2), 0, 5])
    assert before == after
