"""A part that is read after it is overwritten is copied, and nothing else of the array is read after the write."""

from __future__ import annotations

import numpy as np

import tapeless.ops as _ops
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import operands
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
    assert "a" not in {
        getattr(x, "name", "") for s in after.body.stms[write + 1 :] for x in getattr(s.expr, "args", ())
    }


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


COLUMN = """
def program(a: f64[n, m], i: i64, j: i64) {
  b: f64[n, m] = update a 0.0 0 j
  x: f64 = index a 0 j
  y: f64 = index a i 1
  s: f64 = add x y
  return b s
}
"""


def _reads_after_the_write(function) -> list[str]:
    stms = function.body.stms
    write = next(k for k, s in enumerate(stms) if isinstance(s.expr, Apply) and s.expr.op.startswith("update"))
    return [s.vars[0].name for s in stms[write + 1 :] if "a" in {getattr(x, "name", "") for x in operands(s.expr)}]


def test_single_elements_at_several_places_are_read_before_the_write():
    before, after = _same_meaning(COLUMN, [np.arange(6.0).reshape(2, 3), 1, 2])
    assert _reads_after_the_write(before) == ["x", "y"]
    assert _reads_after_the_write(after) == []


def test_a_read_behind_a_check_stays_there():
    text = COLUMN.replace("  y: f64", "  check bounds i n\n  y: f64")
    before, after = _same_meaning(text, [np.arange(6.0).reshape(2, 3), 1, 2])
    assert before == after


def test_a_slice_that_is_used_after_the_write_is_copied():
    text = """
def program(a: f64[n, m], i: i64, z: f64[2, 1]) {
  part: f64[2, 1] = slice a 0 2 1 i 1 1
  b: f64[n, m] = update_slice a z 0 1 i 1
  x: f64 = index part 1 0
  return b x
}
"""
    before, after = _same_meaning(text, [np.arange(6.0).reshape(2, 3), 1, np.zeros((2, 1))])
    assert _copies(after) == _copies(before) + 1
    write = next(k for k, s in enumerate(after.body.stms) if s.vars[0].name == "b")
    assert all("part" not in {getattr(x, "name", "") for x in operands(s.expr)} for s in after.body.stms[write:])


def test_a_view_of_the_whole_array_is_left_alone():
    text = """
def program(a: f64[n, m], i: i64) {
  t: f64[m, n] = transpose[1, 0] a
  b: f64[n, m] = update a 0.0 i 0
  x: f64 = index t 1 0
  return b x
}
"""
    before, after = _same_meaning(text, [np.arange(6.0).reshape(2, 3), 1])
    assert before == after


def test_a_read_at_a_place_that_the_write_computes_stays():
    text = """
def program(a: f64[n], m: i64) {
  b: f64[n], k: i64 = for m [a 0] (i: i64, a0: f64[n], k0: i64) {
    a1: f64[n] = update a0 0.0 i
    k1: i64 = add k0 1
    return a1 k1
  }
  x: f64 = index a k
  return b x
}
"""
    before, after = _same_meaning(text, [np.arange(1.0, 5.0), 2])
    assert before == after
