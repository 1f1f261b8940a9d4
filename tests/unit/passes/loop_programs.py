"""Loops that `parallelise` must turn into parallel operators, and loops that only look as if they could be.

`PARALLEL` and `SEQUENTIAL` give the programs by name; `arguments` gives inputs of chosen sizes, among them
empty and single ones, index arrays with repetitions and indices out of range, and NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeless.ir.core import Function
from tapeless.ir.types import I64, Lit

PARALLEL = {
    "conditional_sum": """
def conditional_sum(x: f64[n], k: f64) {
  m: i64 = sub n 1
  e: f64 = for m [0.0] (i: i64, a: f64) {
    j: i64 = add i 1
    check bounds j n
    p: f64 = index x j
    q: f64 = index x i
    d: f64 = sub p q
    c: bool = gt d 0.5
    r: f64 = if c {
      s: f64 = mul d d
      t: f64 = mul s k
      u: f64 = exp t
      v: f64 = add a u
      return v
    } else {
      return a
    }
    return r
  }
  return e
}
""",
    "matrix_product": """
def matrix_product(a: f64[n, m], b: f64[m, p]) {
  c0: f64[n, p] = replicate 0.0 n p
  c: f64[n, p] = for n [c0] (i: i64, c1: f64[n, p]) {
    c2: f64[n, p] = for p [c1] (j: i64, c3: f64[n, p]) {
      c4: f64[n, p] = for m [c3] (k: i64, c5: f64[n, p]) {
        x: f64 = index a i k
        y: f64 = index b k j
        z: f64 = mul x y
        o: f64 = index c5 i j
        w: f64 = add o z
        c6: f64[n, p] = update c5 w i j
        return c6
      }
      return c4
    }
    return c2
  }
  return c
}
""",
    "time_steps": """
def time_steps(u0: f64[n], steps: i64) {
  h0: f64[n] = replicate 0.0 n
  m: i64 = sub n 1
  u9: f64[n], h9: f64[n] = for steps [u0 h0] (t: i64, u: f64[n], h: f64[n]) {
    h1: f64[n] = for m [h] (i: i64, ha: f64[n]) {
      i1: i64 = add i 1
      a: f64 = index u i
      check bounds i1 n
      b: f64 = index u i1
      s: f64 = add a b
      check bounds i n
      hb: f64[n] = update ha s i
      return hb
    }
    check bounds m n
    x: f64 = index u m
    check bounds 0 n
    y: f64 = index u 0
    z: f64 = add x y
    h2: f64[n] = update h1 z m
    q0: f64 = index h2 0
    q1: f64 = index h2 m
    q2: f64 = sub q0 q1
    u1: f64[n] = update u q2 0
    u2: f64[n] = for m [u1] (k: i64, ua: f64[n]) {
      k1: i64 = add k 1
      check bounds k1 n
      e: f64 = index ua k1
      f: f64 = index h2 k1
      g: f64 = index h2 k
      l: f64 = sub f g
      o: f64 = mul e l
      p: f64 = tanh o
      ub: f64[n] = update ua p k1
      return ub
    }
    return u2 h2
  }
  return u9
}
""",
    "first_smallest": """
def first_smallest(x: f64[n]) {
  b: f64, k: i64 = for n [1e300 -1] (i: i64, best: f64, at: i64) {
    v: f64 = index x i
    c: bool = lt v best
    nb: f64, na: i64 = if c {
      return v i
    } else {
      return best at
    }
    return nb na
  }
  return b k
}
""",
    "histogram": """
def histogram(x: i64[n], w: f64[n], c0: f64[m]) {
  s: f64, c: f64[m] = for n [0.0 c0] (i: i64, s1: f64, c1: f64[m]) {
    k: i64 = index x i
    check bounds k m
    v: f64 = index w i
    o: f64 = index c1 k
    p: f64 = add o v
    c2: f64[m] = update c1 p k
    s2: f64 = add s1 v
    return s2 c2
  }
  return s c
}
""",
    "split_recurrence": """
def split_recurrence(x: f64[n], y0: f64[n]) {
  s: f64, y: f64[n] = for n [0.0 y0] (i: i64, a: f64, y1: f64[n]) {
    v: f64 = index x i
    b: f64 = mul a 0.5
    c: f64 = add b v
    e: f64 = tanh v
    f: f64 = sin e
    g: f64 = exp f
    h: f64 = log g
    y2: f64[n] = update y1 h i
    return c y2
  }
  return s y
}
""",
    "scratch_array": """
