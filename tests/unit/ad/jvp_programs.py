"""Programs in the text form that together use every construct with something to differentiate, with arguments."""

import numpy as np

_rng = np.random.default_rng(11)


def _real(*shape):
    return _rng.uniform(0.3, 2.0, shape)[()]


X, Y, A = _real(5), _real(5), _real(4, 3)
KEYS = np.array([2, 0, 2, -1, 7])  # a duplicate and two that are ignored

PROGRAMS = {
    "straight": ([0.7, 1.3], """
def straight(x: f64, y: f64) {
  a: f64 = mul x y
  b: f64 = sub 1.0 a
  c: f64 = sin b
  d: f64 = div c y
  e: f64 = sub d x
  f: f64 = mul 3.0 e
  g: f64 = floor f
  h: f64 = add f g
  return h x 2.5 g
}
"""),
    "single": ([np.float32(0.75), 1.5], """
def single(x: f32, y: f64) {
  a: f64 = convert[f64] x
  b: f64 = mul a y
  c: f32 = convert[f32] b
  k: i64 = convert[i64] y
  d: f64 = convert[f64] k
  return c d
}
"""),
    "chosen": ([1.5, 0.5], """
def chosen(x: f64, y: f64) {
  c: bool = gt x y
  a: f64 = exp x
  s: f64 = select c a 0.5
  t: f64 = select c 0.5 a
  u: f64 = select c a y
  return s t u
}
"""),
    "reading": ([A], """
def reading(a: f64[4, 3]) {
  r: f64[3] = index a 2
  e: f64 = index a 1 2
  s: f64[2, 2] = slice a 3 2 -2 0 2 1
  t: f64[3, 4] = transpose[1, 0] a
  f: f64[2, 6] = reshape t 2 6
  p: f64[2, 3] = replicate r 2
  return r e s t f p
}
"""),
    "writing": ([A, X, 0.7], """
def writing(a: f64[4, 3], x: f64[5], v: f64) {
  z: f64[3] = replicate 1.0 3
  r: f64[3] = index a 0
  b: f64[4, 3] = update a v 1 2
  c: f64[4, 3] = update b z 3
  d: f64[4, 3] = update c r 2
  e: f64[5] = update_slice z.5 x 0 1
  f: f64[5] = update_slice x z 4 -2
  g: f64[4, 3] = accumulate d r 1
  h: f64[4, 3] = accumulate g 2.0 0 0
  i: f64[3] = accumulate z v 1
  j: f64[3] = update z v 2
  return d e f h i j
}
""".replace("z: f64[3] =", "z.5: f64[5] = replicate 1.0 5\n  z: f64[3] =")),
    "joining": ([X, Y, 0.7], """
def joining(x: f64[5], y: f64[n], v: f64) {
  k: i64 = add n 10
  z: f64[5] = replicate 2.0 5
  c: f64[k] = concat[0] x z y k
  s: f64[2, 5] = stack x z
  t: f64[3] = stack v 1.0 v
  i: i64[5] = argsort x
  return c s t i
}
"""),
    "one_arm": ([0.7, X], """
def one_arm(v: f64, x: f64[n]) {
  c: bool = gt v 0.5
  a: f64, b: f64, k: i64, z: f64[n], w: f64 = if c {
    t: f64 = mul v v
    o: f64[n] = replicate 1.0 n
    return t 1.0 3 o 4.0
  } else {
    return 2.0 v 4 x 5.0
  }
  return a b k z w
}
"""),
    "branch_of_sizes": ([X, True], """
def branch(x: f64[n], c: bool) {
  m: i64, y: f64[m] = if c {
    h: i64 = floordiv n 2
    a: f64[h] = slice x 0 h 2
    return h a
  } else {
    z: f64[n] = replicate 0.0 n
    return n z
  }
  s: f64 = index y 0
  return m y s
}
"""),
    "chain_of_carried": ([0.7, 4], """
def chain(x: f64, t: i64) {
  a: f64, b: f64, c: f64, k: f64 = for t [1.0 2.0 3.0 1.5] (i: i64, p: f64, q: f64, r: f64, s: f64) {
    u: f64 = mul q 0.5
    v: f64 = mul r r
    w: f64 = sin s
    return u v x w
  }
  return a b c k
}
"""),
    "updates_in_a_loop": ([X, 0.3, 7], """
def updates(x: f64[n], v: f64, t: i64) {
  z: f64[n] = replicate 1.0 n
  r: f64[n], s: f64[n] = for t [x z] (i: i64, a: f64[n], w: f64[n]) {
    j: i64 = mod i n
    check bounds j n
    e: f64 = index a j
    f: f64 = mul e v
    b: f64[n] = update a f j
    y: f64[n] = accumulate w f j
    return b y
  }
  return r s
}
"""),
    "newton": ([2.3], """
def newton(x: f64) {
  r: f64, k: i64 = while [x 0] (a: f64, i: i64) {
    e: f64 = mul a a
    d: f64 = sub e x
    m: f64 = abs d
    big: bool = gt m 1e-12
    few: bool = lt i 60
    c: bool = and big few
    return c
  } (b: f64, j: i64) {
    q: f64 = div x b
    s: f64 = add b q
    h: f64 = mul s 0.5
    l: i64 = add j 1
    return h l
  }
  return r k
}
"""),
    "growing": ([0.7, 6], """
def growing(v: f64, k: i64) {
  one: f64[1] = stack v
  n: i64, a: f64[n] = while [1 one] (m: i64, b: f64[m]) {
    c: bool = lt m k
    return c
  } (m.1: i64, b.1: f64[m.1]) {
    d: i64 = mul m.1 2
    z: f64[m.1] = map m.1 (i: i64) {
      e: f64 = index b.1 i
      f: f64 = mul e e
      return f
    }
    g: f64[d] = concat[0] b.1 z d
    return d g
  }
  return n a
}
"""),
    "nested_maps": ([A, 1.2], """
def nested(a: f64[n, m], v: f64) {
  b: f64[n, m], k: i64[n], c: f64[n], u: f64[n] = map n (i: i64) {
    r: f64[m] = index a i
    q: f64[m] = map m (j: i64) {
      e: f64 = index r j
      f: f64 = pow e v
      return f
    }
    t: f64 = index q 0
    return q i t 1.5
  }
  return b k c u
}
"""),
    "sums": ([X, Y], """
def sums(x: f64[n], y: f64[n]) {
  s: f64, p: f64, c: f64 = reduce n [0.0 1.0 0.0] (a: f64, q: f64, h: f64, b: f64, r: f64, g: f64) {
    t: f64 = add a b
    u: f64 = mul q r
    l: f64 = add h g
    return t u l
  } (i: i64) {
    v: f64 = index x i
    w: f64 = index y i
    z: f64 = mul v w
    return z v 1.0
  }
  return s p c
}
"""),
    "extrema": ([X, Y], """
def extrema(x: f64[n], y: f64[n]) {
  s: f64, p: f64, h: f64 = reduce n [+inf -inf 0.0] (a: f64, q: f64, f: f64, b: f64, r: f64, g: f64) {
    t: f64 = min a b
    u: f64 = max r q
    l: f64 = add f g
    return t u l
  } (i: i64) {
    v: f64 = index x i
    w: f64 = index y i
    z: f64 = mul v w
    return z v w
  }
  return s p h
}
"""),
    "row_extrema": ([A], """
def row_extrema(x: f64[n, m]) {
  z: f64[m] = replicate -inf m
  s: f64[m] = reduce n [z] (a: f64[m], b: f64[m]) {
    t: f64[m] = map m (j: i64) {
      u: f64 = index a j
      v: f64 = index b j
      w: f64 = max u v
      return w
    }
    return t
  } (i: i64) {
    r: f64[m] = index x i
    return r
  }
  return s
}
"""),
    "soft_maximum": ([X], """
def soft(x: f64[n]) {
  m: f64, s: f64 = reduce n [-1e30 0.0] (a: f64, p: f64, b: f64, q: f64) {
    t: f64 = max a b
    c: f64 = sub a t
    d: f64 = exp c
    e: f64 = mul p d
    f: f64 = sub b t
    g: f64 = exp f
    h: f64 = mul q g
    k: f64 = add e h
    return t k
  } (i: i64) {
    v: f64 = index x i
    w: f64 = mul v v
    return v w
  }
  return m s
}
"""),
    "free_in_operator": ([X, 0.3], """
def free(x: f64[n], c: f64) {
  neutral: f64 = mul c 1.0
  s: f64 = reduce n [neutral] (a: f64, b: f64) {
    t: f64 = add a b
    u: f64 = sub t c
    return u
  } (i: i64) {
    v: f64 = index x i
    return v
  }
  g: f64 = reduce n [0.0] (a.1: f64, b.1: f64) {
    t.1: f64 = mul a.1 b.1
    u.1: f64 = mul c t.1
    w.1: f64 = add a.1 b.1
    r.1: f64 = add u.1 w.1
    return r.1
  } (i.1: i64) {
    return 0.5
  }
  return s g
}
"""),
    "neutral_varies": ([X, 9.0], """
def bounded(x: f64[n], top: f64) {
  s: f64 = reduce n [top] (a: f64, b: f64) {
    t: f64 = min a b
    return t
  } (i: i64) {
    v: f64 = index x i
    return v
  }
  none: f64 = reduce 0 [top] (a.1: f64, b.1: f64) {
    t.1: f64 = min a.1 b.1
    return t.1
  } (i.1: i64) {
    v.1: f64 = index x i.1
    return v.1
  }
  return s none
}
"""),
    "row_sum": ([A, X], """
def row_sum(a: f64[n, m], x: f64[5]) {
  z: f64[m] = replicate 0.0 m
  s: f64[m] = reduce n [z] (p: f64[m], q: f64[m]) {
    t: f64[m] = map m (j: i64) {
      u: f64 = index p j
      v: f64 = index q j
      w: f64 = add u v
      return w
    }
    return t
  } (i: i64) {
    r: f64[m] = index a i
    e: f64 = index x i
    b: f64[m] = map m (k: i64) {
      c: f64 = index r k
      d: f64 = mul c e
      return d
    }
    return b
  }
  return s
}
"""),
    "recurrence": ([X, Y], """
def recurrence(x: f64[n], y: f64[n]) {
  a: f64[n], c: f64[n] = scan n [1.0 0.0] (p: f64, q: f64, r: f64, s: f64) {
    t: f64 = mul p r
    u: f64 = mul q r
    v: f64 = add u s
    return t v
  } (i: i64) {
    e: f64 = index x i
    f: f64 = index y i
    g: f64 = sin f
    return e g
  }
  m: f64[n], k: i64[n] = scan n [-inf 0] (b: f64, o: i64, d: f64, l: i64) {
    z: f64 = max b d
    j: i64 = add o l
    return z j
  } (h: i64) {
    w: f64 = index x h
    return w 1
  }
  return a c m k
}
"""),
    "histograms": ([X, Y, KEYS, _real(4)], """
def histograms(x: f64[n], y: f64[n], key: i64[n], d: f64[m]) {
  z: f64[m] = replicate 1.0 m
  h: f64[m] = hist 1 n [0.0] [d] (a: f64, b: f64) {
    c: f64 = add a b
    return c
  } (i: i64) {
    k: i64 = index key i
    v: f64 = index x i
    w: f64 = mul v v
    return k w
  }
  g: f64[m], l: f64[m] = hist 1 n [1.0 0.0] [z z] (a.1: f64, e.1: f64, b.1: f64, f.1: f64) {
    c.1: f64 = mul a.1 b.1
    o.1: f64 = mul e.1 b.1
    p.1: f64 = add o.1 f.1
    return c.1 p.1
  } (i.1: i64) {
    k.1: i64 = index key i.1
    v.1: f64 = index x i.1
    w.1: f64 = index y i.1
    return k.1 v.1 w.1
  }
  t: f64[m] = hist 1 n [-inf] [d] (a.2: f64, b.2: f64) {
    c.2: f64 = max a.2 b.2
    return c.2
  } (i.2: i64) {
    k.2: i64 = index key i.2
    v.2: f64 = index y i.2
    w.2: f64 = mul 1.5 v.2
    return k.2 w.2
  }
  return h g l t
}
"""),
    "histogram_of_rows": ([_real(3, 2), A, KEYS[:4]], """
def rows(d: f64[k, 2], a: f64[n, 3], key: i64[n]) {
  h: f64[k, 2] = hist 1 n [+inf] [d] (x: f64, y: f64) {
    z: f64 = min x y
    return z
  } (i: i64) {
    j: i64 = index key i
    r: f64[3] = index a i
    s: f64[2] = slice r 1 2 1
    return j s
  }
  g: f64[k, 2] = hist 2 n [0.0] [d] (x.1: f64, y.1: f64) {
    z.1: f64 = add x.1 y.1
    return z.1
  } (i.1: i64) {
    j.1: i64 = index key i.1
    e: f64 = index a i.1 0
    return j.1 1 e
  }
  return h g
}
"""),
    "scatters": ([X, _real(4), KEYS], """
def scatters(x: f64[n], d: f64[m], key: i64[n]) {
  z: f64[m] = replicate 1.0 m
  a: f64[m] = scatter 1 n d (i: i64) {
    k: i64 = index key i
    v: f64 = index x i
    w: f64 = mul v v
    return k w
  }
  b: f64[m] = scatter 1 n d (i.1: i64) {
    k.1: i64 = index key i.1
    return k.1 3.0
  }
  c: f64[m] = scatter 1 n z (i.2: i64) {
    check bounds i.2 n
    k.2: i64 = index key i.2
    v.2: f64 = index x i.2
    return k.2 v.2
  }
  e: f64[m] = scatter 1 n z (i.3: i64) {
    k.3: i64 = index key i.3
    return k.3 4.0
  }
  return a b c e
}
"""),
    "scatter_after_a_loop": ([A, _real(6, 3), KEYS[:4], 3], """
def looping(a: f64[n, m], d: f64[l, m], key: i64[n], t: i64) {
  b: f64[l, m] = scatter 1 n d (i: i64) {
    k: i64 = index key i
    r: f64[m] = index a i
    s: f64[m] = for t [r] (j: i64, u: f64[m]) {
      e: f64 = index u 0
      f: f64 = sin e
      w: f64[m] = update u f 1
      g: f64 = index w 1
      h: f64 = mul g e
      v: f64[m] = update w h 0
      return v
    }
    return k s
  }
  return b
}
"""),
}  # fmt: skip
