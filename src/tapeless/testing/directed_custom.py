"""Programs of `directed` with functions that bring their own rules.

Their bodies compute with `stop_gradient`, so that only the rule is the right derivative.
"""

TANGENT_RULE = """
def f(x: f64[n], y: f64, k: i64) {
  u: f64, p: f64, q: f64[n], m: i64 = custom [x y k] (a: f64[n], b: f64, c: i64) {
    b0: f64 = stop_gradient b
    p0: f64 = sin b0
    q0: f64[n] = map n (i: i64) {
      e: f64 = index a i
      e0: f64 = stop_gradient e
      e1: f64 = mul e0 b0
      return e1
    }
    m0: i64 = add c 1
    return 1.5 p0 q0 m0
  } (a1: f64[n], b1: f64, c1: i64, a_dot: f64[n], b_dot: f64) {
    check nonneg c1
    p1: f64 = sin b1
    p2: f64 = cos b1
    p_dot: f64 = mul p2 b_dot
    q1: f64[n], q_dot: f64[n] = map n (i1: i64) {
      f0: f64 = index a1 i1
      f1: f64 = mul f0 b1
      f2: f64 = index a_dot i1
      f3: f64 = mul f2 b1
      f4: f64 = mul f0 b_dot
      f5: f64 = add f3 f4
      return f1 f5
    }
    m1: i64 = add c1 1
    return 1.5 p1 q1 m1 0.0 p_dot q_dot
  }
  x0: f64[n], y0: f64 = custom [x y] (a3: f64[n], b3: f64) {
    return a3 b3
  } (a4: f64[n], b4: f64, a4_dot: f64[n], b4_dot: f64) {
    return a4 b4 a4_dot b4_dot
  }
  w: f64 = custom [2.0] (a5: f64) {
    a6: f64 = mul a5 a5
    return a6
  } (b5: f64, b5_dot: f64) {
    b6: f64 = mul b5 b5
    return b6 b5_dot
  }
  s: f64 = mul p p
  r: f64 = mul s y0
  r1: f64 = mul r w
  return r1 q m
}
"""

TANGENT_RULE_IN_LOOP = """
def f(x: f64[n], y: f64) {
  z: f64[n], s: f64 = for n [x y] (i: i64, a: f64[n], t: f64) {
    v: f64 = custom [a t] (a0: f64[n], t0: f64) {
      e0: f64 = index a0 0
      e1: f64 = stop_gradient e0
      e2: f64 = stop_gradient t0
      e3: f64 = mul e1 e2
      return e3
    } (a1: f64[n], t1: f64, a_dot: f64[n], t_dot: f64) {
      f0: f64 = index a1 0
      f1: f64 = mul f0 t1
      f2: f64 = index a_dot 0
      f3: f64 = mul f2 t1
      f4: f64 = mul f0 t_dot
      f5: f64 = add f3 f4
      return f1 f5
    }
    w: f64 = index a i
    g: f64 = mul v w
    b: f64[n] = update a g 0
    t2: f64 = cos v
    return b t2
  }
  return z s
}
"""

ADJOINT_RULE = """
def f(x: f64[n], y: f64, k: i64) {
  p: f64, q: f64[n], m: i64 = custom [x y k] (a: f64[n], b: f64, c: i64) {
    b0: f64 = stop_gradient b
    p0: f64 = sin b0
    q0: f64[n] = map n (i: i64) {
      e: f64 = index a i
      e0: f64 = stop_gradient e
      e1: f64 = mul e0 b0
      return e1
    }
    m0: i64 = add c 1
    return p0 q0 m0
  } (a1: f64[n], b1: f64, c1: i64) {
    p1: f64 = sin b1
    q1: f64[n] = map n (i1: i64) {
      f0: f64 = index a1 i1
      f1: f64 = mul f0 b1
      return f1
    }
    m1: i64 = add c1 1
    return p1 q1 m1 a1 b1
  } (a2: f64[n], b2: f64, p_adj: f64, q_adj: f64[n]) {
    g0: f64 = cos b2
    g1: f64 = mul g0 p_adj
    a_adj: f64[n] = map n (i2: i64) {
      h0: f64 = index q_adj i2
      h1: f64 = mul h0 b2
      return h1
    }
    g2: f64 = reduce n [0.0] (l0: f64, l1: f64) {
      l2: f64 = add l0 l1
      return l2
    } (i3: i64) {
      h2: f64 = index q_adj i3
      h3: f64 = index a2 i3
      h4: f64 = mul h2 h3
      return h4
    }
    b_adj: f64 = add g1 g2
    return a_adj b_adj
  }
  s: f64 = mul p p
  t: f64 = index q 0
  return s t m
}
"""