def scratch_array(x: f64[n, d], mu: f64[d]) {
  xc0: f64[d] = replicate 0.0 d
  t: f64, z: f64[d] = for n [0.0 xc0] (i: i64, s: f64, xc: f64[d]) {
    x1: f64[d] = for d [xc] (j: i64, xa: f64[d]) {
      p: f64 = index x i j
      q: f64 = index mu j
      r: f64 = sub p q
      xb: f64[d] = update xa r j
      return xb
    }
    u: f64 = for d [s] (j2: i64, s2: f64) {
      v: f64 = index x1 j2
      w: f64 = mul v v
      s3: f64 = add s2 w
      return s3
    }
    return u x1
  }
  return t
}
""",
    "interior": """
def interior(u: f64[n, m], v0: f64[n, m]) {
  a: i64 = sub n 2
  b: i64 = sub m 2
  v9: f64[n, m] = for a [v0] (i: i64, v: f64[n, m]) {
    i1: i64 = add i 1
    w9: f64[n, m] = for b [v] (j: i64, w: f64[n, m]) {
      j1: i64 = add j 1
      j2: i64 = add j 2
      x: f64 = index u i1 j
      y: f64 = index u i1 j2
      z: f64 = add x y
      w1: f64[n, m] = update w z i1 j1
      return w1
    }
    return w9
  }
  return v9
}
""",
    "substitution": """
def substitution(x: f64[k, n], l: f64[n, n]) {
  y9: f64[k, n] = for k [x] (q: i64, y: f64[k, n]) {
    z9: f64[k, n] = for n [y] (c: i64, z: f64[k, n]) {
      t: f64 = index z q c
      c1: i64 = add c 1
      s: i64 = sub n c1
      w9: f64[k, n] = for s [z] (r: i64, w: f64[k, n]) {
        r1: i64 = add r c1
        o: f64 = index w q r1
        lv: f64 = index l r1 c
        p: f64 = mul lv t
        d: f64 = sub o p
        w1: f64[k, n] = update w d q r1
        return w1
      }
      return w9
    }
    return z9
  }
  return y9
}
""",
    "last_value": """
def last_value(x: f64[n], k: i64) {
  t: f64, s: i64 = for k [7.0 3] (i: i64, t1: f64, s1: i64) {
    check bounds i n
    v: f64 = index x i
    w: f64 = exp v
    s2: i64 = add s1 5
    return w s2
  }
  return t s
}
""",
    "rows_checked_inside": """
def rows_checked_inside(a0: f64[n, 2], w: f64[m]) {
  a: f64[n, 2] = for m [a0] (i: i64, a1: f64[n, 2]) {
    b: f64[n, 2] = for m [a1] (j: i64, a2: f64[n, 2]) {
      check bounds i n
      r: f64[2] = index a2 i
      v: f64 = index w j
      s: f64[2] = map 2 (k: i64) {
        o: f64 = index r k
        t: f64 = add o v
        return t
      }
      a3: f64[n, 2] = update a2 s i
      return a3
    }
    return b
  }
  return a
}
""",
    "strided": """
def strided(a0: f64[n], x: f64[n]) {
  h: i64 = floordiv n 2
  a: f64[n] = for h [a0] (i: i64, a1: f64[n]) {
    d: i64 = mul i 2
    v: f64 = index x i
    o: f64 = index a1 d
    s: f64 = add o v
    a2: f64[n] = update a1 s d
    return a2
  }
  return a
}
""",
    "reversed_writes": """
def reversed_writes(a0: f64[n], x: f64[n]) {
  l: i64 = sub n 1
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = sub l i
    v: f64 = index x i
    a2: f64[n] = update a1 v j
    return a2
  }
  return a
}
""",
    "row_maybe_absent": """
def row_maybe_absent(a0: f64[n, m], k: i64) {
  a: f64[n, m] = for m [a0] (j: i64, a1: f64[n, m]) {
    check bounds k n
    v: f64 = index a1 k j
    w: f64 = mul v 2.0
    a2: f64[n, m] = update a1 w k j
    return a2
  }
  return a
}
""",
    "bin_maximum": """
def bin_maximum(a0: f64[n], k: i64[n], x: f64[n]) {
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = index k i
    v: f64 = index x i
    c: bool = gt v 0.0
    a2: f64[n] = if c {
      check bounds j n
      o: f64 = index a1 j
      w: f64 = exp v
      b: f64 = max o w
      a3: f64[n] = update a1 b j
      return a3
    } else {
      return a1
    }
    return a2
  }
  return a
}
""",
    "pair_forces": """
