"""Rows that only a later reduction reads are made there, from the few numbers that they depend on."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.core import Map
from tapeless.ir.text import parse_function
from tapeless.passes import defer

from .small_programs import kinds, optimised

TEXT = """
def f(x: f64[n, m]) {
  sums: f64[n], rows: f64[n, m] = map n (r: i64) {
    s: f64 = reduce m [0.0] (a: f64, b: f64) {
      c: f64 = add a b
      return c
    } (k: i64) {
      e: f64 = index x r k
      return e
    }
    g: f64 = sin s
    part: f64[r] = map r (j: i64) {
      h: f64 = convert[f64] j
      o: f64 = mul h g
      return o
    }
    zeros: f64[m] = replicate 0.0 m
    row: f64[m] = update_slice zeros part 0 1
    return g row
  }
  z: f64[m] = replicate 0.0 m
  total: f64[m] = reduce n [z] (p: f64[m], q: f64[m]) {
    t: f64[m] = map m (l: i64) {
      u: f64 = index p l
      v: f64 = index q l
      w: f64 = add u v
      return w
    }
    return t
  } (i: i64) {
    y: f64[m] = index rows i
    return y
  }
  return sums total
}
"""
X = np.random.default_rng(1).normal(size=(4, 5))


def test_numbers_are_kept_instead_of_rows() -> None:
    function = optimised(TEXT, [X], defer)
    (made,) = (stm for stm in function.body.stms if isinstance(stm.expr, Map))
    assert [var.type.rank for var in made.vars] == [1, 1]
    assert kinds(function.body).count("sin") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return sums total", "return rows total"),
        ("y: f64[m] = index rows i", "i2: i64 = sub 3 i\n    y: f64[m] = index rows i2"),
        ("s: f64 = reduce m", "check bounds r n\n    s: f64 = reduce m"),
    ],
    ids=["the rows are a result", "another order", "a check"],
)
def test_left_alone(old: str, new: str) -> None:
    function = parse_function(TEXT.replace(old, new))
    assert kinds(optimised(function, [X], defer).body) == kinds(function.body)


def test_row_of_a_loop_that_makes_a_number_too() -> None:
    """The loop makes the row and a number, in this order of results; it stays where it is."""
    loop = """
    last: f64, row: f64[m] = for 2 [g zeros] (step: i64, number: f64, kept: f64[m]) {
      next: f64[m] = update_slice kept part 0 1
      more: f64 = add number 1.0
      return more next
    }
    return last row"""
    text = TEXT.replace("    row: f64[m] = update_slice zeros part 0 1\n    return g row", loop.lstrip("\n"))
    function = parse_function(text)
    assert kinds(optimised(function, [X], defer).body) == kinds(function.body)


def test_rows_that_the_map_makes_for_others_too_stay_there() -> None:
    other = "    last: f64 = reduce m [0.0] (a2: f64, b2: f64) {\n      c2: f64 = add a2 b2\n      return c2\n    } "
    other += "(k2: i64) {\n      e2: f64 = index row k2\n      return e2\n    }\n    return last row"
    function = parse_function(TEXT.replace("    return g row", other))
    assert kinds(defer.run(function, defer.Notes()).body) == kinds(function.body)
