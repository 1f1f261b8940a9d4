"""Loops in a map that all compute the same arrays become one loop; others stay where they are."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.ir.check import check
from tapeless.ir.core import For, Function, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import pipeline, together
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

PROGRAM = """
def f(x: f64[n], w: f64[m], k: i64) {
  r: f64[m, n], l: f64[m] = map m (j: i64) {
    a: f64 = index w j
    fixed: f64 = sin 0.5
    scaled: f64 = mul a fixed
    start: f64[n] = replicate scaled n
    s: f64[n], t: f64[n], u: f64 = for COUNT [START start 0.0] (i: i64, p: f64[n], q: f64[n], v: f64) {
      p1: f64[n] = map n (h1: i64) {
        e1: f64 = index p h1
        d1: f64 = cos e1
        g1: f64 = mul d1 OTHER
        return g1
      }
      q1: f64[n] = map n (h2: i64) {
        e2: f64 = index p1 h2
        o2: f64 = index q h2
        y2: f64 = mul e2 a
        z2: f64 = add o2 y2
        return z2
      }
      first: f64 = index q1 0
      v1: f64 = add v first
      return NEXT q1 v1
    }
    last: f64[n] = map n (h3: i64) {
      e3: f64 = index s h3
      o3: f64 = index t h3
      y3: f64 = mul e3 o3
      z3: f64 = add y3 scaled
      return z3
    }
    return last u
  }
  return r l
}
"""


def program(count: str = "k", start: str = "x", other: str = "0.5", following: str = "p1") -> Function:
    return parse_function(
        PROGRAM.replace("COUNT", count).replace("START", start).replace("OTHER", other).replace("NEXT", following)
    )


def loops_in_maps(function: Function) -> int:
    maps = (stm.expr for stm in statements(function.body) if isinstance(stm.expr, Map))
    return sum(isinstance(stm.expr, For) for found in maps for stm in statements(found.body.body))


ARGUMENTS = [np.array([0.3, -1.0, 2.0]), np.array([1.5, -0.5]), 4]


@pytest.mark.parametrize(
    ("changes", "apart"),
    [
        ({}, True),
        ({"count": "3"}, True),
        ({"count": "0"}, True),
        ({"other": "a"}, False),  # the state depends on the iteration of the map
        ({"start": "start"}, False),  # from the beginning
        ({"following": "q1"}, False),  # through what is carried
        ({"following": "p"}, False),  # nothing is computed that the iterations could share
    ],
)
def test_a_loop_for_all(changes: dict[str, str], apart: bool) -> None:
    before, notes = program(**changes), Notes()
    after = together.run(before, notes)
    check(after)
    assert loops_in_maps(after) == (0 if apart else 1)
    assert (after == before) is not apart
    assert bool(list(notes)) is apart
    for x, y in zip(evaluate(before, ARGUMENTS), evaluate(after, ARGUMENTS), strict=True):
        np.testing.assert_array_equal(x, y)
    for x, y in zip(evaluate(before, ARGUMENTS), cpu.compile_and_run(after, ARGUMENTS), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12)


def test_no_iterations() -> None:
    after = together.run(program(), Notes())
    rows, sums = evaluate(after, [ARGUMENTS[0], np.zeros(0), 4])
    assert rows.shape == (0, 3)
    assert sums.shape == (0,)


@pytest.mark.parametrize("where", ["fixed: f64 = sin 0.5", "first: f64 = index q1 0", "o3: f64 = index t h3"])
def test_where_something_is_checked_all_stays(where: str) -> None:
    text = PROGRAM.replace(where, f"{where}\n check bounds 0 n")
    for name, value in (("COUNT", "k"), ("START", "x"), ("OTHER", "0.5"), ("NEXT", "p1")):
        text = text.replace(name, value)
    before = parse_function(text)
    assert together.run(before, Notes()) == before


def test_a_count_of_each_iteration_stays() -> None:
    text = PROGRAM.replace("a: f64 = index w j", "a: f64 = index w j\n c: i64 = add j 1").replace("COUNT", "c")
    for name, value in (("START", "x"), ("OTHER", "0.5"), ("NEXT", "p1")):
        text = text.replace(name, value)
    before = parse_function(text)
    assert together.run(before, Notes()) == before


def test_two_loops_after_one_another() -> None:
    def both(x, w):
        rows = np.empty((len(w), len(x)))
        for j in range(len(w)):
            p, q = x.copy(), x * w[j]
            for _ in range(3):
                p = np.cos(p)
                q = q + p * w[j]
            s = p.copy()
            for _ in range(2):
                s = np.sin(s)
                q = q * s + w[j]
            rows[j] = q
        return rows

    x, w = ARGUMENTS[:2]
    np.testing.assert_allclose(tp.jit(both)(x, w), both(x, w), rtol=1e-13)
    assert tp.jit(both).explain(x, w).count("one loop for all of them") >= 1


def test_rows_of_a_jacobian_that_run_a_loop_backwards_share_its_states() -> None:
    @tp.reversible
    def leapfrog(x, v, steps):
        for _ in range(steps):
            v -= 0.1 * np.sin(x)
            x += 0.1 * v

    def last(x, v, steps):
        leapfrog(x, v, steps)
        return x[:3]

    x, v = np.linspace(0.1, 1.0, 5), np.zeros(5)
    backwards = tp.jacrev(last, memory="reversible")
    np.testing.assert_allclose(backwards(x, v, 7), tp.jacfwd(last)(x, v, 7), rtol=1e-11)
    assert "one loop for all of them" in backwards.explain()
