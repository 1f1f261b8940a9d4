"""Sizes come as early as they can, and nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.check import check
from tapeless.ir.core import Apply
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import early, pipeline
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

JOINED = """
def joined(x: f64[n], k: i64) {
  a: f64[n] = map n (i: i64) {
    v: f64 = index x i
    w: f64 = mul v 2.0
    return w
  }
  check nonneg k "negative"
  half: i64 = OP n 2
  m: i64 = add half k
  other: i64 = add n 3
  s: f64 = index a 1
  b: f64[m] = replicate s m
  two: i64 = mul m 1
  l: i64 = add n two
  c: f64[l] = concat[0] a b l
  t: f64 = index a 0
  return c other t
}
"""


def _order(op: str) -> list[str]:
    before = parse_function(JOINED.replace("OP", op))
    after = early.run(before, Notes())
    check(after)
    x = np.arange(1.0, 6.0)
    for old, new in zip(evaluate(before, [x, 2]), evaluate(after, [x, 2]), strict=True):
        np.testing.assert_array_equal(old, new)
    assert sorted(map(repr, before.body.stms)) == sorted(map(repr, after.body.stms))
    return [stm.vars[0].name.split(".")[0] if stm.vars else "check" for stm in after.body.stms]


def test_sizes_come_first():
    assert _order("sub") == ["half", "m", "two", "l", "a", "check", "other", "s", "b", "c", "t"]


def test_what_may_fail_stays():
    assert _order("floordiv") == ["a", "check", "half", "m", "two", "l", "other", "s", "b", "c", "t"]


@pytest.mark.parametrize("count", [0, 3])
def test_inside_of_loops(count):
    before = parse_function("""
def inside(x: f64[n], count: i64) {
  r: f64 = for count [0.0] (i: i64, r0: f64) {
    s: f64 = index x i
    m: i64 = add i 1
    y: f64[m] = replicate s m
    t: f64 = index y 0
    r1: f64 = add r0 t
    return r1
  }
  return r
}
""")
    after = early.run(before, Notes())
    check(after)
    body = after.body.stms[0].expr.body.body.stms
    assert next(stm.expr.op for stm in body if isinstance(stm.expr, Apply)) == "add"
    assert evaluate(after, [np.ones(4), count]) == evaluate(before, [np.ones(4), count])


def test_what_waits_for_two():
    """A size of a size that comes earlier, and of a number that does not."""
    before = parse_function("""
def two(x: f64[n], k: i64) {
  a: f64[n] = map n (i: i64) {
    v: f64 = index x i
    return v
  }
  p: i64 = floordiv n 2
  q: i64 = add k 1
  m: i64 = add p q
  b: f64[m] = replicate 1.0 m
  return a b
}
""")
    after = early.run(before, Notes())
    check(after)
    assert [stm.vars[0].name.split(".")[0] for stm in after.body.stms] == ["q", "a", "p", "m", "b"]
    for old, new in zip(evaluate(before, [np.ones(5), 2]), evaluate(after, [np.ones(5), 2]), strict=True):
        np.testing.assert_array_equal(old, new)
