"""What a loop keeps of each iteration: truths as well as numbers, places that it carries, and slices of known sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeless.ad.stacks import writes_of
from tapeless.ir.check import check
from tapeless.ir.core import For
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.passes import dce
from tapeless.passes.notes import Notes

from .vjp_harness import jacobians, vjp

X = np.array([0.5, 1.25, -0.75])

# Which elements are chosen in an iteration is known from the one before it, and from itself.
TRUTHS = """
def f(x: f64[n], w: f64, t: i64) {
  start: bool[n] = map n (l: i64) {
    return True
  }
  m: bool[n], o: bool, y: f64[n] = for t [start True x] (i: i64, before: bool[n], odd: bool, now: f64[n]) {
    after: bool[n] = map n (j: i64) {
      a: f64 = index now j
      c: bool = gt a 0.3
      return c
    }
    new: f64[n] = map n (k: i64) {
      b: f64 = index now k
      d: bool = index before k
      e: bool = index after k
      s: f64 = sin b
      p: f64 = mul b w
      q: f64 = select d s p
      r: f64 = mul q w
      u: f64 = select e r q
      v: f64 = mul u 0.5
      z: f64 = select odd u v
      return z
    }
    even: bool = xor odd True
    return after even new
  }
  return y
}
"""
CARRIED = """
def f(x: f64[n], k: i64, t: i64) {
  last: i64, a: f64[n] = for t [k x] (i: i64, at: i64, a0: f64[n]) {
    u: f64 = index a0 at
    s: f64 = sin u
    a1: f64[n] = update a0 s at
    next: i64 = sub 2 at
    return next a1
  }
  return a
}
"""
SLICE = """
def f(x: f64[n], m: i64) {
  a: f64[n] = for 3 [x] (i: i64, a0: f64[n]) {
    p: f64[m] = slice a0 1 m 1
    q: f64[m] = map m (k: i64) {
      e: f64 = index p k
      g: f64 = mul e e
      return g
    }
    a1: f64[n] = update_slice a0 q i 1
    return a1
  }
  return a
}
"""


def counted(text: str, args: list[Any]) -> CountingTower:
    """The operations of a derivative, which must be right."""
    function, tower = parse_function(text), CountingTower()
    check(function)
    forward, reverse = jacobians(function, args)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-14)
    evaluate(dce.run(vjp(function), Notes()), [*args, *map(np.ones_like, evaluate(function, args))], tower)
    return tower


@pytest.mark.parametrize("t", [0, 1, 4])
def test_truths_are_kept_and_handed_on(t: int) -> None:
    assert counted(TRUTHS, [X, 0.7, t]).counts["gt"] == 3 * t  # not compared again


def test_elements_at_a_place_that_is_carried_are_put_back() -> None:
    counted(CARRIED, [X, 0, 3])


@pytest.mark.parametrize(("size", "places"), [("2", 1), ("m", None)])
def test_slices_are_put_back_if_their_size_is_known(size: str, places: int | None) -> None:
    function = parse_function(SLICE.replace("[m]", f"[{size}]").replace(" m ", f" {size} "))
    check(function)
    (stm,) = function.body.stms
    assert isinstance(stm.expr, For)
    (writes,) = writes_of(stm.expr)
    assert (writes and len(writes)) == places
