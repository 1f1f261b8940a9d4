"""Values that one round of a loop writes and a later one reads are carried in registers."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.check import check
from tapeless.ir.core import Apply, For, Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import forward, simplify
from tapeless.passes.notes import Notes

LOOP = """
def f(x.1: f64[n.0], m.2: i64) {{
  y.9: f64[n.0] = for m.2 [x.1] (i.3: i64, x.4: f64[n.0]) {{
    {indices}
    check bounds a.5 n.0
    p.6: f64 = index x.4 a.5
    check bounds b.7 n.0
    q.8: f64 = index x.4 b.7
    s.10: f64 = mul q.8 0.5
    t.11: f64 = add p.6 s.10
    check bounds w.12 n.0
    y.13: f64[n.0] = update x.4 t.11 w.12
    return y.13
  }}
  return y.9
}}
"""
# How the places of two reads and of the write follow from the counter, and how many values are carried.
CASES = {
    "one round ago and untouched": ("a.5: i64 = add i.3 0\n w.12: i64 = add i.3 1\n b.7: i64 = add i.3 2", 1, 1),
    "one and two rounds ago": ("a.5: i64 = add i.3 1\n b.7: i64 = add i.3 0\n w.12: i64 = add i.3 2", 2, 0),
    "backwards": ("w.12: i64 = sub 8 i.3\n a.5: i64 = add w.12 1\n b.7: i64 = add w.12 -1", 1, 1),
    "steps of two": ("a.5: i64 = mul i.3 2\n b.7: i64 = add a.5 1\n w.12: i64 = add a.5 2", 1, 1),
    "the same place in every round": ("a.5: i64 = add m.2 -1\n w.12: i64 = add m.2 -1\n b.7: i64 = add i.3 0", 0, 2),
    "too far ago": ("a.5: i64 = add i.3 0\n b.7: i64 = add i.3 6\n w.12: i64 = add i.3 5", 0, 2),
}  # fmt: skip


def forwarded(indices: str) -> tuple[Function, Function]:
    function, notes = parse_function(LOOP.format(indices=indices)), Notes()
    after = simplify.run(forward.run(function, notes), notes)
    check(after)
    return function, after


@pytest.mark.parametrize(("indices", "carried", "reads"), CASES.values(), ids=CASES)
def test_what_is_carried(indices: str, carried: int, reads: int) -> None:
    _, after = forwarded(indices)
    (loop,) = [stm.expr for stm in statements(after.body) if isinstance(stm.expr, For)]
    assert len(loop.init) == 1 + carried
    assert sum(isinstance(s.expr, Apply) and s.expr.op == "index" for s in loop.body.body.stms) == reads


@pytest.mark.parametrize("m", [0, 1, 2, 3, 4, 7, 30])
@pytest.mark.parametrize("indices", [case[0] for case in CASES.values()], ids=CASES)
def test_meaning(indices: str, m: int) -> None:
    x = np.random.default_rng(m).normal(size=10)
    outcomes: list[object] = []
    for function in forwarded(indices):
        try:
            outcomes.append(evaluate(function, [x.copy(), m])[0].tolist())
        except IndexError as fault:
            outcomes.append(str(fault))
    assert outcomes[0] == outcomes[1]
