"""Programs of `directed` whose loops may not keep everything: what they compute again is counted, by the sines.

`STEPS` holds for each name the program, its arguments, the plan, and how many sines its reverse derivative computes.
For loops with a trip count n and room for s states, of which each iteration begins its return sweep by running once
more, that is `forward_steps(n + 1, s) + n` (`treeverse`); a loop that is counted first runs n times more, and before
any pass has run a map computes its elements once more for its own return sweep.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ..ad.planner import Plan
from ..ad.treeverse import capacity, forward_steps, repetitions, split

COUNTED = """
def f(x: f64, n: i64) {
  y: f64, s: f64 = for n [x 0.0] (i: i64, z: f64, t: f64) {
    k: f64 = convert[f64] i
    g: f64 = add k 1.0
    h: f64 = mul z g
    w: f64 = sin h
    t1: f64 = add t z
    return w t1
  }
  o: f64 = add y s
  return o
}
"""

OPEN = """
def f(x: f64, n: i64) {
  j: i64, y: f64 = while [0 x] (i: i64, z: f64) {
    c: bool = lt i n
    return c
  } (i1: i64, z1: f64) {
    k: f64 = convert[f64] i1
    g: f64 = add k 1.0
    h: f64 = mul z1 g
    w: f64 = sin h
    i2: i64 = add i1 1
    return i2 w
  }
  return y
}
"""

# The state is a row of unknown length.
ROWS = """
def f(x: f64[m], n: i64) {
  y: f64[m] = for n [x] (i: i64, z: f64[m]) {
    w: f64[m] = map m (j: i64) {
      e: f64 = index z j
      g: f64 = sin e
      return g
    }
    return w
  }
  o: f64 = index y 0
  return o
}
"""

# A row and a number, in a loop with a condition.
OPEN_ROWS = """
def f(x: f64[m], n: i64) {
  j: i64, y: f64[m], o: f64 = while [0 x 1.0] (i: i64, z: f64[m], s: f64) {
    c: bool = lt i n
    return c
  } (i1: i64, z1: f64[m], s1: f64) {
    w: f64[m] = map m (k: i64) {
      e: f64 = index z1 k
      g: f64 = mul e s1
      h: f64 = sin g
      return h
    }
    a: f64 = index w 0
    s2: f64 = mul a s1
    i2: i64 = add i1 1
    return i2 w s2
  }
  return o
}
"""

# The trip count is known, and the loop has another one inside.
NESTED = """
def f(x: f64) {
  y: f64 = for 9 [x] (i: i64, z: f64) {
    v: f64 = for 4 [z] (j: i64, u: f64) {
      w: f64 = sin u
      return w
    }
    g: f64 = mul v z
    return g
  }
  return y
}
"""

# What a map read is overwritten by the loop, and read again when the map is run back.
OVERWRITTEN = """
def f(x: f64[m], n: i64) {
  a: f64[m] = map m (i: i64) {
    e: f64 = index x i
    p: f64 = mul e e
    return p
  }
  r: f64[m] = map m (i1: i64) {
    e1: f64 = index a i1
    p1: f64 = mul e1 e1
    return p1
  }
  z: f64[m] = for n [a] (i2: i64, b: f64[m]) {
    g: f64 = index b i2
    h: f64 = index b 1
    w: f64 = mul g h
    w1: f64 = sin w
    b1: f64[m] = update b w1 1
    return b1
  }
  u: f64 = index z 1
  v: f64 = index r 1
  o: f64 = mul u v
  return o
}
"""

X = np.float64(0.3)
ROW = np.array([0.3, 0.4, 0.5])
STEPS: dict[str, tuple[str, tuple[Any, ...], Plan, int]] = {
    "7 of 2": (COUNTED, (X, 7), Plan(states=2), 21),
    "31 of 3": (COUNTED, (X, 31), Plan(states=3), 124),
    "31 of 1": (COUNTED, (X, 31), Plan(states=1), 527),
    "70 of 9": (COUNTED, (X, 70), Plan(states=9), 217),
    "9 of 9": (COUNTED, (X, 9), Plan(states=9), 18),
    "10 of 9": (COUNTED, (X, 10), Plan(states=9), 21),
    "0 of 2": (COUNTED, (X, 0), Plan(states=2), 0),
    "40 in 64 bytes": (COUNTED, (X, 40), Plan(bytes=64), 112),
    "40 in no bytes": (COUNTED, (X, 40), Plan(bytes=0), 860),
    "1 in no bytes": (COUNTED, (X, 1), Plan(bytes=0), 2),
    "40, counted first": (OPEN, (X, 40), Plan(states=5), 175),
    "200 on the way": (OPEN, (X, 200), Plan(states=64), 575),
    "33 on the way": (OPEN, (X, 33), Plan(states=65), 82),
    "1 on the way": (OPEN, (X, 1), Plan(states=64), 2),
    "0 on the way": (OPEN, (X, 0), Plan(states=64), 0),
    "150 on the way in 1100 bytes": (OPEN, (X, 150), Plan(bytes=1100), 431),
    "rows in 100 bytes": (ROWS, (ROW, 12), Plan(bytes=100), 132),
    "rows that fit": (ROWS, (ROW, 4), Plan(bytes=96), 36),
    "rows and numbers in 100 bytes": (OPEN_ROWS, (ROW, 12), Plan(bytes=100), 180),
    "no rows": (ROWS, (np.array([0.3]), 0), Plan(bytes=8), 0),
    **{f"{n} over what was read": (OVERWRITTEN, (ROW, n), Plan(bytes=0), forward_steps(n + 1, 1) + n) for n in (1, 3)},
    "nested in 64 bytes": (NESTED, (X,), Plan(bytes=64), 128),
    "nested, 3 each": (NESTED, (X,), Plan(states=3), 141),
    "nested, all": (NESTED, (X,), Plan(), 108),
}


def schedule_mistakes() -> str:
    """How the schedule of `treeverse` differs from the best by trying everything, in words."""
    for slots in range(1, 5):
        for length in range(2, 24):
            best, far, most = _fewest(length, slots), split(length, slots), repetitions(length, slots)
            if forward_steps(length, slots) != best:
                return f"{forward_steps(length, slots)} steps for {length} in {slots} slots instead of {best}"
            if not capacity(slots, most - 1) < length <= capacity(slots, most):
                return f"{most} repetitions for {length} in {slots} slots"
            if slots > 1 and far + _fewest(length - far, slots - 1) + _fewest(far, slots) != best:
                return f"{length} in {slots} slots are split at {far}"
    return ""


@cache
def _fewest(length: int, slots: int) -> int:
    if slots == 1:
        return length * (length - 1) // 2
    return min((k + _fewest(length - k, slots - 1) + _fewest(k, slots) for k in range(1, length)), default=0)
