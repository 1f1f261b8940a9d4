"""How many states of a loop fit into a limit in bytes where their sizes are known only when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.planner import Plan
from tapeless.ad.treeverse import forward_steps
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.passes.notes import Notes

from .vjp_harness import vjp

TRIPS = 30

# A state is an array and a number: 8 n + 8 bytes. A step takes n + 1 sines; back through it the map runs once more.
STATES = """
def f(x: f64[n], c: f64, t: i64) {
  y: f64[n], d: f64 = for t [x c] (i: i64, z: f64[n], s: f64) {
    w: f64[n] = map n (j: i64) {
      e: f64 = index z j
      g: f64 = mul e s
      h: f64 = sin g
      return h
    }
    s1: f64 = sin s
    return w s1
  }
  return y d
}
"""
# An iteration overwrites two numbers, 16 bytes; a state is the array, 8 n bytes. A step takes two sines.
WRITTEN = """
def f(x: f64[n], t: i64) {
  a: f64[n] = for t [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 0
    s: f64 = sin u
    a1: f64[n] = update a0 s 0
    v: f64 = index a1 0
    g: f64 = sin v
    a2: f64[n] = update a1 g 0
    return a2
  }
  return a
}
"""
# It is not known how often it runs, nor how large a state is.
OPEN = """
def f(x: f64[n], t: i64) {
  k: i64, y: f64[n] = while [0 x] (i: i64, z: f64[n]) {
    c: bool = lt i t
    return c
  } (i1: i64, z1: f64[n]) {
    w: f64[n] = map n (j: i64) {
      e: f64 = index z1 j
      h: f64 = sin e
      return h
    }
    i2: i64 = add i1 1
    return i2 w
  }
  return y
}
"""


def sines(text: str, args: list[Any], plan: Plan) -> int:
    """How many sines a derivative takes, which must be the one without a limit."""
    function, tower = parse_function(text), CountingTower()
    check(function)
    given = [*args, *map(np.ones_like, evaluate(function, args))]
    found, expected = evaluate(vjp(function, plan), given, tower), evaluate(vjp(function), given)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)
    return tower.counts["sin"]


@pytest.mark.parametrize(
    ("bytes", "states"), [(0, 1), (31, 1), (32, 1), (64, 2), (5 * 32, 5), (5 * 32 + 31, 5), (6 * 32, 6)]
)
def test_as_many_states_are_kept_as_fit(bytes: int, states: int) -> None:
    steps = forward_steps(TRIPS + 1, states) + TRIPS
    assert sines(STATES, [np.array([0.3, 1.2, -0.7]), 0.9, TRIPS], Plan(bytes=bytes)) == 4 * steps + 3 * TRIPS


@pytest.mark.parametrize(("bytes", "fit"), [(TRIPS * 32 - 1, False), (TRIPS * 32, True)])
def test_every_state_is_kept_if_all_fit(bytes: int, fit: bool) -> None:
    found = sines(STATES, [np.array([0.3, 1.2, -0.7]), 0.9, TRIPS], Plan(bytes=bytes))
    assert (found == 4 * 2 * TRIPS + 3 * TRIPS) is fit


def test_no_more_states_are_kept_than_there_are() -> None:
    """The states fit, and one more; what the iterations overwrite does not."""
    assert sines(WRITTEN, [np.array([0.3]), 6], Plan(bytes=8 * 7)) == 2 * (6 + 6)


def test_loops_of_unknown_length_are_counted_first_if_the_size_of_a_state_is_unknown() -> None:
    notes = Notes()
    sines(OPEN, [np.array([0.3, 1.2]), 3], Plan(bytes=100_000, notes=notes))
    assert [note.decision for note in notes.about("while")] == ["runs twice"]