def pair_forces(f0: f64[n], p: i64[m], q: i64[m], x: f64[m]) {
  f: f64[n] = for m [f0] (i: i64, f1: f64[n]) {
    j: i64 = index p i
    k: i64 = index q i
    check bounds j n
    check bounds k n
    v: f64 = index x i
    w: f64 = neg v
    f2: f64[n] = accumulate f1 v j
    f3: f64[n] = accumulate f2 w k
    return f3
  }
  return f
}
""",
    "columns_of_rows": """
def columns_of_rows(a0: f64[n, m], x: f64[n]) {
  a: f64[n, m] = for n [a0] (i: i64, a1: f64[n, m]) {
    v: f64 = index x i
    w: f64 = exp v
    check bounds 0 m
    a2: f64[n, m] = update a1 w i 0
    check bounds 2 m
    z: f64 = index a2 i 0
    y: f64 = sin z
    a3: f64[n, m] = update a2 y i 2
    return a3
  }
  return a
}
""",
    "elimination": """
def elimination(a0: f64[n, n], k: i64) {
  check bounds k n
  k1: i64 = add k 1
  c: i64 = sub n k1
  d: i64 = max c 0
  a: f64[n, n] = for d [a0] (i: i64, a1: f64[n, n]) {
    r: i64 = add k1 i
    p: f64 = index a1 r k
    q: f64 = index a1 k k
    f: f64 = div p q
    row: f64[n] = index a1 k
    old: f64[n] = index a1 r
    new: f64[n] = map n (j: i64) {
      u: f64 = index row j
      v: f64 = index old j
      w: f64 = mul u f
      z: f64 = sub v w
      return z
    }
    a2: f64[n, n] = update a1 new r
    return a2
  }
  return a
}
""",
    "guarded_interior": """
def guarded_interior(u: f64[n, m], v0: f64[n, m]) {
  a: i64 = sub n 2
  a0: i64 = max a 0
  b: i64 = sub m 2
  b0: i64 = max b 0
  v9: f64[n, m] = for a0 [v0] (i: i64, v: f64[n, m]) {
    i1: i64 = add i 1
    w9: f64[n, m] = for b0 [v] (j: i64, w: f64[n, m]) {
      j1: i64 = add j 1
      check bounds i1 n
      check bounds j1 m
      x: f64 = index u i1 j
      z: f64 = exp x
      w1: f64[n, m] = update w z i1 j1
      return w1
    }
    return w9
  }
  return v9
}
""",
    "all_positive": """
def all_positive(x: f64[n]) {
  ok: bool = for n [True] (i: i64, a: bool) {
    v: f64 = index x i
    c: bool = lt v 0.0
    b: bool = if c {
      return False
    } else {
      return a
    }
    return b
  }
  return ok
}
""",
    "scratch_in_scratch": """
def scratch_in_scratch(x: f64[n, m], y: f64[n]) {
  z: f64[m] = replicate 0.0 m
  t: f64, q: f64[m] = for n [0.0 z] (i: i64, s: f64, w: f64[m]) {
    s9: f64, w9: f64[m] = for n [s w] (k: i64, s1: f64, w1: f64[m]) {
      w2: f64[m] = for m [w1] (j: i64, w3: f64[m]) {
        a: f64 = index x i j
        b: f64 = index y k
        c: f64 = mul a b
        w4: f64[m] = update w3 c j
        return w4
      }
      s2: f64 = for m [s1] (l: i64, s3: f64) {
        d: f64 = index w2 l
        s4: f64 = add s3 d
        return s4
      }
      return s2 w2
    }
    return s9 w9
  }
  return t
}
""",
}

SEQUENTIAL = {
    "pivot_row_changes": """
def pivot_row_changes(a0: f64[n, n], k: i64) {
  check bounds k n
  c: i64 = sub n k
  a: f64[n, n] = for c [a0] (i: i64, a1: f64[n, n]) {
    r: i64 = add k i
    row: f64[n] = index a1 k
    old: f64[n] = index a1 r
    new: f64[n] = map n (j: i64) {
      u: f64 = index row j
      v: f64 = index old j
      z: f64 = add u v
      return z
    }
    a2: f64[n, n] = update a1 new r
    return a2
  }
  return a
}
""",
    "array_of_the_step_before": """
