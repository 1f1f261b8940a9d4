"""Programs that random runs found, shrunk: each once ended in an internal error."""

import numpy as np
import pytest

from tapeless.ir.text import parse_function
from tapeless.testing.derivative_law import judge_derivatives

# A loop hands an array through a while loop before it touches it at its place.
HANDED_ON = """
def program(x1: f64[1], x2: f64[1, n, n]) {
  filled: f64[1, n, n], last: f64[1] = for 2 [x2 x1] (i: i64, x: f64[1, n, n], y: f64[1]) {
    same: f64[1] = while [y] (u: f64[1]) {
      return False
    } (v: f64[1]) {
      return v
    }
    one: f64 = index same 0
    row: f64[n] = replicate one n
    next: f64[1, n, n] = update x row 0 1
    half: f64[1] = update y 0.5 0
    return next half
  }
  return filled
}
"""

# The remainder of a literal is the size of an array outside of the loop that is peeled.
REMAINDER_AS_SIZE = """
def program(x: f64[n]) {
  size: i64 = mod -2 n
  element: f64 = index x 1
  product: f64 = reduce size [1.0] (a: f64, b: f64) {
    ab: f64 = mul a b
    return ab
  } (i: i64) {
    return element
  }
  return product
}
"""

# A place beyond the end of a small array, in a loop that nothing tells how often it runs.
BEYOND_THE_END = """
def program(x: f64[m, 1], y: f64) {
  written: bool[m, 1] = replicate False m 1
  start: f64[m, 1] = map m (i: i64) {
    row: f64[1] = map 1 (j: i64) {
      return y
    }
    return row
  }
  hit: bool[m, 1], last: f64[m, 1] = hist 2 8 [False 0.0] [written start] (a: bool, b: f64, c: bool, d: f64) {
    any: bool = or a c
    new: f64 = select c d b
    return any new
  } (k: i64) {
    return 1 1 False 0.5
  }
  return last
}
"""

# The sum of sums over n - 2 elements, of which there is none and n is 1.
NOTHING_TO_ADD = """
def program(x01: f64[n0], x12: i64, x23: f64, x34: f64) {
  t5: i64 = sub n0 1
  check bounds t5 n0
  t14: f64 = add x23 0.5
  t15: f64 = atan t14
  t16: f64 = mul t15 1.25
  t17: f64 = add t16 0.0
  t18: f64[n0] = replicate 0.5 n0
  t142: f64[n0], t143: f64[n0] = for t5 [t18 x01] (i19: i64, x20: f64[n0], x21: f64[n0]) {
    t130: f64[n0] = update x20 0.5 1
    t131: i64 = sub n0 2
    t132: i64 = max t131 0
    t139: f64[t132] = map t132 (i133: i64) {
      t135: f64 = add t17 0.5
      t136: f64 = atan t135
      t137: f64 = mul t136 1.25
      t138: f64 = add t137 0.0
      return t138
    }
    t140: f64[n0] = update_slice t130 t139 0 1
    t141: f64[n0] = update x21 0.5 1
    return t140 t141
  }
  t216: f64[n0, n0] = map n0 (i172: i64) {
    return t143
  }
  return t216
}
"""

# The loop of a histogram whose sums are to be kept: its writes are other statements then.
WRITES_BESIDE_SUMS = """
def program(x: f64[n], y: f64) {
  factor: f64 = min y 0.1
  start: f64[n] = replicate 0.5 n
  made: f64[n] = hist 1 1 [0.0] [start] (a: f64, b: f64) {
    ab: f64 = mul a b
    scaled: f64 = mul factor ab
    both: f64 = add a b
    new: f64 = add both scaled
    return new
  } (i: i64) {
    value: f64 = for i [0.5] (k: i64, u: f64) {
      v: f64 = min u 0.5
      return v
    }
    return i value
  }
  return made
}
"""

# An element that is written over a part of its array, again and again.
ONE_FOR_ALL = """
def program(x: f64[n], y: f64) {
  start: f64[n] = replicate y n
  last: f64[n] = for 5 [start] (i: i64, u: f64[n]) {
    one: f64 = index u 1
    fewer: i64 = sub n 1
    part: f64[fewer] = replicate one fewer
    new: f64[n] = update_slice u part 0 1
    return new
  }
  first: f64 = index last 0
  square: f64 = mul first first
  return square
}
"""

# A check about a number in a sum whose rounds have others: it is no test, though it does not change.
A_NUMBER_TO_CHECK = """
def program(x: f64) {
  last: f64 = for 5 [0.5] (i: i64, u: f64) {
    kept: f64 = for i [0.5] (k: i64, v: f64) {
      check not_nan x
      return v
    }
    new: f64 = add u 0.5
    return new
  }
  return last
}
"""

PROGRAMS = {
    "a number to check": (A_NUMBER_TO_CHECK, [np.float64(1.0)]),
    "handed on": (HANDED_ON, [np.ones(1), np.ones((1, 2, 2))]),
    "remainder as size": (REMAINDER_AS_SIZE, [np.array([1.0, 1.5])]),
    "beyond the end": (BEYOND_THE_END, [np.ones((0, 1)), np.float64(1.0)]),
    "writes beside sums": (WRITES_BESIDE_SUMS, [np.zeros(0), np.float64(1.0)]),
    "one for all": (ONE_FOR_ALL, [np.ones(4), np.float64(1.5)]),
    "nothing to add": (NOTHING_TO_ADD, [np.array([1.25]), np.int64(1), np.float64(-1.75), np.float64(0.25)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("prepared", [True, False])
def test_once_found(name: str, prepared: bool) -> None:
    text, args = PROGRAMS[name]
    modes = ("forward", "reverse", "limited")
    for seed in (0, 2):  # reverse over forward, and over reverse
        verdict = judge_derivatives(parse_function(text), args, order=2, seed=seed, prepared=prepared, modes=modes)
        assert verdict.kind == "ok", verdict
