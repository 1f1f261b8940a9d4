"""Fields of records that each lane finds at a place of its own."""

from __future__ import annotations

import re

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

FIELDS = """
def f(x.1: f64[n.0, 5], k.2: i64[m.3]) {
  y.9: f64[m.3] = map m.3 (i.4: i64) {
    j.5: i64 = index k.2 i.4
    a.6: f64 = index x.1 j.5 0
    b.7: f64 = index x.1 j.5 4
    c.8: f64 = index x.1 j.5 2
    d.10: f64 = mul a.6 b.7
    e.11: f64 = sub d.10 c.8
    return e.11
  }
  return y.9
}
"""


def test_fields_of_gathered_records() -> None:
    function = parse_function(FIELDS)
    args = [np.random.default_rng(0).normal(size=(7, 5)), np.array([0, 6, 3, 3, 1, 2, 5, 4, 0, 6, 6])]
    loaded = cpu.load(cpu.compile(function, options=Options(lanes="always")))
    np.testing.assert_allclose(cpu.run(loaded, function, args)[0], evaluate(function, args)[0], rtol=1e-14)


def test_each_lane_is_taken_out_once() -> None:
    text = cpu.emit(parse_function(FIELDS), options=Options(lanes="always"))
    taken = re.findall(r"extractelement <(\d+) x i64> (%\w+), i64 (\d+)", text)
    assert taken
    assert len(taken) == int(taken[0][0])