def array_of_the_step_before(a0: f64[n], b0: f64[n]) {
  a: f64[n], b: f64[n] = for n [a0 b0] (i: i64, a1: f64[n], b1: f64[n]) {
    v: f64 = index b1 i
    w: f64 = exp v
    b2: f64[n] = update b1 w i
    return b1 b2
  }
  return a b
}
""",
    "bins_read_after_the_count": """
def bins_read_after_the_count(c0: i64[n], k: i64[n], d0: i64[n]) {
  c: i64[n], d: i64[n] = for n [c0 d0] (i: i64, c1: i64[n], d1: i64[n]) {
    j: i64 = index k i
    check bounds j n
    c2: i64[n] = accumulate c1 1 j
    e: i64[n] = map n (l: i64) {
      v: i64 = index c2 l
      w: i64 = mul v v
      return w
    }
    return c2 e
  }
  return c d
}
""",
    "running_smallest": """
def running_smallest(x: f64[n]) {
  b: f64, s: f64 = for n [+inf 0.0] (i: i64, best: f64, t: f64) {
    v: f64 = index x i
    c: bool = lt v best
    nb: f64 = select c v best
    nt: f64 = add t nb
    return nb nt
  }
  return b s
}
""",
    "column_of_the_row_before": """
def column_of_the_row_before(a0: f64[n, m], x: f64[n]) {
  l: i64 = sub n 1
  a: f64[n, m] = for l [a0] (i: i64, a1: f64[n, m]) {
    j: i64 = add i 1
    check bounds 1 m
    v: f64 = index a1 i 1
    w: f64 = mul v 0.5
    a2: f64[n, m] = update a1 w j 1
    return a2
  }
  return a
}
""",
    "lines_of_planes": """
def lines_of_planes(a0: f64[n, m, m], x: f64[n]) {
  a: f64[n, m, m] = for n [a0] (i: i64, a1: f64[n, m, m]) {
    check bounds 0 m
    v: f64 = index x i
    w: f64[m] = replicate v m
    a2: f64[n, m, m] = update a1 w i 0
    return a2
  }
  return a
}
""",
    "previous_element": """
def previous_element(a0: f64[n], x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [a0] (i: i64, a1: f64[n]) {
    j: i64 = add i 1
    q: f64 = index x j
    t: f64[n] = update a1 q j
    p: f64 = index t i
    s: f64 = add p q
    a2: f64[n] = update t s j
    return a2
  }
  return a
}
""",
    "swapped_arrays": """
def swapped_arrays(u0: f64[n], v0: f64[n]) {
  u: f64[n], v: f64[n] = for n [u0 v0] (i: i64, u1: f64[n], v1: f64[n]) {
    p: f64 = index v1 i
    s: f64 = mul p 0.5
    u2: f64[n] = update u1 s i
    return v1 u2
  }
  return u v
}
""",
    "write_under_condition": """
def write_under_condition(a0: f64[n], x: f64[n]) {
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = add i 1
    c: bool = lt j n
    a2: f64[n] = if c {
      v: f64 = index x j
      a3: f64[n] = update a1 v j
      return a3
    } else {
      return a1
    }
    return a2
  }
  return a
}
""",
    "scattered_writes": """
def scattered_writes(a0: f64[n], k: i64[n], x: f64[n]) {
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = index k i
    check bounds j n
    v: f64 = index x i
    a2: f64[n] = update a1 v j
    return a2
  }
  return a
}
""",
    "compaction": """
def compaction(a0: f64[n], x: f64[n]) {
  p: i64, a: f64[n] = for n [0 a0] (i: i64, p1: i64, a1: f64[n]) {
    v: f64 = index x i
    c: bool = gt v 0.0
    p2: i64, a2: f64[n] = if c {
      check bounds p1 n
      a3: f64[n] = update a1 v p1
      p3: i64 = add p1 1
      return p3 a3
    } else {
      return p1 a1
    }
    return p2 a2
  }
  return p a
}
""",
    "saturating_sum": """
def saturating_sum(x: f64[n]) {
  s: f64 = for n [0.0] (i: i64, s1: f64) {
    v: f64 = index x i
    c: bool = lt s1 1.0
    t: f64 = add s1 v
    s2: f64 = select c t s1
    return s2
  }
  return s
}
""",
    "sum_then_scale": """
def sum_then_scale(x: f64[n]) {
  s: f64 = for n [1.0] (i: i64, s1: f64) {
    v: f64 = index x i
    t: f64 = add s1 v
    u: f64 = mul t 0.9
    return u
  }
  return s
}
""",
    "two_elements_each": """
