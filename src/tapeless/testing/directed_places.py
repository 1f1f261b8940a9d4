"""Programs of `directed` whose parallel bodies read places of arrays in all the ways that contributions go back to."""

# Two indices that move, a part that moves, a place computed inside from what is outside, places read from a table.
MOVING = """
def f(a: f64[n, n], x: f64[n], key: i64[3], c: i64) {
  d: f64[n] = map n (i: i64) {
    e: f64 = index a i i
    p: f64 = mul e e
    return p
  }
  m: i64 = sub n 2
  w: f64[m] = map m (i1: i64) {
    s: f64[3] = slice x i1 3 1
    e0: f64 = index s 0
    e1: f64 = index s 2
    p1: f64 = mul e0 e1
    return p1
  }
  q: f64[n] = map n (i2: i64) {
    k: i64 = add c 1
    e2: f64 = index x k
    e3: f64 = index x i2
    p2: f64 = mul e2 e3
    return p2
  }
  g: f64[3, 2] = map 3 (i4: i64) {
    k4: i64 = index key i4
    r4: f64[2] = map 2 (j4: i64) {
      u4: f64 = index a k4 j4
      v4: f64 = mul u4 u4
      return v4
    }
    return r4
  }
  h: f64[3] = map 3 (i5: i64) {
    k5: i64 = index key i5
    l5: i64 = sub 2 i5
    u5: f64 = index a k5 l5
    v5: f64 = sin u5
    return v5
  }
  o: f64[3] = map 3 (i6: i64) {
    k6: i64 = index key i6
    l6: i64 = add k6 i6
    l7: i64 = mod l6 n
    u6: f64 = index x l7
    v6: f64 = mul u6 u6
    return v6
  }
  return d w q g h o
}
"""

# Parts whose size varies with the index, alone and beside a part of one size.
TRIANGLES = """
def f(a: f64[n, n], x: f64[n]) {
  t: f64[n] = map n (i: i64) {
    m: i64 = add i 1
    r: f64 = reduce m [0.0] (p: f64, q: f64) {
      s: f64 = add p q
      return s
    } (j: i64) {
      u: f64 = index a i j
      v: f64 = index x j
      w: f64 = mul u v
      return w
    }
    return r
  }
  t1: f64[n] = map n (i1: i64) {
    m1: i64 = sub n i1
    b: f64[2, m1] = slice a 1 2 1 i1 m1 1
    r1: f64 = reduce m1 [0.0] (p1: f64, q1: f64) {
      s1: f64 = add p1 q1
      return s1
    } (j1: i64) {
      u1: f64 = index b 0 j1
      v1: f64 = index b 1 j1
      w1: f64 = mul u1 v1
      return w1
    }
    return r1
  }
  return t t1
}
"""

# A table read at computed places in two nested maps: a small one, and one of unknown size.
NESTED_GATHER = """
def f(x: f64[4], y: f64[n], key: i64[3]) {
  r: f64[n, 3] = map n (i: i64) {
    s: f64[3] = map 3 (j: i64) {
      k: i64 = index key j
      e: f64 = index x k
      h: f64 = index y i
      p: f64 = mul e h
      return p
    }
    return s
  }
  r1: f64[n, 3] = map n (i1: i64) {
    s1: f64[3] = map 3 (j1: i64) {
      k1: i64 = index key j1
      e1: f64 = index y k1
      h1: f64 = index y i1
      p1: f64 = mul e1 h1
      return p1
    }
    return s1
  }
  return r r1
}
"""

# Contributions one after another to one row, to a part of it, and to parts of a column.
ROWS = """
def f(a: f64[3, n], k: i64) {
  m: i64 = sub n 1
  r: f64[n] = map n (i: i64) {
    e: f64 = index a k i
    p: f64 = mul e e
    return p
  }
  s: f64[m] = map m (i1: i64) {
    j1: i64 = add i1 1
    e1: f64 = index a k j1
    p1: f64 = sin e1
    return p1
  }
  t: f64[n] = map n (i2: i64) {
    e2: f64 = index a k i2
    p2: f64 = cos e2
    return p2
  }
  c: f64[2] = map 2 (i3: i64) {
    j3: i64 = add i3 1
    e3: f64 = index a j3 k
    p3: f64 = exp e3
    return p3
  }
  c1: f64[3] = map 3 (i4: i64) {
    e4: f64 = index a i4 1
    p4: f64 = mul e4 e4
    return p4
  }
  return r s t c c1
}
"""

