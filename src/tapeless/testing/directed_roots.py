"""Programs of `directed` about what is flat and what is steep (`ad.roots`), and what follows at 0.

`LEVELS` holds programs by name, with the names of exactly those variables that are never negative and have slope 0
where they are 0, and of those that flow into the root of another value.
"""

from __future__ import annotations

SCALARS = """
def f(x: f64, y: f64[n], z: f32, k: i64, c: bool) {
  m: i64 = add n 1
  w: f64[m] = replicate x m
  a0: f64 = abs x
  a1: f64 = mul x x
  a2: f64 = scale x x
  a3: f64 = mul a0 a1
  a4: f64 = mul a1 2.0
  a5: f64 = add a1 0.0
  a6: f64 = select c a0 a1
  n0: f64 = mul x a1
  n1: f64 = mul a1 -2.0
  n2: f64 = add a1 x
  n3: f64 = sub a1 a0
  n4: f64 = select c a0 x
  n5: f64 = scale x a1
  n6: f64 = sin a1
  b0: f64 = fma x x a1
  b1: f64 = fma a0 a1 a2
  n7: f64 = fma x x x
  n8: f64 = fma x a1 a1
  n9: f64 = fma a1 x a1
  m0: f64 = fma x x -1.0
  m9: f64 = fma a0 a1 x
  p0: f64 = pow x 2.0
  p1: f64 = pow a1 1.5
  m1: f64 = pow x 1.5
  m2: f64 = pow a1 -2.0
  m3: f64 = pow a1 x
  m4: f64 = pow a1 0.0
  m5: f64 = pow -2.0 3.0
  v0: f64 = convert[f64] n
  v1: f64 = convert[f64] m
  z0: f32 = mul z z
  v2: f64 = convert[f64] z0
  m6: f64 = convert[f64] k
  m7: f64 = convert[f64] z
  m8: f64 = convert[f64] 3
  e: f64 = index y 0
  r: f64 = sqrt x
  return r
}
"""

STRUCTURED = """
def f(x: f64, y: f64[n], k: i64, c: bool) {
  s0: f64 = reduce n [0.0] (p0: f64, q0: f64) {
    t0: f64 = add p0 q0
    return t0
  } (i0: i64) {
    g0: f64 = index y i0
    h0: f64 = mul g0 g0
    return h0
  }
  s1: f64 = reduce n [-inf] (p1: f64, q1: f64) {
    t1: f64 = max p1 q1
    return t1
  } (i1: i64) {
    g1: f64 = index y i1
    h1: f64 = abs g1
    return h1
  }
  n0: f64 = reduce n [-1.0] (p2: f64, q2: f64) {
    t2: f64 = max p2 q2
    return t2
  } (i2: i64) {
    g2: f64 = index y i2
    h2: f64 = abs g2
    return h2
  }
  l0: f64 = for k [0.0] (i3: i64, p3: f64) {
    h3: f64 = mul x x
    t3: f64 = add p3 h3
    return t3
  }
  n1: f64 = for k [-1.0] (i4: i64, p4: f64) {
    h4: f64 = mul x x
    t4: f64 = add p4 h4
    return t4
  }
  b0: f64 = if c {
    h5: f64 = mul x x
    return h5
  } else {
    return 1.0
  }
  n2: f64 = if c {
    h6: f64 = mul x x
    return h6
  } else {
    return -1.0
  }
  d0: f64 = custom [] () {
    a1: f64 = mul x x
    return a1
  }
  n3: f64 = custom [d0] (a2: f64) {
    a3: f64 = mul a2 a2
    return a3
  } (a4: f64, a4_dot: f64) {
    return a4 a4_dot
  }
  r: f64 = sqrt s0
  return r
}
"""

NO_ROOTS = """
def f(x: f64[n]) {
  s: f64 = reduce n [0.0] (p: f64, q: f64) {
    t: f64 = add p q
    return t
  } (i: i64) {
    e: f64 = index x i
    h: f64 = mul e e
    return h
  }
  u: f64 = pow s 1.0
  return u
}
"""

INTO_ROOTS = """
def f(x: f64, y: f64, z: f64, u: f64, c: bool) {
  check nonneg 1
  a0: f64 = mul x y
  r0: f64 = sqrt a0
  a1: f64 = mul x x
  r1: f64 = sqrt a1
  a2: f64 = sin y
  r2: f64 = pow a2 1.0
  a3: f64 = cos y
  r3: f64 = pow a3 0.5
  a4: f64 = tan z
  r4: f64 = pow a4 z
  a5: f64 = sinh u
  r5: f64 = asin a5
  a6: f64 = tanh u
  r6: f64 = sqrt 2.0
  a7: f64 = mul u u
  r7: f64 = acos a7
  return r0 r1 r2 r3 r4 r5 r6 a6 r7
}
"""

DIVIDED = """
def f(x: f64[9], c: bool) {
  check nonneg 1
  e0: f64, s: f64 = for 2 [1.0 1.0] (i: i64, p: f64, q: f64) {
    return q p
  }
  x0: f64 = index x 0
  r0: f64 = sqrt x0
  d0: f64 = div 1.0 r0
  x1: f64 = index x 1
  r1: f64 = sqrt x1
  d1: f64 = div 1.0 x1
  x2: f64 = index x 2
  y2: f64 = sin x2
  r2: f64 = sqrt y2
  d2: f64 = div r2 3.0
  x3: f64 = index x 3
  y3: f64 = sin x3
  r3: f64 = sqrt y3
  d3: f64 = div 1.0 r3
  g3: f64 = select c d3 0.0
  x4: f64 = index x 4
  y4: f64 = sin x4
  r4: f64 = acos y4
  d4: f64 = div 1.0 r4
  x5: f64 = index x 5
  y5: f64 = sin x5
  r5: f64 = cbrt y5
  d5: f64 = mul 1.0 r5
  return d0 d1 d2 g3 d4 d5 e0
}
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The text, what is flat, and what is steep.
LEVELS: dict[str, tuple[str, frozenset[str], frozenset[str]]] = {
    "scalars": (SCALARS, _names("a0 a1 a2 a3 a4 a5 a6 b0 b1 p0 p1 v0 v1 v2 z0"), _names("x")),
    "structured statements": (
        STRUCTURED,
        _names("s0 p0 q0 t0 h0 s1 p1 q1 t1 h1 h2 l0 p3 h3 t3 h4 b0 h5 h6 d0 a1 a3 r"),
        _names(""),
    ),
    "a program without roots": (NO_ROOTS, _names(""), _names("")),
    "roots of several kinds": (INTO_ROOTS, _names("a1 r1 r6 a7"), _names("a0 x y a3 a4 z a5 u a7")),
    "roots by which the program divides": (DIVIDED, _names("e0 s p q"), _names("x x2 y2 x3 y3 x4 y4 x5 y5")),
}

# Not level at 0, though there is a root elsewhere: the second derivative of a square is 2.
TO_THE_FIRST = """
def f(x: f64, y: f64) {
  a: f64 = mul x x
  p: f64 = pow a 1.0
  r: f64 = sqrt y
  return p r
}
"""

ROOT_OF_A_PRODUCT = """
def f(x: f64, y: f64) {
  p: f64 = mul x y
  r: f64 = sqrt p
  return r
}
"""

ROOT_OF_A_SQUARE = """
def f(x: f64) {
  p: f64 = mul x x
  r: f64 = sqrt p
  return r
}
"""