def two_elements_each(a0: f64[n], x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [a0] (i: i64, a1: f64[n]) {
    j: i64 = add i 1
    v: f64 = index x i
    w: f64 = neg v
    a2: f64[n] = update a1 v i
    a3: f64[n] = update a2 w j
    return a3
  }
  return a
}
""",
    "mirrored": """
def mirrored(a0: f64[n]) {
  l: i64 = sub n 1
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = sub l i
    v: f64 = index a1 j
    w: f64 = add v 1.0
    a2: f64[n] = update a1 w i
    return a2
  }
  return a
}
""",
    "counted_bins": """
def counted_bins(c0: i64[n], k: i64[n]) {
  most: i64, c: i64[n] = for n [0 c0] (i: i64, m1: i64, c1: i64[n]) {
    j: i64 = index k i
    check bounds j n
    o: i64 = index c1 j
    p: i64 = add o 1
    c2: i64[n] = update c1 p j
    m2: i64 = max m1 p
    return m2 c2
  }
  return most c
}
""",
    "last_smallest": """
def last_smallest(x: f64[n]) {
  b: f64, k: i64 = for n [+inf -1] (i: i64, best: f64, at: i64) {
    v: f64 = index x i
    c: bool = le v best
    nb: f64 = select c v best
    na: i64 = select c i at
    return nb na
  }
  return b k
}
""",
    "prefix_sums": """
def prefix_sums(x: f64[n], y0: f64[n]) {
  s: f64, y: f64[n] = for n [0.0 y0] (i: i64, a: f64, y1: f64[n]) {
    v: f64 = index x i
    b: f64 = add a v
    y2: f64[n] = update y1 b i
    return b y2
  }
  return y
}
""",
    "remainder_place": """
def remainder_place(a0: f64[n], x: f64[n]) {
  h: i64 = floordiv n 2
  h1: i64 = max h 1
  a: f64[n] = for n [a0] (i: i64, a1: f64[n]) {
    j: i64 = mod i h1
    v: f64 = index x i
    o: f64 = index a1 j
    d: f64 = sub v o
    a2: f64[n] = update a1 d j
    return a2
  }
  return a
}
""",
    "sum_decides_how_long": """
def sum_decides_how_long(x: f64[n]) {
  s: f64 = for n [0.0] (i: i64, s1: f64) {
    v: f64 = index x i
    w: f64 = abs v
    u: f64 = add w 0.25
    f: f64 = convert[f64] i
    s2: f64 = while [s1] (p: f64) {
      c: bool = lt p f
      return c
    } (p1: f64) {
      p2: f64 = add p1 u
      return p2
    }
    return s2
  }
  return s
}
""",
    "while_inside": """
def while_inside(x: f64[n]) {
  s: f64, t: f64 = for n [0.0 2.0] (i: i64, s1: f64, t1: f64) {
    v: f64 = index x i
    w: f64 = abs v
    t2: f64, z: f64 = while [t1 w] (p: f64, q: f64) {
      c: bool = lt q 4.0
      return c
    } (p1: f64, q1: f64) {
      q2: f64 = add q1 1.5
      p2: f64 = mul p1 0.7
      r2: f64 = add p2 1.0
      return r2 q2
    }
    s2: f64 = add s1 t2
    return s2 t2
  }
  return s t
}
""",
}

PROGRAMS = PARALLEL | SEQUENTIAL
_SPECIAL = [np.nan, 0.0, -0.0, np.inf, 1e300]


def arguments(function: Function, size: int, seed: int, *, special: bool = False) -> list[Any]:
    """Arguments whose sizes are near `size`; with `special`, NaN, zeros of both signs and infinities among them."""
    random = np.random.default_rng([size, seed])
    sizes = {var.name: size + k for k, var in enumerate(function.sizes)}
    args: list[Any] = []
    for param in function.params:
        shape = [int(d.value) if isinstance(d, Lit) else sizes[d.name] for d in param.type.shape]
        if param.type.dtype is I64:
            low, high = (0, max(size, 1)) if seed % 3 else (-1, size + 1)
            args.append(random.integers(low, high, shape) if shape else np.int64(random.integers(low, high + 2)))
            continue
        values = random.normal(size=shape)
        if special:
            values = np.where(random.random(shape) < 0.3, random.choice(_SPECIAL, shape), values)
        args.append(values if shape else np.float64(values))
    return args
