"""Loops over `first + i` in two versions: without and with indices that count from the end."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Function, If, Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import simplify, unswitch
from tapeless.passes.notes import Notes

TEXT = """
def f(x.1: f64[n.0], first.2: i64, count.3: i64) {
  t.9: f64 = reduce count.3 [0.0] (a.4: f64, b.5: f64) {
    c.6: f64 = add a.4 b.5
    return c.6
  } (i.7: i64) {
    k.8: i64 = add first.2 i.7
    t.10: bool = lt k.8 0
    t.11: i64 = add k.8 n.0
    w.12: i64 = select t.10 t.11 k.8
    check bounds w.12 n.0
    v.13: f64 = index x.1 w.12
    return v.13
  }
  return t.9
}
"""


def unswitched() -> Function:
    notes = Notes()
    function = simplify.run(unswitch.run(parse_function(TEXT), notes), notes)
    check(function)
    return function


def test_the_first_version_wraps_no_index() -> None:
    (branch,) = [stm.expr for stm in statements(unswitched().body) if isinstance(stm.expr, If)]
    selects = [
        sum(isinstance(stm.expr, Apply) and stm.expr.op == "select" for stm in statements(arm))
        for arm in (branch.then, branch.orelse)
    ]
    assert selects == [0, 1]
    assert all(isinstance(arm.stms[0].expr, Reduce) for arm in (branch.then, branch.orelse))


@pytest.mark.parametrize(("first", "count"), [(0, 5), (2, 3), (0, 0), (-5, 5), (-3, 3), (-3, 6), (-2, 7), (4, 1)])
def test_meaning(first: int, count: int) -> None:
    x = np.arange(1.0, 6.0)
    expected = evaluate(parse_function(TEXT), [x, first, count])
    assert evaluate(unswitched(), [x, first, count]) == expected


@pytest.mark.parametrize(("first", "count"), [(-6, 2), (3, 3), (2**63 - 1, 3), (2**63 - 3, 2)])
def test_faults(first: int, count: int) -> None:
    with pytest.raises(IndexError) as expected:
        evaluate(parse_function(TEXT), [np.ones(5), first, count])
    with pytest.raises(IndexError) as found:
        evaluate(unswitched(), [np.ones(5), first, count])
    assert str(found.value) == str(expected.value)