ADJOINT_RULE_IN_LOOP = """
def f(x: f64[n], y: f64) {
  z: f64[n], s: f64 = for n [x y] (i: i64, a: f64[n], t: f64) {
    v: f64, l: f64 = custom [a t] (a0: f64[n], t0: f64) {
      e0: f64 = index a0 0
      e1: f64 = stop_gradient e0
      e2: f64 = stop_gradient t0
      e3: f64 = mul e1 e2
      return e3 e1
    } (a1: f64[n], t1: f64) {
      f0: f64 = index a1 0
      f1: f64 = mul f0 t1
      return f1 f0 a1 t1
    } (a2: f64[n], t2: f64, v_adj: f64, l_adj: f64) {
      g0: f64 = index a2 0
      g1: f64 = mul g0 v_adj
      g2: f64 = mul t2 v_adj
      g3: f64 = add g2 l_adj
      g4: f64[n] = replicate 0.0 n
      g5: f64[n] = update g4 g3 0
      return g5 g1
    }
    w: f64 = index a i
    g: f64 = mul v w
    b: f64[n] = update a g 0
    t3: f64 = cos v
    return b t3
  }
  return z s
}
"""

RULE_NOT_TAKEN = """
def f(x: f64[2]) {
  s: f64 = reduce 2 [0.0] (p: f64, q: f64) {
    r: f64 = add p q
    return r
  } (i: i64) {
    u: f64 = index x i
    c: bool = gt u 0.0
    v: f64 = custom [u] (a: f64) {
      a0: f64 = sqrt a
      return a0
    } (b: f64, b_dot: f64) {
      b0: f64 = sqrt b
      b1: f64 = div 0.5 b0
      b2: f64 = mul b1 b_dot
      return b0 b2
    }
    w: f64 = select c v 0.0
    return w
  }
  return s
}
"""

RULE_OF_ARRAY_NOT_TAKEN = """
def f(x: f64[2]) {
  s: f64 = reduce 2 [0.0] (p: f64, q: f64) {
    r: f64 = add p q
    return r
  } (i: i64) {
    u: f64 = index x i
    d: f64[2] = replicate u 2
    c: bool = gt u 0.0
    v: f64[2], o: f64 = custom [d] (a: f64[2]) {
      a2: f64[2] = map 2 (j: i64) {
        a0: f64 = index a j
        a1: f64 = sqrt a0
        return a1
      }
      return a2 1.0
    } (b: f64[2], b_dot: f64[2]) {
      b5: f64[2], b6: f64[2] = map 2 (j1: i64) {
        b0: f64 = index b j1
        b1: f64 = sqrt b0
        b2: f64 = div 0.5 b1
        b3: f64 = index b_dot j1
        b4: f64 = mul b2 b3
        return b1 b4
      }
      return b5 1.0 b6 0.0
    }
    v1: f64 = index v 1
    w: f64 = select c v1 0.0
    return w
  }
  return s
}
"""

CLOSING_RULE = """
def f(x: f64) {
  y: f64 = mul x 2.0
  z: f64 = custom [3.0] (a: f64) {
    b: f64 = mul a y
    return b
  } (c: f64, c_dot: f64) {
    return c c_dot
  }
  return z
}
"""
