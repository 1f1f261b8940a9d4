"""Programs whose loops overwrite arrays in the ways that the return sweep has to undo: name -> (arguments, text)."""

import numpy as np

X = np.array([0.5, 1.25, -0.75, 2.0, 0.3])
A = np.array([[0.5, 1.25, -0.75], [2.0, 0.3, 1.1], [-0.4, 0.9, 0.7], [1.5, -1.2, 0.2]])

LOOPS = {
    # -- journals -------------------------------------------------------------------------------
    "element": ([X], """
def f(x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [x] (i: i64, a0: f64[n]) {
    j: i64 = add i 1
    u: f64 = index a0 i
    v: f64 = index a0 j
    p: f64 = mul u v
    a1: f64[n] = update a0 p j
    q: f64 = sin p
    a2: f64[n] = update a1 q i
    return a2
  }
  return a
}
"""),
    "element_at_computed_places": ([X, np.array([2, 0, 2, 4, 2])], """
def f(x: f64[n], key: i64[n]) {
  a: f64[n] = for n [x] (i: i64, a0: f64[n]) {
    k: i64 = index key i
    u: f64 = index a0 k
    v: f64 = index a0 i
    w: f64 = mul u v
    a1: f64[n] = update a0 w k
    return a1
  }
  return a
}
"""),
    "row": ([A], """
def f(x: f64[n, m]) {
  l: i64 = sub n 1
  a: f64[n, m] = for l [x] (i: i64, a0: f64[n, m]) {
    j: i64 = add i 1
    r: f64[m] = index a0 i
    s: f64[m] = index a0 j
    t: f64[m] = map m (k: i64) {
      p: f64 = index r k
      q: f64 = index s k
      w: f64 = mul p q
      return w
    }
    a1: f64[n, m] = update a0 t i
    a2: f64[n, m] = update a1 r j
    return a2
  }
  return a
}
"""),
    "slice": ([X], """
def f(x: f64[n]) {
  a: f64[n] = for 3 [x] (i: i64, a0: f64[n]) {
    p: f64[2] = slice a0 i 2 1
    q: f64[2] = map 2 (k: i64) {
      e: f64 = index p k
      g: f64 = mul e e
      return g
    }
    a1: f64[n] = update_slice a0 q i 2
    return a1
  }
  return a
}
"""),
    "accumulated": ([X, 0.7], """
def f(x: f64[n], c: f64) {
  a: f64[n] = for n [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 0
    v: f64 = mul u c
    a1: f64[n] = accumulate a0 v i
    w: f64 = index a1 i
    s: f64 = sin w
    a2: f64[n] = accumulate a1 s 0
    return a2
  }
  return a
}
"""),
    "nested": ([A], """
def f(x: f64[n, m]) {
  a: f64[n, m] = for n [x] (i: i64, a0: f64[n, m]) {
    b: f64[n, m] = for m [a0] (j: i64, b0: f64[n, m]) {
      u: f64 = index b0 i j
      v: f64 = index b0 i 0
      w: f64 = mul u v
      s: f64 = sin w
      b1: f64[n, m] = update b0 s i j
      return b1
    }
    return b
  }
  return a
}
"""),
    "nested_beyond_the_row": ([A], """
def f(x: f64[n, m]) {
  a: f64[n, m] = for 2 [x] (i: i64, a0: f64[n, m]) {
    b: f64[n, m] = for m [a0] (j: i64, b0: f64[n, m]) {
      k: i64 = add i 1
      u: f64 = index b0 i j
      v: f64 = index b0 k j
      w: f64 = mul u v
      b1: f64[n, m] = update b0 w i j
      b2: f64[n, m] = update b1 u k j
      return b2
    }
    return b
  }
  return a
}
"""),
    "in_a_branch": ([X, 3], """
def f(x: f64[n], lim: i64) {
  a: f64[n] = for n [x] (i: i64, a0: f64[n]) {
    j: i64 = add i 2
    c: bool = lt i lim
    a1: f64[n] = if c {
      u: f64 = index a0 j
      v: f64 = index a0 i
      w: f64 = mul u v
      b: f64[n] = update a0 w j
      return b
    } else {
      return a0
    }
    e: f64 = index a1 i
    g: f64 = sin e
    a2: f64[n] = update a1 g i
    return a2
  }
  return a
}
"""),
    "branches_at_two_places": ([X], """
def f(x: f64[n]) {
  a: f64[n] = for n [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 i
    c: bool = gt u 0.4
    a1: f64[n] = if c {
      v: f64 = mul u u
      b: f64[n] = update a0 v i
      return b
    } else {
      w: f64 = index a0 0
      s: f64 = mul w u
      d: f64[n] = update a0 s 0
      return d
    }
    return a1
  }
  return a
}
"""),
    "made_anew_in_one_arm": ([X], """
def f(x: f64[n]) {
  a: f64[n] = for 4 [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 i
    c: bool = gt u 1.0
    a1: f64[n] = if c {
      b: f64[n] = map n (k: i64) {
        e: f64 = index a0 k
        g: f64 = mul e u
        return g
      }
      return b
    } else {
      d: f64[n] = update a0 u 0
      return d
    }
    return a1
  }
  return a
}
"""),
    "two_arrays_exchanged": ([X, 2.0 * X], """
def f(x: f64[n], y: f64[n]) {
  a: f64[n], b: f64[n] = for 3 [x y] (i: i64, a0: f64[n], b0: f64[n]) {
    u: f64 = index a0 i
    v: f64 = index b0 i
    w: f64 = mul u v
    a1: f64[n] = update a0 w i
    return b0 a1
  }
  return a b
}
"""),
    "one_array_carried_twice": ([X], """
def f(x: f64[n]) {
  a: f64[n], b: f64[n] = for n [x x] (i: i64, a0: f64[n], b0: f64[n]) {
    u: f64 = index a0 i
    v: f64 = index b0 0
    w: f64 = mul u v
    a1: f64[n] = update a0 w i
    s: f64 = sin w
    b1: f64[n] = update b0 s 0
    return a1 b1
  }
  return a b
}
"""),
    # -- settled arrays -------------------------------------------------------------------------
    "settled": ([X], """
def f(x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [x] (i: i64, a0: f64[n]) {
    j: i64 = add i 1
    u: f64 = index a0 i
    v: f64 = index x j
    w: f64 = mul u v
    s: f64 = sin w
    a1: f64[n] = update a0 s j
    return a1
  }
  return a
}
"""),
    "settled_downwards": ([X], """
def f(x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [x] (i: i64, a0: f64[n]) {
    k: i64 = sub m i
    j: i64 = sub k 1
    u: f64 = index a0 k
    s: f64 = sin u
    a1: f64[n] = update a0 s j
    return a1
  }
  return a
}
"""),
    "read_at_the_place_written": ([X], """
def f(x: f64[n]) {
  a: f64[n] = for n [x] (i: i64, a0: f64[n]) {
    u: f64 = index a0 i
    s: f64 = sin u
    a1: f64[n] = update a0 s i
    return a1
  }
  return a
}
"""),
    "read_ahead_of_the_place_written": ([X], """
def f(x: f64[n]) {
  m: i64 = sub n 1
  a: f64[n] = for m [x] (i: i64, a0: f64[n]) {
    j: i64 = add i 1
    u: f64 = index a0 j
    v: f64 = index a0 i
    w: f64 = mul u v
    a1: f64[n] = update a0 w i
    return a1
  }
  return a
}
"""),
    "behind_a_place_that_jumps": ([X, np.array([3, 1, 0, -2])], """
def f(x: f64[n], tab: i64[m]) {
  a: f64[n] = for m [x] (i: i64, a0: f64[n]) {
    t: i64 = index tab i
    k: i64 = add i t
    j: i64 = sub k 1
    u: f64 = index a0 j
    s: f64 = sin u
    a1: f64[n] = update a0 s k
    return a1
  }
  return a
}
"""),
    "behind_a_place_that_is_carried": ([X, 4], """
def f(x: f64[n], p: i64) {
  z: i64, a: f64[n] = for 3 [p x] (i: i64, p0: i64, a0: f64[n]) {
    k: i64 = add i p0
    j: i64 = sub k 1
    u: f64 = index a0 j
    s: f64 = sin u
    a1: f64[n] = update a0 s k
    p1: i64 = sub p0 2
    return p1 a1
  }
  return a
}
"""),
    # -- loops of unknown length, spans, integers -------------------------------------------------
    "while_with_an_array": ([X], """
def f(x: f64[n]) {
  i: i64, a: f64[n] = while [0 x] (i0: i64, a0: f64[n]) {
    c: bool = lt i0 4
    u: f64 = index a0 0
    d: bool = lt u 9.0
    e: bool = and c d
    return e
  } (i1: i64, a1: f64[n]) {
    v: f64 = index a1 i1
    w: f64 = index a1 0
    p: f64 = mul v w
    a2: f64[n] = update a1 p 0
    a3: f64[n] = update a2 w i1
    i2: i64 = add i1 1
    return i2 a3
  }
  return a i
}
"""),
    "while_in_a_loop": ([X, 1.7], """
def f(x: f64[n], c: f64) {
  s: f64 = for n [c] (i: i64, s0: f64) {
    v: f64 = index x i
    s1: f64, w: f64 = while [s0 v] (p: f64, q: f64) {
      g: bool = gt p 0.5
      return g
    } (p1: f64, q1: f64) {
      h: f64 = mul p1 0.6
      q2: f64 = sin q1
      return h q2
    }
    t: f64 = mul w w
    s2: f64 = add s1 t
    return s2
  }
  return s
}
"""),
    "triangular": ([A], """
def f(x: f64[n, m]) {
  s: f64[n, m] = for n [x] (i: i64, a0: f64[n, m]) {
    t: f64[n, m] = for i [a0] (j: i64, b0: f64[n, m]) {
      u: f64 = index b0 j 0
      v: f64 = index b0 i 1
      w: f64 = mul u v
      b1: f64[n, m] = accumulate b0 w i 1
      return b1
    }
    return t
  }
  return s
}
"""),
    "irregular_spans": ([X], """
def f(x: f64[n]) {
  r: f64[n] = map n (i: i64) {
    k: i64 = add i 1
    p: f64[k] = slice x 0 k 1
    s: f64 = reduce k [1.0] (a: f64, b: f64) {
      c: f64 = mul a b
      return c
    } (j: i64) {
      e: f64 = index p j
      return e
    }
    return s
  }
  return r
}
"""),
    "integers_beside": ([X, np.array([0, 1, 2, 3, 4])], """
def f(x: f64[n], key: i64[n]) {
  a: f64[n], k: i64[n] = for n [x key] (i: i64, a0: f64[n], k0: i64[n]) {
    p: i64 = index k0 i
    u: f64 = index a0 p
    s: f64 = sin u
    a1: f64[n] = update a0 s i
    q: i64 = sub n i
    r: i64 = sub q 1
    k1: i64[n] = update k0 i r
    return a1 k1
  }
  return a k
}
"""),
    # -- several places in one inner block --------------------------------------------------------
    "places_of_a_branch": ([A, np.array([2, 0, 7, 1, 2, -1])], """
def f(x: f64[n, m], key: i64[t]) {
  a: f64[n, m] = for t [x] (i: i64, a0: f64[n, m]) {
    k: i64 = index key i
    c0: bool = ge k 0
    c1: bool = lt k m
    c: bool = and c0 c1
    b: f64[n, m] = if c {
      u: f64 = index a0 1 k
      v: f64 = index a0 0 k
      w: f64 = mul u v
      a1: f64[n, m] = update a0 w 0 k
      s: f64 = sin w
      a2: f64[n, m] = update a1 s 2 k
      e: f64 = index a2 3 k
      a3: f64[n, m] = accumulate a2 e 1 k
      return a3
    } else {
      return a0
    }
    return b
  }
  return a
}
"""),
    "spans_of_a_branch": ([A, np.array([1, 0, 7, 2, -1, 0])], """
def f(x: f64[n, m], key: i64[t]) {
  a: f64[n, m] = for t [x] (i: i64, a0: f64[n, m]) {
    k: i64 = index key i
    c0: bool = ge k 0
    c1: bool = lt k 2
    c: bool = and c0 c1
    b: f64[n, m] = if c {
      p: f64[2, 2] = slice a0 3 2 -2 k 2 1
      q: f64[2, 2] = map 2 (r: i64) {
        row: f64[2] = map 2 (l: i64) {
          u: f64 = index p r l
          v: f64 = index a0 0 l
          w: f64 = mul u v
          return w
        }
        return row
      }
      a1: f64[n, m] = update_slice a0 q 0 2 k 1
      return a1
    } else {
      c2: bool = eq k 2
      d: f64[n, m] = if c2 {
        g: f64 = index a0 1 k
        h: f64 = sin g
        a2: f64[n, m] = update a0 h 3 k
        return a2
      } else {
        return a0
      }
      return d
    }
    return b
  }
  return a
}
"""),
    "rows_of_an_inner_loop": ([A], """
def f(x: f64[n, m]) {
  a: f64[n, m] = for 3 [x] (i: i64, a0: f64[n, m]) {
    b: f64[n, m] = for m [a0] (j: i64, b0: f64[n, m]) {
      u: f64 = index b0 0 j
      v: f64 = index b0 2 j
      w: f64 = mul u v
      b1: f64[n, m] = update b0 w 2 j
      y: f64 = index b1 1 j
      z: f64 = sin y
      b2: f64[n, m] = update b1 z 0 j
      return b2
    }
    return b
  }
  return a
}
"""),
    # -- blocks that run again --------------------------------------------------------------------
    "again_in_a_loop": ([X], """
def f(x: f64[n]) {
  a: f64[n], s: f64 = for n [x 0.5] (i: i64, a0: f64[n], s0: f64) {
    b: f64[n], t: f64 = custom [] () {
      t0: f64 = for 3 [s0] (j: i64, r0: f64) {
        u: f64 = index a0 j
        v: f64 = mul r0 u
        r1: f64 = sin v
        return r1
      }
      a1: f64[n] = update a0 t0 i
      return a1 t0
    }
    return b t
  }
  return a s
}
"""),
    "again_in_a_map": ([X], """
def f(x: f64[n]) {
  y: f64[n] = map n (i: i64) {
    u: f64 = index x i
    v: f64 = index x 0
    r: f64 = custom [] () {
      t: f64 = for 3 [u] (j: i64, r0: f64) {
        w: f64 = mul r0 v
        r1: f64 = sin w
        return r1
      }
      return t
    }
    return r
  }
  return y
}
"""),
    "again_in_a_branch_and_again": ([X, 2], """
def f(x: f64[n], k: i64) {
  c: bool = gt k 1
  y: f64[n] = if c {
    z: f64[n], w: f64[n] = custom [] () {
      p: f64[n] = map n (i: i64) {
        u: f64 = index x i
        v: f64 = exp u
        return v
      }
      q: f64[n] = custom [] () {
        r: f64[n] = map n (j: i64) {
          s: f64 = index p j
          t: f64 = mul s s
          return t
        }
        return r
      }
      return q x
    }
    o: f64[n] = map n (l: i64) {
      d: f64 = index z l
      e: f64 = index w l
      g: f64 = mul d e
      return g
    }
    return o
  } else {
    return x
  }
  return y
}
"""),
}  # fmt: skip
