"""Programs of `directed` that overwrite an array in a loop: where may the final array stand for what was read?"""

from __future__ import annotations

# The rows that it would keep have the size n - 1, which is -1 where it never runs.
NEVER_RUN = """
def f(x: f64[n]) {
  m: i64 = sub n 1
  y: f64[n], t: f64 = for n [x 0.5] (i: i64, a: f64[n], s: f64) {
    b: f64[m] = replicate s m
    a1: f64[n] = update_slice a b 1 1
    s1: f64 = sin s
    return a1 s1
  }
  return y t
}
"""

# Loops whose array is twice as long after each iteration, with a trip count and with a condition.
_TWICE = """ {
    d: i64 = mul m1 2
    z: f64[m1] = map m1 (j: i64) {
      e: f64 = index b1 j
      g: f64 = mul e e
      return g
    }
    h: f64[d] = concat[0] b1 z d
    return d h
  }
  return n a
}
"""
_ONE = """
def f(v: f64, k: i64) {
  one: f64[1] = stack v
  n: i64, a: f64[n] = """
GROWING = {
    "with a trip count": _ONE + "for k [1 one] (i: i64, m1: i64, b1: f64[m1])" + _TWICE,
    "with a condition": _ONE
    + "while [1 one] (m: i64, b: f64[m]) {\n c: bool = lt m k\n return c\n } (m1: i64, b1: f64[m1])"
    + _TWICE,
}


def _loop(trips: int, *body: str) -> str:
    """A loop over an array `a`, a sum `s` and a number `k`; the body makes a1, s1, and k1 of them."""
    lines = "\n    ".join(body)
    return f"""
def f(x: f64[8]) {{
  m: i64, y: f64[8], t: f64 = for {trips} [6 x 0.0] (i: i64, k: i64, a: f64[8], s: f64) {{
    {lines}
    s1: f64 = add s w
    k1: i64 = sub k 2
    return k1 a1 s1
  }}
  return y t
}}
"""


_PRODUCT = ("v: f64 = sin r", "w: f64 = mul v r")

# By the place that they read.
OVERWRITING = {
    "behind": _loop(7, "j: i64 = add i 1", "r: f64 = index a i", *_PRODUCT, "a1: f64[8] = update a w j"),
    "here": _loop(7, "r: f64 = index a i", *_PRODUCT, "a1: f64[8] = update a w i"),
    "ahead": _loop(7, "j: i64 = add i 1", "r: f64 = index a j", *_PRODUCT, "a1: f64[8] = update a w i"),
    "behind, backwards": _loop(
        7, "j: i64 = sub 6 i", "q: i64 = sub 7 i", "r: f64 = index a q", *_PRODUCT, "a1: f64[8] = update a w j"
    ),
    "ahead, backwards": _loop(
        7, "j: i64 = sub 7 i", "q: i64 = sub 6 i", "r: f64 = index a q", *_PRODUCT, "a1: f64[8] = update a w j"
    ),
    "behind one of two writes": _loop(
        7, "j: i64 = add i 1", "r: f64 = index a i", *_PRODUCT, "a0: f64[8] = update a v i",
        "a1: f64[8] = update a0 w j",
    ),
    "in a part that is written backwards": _loop(
        7, "j: i64 = add i 1", "r: f64 = index a i", *_PRODUCT, "b: f64[2] = stack w v",
        "a1: f64[8] = update_slice a b j -1"
    ),
    "behind a place that jumps": _loop(
        4, "j: i64 = add i k", "q: i64 = sub j 1", "r: f64 = index a q", *_PRODUCT, "a1: f64[8] = update a w j"
    ),
    "after the write": _loop(
        6, "j: i64 = add i 1", "q: i64 = add i 2", "r0: f64 = index a i", "v0: f64 = sin r0",
        "a1: f64[8] = update a v0 j", "r: f64 = index a1 q", *_PRODUCT
    ),
    "in a part": _loop(
        6, "j: i64 = add i 1", "r0: f64 = index a i", "p: f64[2] = slice a j 2 1", "r1: f64 = index p 1",
        "r: f64 = mul r0 r1", *_PRODUCT, "a1: f64[8] = update a w j"
    ),
    "faster than is written": _loop(
        4, "j: i64 = add i 3", "q: i64 = mul i 2", "r: f64 = index a q", *_PRODUCT, "a1: f64[8] = update a w j"
    ),
    "at a place of its own": _loop(
        6, "j: i64 = add i 1", "r0: f64 = index a 5", "r1: f64 = index a i", "r: f64 = mul r0 r1", *_PRODUCT,
        "a1: f64[8] = update a w j"
    ),
    "while it writes to a place that is carried": _loop(
        3, "r: f64 = index a i", *_PRODUCT, "a1: f64[8] = update a w k"
    ),
}  # fmt: skip


