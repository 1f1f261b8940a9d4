"""Programs of `directed` whose reverse derivative is cheap before any pass has run.

Of what loops overwrite at a few places these are kept, and sums of rows stay sums. `PROGRAMS` holds them by name and
the work (`counting.work`) that the derivative may take for `N` elements, a tenth more than it does. Keeping the whole
array in every iteration takes many times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _loop(*body: str) -> str:
    """A loop over an array `a`, which the body turns into `a1`."""
    lines = "\n    ".join(body)
    return f"""
def f(x: f64[n], key: i64[n]) {{
  m: i64 = sub n 1
  y: f64[n] = for m [x] (i: i64, a: f64[n]) {{
    k: i64 = index key i
    r: f64 = index a k
    v: f64 = sin r
    w: f64 = mul v r
    {lines}
    return a1
  }}
  return y
}}
"""


_ROWS = """
def f(x: f64[n, 3], key: i64[n]) {{
  y: f64[n, 3] = for n [x] (i: i64, a: f64[n, 3]) {{
    k: i64 = index key i
    {}
    return a1
  }}
  return y
}}
"""

_FOLD = """
def f(x: f64[n], key: i64[n]) {{
  a: f64[n, 2] = map n (j: i64) {{
    e: f64 = index x j
    row: f64[2] = replicate e 2
    return row
  }}
  z: f64[2] = replicate 0.0 2
  {}
}}
"""

_SUM_OF_ROWS = """(p: f64[2], q: f64[2]) {
    r: f64[2] = map 2 (j1: i64) {
      g: f64 = index p j1
      h: f64 = index q j1
      k: f64 = add g h
      return k
    }
    return r
  } (i: i64) {
    e1: f64[2] = index a i
    return e1
  }"""

PROGRAMS = {
    ("an element", 6700): _loop("a1: f64[n] = update a w k"),
    ("an element behind", 6700): _loop("j: i64 = add i 1", "a1: f64[n] = update a w j"),
    ("two elements", 8900): _loop("a0: f64[n] = update a w k", "a1: f64[n] = accumulate a0 v i"),
    ("a span", 7600): _loop("b: f64[2] = stack v w", "a1: f64[n] = update_slice a b i 1"),
    ("an element in an arm", 8200): _loop(
        "c: bool = gt r 0.0", "a1: f64[n] = if c {", "a2: f64[n] = update a w k", "return a2", "} else {", "return a",
        "}"
    ),
    ("elements in both arms", 10200): _loop(
        "c: bool = gt r 0.0", "a1: f64[n] = if c {", "a2: f64[n] = update a w k", "return a2", "} else {",
        "a3: f64[n] = update a v i", "return a3", "}"
    ),
    ("an array that is only handed on", 6800): _loop(
        "c: bool = gt r 0.0", "a0: f64[n] = if c {", "return a", "} else {", "return a", "}",
        "a1: f64[n] = update a0 w k"
    ),
    ("a row", 5700): _ROWS.format("b: f64[3] = index a k\n    a1: f64[n, 3] = update a b i"),
    ("a row by an inner loop", 24000): _ROWS.format(
        "a1: f64[n, 3] = for 3 [a] (j: i64, b: f64[n, 3]) {\n r: f64 = index b k j\n v: f64 = sin r\n"
        " b1: f64[n, 3] = update b v i j\n return b1\n }"
    ),
    ("a row by an inner loop with a condition", 32500): _ROWS.format(
        "l: i64, a1: f64[n, 3] = while [0 a] (j0: i64, b0: f64[n, 3]) {\n c: bool = lt j0 3\n return c\n }"
        " (j: i64, b: f64[n, 3]) {\n r: f64 = index b k j\n v: f64 = sin r\n b1: f64[n, 3] = update b v i j\n"
        " j1: i64 = add j 1\n return j1 b1\n }"
    ),
    ("a sum of rows", 3500): _FOLD.format("t: f64[2] = reduce n [z] " + _SUM_OF_ROWS + "\n  return t"),
    ("prefix sums of rows", 5500): _FOLD.format("t: f64[n, 2] = scan n [z] " + _SUM_OF_ROWS + "\n  return t"),
}  # fmt: skip

N = 60
KEYS = np.arange(N) * 7 % N


def arguments(text: str) -> tuple[Any, ...]:
    """The arguments of a program."""
    x = np.linspace(0.5, 1.0, N)
    return (np.stack([x, x, x], axis=1) if "x: f64[n, 3]" in text else x, KEYS)
