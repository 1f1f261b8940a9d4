"""A sum over points of a matrix for each part is done part by part, where that pays; nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import For, Map, Reduce, Stm
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Var
from tapeless.passes import distribute
from tapeless.passes.cost import has_check
from tapeless.passes.notes import Notes

from .small_programs import optimised

RNG = np.random.default_rng(11)


def _sum(parts: str = "m", side: str = "d", weight: str = "f64[m] = map m", point: str = "row", check: str = "") -> str:
    """The sum over i of w(i, k) * x(i, r) * x(i, c) for each part k, where w comes of all x(i, :) and c(k)."""
    shape, add = f"f64[{parts}, {side}, {side}]", "add"
    return f"""
def f(x: f64[n, d], c: f64[m]) {{
  z: {shape} = replicate 0.0 {parts} {side} {side}
  s: {shape} = reduce n [z] (p: {shape}, q: {shape}) {{
    o: {shape} = map {parts} (j1: i64) {{
      o1: f64[{side}, {side}] = map {side} (j2: i64) {{
        o2: f64[{side}] = map {side} (j3: i64) {{
          pj: f64 = index p j1 j2 j3
          qj: f64 = index q j1 j2 j3
          oj: f64 = {add} pj qj
          return oj
        }}
        return o2
      }}
      return o1
    }}
    return o
  }} (i: i64) {{
    row: f64[d] = index x i
    {check}
    square: f64 = reduce d [0.0] (g: f64, h: f64) {{
      gh: f64 = add g h
      return gh
    }} (j: i64) {{
      e: f64 = index row j
      ee: f64 = mul e e
      return ee
    }}
    w: {weight} (k1: i64) {{
      ck: f64 = index c k1
      t: f64 = mul ck square
      u: f64 = sin t
      return u
    }}
    twice: f64[d] = map d (j4: i64) {{
      e2: f64 = index row j4
      e3: f64 = add e2 e2
      return e3
    }}
    all: {shape} = map {parts} (k: i64) {{
      wk: f64 = index w k
      one: f64[{side}, {side}] = map {side} (r: i64) {{
        xr: f64 = index {point} r
        wx: f64 = mul wk xr
        two: f64[{side}] = map {side} (cc: i64) {{
          xc: f64 = index {point} cc
          v: f64 = mul wx xc
          return v
        }}
        return two
      }}
      return one
    }}
    return all
  }}
  return s
}}
"""


def _is_by_parts(function) -> bool:
    (last,) = [s.expr for s in function.body.stms if s.vars == function.body.results]
    if not isinstance(last, For):
        return False
    maps = [s.expr for s in last.body.body.stms if isinstance(s.expr, Map)]
    return any(isinstance(s.expr, Reduce) and s.vars[0].type.shape for m in maps for s in m.body.body.stms)


X, C = RNG.normal(size=(6, 5)), RNG.normal(size=4)


def test_parts_come_first():
    assert _is_by_parts(optimised(_sum(), [X, C], distribute))


@pytest.mark.parametrize("points", [1, 2, 4, 5])
def test_a_few_points_at_a_time(monkeypatch: pytest.MonkeyPatch, points: int):
    monkeypatch.setattr(distribute, "ROUND", points)
    for n in (1, 5, 6):
        assert _is_by_parts(optimised(_sum(), [X[:n], C], distribute))


def test_nothing_to_add_up():
    function = distribute.run(parse_function(_sum()), Notes())
    assert _is_by_parts(function)
    np.testing.assert_array_equal(evaluate(function, [X[:0], C])[0], np.zeros((4, 5, 5)))


@pytest.mark.parametrize(
    "text",
    [
        _sum(parts="4", side="5").replace("f64[n, d]", "f64[n, 5]").replace(" d ", " 5 ").replace("f64[d]", "f64[5]"),
        _sum(point="twice"),  # a row that would have to be kept
        _sum(check="check bounds i n").replace(
            "    wk: f64 = index w k", "    check bounds k m\n      wk: f64 = index w k"
        ),
        _sum().replace("reduce n [z]", "reduce 6 [z]"),
        _sum().replace("replicate 0.0 m", "replicate 1.0 m"),
    ],
    ids=["small", "row", "check", "few points", "not zeros"],
)
def test_what_stays_as_it_is(text: str):
    assert not _is_by_parts(distribute.run(parse_function(text), Notes()))


def test_checks_of_points_come_before_all_parts():
    function = distribute.run(parse_function(_sum(check="check bounds i 5")), Notes())
    assert _is_by_parts(function)
    evaluate(function, [X[:5], C])
    with pytest.raises(IndexError):
        evaluate(function, [X, C])


def test_cheap_parts_stay():
    cheap = _sum(side="2")
    assert not _is_by_parts(distribute.run(parse_function(cheap), Notes()))


def test_gradient_of_a_mixture():
    """Each part has a matrix; its gradient is a sum over the points of products of rows, weighted for each part."""

    def loss(factors: np.ndarray, points: np.ndarray) -> float:
        total = 0.0
        for i in range(len(points)):
            terms = np.empty(len(factors))
            for k in range(len(factors)):
                square = 0.0
                for r in range(points.shape[1]):
                    entry = 0.0
                    for c in range(points.shape[1]):
                        entry += factors[k, r, c] * points[i, c]
                    square += entry * entry
                terms[k] = -0.5 * square
            total += np.log(np.sum(np.exp(terms)))
        return total

    factors, points = RNG.normal(size=(3, 9, 9)), 0.3 * RNG.normal(size=(40, 9))
    entries = np.einsum("krc,ic->ikr", factors, points)
    weights = np.exp(-0.5 * np.sum(entries**2, axis=2))
    weights /= weights.sum(axis=1, keepdims=True)
    expected = -np.einsum("ik,ikr,ic->krc", weights, entries, points)
    gradient = tp.grad(loss)
    np.testing.assert_allclose(gradient(factors, points), expected, rtol=1e-11, atol=1e-13)
    assert "parts: summed one by one" in gradient.explain(factors, points)


# A sum for each part of a point: as dear as the part.
DEAR_WEIGHT = """f64[m] = map m (k1: i64) {
      ck: f64 = index c k1
      t: f64 = reduce d [0.0] (g1: f64, h1: f64) {
        gh1: f64 = add g1 h1
        return gh1
      } (j5: i64) {
        e4: f64 = index row j5
        e5: f64 = mul e4 ck
        e6: f64 = sin e5
        return e6
      }
      u: f64 = cos t
      return u
    }
"""


def _with_dear_weight(**options: str) -> str:
    text = _sum(**options)
    return text[: text.index("f64[m] = map m")] + DEAR_WEIGHT + text[text.index("    twice:") :]


def _first_map(function) -> Stm:
    loop = next(stm.expr for stm in function.body.stms if isinstance(stm.expr, For))
    return next(stm for stm in loop.body.body.stms if isinstance(stm.expr, Map))


@pytest.mark.parametrize("points", [1, 4, 16])
def test_what_points_have_for_each_part_is_computed_part_by_part(monkeypatch: pytest.MonkeyPatch, points: int):
    monkeypatch.setattr(distribute, "ROUND", 4)
    function = optimised(_with_dear_weight(), [RNG.normal(size=(points, 5)), RNG.normal(size=3)], distribute)
    table = _first_map(function).vars[0].type
    assert table.rank == 2
    assert isinstance(table.shape[0], Var)
    assert table.shape[0].name == "m"


def test_nothing_of_a_point_is_read_before_it_is_checked():
    text = _with_dear_weight(check="check bounds i d")
    function = optimised(text, [RNG.normal(size=(4, 5)), RNG.normal(size=3)], distribute)
    assert has_check((_first_map(function),))