# An arm that contributes twice to what has an adjoint already, directly and from a loop inside.
ARMS = """
def f(x: f64[n], y: f64, c: bool) {
  x0: f64 = index x 0
  u: f64, w: f64 = if c {
    p: f64 = mul y x0
    q: f64 = mul p y
    r: f64 = for 3 [q] (i: i64, z: f64) {
      z0: f64 = mul z y
      z1: f64 = index x i
      z2: f64 = add z0 z1
      return z2
    }
    return q r
  } else {
    return y x0
  }
  v: f64 = mul y x0
  t: f64 = sin u
  o: f64 = add v t
  return o w
}
"""

# What a loop overwrites is read before it, too; it may not run at all.
READ_BEFORE = """
def f(x: f64[n], t: i64) {
  a: f64[n] = map n (i: i64) {
    e: f64 = index x i
    p: f64 = mul e e
    return p
  }
  u: f64 = index a 0
  v: f64 = index a 1
  r: f64[n] = map n (i1: i64) {
    e1: f64 = index a i1
    p1: f64 = mul e1 e1
    p2: f64 = mul p1 u
    return p2
  }
  z: f64[n] = for t [a] (i2: i64, b: f64[n]) {
    g: f64 = index b i2
    h: f64 = index b 1
    w: f64 = mul g h
    w1: f64 = sin w
    b1: f64[n] = update b w1 1
    return b1
  }
  o: f64 = mul u v
  return o r z
}
"""

# Places that wrap around: alone, beside a place from outside, in the first places of an array, and in a column that is
# read whole; and places that look alike: quotients, remainders of another divisor, those of another place, and
# those of a shift that is known only at run time.
WRAPPED = """
def f(x: f64[n], a: f64[n, n], t: f64[3, n], c: i64, key: i64[n]) {
  d: f64[n] = map n (i: i64) {
    j: i64 = add i 2
    l: i64 = mod j n
    e: f64 = index x l
    h: f64 = index x i
    p: f64 = mul e h
    return p
  }
  d1: f64[n] = map n (i1: i64) {
    k1: i64 = mul c 2
    j1: i64 = sub i1 1
    l1: i64 = mod j1 n
    e1: f64 = index a k1 l1
    p1: f64 = mul e1 e1
    return p1
  }
  d2: f64[n] = map n (i2: i64) {
    j2: i64 = sub i2 5
    l2: i64 = mod j2 n
    e2: f64 = index a l2 c
    p2: f64 = sin e2
    return p2
  }
  d3: f64[n] = map n (i3: i64) {
    l3: i64 = floordiv i3 n
    k3: i64 = mod i3 2
    e3: f64 = index x l3
    h3: f64 = index x k3
    p3: f64 = mul e3 h3
    return p3
  }
  d4: f64[n] = map n (i4: i64) {
    l4: i64 = mod i4 n
    h4: f64 = index a l4 0
    k4: i64 = index key i4
    e4: f64 = index x k4
    p4: f64 = mul e4 h4
    return p4
  }
  m: i64 = sub n 1
  d5: f64[m] = map m (i5: i64) {
    j5: i64 = add i5 1
    l5: i64 = mod j5 m
    e5: f64 = index x l5
    p5: f64 = mul e5 e5
    return p5
  }
  d6: f64[n, 3] = map n (i6: i64) {
    j6: i64 = add i6 1
    l6: i64 = mod j6 n
    r6: f64[3] = map 3 (s6: i64) {
      e6: f64 = index t s6 l6
      p6: f64 = mul e6 e6
      return p6
    }
    return r6
  }
  d7: f64[n, 3] = map n (i7: i64) {
    k7: i64 = index key i7
    r7: f64[3] = map 3 (s7: i64) {
      e7: f64 = index t s7 k7
      p7: f64 = sin e7
      return p7
    }
    return r7
  }
  d8: f64[n] = map n (i8: i64) {
    j8: i64 = add i8 c
    l8: i64 = mod j8 n
    e8: f64 = index x l8
    p8: f64 = sin e8
    return p8
  }
  return d d1 d2 d3 d4 d5 d6 d7 d8
}
"""
