"""Programs of `directed` whose adjoints hold exact zeros: something else was chosen, nothing was used, or a part."""

MAX_OF_ROOTS = """
def f(x: f64[n]) {
  s: f64[n] = map n (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  m: f64 = reduce n [-inf] (p: f64, q: f64) {
    t: f64 = max p q
    return t
  } (i1: i64) {
    e1: f64 = index s i1
    return e1
  }
  return m
}
"""

LOG_OF_AN_ARGUMENT = """
def f(x: f64, y: f64) {
  u: f64 = log x
  p: f64 = mul u y
  c: bool = gt x 0.0
  o: f64 = select c p 0.0
  return o
}
"""

# A zero of an arm that is not taken meets an infinite partial, and a partial that is zero the slope of a root of zero.
ROOT_OF_A_CHOICE = """
def f(x: f64, y: f64) {
  u: f64 = log x
  p: f64 = mul u y
  c: bool = gt x 0.0
  z: f64 = select c p 0.0
  o: f64 = sqrt z
  return o
}
"""

TESTED_FOR_INFINITY = """
def f(x: f64, y: f64) {
  p: f64 = mul x y
  c: bool = isfinite x
  o: f64 = select c p 0.0
  return o
}
"""

TESTED_FOR_NAN = """
def f(x: f64, y: f64) {
  p: f64 = mul x y
  c: bool = eq x x
  o: f64 = select c p 0.0
  return o
}
"""

ROOT_FOR_AN_ARM = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  u: f64 = sqrt x0
  c: bool = gt x0 0.0
  y: f64 = if c {
    return u
  } else {
    return 1.0
  }
  return y
}
"""

ROOT_IN_AN_ARM = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  x1: f64 = index x 1
  u: f64 = sqrt x0
  c: bool = gt x0 0.0
  y: f64 = if c {
    v: f64 = mul u x1
    return v
  } else {
    return x1
  }
  return y
}
"""

ROOT_FOR_A_LOOP = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  u: f64 = sqrt x0
  k: i64 = convert[i64] x0
  y: f64 = for k [1.0] (i: i64, s: f64) {
    t0: f64 = mul u s
    return t0
  }
  return y
}
"""

ELEMENT_OF_ROOTS = """
def f(x: f64[2]) {
  s: f64[2] = map 2 (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  y: f64 = index s 1
  return y
}
"""

PART_OF_ROOTS = """
def f(x: f64[3]) {
  s: f64[3] = map 3 (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  t: f64[2] = slice s 1 2 1
  y: f64 = reduce 2 [0.0] (p: f64, q: f64) {
    g: f64 = add p q
    return g
  } (j: i64) {
    h: f64 = index t j
    return h
  }
  return y
}
"""

FIRST_OF_ROOTS = """
def f(x: f64[2]) {
  s: f64[2] = map 2 (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  y: f64 = reduce 1 [0.0] (p: f64, q: f64) {
    g: f64 = add p q
    return g
  } (j: i64) {
    h: f64 = index s j
    return h
  }
  return y
}
"""

DIAGONAL_OF_ROOTS = """
def f(x: f64[4]) {
  s: f64[2, 2] = map 2 (i: i64) {
    row: f64[2] = map 2 (j: i64) {
      k: i64 = mul i 2
      l: i64 = add k j
      e: f64 = index x l
      r: f64 = sqrt e
      return r
    }
    return row
  }
  y: f64 = reduce 2 [0.0] (p: f64, q: f64) {
    g: f64 = add p q
    return g
  } (m: i64) {
    h: f64 = index s m m
    return h
  }
  return y
}
"""

SOME_OF_ROOTS = """
def f(x: f64[2]) {
  s: f64[2] = map 2 (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  y: f64 = reduce 2 [0.0] (p: f64, q: f64) {
    t: f64 = add p q
    return t
  } (i1: i64) {
    k: i64 = mul i1 0
    k1: i64 = add k 1
    g: f64 = index s k1
    return g
  }
  return y
}
"""

BRANCHING_MAXIMUM = """
def f(x: f64[n]) {
  s: f64[n] = map n (i: i64) {
    e: f64 = index x i
    r: f64 = sqrt e
    return r
  }
  b: f64 = reduce n [-inf] (p1: f64, q1: f64) {
    c1: bool = gt p1 q1
    r1: f64 = if c1 {
      return p1
    } else {
      return q1
    }
    return r1
  } (i1: i64) {
    e1: f64 = index s i1
    return e1
  }
  return b
}
"""

SCALED_BEFORE_A_ROOT = """
def f(x: f64, y: f64) {
  u: f64 = log x
  p: f64 = scale u y
  r: f64 = sqrt p
  return r
}
"""

SCALED_NOT_CHOSEN = """
def f(x: f64, y: f64) {
  u: f64 = log x
  p: f64 = scale u y
  c: bool = gt x 0.0
  r: f64 = select c p 1.0
  return r
}
"""

ZERO_TIMES_A_ROOT = """
def f(x: f64, y: f64) {
  u: f64 = sqrt x
  p: f64 = mul u 0.0
  r: f64 = add p y
  return r
}
"""

TWICE_A_ROOT = """
def f(x: f64, y: f64) {
  u: f64 = sqrt x
  p: f64 = mul u 2.0
  r: f64 = mul p y
  return r
}
"""
