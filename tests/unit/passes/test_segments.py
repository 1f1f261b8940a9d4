"""Rows in order are written without zeros before them; whatever else the starts say, the sums are the same."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.ir.check import check
from tapeless.ir.core import Apply, If
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function, print_function
from tapeless.ir.walk import statements
from tapeless.passes import pipeline, segments
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

ROWS = """
def rows(start: i64[m], v: f64[k], n: i64) {
  z: f64[k] = replicate 0.0 k
  t: f64, a: f64[k] = for n [0.0 z] (r: i64, t1: f64, a1: f64[k]) {
    first: i64 = index start r
    r1: i64 = add r 1
    end: i64 = index start r1
    d: i64 = sub end first
    length: i64 = max d 0
    t2: f64, a2: f64[k] = for length [t1 a1] (j: i64, t3: f64, a3: f64[k]) {
      place: i64 = add first j
      below: bool = lt place 0
      around: i64 = add place k
      at: i64 = select below around place
      e: f64 = index v at
      s: f64 = sin e
      old: f64 = index a3 WHERE
      new: f64 = add old s
      a4: f64[k] = update a3 new WHERE
      t4: f64 = add t3 OTHER
      return t4 a4
    }
    return t2 a2
  }
  return t a
}
"""
V = np.linspace(-1.0, 2.0, 10)
STARTS = {
    "in order": [0, 3, 3, 8, 10],
    "one row": [0, 10],
    "a gap at the end": [0, 3, 9],
    "a gap at the start": [1, 3, 10],
    "overlapping": [0, 6, 2, 10],
    "from the end": [-10, -7, -2, 0],
    "falling": [10, 5, 0],
    "no rows": [0],
    "more starts than rows": [0, 4, 10, 3, 7],
}


def _program(where: str = "at", other: str = "e"):
    return parse_function(ROWS.replace("WHERE", where).replace("OTHER", other))


def _arguments(name: str) -> list:
    starts = np.array(STARTS[name])
    return [starts, V, 2 if name == "more starts than rows" else len(starts) - 1]


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("where", ["at", "place"])
def test_the_sums_are_the_same(name, where):
    before = _program(where)
    after = segments.run(before, Notes())
    check(after)
    assert sum(isinstance(stm.expr, If) for stm in statements(after.body)) >= 2
    if where == "place" and name == "from the end":
        return
    for x, y in zip(evaluate(before, _arguments(name)), evaluate(after, _arguments(name)), strict=True):
        np.testing.assert_array_equal(x, y)
    cpu.compile_and_run(before, [np.array([0, 10]), np.full(10, 7.0), 1])  # leaves no zeros in memory
    for x, y in zip(evaluate(before, _arguments(name)), cpu.compile_and_run(after, _arguments(name)), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-13, atol=1e-13)


def test_rows_in_order_are_only_written():
    after = segments.run(_program(), Notes())
    branch = [stm.expr for stm in after.body.stms if isinstance(stm.expr, If)][-1]
    ops = [stm.expr.op for stm in statements(branch.then) if isinstance(stm.expr, Apply)]
    assert "lt" not in ops, "no place counts from the end"
    assert ops.count("index") == 3, "two starts and a value; no old entry"
    assert "replicate[scratch] 0.0" in print_function(after)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("old: f64 = index a3 WHERE", "old: f64 = index a3 r"),  # another entry
        ("t4: f64 = add t3 OTHER", "t4: f64 = add t3 old"),  # the old entry is read
        ("t4: f64 = add t3 OTHER", "w: f64 = index a3 r\n      t4: f64 = add t3 w"),  # and others
        ("new: f64 = add old s", "new: f64 = mul old s"),
        ("end: i64 = index start r1", "end: i64 = index start r"),
        ("r1: i64 = add r 1", "r1: i64 = add r 2"),
        ("a4: f64[k] = update a3 new WHERE", "p2: i64 = mul place 2\n      a4: f64[k] = update a3 new p2"),
        ("z: f64[k] = replicate 0.0 k", "z: f64[k] = replicate 1.0 k"),
        ("  return t a\n}", "  e0: f64 = index z 0\n  return t a\n}"),  # zeros may have other uses
    ],
)
def test_other_loops_stay(text, new):
    before = parse_function(ROWS.replace(text, new).replace("WHERE", "at").replace("OTHER", "e"))
    after = segments.run(before, Notes())
    check(after)
    if "e0" in new:
        assert "replicate 0.0" in print_function(after).split("for")[0]
    else:
        assert after == before


def product(start, column, value, x):
    y = 0.0
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            y += value[k] * value[k] * x[column[k]] * x[i]
    return y


@pytest.mark.parametrize("name", STARTS)
def test_gradients_by_entries(name):
    """Of every kind of rows, twice: what an earlier call left in memory does not matter."""
    starts, column = np.array(STARTS[name]), np.arange(10) * 7 % 4
    x = np.linspace(0.5, 1.5, max(4, len(starts)))
    expected = np.zeros(10)
    for i in range(len(starts) - 1):
        for k in range(starts[i], starts[i + 1]):
            expected[k] += 2 * V[k] * x[column[k]] * x[i]
    gradient = tp.grad(product, 2)
    for _ in range(2):
        np.testing.assert_allclose(gradient(starts, column, V, x), expected, rtol=1e-12, atol=1e-14)


def test_starts_that_change_cannot_be_asked_before():
    def rows(starts, x):
        out = np.zeros(len(x))
        for i in range(len(starts)):
            ends = np.cumsum(starts[i])
            total = 0.0
            for k in range(ends[i], ends[i + 1]):
                out[k] += x[k] * total
                total += x[k]
        return out

    starts, x = np.array([[0, 2, 3, 1], [0, 2, 3, 1], [0, 1, 2, 2]]), np.linspace(0.5, 2.0, 8)
    np.testing.assert_allclose(tp.jit(rows)(starts, x), rows(starts, x), rtol=1e-14)
