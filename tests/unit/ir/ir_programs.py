"""Programs in the text form, together every kind of node; shared by the tests of the language."""

FORMS = {
    "straight": """
def straight(x: f64, k: i32) {
  return x k 1.0 -0.0f32 7 -7i32 True False +inf -inf +nan +nanf32
}
""",
    "energy": """
def energy(x: f64[n], k: f64) {
  m.1: i64 = sub n 1
  e.2: f64 = reduce m.1 [0.0] (a.3: f64, b.4: f64) {
    s.5: f64 = add a.3 b.4
    return s.5
  } (i.6: i64) {
    j.7: i64 = add i.6 1
    u.8: f64 = index x j.7
    v.9: f64 = index x i.6
    d.10: f64 = sub u.8 v.9
    t.11: f64 = mul d.10 d.10
    w.12: f64 = mul k t.11
    return w.12
  }
  return e.2
}
""",
    "branch": """
def branch(c: bool, x: f64[n]) {
  m.1: i64, y.2: f64[m.1] = if c {
    h.3: i64 = floordiv n 2
    a.4: f64[h.3] = slice x 0 h.3 2
    return h.3 a.4
  } else {
    return n x
  }
  return m.1 y.2
}
""",
    "counted": """
def counted(x: f64[n], t: i64) donates 0->0 {
  r.1: f64[n], s.2: f64 = for t [x 0.0] (i.3: i64, u.4: f64[n], p.5: f64) {
    j.6: i64 = mod i.3 n
    check bounds j.6 n
    v.7: f64 = index u.4 j.6
    w.8: f64 = mul v.7 0.5
    z.9: f64[n] = update u.4 w.8 j.6
    q.10: f64 = add p.5 w.8
    return z.9 q.10
  }
  return r.1 s.2
}
""",
    "growing": """
def growing(k: i64) {
  one.0: i64[1] = stack 7
  n.1: i64, a.2: i64[n.1] = while [1 one.0] (m.3: i64, b.4: i64[m.3]) {
    c.5: bool = lt m.3 k
    return c.5
  } (m.6: i64, b.7: i64[m.6]) {
    d.8: i64 = mul m.6 2
    e.9: i64[d.8] = concat[0] b.7 b.7 d.8
    return d.8 e.9
  }
  return n.1 a.2
}
""",
    "nested_map": """
def nested_map(a: f32[n, 3]) {
  b.1: f32[n, 3], c.2: i64[n] = map n (i.3: i64) {
    row.4: f32[3] = index a i.3
    r.5: f32[3] = map 3 (j.6: i64) {
      x.7: f32 = index row.4 j.6
      y.8: f32 = mul x.7 2.0f32
      return y.8
    }
    return r.5 i.3
  }
  return b.1 c.2
}
""",
    "prefixes": """
def prefixes(x: f64[n]) {
  s.1: f64[n], k.2: i64[n] = scan n [-inf -1] (a.3: f64, p.4: i64, b.5: f64, q.6: i64) {
    c.7: bool = gt b.5 a.3
    v.8: f64 = select c.7 b.5 a.3
    w.9: i64 = select c.7 q.6 p.4
    return v.8 w.9
  } (i.10: i64) {
    y.11: f64 = index x i.10
    return y.11 i.10
  }
  return s.1 k.2
}
""",
    "histogram": """
def histogram(h: f64[k, 2], g: i64[m], key: i64[n], w: f64[n]) {
  a.1: f64[k, 2] = hist 1 n [0.0] [h] (x.2: f64, y.3: f64) {
    z.4: f64 = add x.2 y.3
    return z.4
  } (i.5: i64) {
    j.6: i64 = index key i.5
    v.7: f64 = index w i.5
    p.8: f64[2] = replicate v.7 2
    return j.6 p.8
  }
  b.9: i64[m] = scatter 1 n g (i.10: i64) {
    j.11: i64 = index key i.10
    return j.11 i.10
  }
  return a.1 b.9
}
""",
    "checked": """
def checked(x: f64, i: i64, n: i64) {
  ok.1: bool = gt x 0.0
  check bounds i n
  check nonzero n
  check equal i i
  check nonneg n
  check nonempty n
  check domain ok.1
  check assert ok.1 "x must be \\"positive\\""
  check raise ok.1 "KeyError: no: such thing"
  check not_nan x
  y.2: i32 = convert[i32] x
  return y.2
}
""",
    "shapes": """
def shapes(a: f64[n, m]) {
  t.1: f64[m, n] = transpose[1, 0] a
  k.2: i64 = mul n m
  f.3: f64[k.2] = reshape t.1 k.2
  o.4: i64[k.2] = argsort f.3
  z.5: i64[k.2] = iota k.2
  s.6: f64[2, k.2] = stack f.3 f.3
  u.7: f64[n, m] = update_slice a a 0 1
  return t.1 f.3 o.4 z.5 s.6 u.7
}
""",
    "nothing": """
def nothing() {
  return
}
""",
}
