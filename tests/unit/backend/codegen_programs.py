"""Small programs in the text form, one or more per kind of node, with their arguments for a given size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = Callable[[np.random.Generator, int], list[Any]]


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    text: str
    arguments: Arguments

    def __str__(self) -> str:
        return self.name


def _vector(r: np.random.Generator, n: int) -> list[Any]:
    return [r.normal(size=n)]


def _matrix(columns: int) -> Arguments:
    return lambda r, n: [r.normal(size=(n, columns))]


PROGRAMS = [
    Program(
        "map of elementary functions",
        """def f(x: f64[n]) {
             y.1: f64[n], z.2: i64[n] = map n (i.3: i64) {
               a.4: f64 = index x i.3
               b.5: f64 = sin a.4
               c.6: f64 = exp b.5
               d.7: i64 = mul i.3 i.3
               return c.6 d.7
             }
             return y.1 z.2
           }""",
        _vector,
    ),
    Program(
        "map with a branch and a loop in each lane",
        """def f(x: f64[n]) {
             y.1: f64[n] = map n (i.2: i64) {
               a.3: f64 = index x i.2
               p.4: bool = gt a.3 0.0
               r.5: f64, k.6: i64 = if p.4 {
                 m.7: i64 = mod i.2 5
                 s.8: f64 = for m.7 [a.3] (j.9: i64, t.10: f64) {
                   u.11: f64 = convert[f64] j.9
                   v.12: f64 = mul t.10 u.11
                   w.13: f64 = add v.12 1.0
                   return w.13
                 }
                 return s.8 m.7
               } else {
                 c.14: f64, d.15: i64 = while [a.3 0] (e.16: f64, g.17: i64) {
                   h.18: bool = lt e.16 3.0
                   return h.18
                 } (q.19: f64, o.20: i64) {
                   z.21: f64 = add q.19 0.75
                   l.22: i64 = add o.20 1
                   return z.21 l.22
                 }
                 return c.14 d.15
               }
               f.23: f64 = convert[f64] k.6
               y.24: f64 = add r.5 f.23
               return y.24
             }
             return y.1
           }""",
        _vector,
    ),
    Program(
        "map of a private array that is updated under a mask",
        """def f(x: f64[n]) {
             y.1: f64[n, 4] = map n (i.2: i64) {
               a.3: f64 = index x i.2
               e.4: f64[4] = replicate a.3 4
               k.5: i64 = mod i.2 4
               p.6: bool = lt a.3 0.0
               b.7: f64[4] = if p.6 {
                 c.8: f64[4] = update e.4 7.0 k.5
                 d.9: f64[4] = accumulate c.8 a.3 0
                 return d.9
               } else {
                 return e.4
               }
               return b.7
             }
             return y.1
           }""",
        _vector,
    ),
    Program(
        "records: fields in, fields out",
        """def f(x: f64[n, 3]) {
             y.1: f64[n, 2] = map n (i.2: i64) {
               a.3: f64 = index x i.2 0
               b.4: f64 = index x i.2 1
               c.5: f64 = index x i.2 2
               s.6: f64 = add a.3 b.4
               t.7: f64 = mul b.4 c.5
               r.8: f64[2] = stack s.6 t.7
               return r.8
             }
             return y.1
           }""",
        _matrix(3),
    ),
    Program(
        "rows packed for an inner loop",
        """def f(x: f64[n, d], c: f64[k, d]) {
             y.1: f64 = reduce n [0.0] (a.2: f64, b.3: f64) {
               s.4: f64 = add a.2 b.3
               return s.4
             } (i.5: i64) {
               p.6: f64[d] = index x i.5
               m.7: f64 = reduce k [+inf] (a.8: f64, b.9: f64) {
                 s.10: f64 = min a.8 b.9
                 return s.10
               } (j.11: i64) {
                 q.12: f64 = reduce d [0.0] (a.13: f64, b.14: f64) {
                   s.15: f64 = add a.13 b.14
                   return s.15
                 } (t.16: i64) {
                   u.17: f64 = index p.6 t.16
                   v.18: f64 = index c j.11 t.16
                   w.19: f64 = sub u.17 v.18
                   z.20: f64 = mul w.19 w.19
                   return z.20
                 }
                 return q.12
               }
               return m.7
             }
             return y.1
           }""",
        lambda r, n: [r.normal(size=(n, 5)), r.normal(size=(3, 5))],
    ),
    Program(
        "gathers, row sums and f32",
        """def f(x: f32[n, d], k: i64[n]) {
             y.1: f32[n] = map n (i.2: i64) {
               j.3: i64 = index k i.2
               s.4: f32 = reduce d [0.0f32] (a.5: f32, b.6: f32) {
                 c.7: f32 = add a.5 b.6
                 return c.7
               } (t.8: i64) {
                 v.9: f32 = index x j.3 t.8
                 return v.9
               }
               return s.4
             }
             return y.1
           }""",
        lambda r, n: [r.normal(size=(n, 7)).astype(np.float32), r.integers(0, max(n, 1), n)],
    ),
    Program(
        "reductions of several values, any order and strict order",
        """def f(x: f64[n]) {
             s.1: f64, m.2: f64, b.3: bool = reduce n [0.0 -inf True] (a.4: f64, c.5: f64, d.6: bool, e.7: f64, g.8: f64, h.9: bool) {
               s.10: f64 = add a.4 e.7
               m.11: f64 = max c.5 g.8
               o.12: bool = and d.6 h.9
               return s.10 m.11 o.12
             } (i.13: i64) {
               v.14: f64 = index x i.13
               w.15: f64 = mul v.14 v.14
               p.16: bool = lt v.14 5.0
               return w.15 v.14 p.16
             }
             best.17: f64, at.18: i64 = reduce n [+inf 0] (a.19: f64, k.20: i64, c.21: f64, l.22: i64) {
               p.23: bool = lt c.21 a.19
               u.24: f64 = select p.23 c.21 a.19
               v.25: i64 = select p.23 l.22 k.20
               return u.24 v.25
             } (i.26: i64) {
               v.27: f64 = index x i.26
               w.28: f64 = sin v.27
               z.29: f64 = exp w.28
               return z.29 i.26
             }
             return s.1 m.2 b.3 best.17 at.18
           }""",  # noqa: E501
        _vector,
    ),
    Program(
        "a reduction whose accumulator is an array",
        """def f(x: f64[n, d]) {
             z.1: f64[d] = replicate 0.0 d
             s.2: f64[d] = reduce n [z.1] (a.3: f64[d], b.4: f64[d]) {
               c.5: f64[d] = map d (j.6: i64) {
                 u.7: f64 = index a.3 j.6
                 v.8: f64 = index b.4 j.6
                 w.9: f64 = add u.7 v.8
                 return w.9
               }
               return c.5
             } (i.10: i64) {
               r.11: f64[d] = index x i.10
               return r.11
             }
             return s.2 z.1
           }""",
        _matrix(6),
    ),
    Program(
        "scans, inside and outside of a map",
        """def f(x: f64[n, d]) {
             c.1: f64[n], m.2: f64[n] = scan n [0.0 -inf] (a.3: f64, b.4: f64, e.5: f64, g.6: f64) {
               s.7: f64 = add a.3 e.5
               t.8: f64 = max b.4 g.6
               return s.7 t.8
             } (i.9: i64) {
               v.10: f64 = index x i.9 0
               w.11: f64 = tanh v.10
               return w.11 v.10
             }
             y.12: f64[n, d] = map n (i.13: i64) {
               r.14: f64[d] = scan d [1.0] (a.15: f64, b.16: f64) {
                 p.17: f64 = mul a.15 b.16
                 return p.17
               } (j.18: i64) {
                 v.19: f64 = index x i.13 j.18
                 return v.19
               }
               return r.14
             }
             return c.1 m.2 y.12
           }""",
        _matrix(3),
    ),
    Program(
        "a histogram and a scatter, keys out of range",
        """def f(x: f64[n], k: i64[n], h: f64[m]) {
             a.1: f64[m] = hist 1 n [0.0] [h] (u.2: f64, v.3: f64) {
               s.4: f64 = add u.2 v.3
               return s.4
             } (i.5: i64) {
               j.6: i64 = index k i.5
               v.7: f64 = index x i.5
               w.8: f64 = exp v.7
               return j.6 w.8
             }
             b.9: f64[m] = scatter 1 n h (i.10: i64) {
               j.11: i64 = index k i.10
               v.12: f64 = index x i.10
               return j.11 v.12
             }
             return a.1 b.9 h
           }""",
        lambda r, n: [r.normal(size=n), r.integers(-2, 8, n), r.normal(size=6)],
    ),
    Program(
        "histograms of rows in every lane",
        """def f(x: f64[n, d]) {
             y.1: f64[n, 3, 2] = map n (i.2: i64) {
               z.3: f64[3, 2] = replicate 0.5 3 2
               h.4: f64[3, 2] = hist 1 d [0.0] [z.3] (u.5: f64, v.6: f64) {
                 s.7: f64 = add u.5 v.6
                 return s.7
               } (j.8: i64) {
                 v.9: f64 = index x i.2 j.8
                 w.10: f64 = mul v.9 2.0
                 k.11: i64 = convert[i64] w.10
                 r.12: f64[2] = stack v.9 w.10
                 return k.11 r.12
               }
               return h.4
             }
             return y.1
           }""",
        _matrix(5),
    ),
    Program(
        "views: slices, transposes, reshapes, written through",
        """def f(x: f64[n, 4]) {
             t.1: f64[4, n] = transpose[1, 0] x
             m.2: i64 = max n 1
             a.3: i64 = sub m.2 1
             c.4: i64 = min n 1
             r.5: f64[n, 4] = slice x a.3 n -1 3 4 -1
             v.6: i64 = mul n 4
             w.7: f64[v.6] = reshape r.5 v.6
             b.8: f64[4, n] = update_slice t.1 t.1 3 -1
             z.9: f64[c.4, 4] = slice x 0 c.4 1
             y.10: f64[n, 4] = update_slice x z.9 a.3 1
             return w.7 b.8 y.10
           }""",
        lambda r, n: [r.normal(size=(max(n, 1), 4))],
    ),
    Program(
        "concat, stack, replicate, iota",
        """def f(x: f64[n], y: f64[m]) {
             k.1: i64 = add n m
             a.2: f64[k.1] = concat[0] x y k.1
             b.3: f64[2, n] = stack x x
             c.4: f64[3, n] = replicate x 3
             d.5: i64[k.1] = iota k.1
             e.6: f64[5, n] = concat[0] b.3 c.4 5
             return a.2 b.3 c.4 d.5 e.6
           }""",
        lambda r, n: [r.normal(size=n), r.normal(size=3)],
    ),
    Program(
        "argsort of floats with NaN, of rows and of booleans",
        """def f(x: f64[n], y: i32[n, 5], b: bool[n]) {
             a.1: i64[n] = argsort x
             c.2: i64[n, 5] = argsort y
             d.3: i64[n] = argsort b
             return a.1 c.2 d.3
           }""",
        lambda r, n: [
            np.where(r.random(n) < 0.2, np.nan, r.integers(-3, 3, n).astype(float)),
            r.integers(-3, 3, (n, 5)).astype(np.int32),
            r.random(n) < 0.5,
        ],
    ),
    Program(
        "loops that swap, rotate and grow their arrays",
        """def f(x: f64[n], y: f64[n]) {
             a.1: f64[n], b.2: f64[n], c.3: f64[n] = for 4 [x y x] (i.4: i64, a.5: f64[n], b.6: f64[n], c.7: f64[n]) {
               d.8: f64[n] = map n (j.9: i64) {
                 u.10: f64 = index a.5 j.9
                 v.11: f64 = index b.6 j.9
                 w.12: f64 = sub u.10 v.11
                 return w.12
               }
               return b.6 d.8 a.5
             }
             m.13: i64, g.14: f64[m.13] = for 3 [n x] (i.15: i64, m.16: i64, g.17: f64[m.16]) {
               k.18: i64 = add m.16 n
               h.19: f64[k.18] = concat[0] g.17 a.1 k.18
               return k.18 h.19
             }
             return a.1 b.2 c.3 g.14
           }""",
        lambda r, n: [r.normal(size=n), r.normal(size=n)],
    ),
    Program(
        "branches that return arrays of different sizes",
        """def f(x: f64[n], k: i64) {
             p.1: bool = gt k 0
             m.2: i64, a.3: f64[m.2], b.4: f64[n] = if p.1 {
               h.5: i64 = floordiv n 2
               s.6: f64[h.5] = slice x 0 h.5 2
               u.7: f64[n] = map n (i.8: i64) {
                 v.9: f64 = index x i.8
                 w.10: f64 = neg v.9
                 return w.10
               }
               return h.5 s.6 u.7
             } else {
               return n x x
             }
             return a.3 b.4
           }""",
        lambda r, n: [r.normal(size=n), np.int64(n % 2)],
    ),
    Program(
        "branches that return one array twice",
        """def f(x: f64[n], k: i64) {
             y.1: f64[n] = map n (i.2: i64) {
               v.3: f64 = index x i.2
               w.4: f64 = neg v.3
               return w.4
             }
             p.5: bool = gt k 0
             a.6: f64[n], b.7: f64[n] = if p.5 {
               return y.1 y.1
             } else {
               z.8: f64[n] = map n (i.9: i64) {
                 v.10: f64 = index y.1 i.9
                 w.11: f64 = mul v.10 v.10
                 return w.11
               }
               return y.1 z.8
             }
             return a.6 b.7
           }""",
        lambda r, n: [r.normal(size=n), np.int64(n % 2)],
    ),
    Program(
        "maps written into parts of arrays, and over what they read",
        """def f(x: f64[n]) donates 0 -> 0 {
             m.1: i64 = max n 2
             k.2: i64 = sub m.1 2
             z.3: f64[m.1] = replicate 1.0 m.1
             a.4: f64[k.2] = map k.2 (i.5: i64) {
               j.6: i64 = add i.5 1
               u.7: f64 = index x j.6
               v.8: f64 = index x i.5
               w.9: f64 = sub u.7 v.8
               return w.9
             }
             b.10: f64[m.1] = update_slice z.3 a.4 1 1
             c.11: f64[k.2] = map k.2 (i.12: i64) {
               j.13: i64 = add i.12 1
               u.14: f64 = index b.10 j.13
               v.15: f64 = mul u.14 3.0
               return v.15
             }
             d.16: f64[m.1] = update_slice b.10 c.11 1 1
             e.17: f64[k.2] = map k.2 (i.18: i64) {
               u.19: f64 = index d.16 i.18
               return u.19
             }
             g.20: f64[m.1] = update_slice d.16 e.17 2 1
             h.21: f64[n] = map n (i.22: i64) {
               u.23: f64 = index x i.22
               v.24: f64 = add u.23 1.0
               return v.24
             }
             o.25: f64[n] = update_slice x h.21 0 1
             return o.25 g.20
           }""",
        _vector,
    ),
    Program(
        "neighbours on a ring",
        """def f(x: f64[n]) {
             y.1: f64[n] = map n (i.2: i64) {
               j.3: i64 = add i.2 1
               k.4: i64 = mod j.3 n
               p.5: bool = lt i.2 2
               l.6: i64 = sub i.2 2
               m.7: i64 = add l.6 n
               o.8: i64 = select p.5 m.7 l.6
               q.9: i64 = max o.8 0
               a.10: f64 = index x k.4
               b.11: f64 = index x q.9
               c.12: f64 = sub a.10 b.11
               return c.12
             }
             return y.1
           }""",
        _vector,
    ),
    Program(
        "rows filled backwards in a part of an array",
        """def f(x: f64[n, 4]) {
             c.1: f64[n, 4] = map n (i.2: i64) {
               r.3: f64[4] = index x i.2
               return r.3
             }
             m.4: i64 = floordiv n 2
             a.5: f64[m.4, 3] = map m.4 (i.6: i64) {
               v.7: f64 = index x i.6 0
               r.8: f64[3] = replicate v.7 3
               return r.8
             }
             b.9: f64[n, 4] = update_slice c.1 a.5 0 2 3 -1
             return b.9
           }""",
        _matrix(4),
    ),
    Program(
        "integers of both widths and booleans",
        """def f(x: i32[n], y: i64[n], z: bool[n]) {
             a.1: i32[n], b.2: i64[n], c.3: bool[n], d.4: f32[n] = map n (i.5: i64) {
               u.6: i32 = index x i.5
               v.7: i64 = index y i.5
               w.8: bool = index z i.5
               p.9: i32 = floordiv u.6 3i32
               q.10: i64 = mod v.7 -7
               r.11: bool = xor w.8 True
               s.12: f32 = convert[f32] u.6
               t.13: i64 = select r.11 q.10 i.5
               return p.9 t.13 r.11 s.12
             }
             s.14: i32 = reduce n [0i32] (a.15: i32, b.16: i32) {
               c.17: i32 = add a.15 b.16
               return c.17
             } (i.18: i64) {
               v.19: i32 = index x i.18
               w.20: i32 = mul v.19 v.19
               return w.20
             }
             return a.1 b.2 c.3 d.4 s.14
           }""",
        lambda r, n: [r.integers(-99, 99, n).astype(np.int32), r.integers(-99, 99, n), r.random(n) < 0.5],
    ),
    Program(
        "a donated parameter, filled in place",
        """def f(x: f64[n], y: f64[n]) donates 0 -> 0 {
             z.1: f64[n] = for n [x] (i.2: i64, a.3: f64[n]) {
               v.4: f64 = index y i.2
               w.5: f64 = index a.3 i.2
               s.6: f64 = add v.4 w.5
               b.7: f64[n] = update a.3 s.6 i.2
               return b.7
             }
             return z.1 y
           }""",
        lambda r, n: [r.normal(size=n), r.normal(size=n)],
    ),
    Program(
        "rows written at a place that is computed after them",
        """def f(x: f32[n]) {
             a.1: f32[11, 3, n] = map 11 (i.2: i64) {
               b.3: f32[3, n] = replicate 0.5f32 3 n
               c.4: f32[3, n] = for 2 [b.3] (j.5: i64, d.6: f32[3, n]) {
                 e.7: f32[n] = map n (k.8: i64) {
                   g.9: f32 = index x k.8
                   return g.9
                 }
                 h.10: i64 = add j.5 1
                 l.11: f32[3, n] = update d.6 e.7 h.10
                 return l.11
               }
               return c.4
             }
             return a.1
           }""",
        lambda r, n: [r.normal(size=n).astype(np.float32)],
    ),
    Program(
        "a part of a row is read after the row has changed",
        """def f(x: f64[n]) {
             a.1: f64[n], b.2: f64[n, 3] = map n (i.3: i64) {
               v.4: f64 = index x i.3
               r.5: f64[3] = replicate 0.0 3
               s.6: f64[3] = update r.5 v.4 1
               p.7: f64[2] = slice s.6 1 2 1
               q.8: f64[2] = replicate 9.0 2
               t.9: f64[3] = update_slice s.6 q.8 0 1
               w.10: f64 = index p.7 0
               return w.10 t.9
             }
             return a.1 b.2
           }""",
        _vector,
    ),
    Program(
        "a part of a row is a result of its own, and the row changes",
        """def f(x: f64[n]) {
             a.1: f64[n, 3], b.2: f64[n, 2] = map n (i.3: i64) {
               v.4: f64 = index x i.3
               r.5: f64[3] = replicate 0.0 3
               s.6: f64[3] = update r.5 v.4 1
               p.7: f64[2] = slice s.6 1 2 1
               t.8: f64[3] = update s.6 7.0 1
               return t.8 p.7
             }
             return a.1 b.2
           }""",
        _vector,
    ),
]
