"""Programs of `directed` with sums in several directions at once, and operators that are almost sums or extrema."""

from __future__ import annotations

_ADD = "(p: f64, q: f64) {\n r: f64 = add p q\n return r\n }"

SUMS = f"""
def f(x: f64, y: f64) {{
  z: f64[2] = replicate 0.0 2
  s: f64 = reduce 3 [0.0] {_ADD} (i: i64) {{
    k: f64 = convert[f64] i
    u: f64 = mul k y
    v: f64 = mul u x
    w: f64 = sin v
    return w
  }}
  t: f64[3] = scan 3 [0.0] (p1: f64, q1: f64) {{
    r1: f64 = add p1 q1
    return r1
  }} (i1: i64) {{
    k1: f64 = convert[f64] i1
    u1: f64 = add k1 y
    v1: f64 = mul u1 x
    return v1
  }}
  a: f64[2], c: f64 = reduce 3 [z 1.0] (p2: f64[2], p3: f64, q2: f64[2], q3: f64) {{
    r2: f64[2] = map 2 (j: i64) {{
      g: f64 = index p2 j
      h: f64 = index q2 j
      l: f64 = add g h
      return l
    }}
    r3: f64 = mul p3 q3
    return r2 r3
  }} (i2: i64) {{
    k2: f64 = convert[f64] i2
    u2: f64 = mul k2 x
    row: f64[2] = stack u2 y
    return row 2.0
  }}
  o: f64 = mul s c
  return o t a
}}
"""

# Not sums: one accumulator beside a sum is the largest, and rows are too many or of unknown number to be kept.
NO_SUMS = {
    "the largest beside a sum": """
def f(x: f64, y: f64) {
  s: f64, m: f64 = reduce 3 [0.0 -inf] (p: f64, p1: f64, q: f64, q1: f64) {
    r: f64 = add p q
    r1: f64 = max p1 q1
    return r r1
  } (i: i64) {
    k: f64 = convert[f64] i
    u: f64 = mul k y
    v: f64 = mul u x
    return v u
  }
  return s m
}
""",
    "a product inside a loop": """
def f(x: f64, y: f64) {
  o: f64 = for 2 [x] (t: i64, z: f64) {
    s: f64 = reduce 3 [1.0] (p: f64, q: f64) {
      r: f64 = mul p q
      return r
    } (i: i64) {
      k: f64 = convert[f64] i
      u: f64 = add k y
      v: f64 = mul u z
      return v
    }
    return s
  }
  return o
}
""",
    "long rows": """
def f(x: f64, y: f64) {
  z: f64[40] = replicate 0.0 40
  a: f64[40] = reduce 2 [z] (p: f64[40], q: f64[40]) {
    r: f64[40] = map 40 (j: i64) {
      g: f64 = index p j
      h: f64 = index q j
      l: f64 = add g h
      return l
    }
    return r
  } (i: i64) {
    u: f64 = mul x y
    row: f64[40] = replicate u 40
    return row
  }
  o: f64 = index a 39
  return o
}
""",
    "a rule of the user": """
def f(x: f64, y: f64) {
  u: f64 = custom [x] (a: f64) {
    a0: f64 = sin a
    return a0
  } (b: f64, b_dot: f64) {
    b0: f64 = sin b
    b1: f64 = cos b
    b2: f64 = mul b1 b_dot
    return b0 b2
  }
  v: f64 = mul u y
  w: f64[2] = map 2 (i: i64) {
    k: f64 = convert[f64] i
    e: f64 = mul k v
    return e
  }
  return v w
}
""",
    "rows of unknown length": """
def f(x: f64, y: f64, n: i64) {
  z: f64[n] = replicate 0.0 n
  a: f64[n] = reduce 2 [z] (p: f64[n], q: f64[n]) {
    r: f64[n] = map n (j: i64) {
      g: f64 = index p j
      h: f64 = index q j
      l: f64 = add g h
      return l
    }
    return r
  } (i: i64) {
    u: f64 = mul x y
    row: f64[n] = replicate u n
    return row
  }
  o: f64 = index a 1
  return o
}
""",
}

# The first element of one row is added to all of the other.
ROWS_AT_OTHER_PLACES = """
def f(a: f64[n, 2]) {
  z: f64[2] = replicate 0.0 2
  t: f64[2] = reduce n [z] (p: f64[2], q: f64[2]) {
    r: f64[2] = map 2 (j: i64) {
      g: f64 = index p 0
      h: f64 = index q j
      k: f64 = add g h
      return k
    }
    return r
  } (i: i64) {
    row: f64[2] = index a i
    return row
  }
  return t
}
"""

# Sums of exponentials by rows, made with the largest in one map; and what stands beside the largest, by a branch.
EXTREMA_OF_ROWS = """
def f(a: f64[n, 2], x: f64[n]) {
  z: f64[2] = replicate 0.0 2
  y: f64[2] = replicate -inf 2
  m: f64[2], s: f64[2] = reduce n [y z] (m0: f64[2], s0: f64[2], m1: f64[2], s1: f64[2]) {
    m2: f64[2], s2: f64[2] = map 2 (j: i64) {
      g0: f64 = index m0 j
      g1: f64 = index m1 j
      g2: f64 = max g0 g1
      d0: f64 = sub g0 g2
      d1: f64 = sub g1 g2
      e0: f64 = exp d0
      e1: f64 = exp d1
      h0: f64 = index s0 j
      h1: f64 = index s1 j
      l0: f64 = mul h0 e0
      l1: f64 = mul h1 e1
      l2: f64 = add l0 l1
      return g2 l2
    }
    return m2 s2
  } (i: i64) {
    row: f64[2] = index a i
    ones: f64[2] = replicate 1.0 2
    return row ones
  }
  b: f64, k: i64 = reduce n [-inf 0] (b0: f64, k0: i64, b1: f64, k1: i64) {
    b2: f64 = max b0 b1
    c: bool = ge b0 b1
    k2: i64 = if c {
      return k0
    } else {
      return k1
    }
    return b2 k2
  } (i1: i64) {
    v: f64 = index x i1
    return v i1
  }
  return m s b k
}
"""

# Scalars that act through one value only, which merges again; and others, which are read elsewhere too, or meet what
# varies, or do not merge in an operation with partials.
MERGED = """
def f(p: f64, c: f64, d: f64, q: f64, r: f64, g: f64, h: f64, k: f64, l: f64, a: f64, b: f64, x0: f64, x1: f64) {
  x: f64 = sub p c
  w: f64 = mul x d
  y: f64 = sin w
  t: f64 = add q r
  u: f64 = mul t q
  s: f64 = copysign g h
  m: f64[2] = map 2 (i: i64) {
    return k
  }
  n: f64 = mul k l
  e: f64 = mul a b
  z: bool = lt e s
  o: f64 = mul y u
  v: f64 = if z {
    return n
  } else {
    return e
  }
  j: f64 = fma x0 x1 w
  return o w s m v a b j
}
"""

NOT_MERGED = """
def f(x: f64, y: f64, z: f64, w: f64) {
  a: f64, b: f64 = for 2 [x y] (i: i64, c: f64, d: f64) {
    e: f64 = mul c d
    g: f64 = sin c
    return e g
  }
  s: f64[2] = stack z w
  return a b s
}
"""
