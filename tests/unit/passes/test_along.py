"""Checks go along with the loop that reads the same indices, and always come before the read that they guard."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.check import check
from tapeless.ir.core import Block, Check, For, Function, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import fuse, pipeline, rows
from tapeless.passes.along import without_repetition
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

CHECKED = """
def f(key: i64[n], x: f64[m], y: f64[m]) {
   = map n (i: i64) {
    k: i64 = index key i
    check bounds k m
    return
  }
  BETWEEN
  z: f64[m] = for n [y] (j: i64, a: f64[m]) {
    at: i64 = AT
    l: i64 = index key at
    v: f64 = index x l
    w: f64 = index a l
    s: f64 = sin w
    t: f64 = add s v
    b: f64[m] = update a t l
    return b
  }
  return z
}
"""
KEYS, X, Y = np.array([2, 0, 1, 2, 2]), np.array([1.0, -2.0, 0.5]), np.array([0.1, 0.2, 0.3])


def _program(between: str = "", at: str | None = None) -> Function:
    text = CHECKED.replace("BETWEEN", between)
    own = text.replace("at: i64 = AT\n", "").replace("key at", "key j")
    return parse_function(own if at is None else text.replace("AT", at))


def _checks_in_loop(function: Function) -> bool:
    loops = [stm.expr for stm in statements(function.body) if isinstance(stm.expr, For)]
    return any(isinstance(stm.expr, Check) for loop in loops for stm in statements(loop.body.body))


def _joined(function: Function) -> Function:
    after = rows.run(function, Notes())
    check(after)
    np.testing.assert_array_equal(evaluate(function, [KEYS, X, Y])[0], evaluate(after, [KEYS, X, Y])[0])
    return after


def test_a_loop_checks_what_it_reads():
    after = _joined(_program())
    assert _checks_in_loop(after)
    assert not any(isinstance(stm.expr, Map) for stm in statements(after.body))
    loads = [stm for stm in statements(after.body) if getattr(stm.expr, "op", "") == "index"]
    assert len(loads) == 3, "the key is loaded once"
    with pytest.raises(IndexError):
        evaluate(after, [KEYS + 1, X, Y])


@pytest.mark.parametrize("at", ["sub last j", "mul j 0"])
def test_a_loop_that_reads_elsewhere_is_checked_before(at):
    """Round j would read at a key that only a later round checks."""
    after = _joined(_program("last: i64 = add n -1", at))
    assert not _checks_in_loop(after)
    with pytest.raises(IndexError):
        evaluate(after, [np.array([0, 0, 0, 0, 9]), X, Y])


READ_BEFORE = """
  first: f64[1] = map 1 (q: i64) {
    k1: i64 = index key q
    v1: f64 = index x k1
    return v1
  }
"""


def test_checks_do_not_wait_for_a_read_that_they_guard():
    assert not _checks_in_loop(_joined(_program(READ_BEFORE)))


FUSED = """
def f(key: i64[n], x: f64[m]) {
   = map n (i: i64) {
    k: i64 = index key i
    check bounds k m
    return
  }
  last: i64 = add n -1
  z: f64[n] = map n (j: i64) {
    at: i64 = sub last j
    l: i64 = index key at
    v: f64 = index x l
    return v
  }
  return z
}
"""


def test_maps_that_read_in_another_order_are_checked_before():
    """A lane would read at a key that another lane checks."""
    function = parse_function(FUSED)
    after = fuse.run(function, Notes())
    maps = [stm.expr for stm in after.body.stms if isinstance(stm.expr, Map)]
    assert len(maps) == 2
    same_order = fuse.run(parse_function(FUSED.replace("sub last j", "add j 0").replace("key at", "key j")), Notes())
    assert sum(isinstance(stm.expr, Map) for stm in same_order.body.stms) == 1


def test_operations_are_done_once():
    function = parse_function(
        """
def f(x: f64[n], i: i64) {
  a: f64 = index x i
  b: f64 = index x i
  c: f64 = mul a b
  d: f64 = mul b a
  e: f64 = mul b b
  return c d e
}
"""
    )
    block = without_repetition(function.body)
    assert isinstance(block, Block)
    assert len(block.stms) == 2
    assert len(set(block.results)) == 1
    check(Function("f", function.params, block))


def deposits(key, weight, x):
    total = np.zeros(len(x))
    for i in range(len(key)):
        total[key[i]] = np.sin(total[key[i]]) + weight[i] * x[key[i]]
    return np.sum(total)


def test_a_gradient_with_a_wrong_index_raises():
    weight = np.linspace(0.5, 1.0, len(KEYS))
    gradient = tp.grad(deposits, (1, 2))
    gradient(KEYS, weight, X)
    for wrong in (3, -4, 10**12):
        keys = KEYS.copy()
        keys[3] = wrong
        with pytest.raises(IndexError):
            gradient(keys, weight, X)


def rows_of(start, column, value, x):
    total = 0.0
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            total += np.sin(value[k]) * x[column[k]] * x[i]
    return total


@pytest.mark.parametrize("where", [0, 4, 9])
def test_a_sparse_gradient_with_a_wrong_column_raises(where):
    start, column = np.array([0, 3, 3, 8, 10]), np.array([0, 2, 3, 1, 1, 3, 0, 2, 2, 3])
    value, x = np.linspace(0, 1, 10), np.linspace(1, 2, 4)
    gradient = tp.grad(rows_of, (2, 3))
    gradient(start, column, value, x)
    for wrong in (4, -5, 2**62):
        columns = column.copy()
        columns[where] = wrong
        with pytest.raises(IndexError):
            gradient(start, columns, value, x)
