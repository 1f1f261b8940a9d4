"""The programs of `directed`, in the text form of the intermediate language."""

SCALARS = """
def f(x: f64, y: f64) {
  p: f64 = mul x y
  s: f64 = sin p
  k: i64 = convert[i64] y
  c: f64 = exp y
  return s k c 2.5
}
"""

ARRAYS = """
def f(x: f64[n], a: f64[2, n], y: f64, k: i64) {
  s: f64 = reduce n [0.0] (p: f64, q: f64) {
    r: f64 = add p q
    return r
  } (i: i64) {
    u: f64 = index x i
    v: f64 = index a 1 i
    w: f64 = mul u v
    return w
  }
  v1: f64[n, 2] = map n (i1: i64) {
    row: f64[2] = map 2 (j1: i64) {
      e1: f64 = index a j1 i1
      e2: f64 = index x i1
      e3: f64 = mul e1 e2
      e4: f64 = mul e3 y
      return e4
    }
    return row
  }
  z: f64 = sin y
  m: i64[n] = map n (i2: i64) {
    d: i64 = add i2 k
    return d
  }
  x2: f64[n] = map n (i3: i64) {
    g1: f64 = index x i3
    g2: f64 = mul g1 g1
    return g2
  }
  return s v1 z m x2
}
"""

LITERAL_SIZES = """
def f(a: f64[2, 3]) {
  t: f64[3, 2] = transpose[1, 0] a
  s: f64[3] = map 3 (i: i64) {
    u: f64 = index t i 0
    v: f64 = index t i 1
    w: f64 = mul u v
    return w
  }
  c: f64[3] = replicate 1.5 3
  return s t c
}
"""

SYMBOLIC_SIZES = """
def f(a: f64[n, m]) {
  s: f64[m] = map m (i: i64) {
    t: f64 = reduce n [0.0] (p: f64, q: f64) {
      r: f64 = add p q
      return r
    } (j: i64) {
      u: f64 = index a j i
      v: f64 = mul u u
      return v
    }
    return t
  }
  return s a
}
"""

STACKED = """
def f(x: f64[2], y: f64) {
  x0: f64 = index x 0
  x1: f64 = index x 1
  p: f64 = mul x0 x1
  q: f64 = sin y
  r: f64 = mul q x1
  s: f64[3] = stack p q r
  t: f64 = sub x0 y
  k: i64 = convert[i64] t
  v: f64[2] = stack t p
  return k s v r
}
"""

SQUARES = """
def f(x: f64[n]) {
  s: f64[n] = map n (i: i64) {
    u: f64 = index x i
    v: f64 = mul u u
    return v
  }
  return s
}
"""

DIFFERENCES = """
def f(x: f64[n]) {
  m: i64 = sub n 1
  y: f64[m] = map m (i: i64) {
    j: i64 = add i 1
    u: f64 = index x i
    v: f64 = index x j
    w: f64 = mul u v
    return w
  }
  return y
}
"""

REPEATED = """
def f(x: f64, y: f64) {
  a: f64 = add x x
  b: f64 = mul a x
  c: f64 = fma x y x
  n: f64 = fma x 0.1 x
  d: f64 = mod y y
  e: f64 = sub b c
  g: f64 = sub d x
  h: f64 = mul e e
  k: f64 = neg y
  l: f64 = sub x k
  m: f64 = sin l
  return h g m n
}
"""

SCALED = """
def f(x: f64, y: f64) {
  a: f64 = scale x y
  b: f64 = scale 2.5 y
  c: f64 = scale x 1.5
  d: f64 = mul a b
  e: f64 = mul d c
  return e a
}
"""

