"""Checked indices that may count from the end, in scalar code and in lanes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu, wrapping
from tapeless.backend.target import Options
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

GATHER = """
def f(x.1: f64[n.0], k.2: i64[m.3]) {
  y.9: f64[m.3] = map m.3 (i.7: i64) {
    k.8: i64 = index k.2 i.7
    t.10: bool = lt k.8 0
    t.11: i64 = add k.8 n.0
    w.12: i64 = select t.10 t.11 k.8
    check bounds w.12 n.0
    v.13: f64 = index x.1 w.12
    return v.13
  }
  return y.9
}
"""
OPTIONS = {"scalar": Options(lanes="never"), "lanes": Options(lanes="always")}


def test_the_pattern_is_found() -> None:
    assert [str(raw) for raw in wrapping.find(parse_function(GATHER)).values()] == ["k.8"]
    other = GATHER.replace("add k.8 n.0", "add k.8 m.3")
    assert wrapping.find(parse_function(other)) == {}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_meaning(options: Options) -> None:
    function = parse_function(GATHER)
    args = [np.arange(5.0), np.array([0, 4, -1, -5, 2, -3, 1, 3, -2, 0, -4])]
    loaded = cpu.load(cpu.compile(function, options=options))
    np.testing.assert_array_equal(cpu.run(loaded, function, args)[0], evaluate(function, args)[0])


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("bad", [5, -6, 2**63 - 1, -(2**63), 2**63 - 5])
def test_faults(bad: int, options: Options) -> None:
    function = parse_function(GATHER)
    args = [np.arange(5.0), np.array([0, -1, bad, 2, -9, 1, 1, 1, 1])]
    loaded = cpu.load(cpu.compile(function, options=options))
    with pytest.raises(IndexError) as found:
        cpu.run(loaded, function, args)
    assert f"index {bad} is out of bounds" in str(found.value)
