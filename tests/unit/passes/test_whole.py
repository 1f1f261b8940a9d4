"""Arrays written piece by piece, all of them, are made of the pieces; others stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops as _ops
from tapeless.ir.check import check
from tapeless.ir.core import Apply
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import whole
from tapeless.passes.notes import Notes

assert _ops

PROGRAM = """
def program(a: f64[n], x: f64) {{
  m: i64 = add n -1
  s: i64 = max m 0
  v: f64[s] = map s (i: i64) {{
    t: f64 = convert[f64] i
    return t
  }}
  {writes}
  return c
}}
"""

WHOLE = {
    "slice then last": "b: f64[n] = update_slice a v 0 1\n  c: f64[n] = update b x m",
    "last then slice": "b: f64[n] = update a x m\n  c: f64[n] = update_slice b v 0 1",
    "first then slice": "b: f64[n] = update a x 0\n  c: f64[n] = update_slice b v 1 1",
}
PARTIAL = {
    "overlap": "b: f64[n] = update_slice a v 0 1\n  c: f64[n] = update b x 0",
    "backwards": "b: f64[n] = update_slice a v m -1\n  c: f64[n] = update b x 0",
    "one slice": "c: f64[n] = update_slice a v 0 1",
}


def _judged(writes: str) -> bool:
    before = parse_function(PROGRAM.format(writes=writes))
    after = whole.run(before, Notes())
    check(after)
    for n in (1, 2, 5):
        args = [np.full(n, 7.0), 3.5]
        np.testing.assert_array_equal(evaluate(before, args)[0], evaluate(after, args)[0])
    return any(isinstance(stm.expr, Apply) and stm.expr.op == "concat" for stm in after.body.stms)


@pytest.mark.parametrize("name", WHOLE)
def test_pieces_that_fill_the_array_replace_it(name):
    assert _judged(WHOLE[name])


@pytest.mark.parametrize("name", PARTIAL)
def test_other_writes_stay(name):
    assert not _judged(PARTIAL[name])
