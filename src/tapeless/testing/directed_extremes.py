"""Programs of `directed` with the largest or smallest of computed values: few or many, cheap or dear, in maps too."""

from __future__ import annotations

_CHEAP = "q: f64 = mul e 0.5"
_DEAR = "q0: f64 = exp e\n    q1: f64 = sin q0\n    q2: f64 = cos q1\n    q3: f64 = exp q2\n    q: f64 = tanh q3"
SIZES = {"few": ("4", _CHEAP), "few, dear": ("4", _DEAR), "many": ("n", _CHEAP), "many, dear": ("n", _DEAR)}


def alone(kind: str) -> str:
    """The largest, which varies with three arguments; one of them is the neutral element."""
    size, work = SIZES[kind]
    return f"""
def f(x: f64[{size}], w: f64[3], y: f64) {{
  m: f64 = reduce {size} [y] (p: f64, r: f64) {{
    s: f64 = max p r
    return s
  }} (i: i64) {{
    e: f64 = index x i
    {work}
    k: i64 = mod i 3
    g: f64 = index w k
    h: f64 = mul q g
    l: f64 = mul h g
    return l
  }}
  o: f64 = sin m
  return o
}}
"""


def in_a_map(kind: str) -> str:
    """Smallest values inside a map, which contribute to small arrays outside, or to a large one."""
    size, work = SIZES[kind]
    again = work.replace("q", "v").replace(" e", " e2").replace("e2xp", "exp")
    return f"""
def f(c: f64[3], x: f64[{size}], w: f64[3], z: f64[m]) {{
  t: f64[3] = map 3 (j: i64) {{
    d: f64 = index c j
    b: f64 = reduce {size} [+inf] (p: f64, r: f64) {{
      s: f64 = min p r
      return s
    }} (i: i64) {{
      a: f64 = index x i
      e: f64 = sub a d
      {work}
      k: i64 = mod i 3
      g: f64 = index w k
      h: f64 = mul q g
      g1: f64 = index w 1
      h1: f64 = mul h g1
      return h1
    }}
    return b
  }}
  u: f64[3] = map 3 (j2: i64) {{
    d2: f64 = index c j2
    b2: f64 = reduce {size} [+inf] (p2: f64, r2: f64) {{
      s2: f64 = min p2 r2
      return s2
    }} (i2: i64) {{
      a2: f64 = index x i2
      e2: f64 = sub a2 d2
      {again}
      g2: f64 = index z 0
      h2: f64 = mul v g2
      return h2
    }}
    return b2
  }}
  return t u
}}
"""


def tied(kind: str) -> str:
    """The largest square; the rest of the work adds nothing."""
    size, work = SIZES[kind]
    return f"""
def f(x: f64[{size}]) {{
  m: f64 = reduce {size} [-inf] (p: f64, r: f64) {{
    s: f64 = max p r
    return s
  }} (i: i64) {{
    e: f64 = index x i
    {work}
    g: f64 = mul q 0.0
    h: f64 = mul e e
    l: f64 = add g h
    return l
  }}
  return m
}}
"""