SCALED_BY_ZERO = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  x1: f64 = index x 1
  u: f64 = log x0
  p: f64 = scale u x1
  return p
}
"""

ZERO_TANGENTS = """
def f(x: f64[n], y: f64) {
  z: f64 = mul y 0.0
  w: f64 = custom [z] (a: f64) {
    a0: f64 = add a 1.0
    return a0
  } (b: f64, b_dot: f64) {
    b0: f64 = add b 1.0
    return b0 b_dot
  }
  d: f64[n] = replicate 2.0 n
  s: f64[n] = scatter 1 n d (i: i64) {
    return i z
  }
  h: f64[n] = hist 1 n [0.0] [d] (h0: f64, h1: f64) {
    h2: f64 = add h0 h1
    return h2
  } (i1: i64) {
    return i1 z
  }
  r: f64[n] = map n (i2: i64) {
    e0: f64 = index s i2
    e1: f64 = index h i2
    e2: f64 = index x i2
    e3: f64 = mul e0 e1
    e4: f64 = mul e2 w
    e5: f64 = add e3 e4
    return e5
  }
  return r
}
"""

EXTREMA = """
def f(x: f64[n]) {
  s: f64, m: f64 = reduce n [0.0 -inf] (s0: f64, m0: f64, s1: f64, m1: f64) {
    m2: f64 = max m0 m1
    d0: f64 = sub m0 m2
    d1: f64 = sub m1 m2
    e0: f64 = exp d0
    e1: f64 = exp d1
    p0: f64 = mul s0 e0
    p1: f64 = mul s1 e1
    s2: f64 = add p0 p1
    return s2 m2
  } (i: i64) {
    v: f64 = index x i
    return 1.0 v
  }
  t: f64, b: f64, k: i64 = reduce n [0.0 -inf 0] (t0: f64, b0: f64, k0: i64, t1: f64, b1: f64, k1: i64) {
    t2: f64 = add t0 t1
    b2: f64 = max b0 b1
    c: bool = ge b0 b1
    k2: i64 = select c k0 k1
    return t2 b2 k2
  } (i1: i64) {
    v1: f64 = index x i1
    w1: f64 = mul v1 v1
    return w1 v1 i1
  }
  l: f64 = log s
  r: f64 = add l m
  q: f64 = mul b t
  return r q k
}
"""

CHECKED = """
def f(x: f64) {
  c: bool = gt x 0.0
  check domain c
  y: f64 = mul x x
  return y
}
"""

SCANNED = """
def f(x: f64, y: f64) {
  s: f64[3] = scan 3 [1.0] (p: f64, q: f64) {
    r: f64 = mul p q
    return r
  } (i: i64) {
    k: f64 = convert[f64] i
    u: f64 = mul k y
    v: f64 = add u x
    return v
  }
  return s
}
"""

PARTS_IN_ARMS = """
def f(x: f64[n], a: f64[n, 2]) {
  r: f64[n] = map n (i: i64) {
    c: bool = lt i 2
    v: f64 = if c {
      m: i64 = add i 1
      s: f64[m] = slice x 0 m 1
      t: f64 = reduce m [1.0] (p: f64, q: f64) {
        pq: f64 = mul p q
        return pq
      } (j: i64) {
        e: f64 = index s j
        return e
      }
      return t
    } else {
      s1: f64[2] = slice x 1 2 1
      e1: f64 = index s1 0
      e2: f64 = index s1 1
      e3: f64 = mul e1 e2
      return e3
    }
    w: f64 = mul v v
    return w
  }
  r1: f64[n] = map n (i1: i64) {
    c1: bool = lt i1 1
    v1: f64 = if c1 {
      s2: f64[n, 2] = slice a 0 n 1 0 2 1
      e4: f64 = index s2 i1 1
      return e4
    } else {
      k: i64 = sub i1 1
      s3: f64[2] = index a k
      e5: f64 = index s3 0
      e6: f64 = index s3 1
      e7: f64 = mul e5 e6
      e8: f64 = index x i1
      e9: f64 = index x k
      e10: f64 = mul e8 e9
      e11: f64 = add e7 e10
      e12: f64 = index x 0
      e13: f64 = mul e11 e12
      return e13
    }
    w1: f64 = mul v1 v1
    return w1
  }
  return r r1
}
"""

INFINITE_CARRIED = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  x1: f64 = index x 1
  u: f64 = log x0
  c: bool = gt x0 0.0
  t: f64, s: f64 = for 2 [u 0.0] (i: i64, v: f64, a: f64) {
    p: f64 = mul v x1
    q: f64 = select c p 0.0
    a1: f64 = add a q
    return v a1
  }
  return s
}
"""

INFINITE_INSIDE = """
def f(x: f64[2]) {
  x0: f64 = index x 0
  x1: f64 = index x 1
  u: f64 = log x0
  c: bool = gt x0 0.0
  d: bool = gt x1 0.0
  p: f64 = if d {
    p0: f64 = mul u x1
    return p0
  } else {
    return x1
  }
  m: f64[2] = map 2 (i: i64) {
    m0: f64 = mul u x1
    return m0
  }
  m1: f64 = index m 0
  r: f64 = reduce 2 [0.0] (r0: f64, r1: f64) {
    r2: f64 = add r0 r1
    return r2
  } (i1: i64) {
    r3: f64 = mul u x1
    return r3
  }
  w: f64 = for 1 [0.0] (i2: i64, z: f64) {
    z0: f64 = mul u x1
    z1: f64 = add z z0
    return z1
  }
  q1: f64 = add p m1
  q2: f64 = add r w
  q: f64 = add q1 q2
  o: f64 = select c q 1.0
  return o
}
"""

MOVES = """
def f(a: f64[2, 3], y: f64) {
  b: f64[2, 3] = map 2 (i: i64) {
    row: f64[3] = map 3 (j: i64) {
      e: f64 = index a i j
      e1: f64 = mul e e
      return e1
    }
    return row
  }
  c: f64[2, 9] = concat[1] a b a 9
  d: f64[2, 2] = slice a 0 2 1 0 2 2
  u: f64[2, 9] = update_slice c d 1 -1 3 4
  w: f64[2, 9] = accumulate u y 1 2
  p: f64 = index w 1 2
  q: f64 = index w 0 7
  g: bool = gt y 0.0
  s: f64 = select g p q
  t: f64 = select g 1.5 q
  v: f64 = mul s t
  h: bool = lt y 0.0
  r: f64 = select h p q
  z: f64 = mul r v
  return w z
}
"""
