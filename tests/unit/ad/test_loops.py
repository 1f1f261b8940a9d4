"""How a loop is differentiated: as it is where nothing varies; backwards, if that is asked for, before other ways."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ad.planner import Plan
from tapeless.eliminate.collapse import Collapser
from tapeless.ir.text import parse_function
from tapeless.passes.notes import Notes

from .vjp_harness import reverse_agrees, vjp

CONSTANT = """
def f(x: f64, n: i64) {
  k: i64 = for n [0] (i: i64, j: i64) {
    j1: i64 = add j i
    return j1
  }
  m: i64 = while [k] (l: i64) {
    c: bool = gt l 7
    return c
  } (l1: i64) {
    l2: i64 = sub l1 3
    return l2
  }
  s: f64 = convert[f64] m
  y: f64 = mul x s
  z: f64 = sin y
  return z
}
"""
COUNTED = """
def f(x: f64, n: i64) {
  p: f64, q: f64 = for n [x 2.0] (i: i64, z: f64, w: f64) {
    STEP
    s: f64 = sin z1
    w1: f64 = add w s
    return z1 w1
  }
  return p q
}
"""
OPEN = """
def f(x: f64, n: i64) {
  k: i64, p: f64, q: f64 = while [0 x 2.0] (i: i64, y: f64, v: f64) {
    c: bool = lt i n
    return c
  } (j: i64, z: f64, w: f64) {
    j1: i64 = add j 1
    STEP
    s: f64 = sin z1
    w1: f64 = add w s
    return j1 z1 w1
  }
  return p q
}
"""
ALONG, BACK, TWICE = "carries its derivatives by x along", "runs backwards", "runs twice"


def test_loops_in_which_nothing_varies_run_as_they_are() -> None:
    reverse_agrees(parse_function(CONSTANT), (0.4, 6))


@pytest.mark.parametrize(
    ("step", "backwards", "ways"),
    [
        ("add z 0.5", True, [BACK]),
        ("add z 0.5", False, [ALONG]),
        ("sin z", True, [ALONG]),  # z is not known from sin z
        ("sin z", False, [ALONG]),
    ],
)
@pytest.mark.parametrize("text", [COUNTED, OPEN])
def test_loops_run_backwards_only_if_asked_to_and_where_they_can(
    text: str, step: str, backwards: bool, ways: list[str]
) -> None:
    function, notes = parse_function(text.replace("STEP", f"z1: f64 = {step}")), Notes()
    vjp(function, Plan(backwards=backwards, collapse=Collapser(), notes=notes))
    said = [note.decision for note in notes if not hasattr(note, "title")]
    assert [way for way in (ALONG, BACK) if any(way in decision for decision in said)] == ways
    assert (TWICE in said) == (text == OPEN and ways == [BACK])  # it is counted for that alone
    reverse_agrees(function, (0.4, 4))


INSIDE = """
def f(x: f64[n], c: f64, a: f64[SIZE]) {
  y: f64[n] = map n (i: i64) {
    u: f64 = index x i
    r: f64 = for SIZE [u] (j: i64, z: f64) {
      e: f64 = index a j
      g: f64 = mul z e
      h: f64 = mul g c
      s: f64 = sin h
      return s
    }
    return r
  }
  return y
}
"""


@pytest.mark.parametrize("size", ["2", "m"])
def test_loops_in_maps_read_what_is_outside_of_both(size: str) -> None:
    """Few numbers are carried by each loop, and added up; an array of unknown size is carried from loop to loop."""
    args = (np.array([0.4, 1.3, -0.6]), 0.9, np.array([1.1, 0.7]))
    reverse_agrees(parse_function(INSIDE.replace("SIZE", size)), args)
