"""Rows of one kind, added at one place or at all: only their weights are summed, and the rows are made once."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import factor
from tapeless.passes.notes import Notes

from .small_programs import optimised

SUM = """(p: f64[4, 3], q: f64[4, 3]) {
    o: f64[4, 3] = map 4 (c0: i64) {
      p0: f64[3] = index p c0
      q0: f64[3] = index q c0
      o0: f64[3] = map 3 (j0: i64) {
        p1: f64 = index p0 j0
        q1: f64 = index q0 j0
        o1: f64 = add p1 q1
        return o1
      }
      return o0
    }
    return o
  }"""
ONE = """row: f64[3] = index a k
      m: f64[3] = map 3 (j: i64) {
        v: f64 = index row j
        w: f64 = mul v 2.0
        return w
      }"""


def _program(one: str = ONE, factors: str = "v2: f64 = index own j2", size: str = "f64[4, 3]") -> str:
    return f"""
def f(x: f64[n, 2], a: {size}) {{
  z: f64[4, 3] = replicate 0.0 4 3
  s: f64[4, 3] = reduce n [z] {SUM} (i: i64) {{
    e: f64 = index x i 0
    g: f64 = index x i 1
    k: i64 = convert[i64] e
    alone: bool = gt g 0.0
    r: f64[4, 3] = if alone {{
      {one}
      u: f64[4, 3] = update z m k
      return u
    }} else {{
      t: f64[4, 3] = map 4 (c: i64) {{
        h: f64 = convert[f64] c
        d: f64 = mul h g
        own: f64[3] = index a c
        t2: f64[3] = map 3 (j2: i64) {{
          {factors}
          w2: f64 = mul d v2
          y2: f64 = mul w2 2.0
          return y2
        }}
        return t2
      }}
      return t
    }}
    return r
  }}
  return s
}}
"""


RNG = np.random.default_rng(4)
X = np.stack([RNG.integers(0, 4, 30).astype(float), RNG.normal(size=30)], axis=1)
A = RNG.normal(size=(4, 3))


def _shapes(function) -> list[tuple]:
    sums = [s for s in function.body.stms if isinstance(s.expr, Reduce) and not hasattr(s.expr.size, "value")]
    return [tuple(int(size.value) for size in var.type.shape) for stm in sums for var in stm.vars]


def test_only_the_weights_are_summed():
    assert _shapes(optimised(_program(), [X, A], factor)) == [(4,)]


@pytest.mark.parametrize(
    ("one", "factors"),
    [
        (ONE.replace("2.0", "3.0"), "v2: f64 = index own j2"),  # other rows
        (ONE, "v2: f64 = index x i 0"),  # rows that change from round to round
        (ONE.replace("mul v 2.0", "mul v g"), "v2: f64 = index own j2"),
        (ONE.replace("index a k", "index a 0"), "v2: f64 = index own j2"),
    ],
)
def test_rows_of_different_kinds_are_summed_themselves(one, factors):
    assert _shapes(optimised(_program(one, factors), [X, A], factor)) == [(4, 3)]


def test_what_no_round_adds_is_zero():
    """The weight of a row that nobody adds is zero, and so is the row though it be infinite."""
    x = np.array([[1.0, 0.5], [1.0, 2.0]])
    a = np.array([[np.inf] * 3, [1.0, 2.0, 3.0], [np.nan] * 3, [-np.inf] * 3])
    before = parse_function(_program())
    after = factor.run(before, Notes())
    assert _shapes(after) == [(4,)]
    for function in (before, after):
        (result,) = evaluate(function, [x, a])
        np.testing.assert_array_equal(result, [[0.0] * 3, [4.0, 8.0, 12.0], [0.0] * 3, [0.0] * 3])


def test_rows_that_may_not_exist_are_made_where_they_are():
    """Of a table of unknown length only the rows of winners are known to be there."""
    program = _program(size="f64[l, 3]")
    assert _shapes(optimised(program, [X, A], factor)) == [(4, 3)]
    x = np.array([[1.0, 0.5], [0.0, 2.0]])
    (result,) = evaluate(factor.run(parse_function(program), Notes()), [x, A[:2]])
    np.testing.assert_array_equal(result[:2], 2 * A[:2])


def _nearest(points, centres: tp.f64[5, 2]):
    total = 0.0
    for i in range(len(points)):
        total += np.min(np.sum((centres - points[i]) ** 2, axis=1))
    return total


def test_second_derivative_of_nearest_centres():
    """Each centre counts its points; the two that are as far from the first point share it."""
    points, centres = RNG.normal(size=(40, 2)), RNG.normal(size=(5, 2))
    points[0] = (centres[0] + centres[1]) / 2
    centres[2:] += 20.0
    direction = RNG.normal(size=(5, 2))
    direction[4] = np.inf
    apart = ((points[:, None] - centres) ** 2).sum(-1)
    ties = apart == apart.min(1, keepdims=True)
    weights = (ties / ties.sum(1, keepdims=True)).sum(0)
    with np.errstate(invalid="ignore"):
        expected = np.where(weights[:, None] == 0, 0.0, 2 * weights[:, None] * direction)
    product = tp.jit(lambda p, c, d: tp.hvp(lambda c: _nearest(p, c), (c,), (d,)))
    np.testing.assert_allclose(product(points, centres, direction), expected, rtol=1e-12)
