"""Nests that do the same share one function, and many accumulators share one table of partial results."""

from __future__ import annotations

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

_SQUARES = """
  {name}: f64[n.0] = map n.0 (i.{k}: i64) {{{check}
    a.{k}: f64 = index {source} i.{k}
    b.{k}: f64 = mul a.{k} a.{k}
    return b.{k}
  }}"""
_SMALL_BLOCKS = Options(block=64, threads_from=128)


def _twice(first: str, second: str):
    text = f"def f(x.0: f64[n.0], y.0: f64[n.0]) {{{first}{second}\n  return p.0 q.0\n}}"
    function = parse_function(text)
    check(function)
    return function


def _agrees(function, *args: np.ndarray) -> None:
    for options in (Options(), _SMALL_BLOCKS):
        for got, expected in zip(
            cpu.compile_and_run(function, args, options=options), evaluate(function, args), strict=True
        ):
            np.testing.assert_allclose(got, expected, rtol=1e-14)


def test_equal_nests_are_one_function() -> None:
    function = _twice(
        _SQUARES.format(name="p.0", k=1, source="x.0", check=""),
        _SQUARES.format(name="q.0", k=2, source="y.0", check=""),
    )
    text = cpu.emit(function)
    assert text.count("define internal void @kernel.nest") == 1
    assert text.count("call void @kernel.nest0(") == 2
    _agrees(function, np.arange(1000.0), -np.arange(1000.0) / 3)


def test_nests_with_checks_of_their_own_stay_apart() -> None:
    inside = "\n    check bounds i.{k} 1000000"
    function = _twice(
        _SQUARES.format(name="p.0", k=1, source="x.0", check=inside.format(k=1)),
        _SQUARES.format(name="q.0", k=2, source="y.0", check=inside.format(k=2)),
    )
    assert cpu.emit(function).count("define internal void @kernel.nest") == 2
    _agrees(function, np.arange(77.0), np.arange(77.0) + 1)


def test_accumulators_of_one_type_share_a_table() -> None:
    function = parse_function("""
def f(x.0: f64[n.0], k.0: i64[n.0]) {
  s.0: f64, t.0: i64, m.0: f64 = reduce n.0 [0.0 0 -99.0] (a.0: f64, b.0: i64, c.1: f64, d.0: f64, e.0: i64, f.0: f64) {
    u.0: f64 = add a.0 d.0
    v.0: i64 = add b.0 e.0
    w.0: f64 = max c.1 f.0
    return u.0 v.0 w.0
  } (i.0: i64) {
    p.0: f64 = index x.0 i.0
    q.0: i64 = index k.0 i.0
    return p.0 q.0 p.0
  }
  return s.0 t.0 m.0
}
""")
    check(function)
    kernel = cpu.emit(function).partition("define i64 @kernel(")[2]
    assert kernel.count("call ptr @tp_hold(") == 2
    rng = np.random.default_rng(3)
    for n in (0, 1, 5, 1000, 70_001):
        _agrees(function, rng.normal(size=n), rng.integers(-9, 9, n))


def test_numbers_are_put_into_lanes_before_the_loops() -> None:
    function = parse_function("""
def f(x.0: f64[n.0], a.0: f64, b.0: f64) {
  y.0: f64[n.0] = map n.0 (i.0: i64) {
    e.0: f64 = index x.0 i.0
    p.0: f64 = mul e.0 a.0
    q.0: f64 = add p.0 b.0
    return q.0
  }
  return y.0
}
""")
    lines = cpu.emit(function, options=Options(lanes="always")).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("define internal void @kernel.nest0"))
    nest = lines[start : lines.index("}", start)]
    places = [k for k, line in enumerate(nest) if "insertelement" in line]
    first_loop = next(k for k, line in enumerate(nest) if line.startswith("loop"))
    assert len(places) == 2
    assert max(places) < first_loop
    _agrees(function, np.arange(1000.0), np.float64(3.0), np.float64(-0.5))
