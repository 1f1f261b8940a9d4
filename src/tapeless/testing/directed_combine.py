"""Programs of `directed` that combine many values: prefixes, products of rows, histograms of rows, several at once."""

from __future__ import annotations

PREFIXES = """
def f(x: f64[n], a: f64[n, 2]) {
  s: f64[n] = scan n [0.0] (p: f64, q: f64) {
    r: f64 = add p q
    return r
  } (i: i64) {
    e: f64 = index x i
    e1: f64 = mul e e
    return e1
  }
  z: f64[2] = replicate 0.0 2
  t: f64[n, 2] = scan n [z] (p1: f64[2], q1: f64[2]) {
    r1: f64[2] = map 2 (j: i64) {
      g: f64 = index p1 j
      h: f64 = index q1 j
      k: f64 = add g h
      return k
    }
    return r1
  } (i1: i64) {
    row: f64[2] = index a i1
    return row
  }
  return s t
}
"""

PRODUCT_OF_ROWS = """
def f(a: f64[n, 2]) {
  o: f64[2] = replicate 1.0 2
  t: f64[2] = reduce n [o] (p: f64[2], q: f64[2]) {
    r: f64[2] = map 2 (j: i64) {
      g: f64 = index p j
      h: f64 = index q j
      k: f64 = mul g h
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

# The elements are made by a map and a branch; the operator of the second has a branch.
EXTREMA_OF_MADE = """
def f(x: f64[n]) {
  m: f64 = reduce n [-inf] (p: f64, q: f64) {
    r: f64 = max p q
    return r
  } (i: i64) {
    e: f64 = index x i
    w: f64[2] = map 2 (j: i64) {
      w0: f64 = mul e e
      return w0
    }
    w1: f64 = index w 1
    c: bool = gt e 0.0
    v: f64 = if c {
      v0: f64 = mul e w1
      return v0
    } else {
      v1: f64 = neg e
      return v1
    }
    return v
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
    e1: f64 = index x i1
    e2: f64 = sin e1
    return e2
  }
  o: f64 = mul m b
  return o
}
"""

# With nothing to reduce the result is the neutral element.
NEUTRAL = """
def f(x: f64[n], y: f64) {
  m: f64 = reduce n [y] (p: f64, q: f64) {
    r: f64 = max p q
    return r
  } (i: i64) {
    e: f64 = index x i
    return e
  }
  o: f64 = sin m
  return o
}
"""


def varying_start(op: str, shift: str) -> str:
    """Start from y - `shift`, which is neutral only at the very point."""
    return f"""
def f(x: f64[n], y: f64) {{
  z: f64 = sub y {shift}
  m: f64 = reduce n [z] (p: f64, q: f64) {{
    r: f64 = {op} p q
    return r
  }} (i: i64) {{
    e: f64 = index x i
    return e
  }}
  s: f64[n] = scan n [z] (p1: f64, q1: f64) {{
    r1: f64 = {op} p1 q1
    return r1
  }} (i1: i64) {{
    e1: f64 = index x i1
    return e1
  }}
  return m s
}}
"""


# The keys are two; two accumulators at once, and rows by an operator without a rule of its own.
HISTOGRAMS = """
def f(x: f64[n], d: f64[2, 2], e: f64[2, 2], g: f64[2, 3], b: f64[n, 3], key: i64[n]) {
  h: f64[2, 2], l: f64[2, 2] = hist 2 n [-inf +inf] [d e] (p0: f64, p1: f64, q0: f64, q1: f64) {
    r0: f64 = max p0 q0
    r1: f64 = min p1 q1
    return r0 r1
  } (i: i64) {
    k: i64 = index key i
    v: f64 = index x i
    w: f64 = mul v v
    return k 1 v w
  }
  o: f64[2, 3] = hist 1 n [1.0] [g] (p2: f64, q2: f64) {
    r2: f64 = mul p2 q2
    return r2
  } (i1: i64) {
    k1: i64 = index key i1
    row: f64[3] = index b i1
    return k1 row
  }
  return h l o
}
"""

_MIXED = """(m0: f64, p0: f64, q0: f64, m1: f64, p1: f64, q1: f64) {{
    m2: f64 = {} m0 m1
    p2: f64 = mul p0 p1
    t: f64 = mul q0 p1
    q2: f64 = add t q1
    return m2 p2 q2
  }} (i: i64) {{
    e: f64 = index x i
    g: f64 = sin e{}
    return {}e g e
  }}"""


def mixed(form: str) -> str:
    """An accumulator with a rule of its own beside two that need a loop."""
    match form:
        case "reduce":
            head, types, op = "reduce n [-inf 1.0 0.0] ", ("f64",) * 3, _MIXED.format("max", "", "")
        case "scan":
            head, types, op = "scan n [0.0 1.0 0.0] ", ("f64[n]",) * 3, _MIXED.format("add", "", "")
        case _:
            key = "\n    k: i64 = index key i"
            head, types, op = "hist 1 n [-inf 1.0 0.0] [d d d] ", ("f64[m]",) * 3, _MIXED.format("max", key, "k ")
    vars = ", ".join(f"{name}: {type}" for name, type in zip("abc", types, strict=True))
    return f"""
def f(x: f64[n], d: f64[m], key: i64[n]) {{
  {vars} = {head}{op}
  return a b c
}}
"""


# The largest of each column of rows that are computed; and counts, of which nothing varies.
COLUMNS = """
def f(a: f64[n, 2], key: i64[n], t: i64) {
  y: f64[2] = replicate -inf 2
  m: f64[2] = reduce n [y] (p: f64[2], q: f64[2]) {
    r: f64[2] = map 2 (j: i64) {
      g: f64 = index p j
      h: f64 = index q j
      k: f64 = max g h
      return k
    }
    return r
  } (i: i64) {
    row: f64[2] = map 2 (j1: i64) {
      e: f64 = index a i j1
      e1: f64 = sin e
      e2: f64 = mul e1 e
      return e2
    }
    return row
  }
  c: i64 = for t [0] (i1: i64, s: i64) {
    s1: i64 = add s i1
    return s1
  }
  w: i64 = while [0] (s2: i64) {
    b: bool = lt s2 c
    return b
  } (s3: i64) {
    s4: i64 = add s3 2
    return s4
  }
  u: i64[n] = scan n [0] (p1: i64, q1: i64) {
    r1: i64 = add p1 q1
    return r1
  } (i2: i64) {
    v: i64 = index key i2
    return v
  }
  z: i64[n] = hist 1 n [0] [u] (p2: i64, q2: i64) {
    r2: i64 = add p2 q2
    return r2
  } (i3: i64) {
    v1: i64 = index key i3
    return v1 w
  }
  l: i64 = index z 0
  o: i64 = mod l 2
  x: f64 = index m o
  return m x
}
"""
