"""Loops that reverse mode cannot keep anything of are refused."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan
from tapeless.errors import DerivativeError
from tapeless.ir.text import parse_function

GROWING = """
def growing(v: f64, k: i64) {
  one: f64[1] = replicate v 1
  n: i64, a: f64[n] = while [1 one] (m: i64, b: f64[m]) {
    go: bool = lt m k
    return go
  } (m2: i64, b2: f64[m2]) {
    last: f64 = index b2 0
    more: f64[1] = replicate last 1
    next: i64 = add m2 1
    joined: f64[next] = concat[0] b2 more next
    return next joined
  }
  first: f64 = index a 0
  return first
}
"""


COUNTED = """
def growing(v: f64, k: i64) {
  one: f64[1] = replicate v 1
  n: i64, a: f64[n] = for k [1 one] (i: i64, m2: i64, b2: f64[m2]) {
    last: f64 = index b2 0
    more: f64[1] = replicate last 1
    next: i64 = add m2 1
    joined: f64[next] = concat[0] b2 more next
    return next joined
  }
  first: f64 = index a 0
  return first
}
"""


@pytest.mark.parametrize("plan", [Plan(), Plan(states=2), Plan(states=64)])  # counted first, but for the last
@pytest.mark.parametrize("text", [GROWING, COUNTED])
def test_arrays_that_change_their_size_are_refused(text: str, plan: Plan):
    with pytest.raises(DerivativeError, match="change their size"):
        vjp_function(parse_function(text), (0,), plan)
