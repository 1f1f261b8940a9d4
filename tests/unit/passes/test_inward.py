"""The directions of a Jacobian go inside the map over points, where they share work; nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
import tapeless.ops
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Lit
from tapeless.passes import inward
from tapeless.passes.notes import Notes

RNG = np.random.default_rng(5)


def _program(*, before: str = "", check: str = "", dear: str = "exp x", seeds: str = "4") -> str:
    """Four directions, each with a number and a row of its own; `w` is the same for all of them at a point."""
    return f"""
def f(a: f64[n, 3], c: f64[4, 5], at: i64[n], m: i64) {{
  r: f64[{seeds}, n] = map {seeds} (s: i64) {{
    {before}
    p: f64, t: f64[5] = for 5 [1.0 c0] (j: i64, g: f64, h: f64[5]) {{
      g2: f64 = mul g 1.5
      cs: f64 = index c s j
      cg: f64 = mul cs g2
      h2: f64[5] = update h cg j
      return g2 h2
    }}
    q: f64[n] = map n (i: i64) {{
      u: f64, v: f64 = reduce 3 [0.0 0.0] (x1: f64, x2: f64, y1: f64, y2: f64) {{
        z1: f64 = add x1 y1
        z2: f64 = add x2 y2
        return z1 z2
      }} (k: i64) {{
        x: f64 = index a i k
        w: f64 = {dear}
        {check}
        tk: f64 = index t k
        wt: f64 = mul w tk
        return w wt
      }}
      up: f64 = mul u p
      e: f64 = add up v
      return e
    }}
    return q
  }}
  return r
}}
""".replace("(s: i64) {", "(s: i64) {\n    c0: f64[5] = replicate 0.0 5", 1)


def _arguments(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    return RNG.normal(size=(n, 3)), RNG.normal(size=(4, 5)), RNG.integers(0, 4, n), 4


def _run(text: str):
    function = parse_function(text)
    check(function)
    made = inward.run(function, Notes())
    check(made)
    return function, made


def _directions_inside(function) -> bool:
    outer = [stm.expr for stm in function.body.stms if isinstance(stm.expr, Map) and not isinstance(stm.expr.size, Lit)]
    return any(isinstance(s.expr, Map) and isinstance(s.expr.size, Lit) for e in outer for s in e.body.body.stms)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_the_values_are_the_same_and_what_is_shared_is_computed_once(n):
    function, made = _run(_program())
    assert _directions_inside(made)
    assert not _directions_inside(function)
    args = _arguments(n)
    (expected,), (result,) = evaluate(function, args), evaluate(made, args)
    assert np.array_equal(expected, result)


def test_what_the_points_share_is_outside_the_directions():
    _, made = _run(_program())
    points = next(s.expr for s in made.body.stms if isinstance(s.expr, Map) and not isinstance(s.expr.size, Lit))
    assert sum(isinstance(s.expr, Apply) and s.expr.op == "exp" for s in points.body.body.stms) == 3


@pytest.mark.parametrize(
    "text",
    [
        _program(dear="exp tk0").replace("w: f64 = exp tk0", "tk0: f64 = index t k\n        w: f64 = exp tk0"),
        _program(check="check bounds s 9"),
        _program(before="check bounds s 9\n    b0: f64[n] = map n (o: i64) {\n      return 0.0\n    }"),
        _program(seeds="m").replace("c: f64[4, 5]", "c: f64[m, 5]").replace(", m: i64", ""),
    ],
    ids=["nothing is shared", "a check at a point moves", "a check before moves", "unknown number"],
)
def test_other_programs_stay(text):
    _, made = _run(text)
    assert not _directions_inside(made)


def test_a_map_that_only_checks_stays():
    """Nothing says that as many points are checked in all directions (random seed 88405)."""
    text = """
def f(a: i64[4]) {
   = map 4 (s: i64) {
     = map s (i: i64) {
      x: i64 = index a i
      check bounds x 9
      return
    }
    return
  }
  return a
}
"""
    function, made = _run(text)
    assert made.body == function.body


def test_a_check_that_all_directions_share_goes_along():
    text = _program(check="ai: i64 = index at i\n        check bounds ai 3")
    function, made = _run(text)
    assert _directions_inside(made)
    args = _arguments(9)
    for at, fails in ((np.zeros(9, np.int64), False), (np.full(9, 3), True)):
        for program in (function, made):
            if fails:
                with pytest.raises(IndexError):
                    evaluate(program, (*args[:2], at, 4))
            else:
                evaluate(program, (*args[:2], at, 4))


def _chain(angles: np.ndarray, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    turns = np.empty((80, 2))
    x = 0.0
    for k in range(80):
        x += angles[k]
        turns[k, 0], turns[k, 1] = np.cos(x), np.sin(x)
    result = np.empty((len(points), 2))
    for i in range(len(points)):
        c, s = 0.0, 0.0
        for k in range(80):
            w = np.exp(weights[i, k])
            c += w * turns[k, 0]
            s += w * turns[k, 1]
        size = np.sqrt(1 + c * c + s * s)
        result[i, 0] = (c * points[i, 0] - s * points[i, 1]) / size
        result[i, 1] = (s * points[i, 0] + c * points[i, 1]) / size
    return result


@tp.jit
def _typed(angles: tp.f64[80], weights: tp.f64[:, 80], points: tp.f64[:, 2]) -> np.ndarray:
    return _chain(angles, weights, points)


@pytest.mark.parametrize("n", [0, 1, 8, 37])
def test_jacobians_are_right(n):
    angles, weights, points = RNG.normal(size=80), RNG.normal(size=(n, 80)), RNG.normal(size=(n, 2))
    jacobian = tp.jacfwd(_typed)
    found = jacobian(angles, weights, points)
    assert "they share work" in str(jacobian.explain()) or n == 1  # a program for one point
    assert found.shape == (n, 2, 80)
    for k in range(80):
        step = np.zeros(80)
        step[k] = 1e-30
        exact = _complex_step(angles + 1j * step, weights, points)
        assert np.allclose(found[:, :, k], exact, rtol=1e-13, atol=1e-13)


def _complex_step(angles: np.ndarray, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    sums = np.cumsum(angles)
    c, s = np.exp(weights) @ np.cos(sums), np.exp(weights) @ np.sin(sums)
    x, y = points.T
    size = np.sqrt(1 + c * c + s * s)
    return np.stack([(c * x - s * y) / size, (s * x + c * y) / size], axis=1).imag / 1e-30
