"""Programs of `directed` about what varies, and what may not."""

BITS = """
def f(x: f64) {
  b: i64 = bitcast[i64] x
  y: f64 = convert[f64] b
  return y
}
"""

BITS_OF_CONSTANT = """
def f(x: f64, c: f64) {
  b: i64 = bitcast[i64] c
  d: f64 = bitcast[f64] b
  y: f64 = mul x d
  return y
}
"""

ACTIVITY = """
def f(x: f64[n], y: f64, k: i64) {
  x0: f64 = index x 0
  c0: f64 = mul y 2.0
  c1: f64 = floor x0
  j: i64 = convert[i64] x0
  c2: f64 = convert[f64] j
  c3: f64 = stop_gradient x0
  b: bool = lt x0 y
  v0: f64, c4: f64, v1: f64 = if b {
    return x0 y y
  } else {
    return y c0 x0
  }
  v2: f64, v3: f64, c5: f64 = for 4 [y y y] (i: i64, p: f64, q: f64, r: f64) {
    q1: f64 = mul q x0
    r1: f64 = add r y
    return q q1 r1
  }
  v4: f64, c6: f64 = while [x0 y] (w0: f64, w1: f64) {
    w2: bool = lt w1 -100.0
    return w2
  } (w3: f64, w4: f64) {
    w5: f64 = sub w4 1.0
    return w3 w5
  }
  c7: f64[n] = map n (i1: i64) {
    m0: f64 = convert[f64] i1
    return m0
  }
  v5: f64, c8: f64 = reduce n [0.0 0.0] (r0: f64, r2: f64, r3: f64, r4: f64) {
    r5: f64 = add r0 r3
    r6: f64 = add r2 r4
    return r5 r6
  } (i2: i64) {
    e0: f64 = index x i2
    e1: f64 = index c7 i2
    return e0 e1
  }
  v6: f64[n] = scatter 1 n x (i3: i64) {
    return i3 1.0
  }
  c9: f64[n] = scatter 1 n c7 (i4: i64) {
    return i4 1.0
  }
  v7: f64[n] = hist 1 n [0.0] [c7] (h0: f64, h1: f64) {
    h2: f64 = add h0 h1
    return h2
  } (i5: i64) {
    h3: f64 = index x i5
    return i5 h3
  }
  v8: f64[n] = hist 1 n [0.0] [x] (h4: f64, h5: f64) {
    h6: f64 = add h4 h5
    return h6
  } (i6: i64) {
    return i6 1.0
  }
  v9: f64, u0: f64 = custom [x0] (k0: f64) {
    return k0 1.0
  } (k1: f64, k1_dot: f64) {
    return k1 1.0 k1_dot 0.0
  }
  c10: f64 = custom [y] (k2: f64) {
    return k2
  } (k3: f64, k3_dot: f64) {
    return k3 k3_dot
  }
  v10: f64 = for k [x0] (i7: i64, p7: f64) {
    return 1.0
  }
  v11: f64 = reduce k [x0] (a8: f64, b8: f64) {
    return 1.0
  } (i8: i64) {
    return 1.0
  }
  return v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11
}
"""

# Accumulators of an operator vary when any value that they meet does.
ACTIVE_NAMES = frozenset({
    "x", "x0", "v0", "v1", "v2", "v3", "p", "q", "q1", "v4", "w3", "v5", "r0", "r3", "r5",
    "e0", "v6", "v7", "h0", "h1", "h2", "h3", "v8", "h4", "h5", "h6", "v9", "u0", "v10", "p7",
    "v11", "a8", "b8",
})  # fmt: skip