def _outer(*body: str) -> str:
    """A loop over two arrays `d` and `e`, of which the body makes d1 and e1."""
    lines = "\n    ".join(body)
    return f"""
def f(x: f64[n], y: f64[n], c: bool) {{
  r: f64[n], s: f64[n] = for 2 [x y] (t: i64, d: f64[n], e: f64[n]) {{
    {lines}
    return d1 e1
  }}
  return r s
}}
"""


_EXCHANGE = ("u: f64 = index g i", "v: f64 = index h 0", "w: f64 = mul u v", "h1: f64[n] = update h w t", "return h1 g")

# Two arrays that are exchanged after one is written; arms that write to different arrays; arrays that are made anew.
EXCHANGED = {
    "in a loop": _outer("u: f64 = index d t", "v: f64 = index e 0", "w: f64 = mul u v", "d1: f64[n] = update e w t",
                        "e1: f64[n] = reshape d n"),
    "at once": _outer("u: f64 = index d t", "v: f64 = index e 0", "w: f64 = mul u v",
                      "d1: f64[n] = update e w t").replace("return d1 e1", "return d1 d"),
    "in an inner loop": _outer(
        "d1: f64[n], e1: f64[n] = for n [d e] (i: i64, g: f64[n], h: f64[n]) {", *_EXCHANGE, "}"),
    "in an inner loop with a condition": _outer(
        "k: i64, d1: f64[n], e1: f64[n] = while [0 d e] (i0: i64, g0: f64[n], h0: f64[n]) {", "more: bool = lt i0 3",
        "return more", "} (i: i64, g: f64[n], h: f64[n]) {", *_EXCHANGE[:-1],
        "i1: i64 = add i 1", "return i1 h1 g", "}"),
    "no, but made anew in an inner loop": _outer(
        "d1: f64[n] = for 2 [d] (i: i64, g: f64[n]) {", "h: f64[n] = map n (j: i64) {", "a: f64 = index g j",
        "b: f64 = sin a", "return b", "}", "return h", "}", "u: f64 = index d1 t", "e1: f64[n] = update e u 0"),
    "no, but moved after a write": _outer(
        "u: f64 = index d t", "w: f64 = sin u", "d0: f64[n] = update d w 1", "d1: f64[n] = slice d0 2 n -1",
        "v: f64 = index d 0", "e1: f64[n] = update e v t"),
    "in arms": _outer(
        "e1: f64[n] = map n (i: i64) {", "a: f64 = index e i", "b: f64 = sin a", "return b", "}",
        "d1: f64[n] = if c {", "u: f64 = index e1 1", "w: f64 = mul u u", "d2: f64[n] = update d w 1", "return d2",
        "} else {", "u1: f64 = index d 0", "w1: f64 = mul u1 u1", "e2: f64[n] = update e w1 1", "return e2", "}"),
}  # fmt: skip

# Loops in parallel bodies, to which something small and something large from outside contributes.
IN_A_MAP = """
def f(x: f64[n], y: f64) {
  r: f64[n] = map n (i: i64) {
    e: f64 = index x i
    s: f64 = for 3 [e] (j: i64, z: f64) {
      z1: f64 = mul z y
      z2: f64 = sin z1
      return z2
    }
    return s
  }
  t: f64[n] = map n (i1: i64) {
    e1: f64 = index x i1
    s1: f64 = for n [e1] (j1: i64, z3: f64) {
      g: f64 = index x j1
      z4: f64 = mul z3 g
      return z4
    }
    return s1
  }
  return r t
}
"""

# A branch that writes to a row in one arm, and in the other to an element of another row, or to two rows.
PLACES_OF_ARMS = """
def f(x: f64[3, 3], y: f64) {
  r: f64[3, 3] = for 3 [x] (t: i64, a: f64[3, 3]) {
    j: i64 = add t 1
    k: i64 = mod j 3
    u: f64 = index a k t
    w: f64 = sin u
    c: bool = eq t 1
    a1: f64[3, 3] = if c {
      row: f64[3] = index a k
      a2: f64[3, 3] = update a row t
      return a2
    } else {
      g: f64 = index a k k
      h: f64 = mul g w
      a3: f64[3, 3] = update a h k k
      return a3
    }
    return a1
  }
  s: f64[3, 3] = for 2 [r] (t1: i64, b: f64[3, 3]) {
    c1: bool = eq t1 1
    b1: f64[3, 3] = if c1 {
      row1: f64[3] = map 3 (i: i64) {
        e: f64 = index b t1 i
        e1: f64 = index b 2 i
        e2: f64 = mul e e1
        return e2
      }
      b2: f64[3, 3] = update b row1 t1
      return b2
    } else {
      rows: f64[2, 3] = map 2 (i1: i64) {
        l: i64 = add t1 i1
        row2: f64[3] = map 3 (i2: i64) {
          e3: f64 = index b l i2
          e4: f64 = mul e3 e3
          return e4
        }
        return row2
      }
      b3: f64[3, 3] = update_slice b rows t1 1
      return b3
    }
    return b1
  }
  z: f64[3, 3] = accumulate s y 0 0
  return z
}
"""
