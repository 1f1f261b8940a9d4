"""Operators over one short row become one loop, and nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.core import For, Function, Hist, Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import pipeline, rows
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

SPARSE = """
def sparse(start: i64[m], key: i64[k], v: f64[k], x: f64[n], y: f64[n]) {
  w: f64[k] = replicate 0.0 k
  rows: i64 = add m -1
  a: f64[n], b: f64[k], t: f64 = for rows [y w 0.0] (r: i64, a1: f64[n], b1: f64[k], t1: f64) {
    first: i64 = index start r
    r1: i64 = add r 1
    end: i64 = index start r1
    length: i64 = sub end first
    s: f64 = reduce length [0.0] (p: f64, q: f64) {
      pq: f64 = add p q
      return pq
    } (i: i64) {
      j: i64 = add first i
      c: i64 = index key j
      e: f64 = index v j
      f: f64 = index x c
      g: f64 = mul e f
      return g
    }
    half: f64 = mul s 0.5
    a2: f64[n] = accumulate a1 half r
    a3: f64[n] = hist 1 length [0.0] [a2] (p1: f64, q1: f64) {
      pq1: f64 = OPERATION p1 q1
      return pq1
    } (i1: i64) {
      j1: i64 = add first i1
      c1: i64 = index key j1
      e1: f64 = index v j1
      return c1 e1
    }
    b2: f64[k] = hist 1 length [0.0] [b1] (p2: f64, q2: f64) {
      pq2: f64 = add p2 q2
      return pq2
    } (i2: i64) {
      j2: i64 = add first i2
      far: i64 = mul j2 2
      c2: i64 = index key j2
      f2: f64 = index x c2
      return far f2
    }
    t2: f64 = add t1 s
    return a3 b2 t2
  }
  return a b t
}
"""
START = np.array([0, 3, 3, 8, 10])
KEYS = np.array([0, 2, 3, 1, 1, 3, 0, 2, 2, 3])


def _arguments() -> list:
    rng = np.random.default_rng(1)
    return [START, KEYS, rng.normal(size=10), rng.normal(size=4), rng.normal(size=4)]


def _count(function: Function, kind: type) -> int:
    return sum(isinstance(stm.expr, kind) for stm in statements(function.body))


@pytest.mark.parametrize(("operation", "left"), [("add", (0, 0)), ("max", (0, 1))])
def test_one_loop(operation, left):
    """A sum and a histogram that adds do not mind the order; the largest value must see the addition before it."""
    before = parse_function(SPARSE.replace("OPERATION", operation))
    after = rows.run(before, Notes())
    check(after)
    assert (_count(after, Reduce), _count(after, Hist)) == left
    assert _count(after, For) == 2
    for x, y in zip(evaluate(before, _arguments()), evaluate(after, _arguments()), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14)


def test_a_row_of_fixed_length_keeps_its_lanes():
    text = SPARSE.replace("OPERATION", "add")
    fixed = text.replace(" length [", " 3 [")
    function = parse_function(fixed)
    assert rows.run(function, Notes()) == function


def test_what_a_member_reads_is_not_overwritten():
    """A histogram whose values come from the array that another one adds to stays apart."""
    text = SPARSE.replace("OPERATION", "add").replace("f2: f64 = index x c2", "f2: f64 = index a1 c2")
    before = parse_function(text)
    after = rows.run(before, Notes())
    check(after)
    assert _count(after, Hist) >= 1
    for x, y in zip(evaluate(before, _arguments()), evaluate(after, _arguments()), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-14)


def quadratic(start, column, value, x):
    total = 0.0
    for i in range(len(x)):
        row = 0.0
        for k in range(start[i], start[i + 1]):
            row += value[k] * x[column[k]]
        total += x[i] * row
    return total


def test_the_gradient_of_a_sparse_form_is_one_pass():
    _, _, value, x, _ = _arguments()
    gradient = tp.grad(quadratic, (2, 3))
    value_adj, x_adj = gradient(START, KEYS, value, x)
    matrix = np.zeros((4, 4))
    rows_of = np.repeat(np.arange(4), np.diff(START))
    np.add.at(matrix, (rows_of, KEYS), value)
    np.testing.assert_allclose(value_adj, x[rows_of] * x[KEYS], rtol=1e-13)
    np.testing.assert_allclose(x_adj, (matrix + matrix.T) @ x, rtol=1e-13)
    assert "hist" not in gradient.show("ir")
    with pytest.raises(IndexError):
        gradient(START, KEYS + 9, value, x)


def test_rows_that_count_from_the_end():
    """Python's negative indices are other versions of the loop."""
    _, _, value, x, _ = _arguments()
    gradient = tp.grad(quadratic, (2, 3))
    for expected, found in zip(gradient(START, KEYS, value, x), gradient(START - 10, KEYS, value, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
