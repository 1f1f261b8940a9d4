"""Programs with the inputs that each element of each result may depend on.

The inputs are the four elements of x (0 to 3) and y (4). The others are the same for all inputs. What is expected
has a line for each result, with a word for each element: the numbers of the inputs, or a dot for none.
"""

from __future__ import annotations

from textwrap import dedent

PARAMS = "x: f64[4], y: f64, c: f64[4], key: i64[4], k: i64, t: bool, more: f64[size]"


def program(text: str) -> str:
    return f"def f({PARAMS}) {{\n{dedent(text)}\n}}"


OPERATIONS = {
    "scalars": (
        """
        a: f64 = index x 0
        z: f64 = mul a y
        w: f64 = floor a
        o: f64 = add w 1.0
        return z o y 2.0
        """,
        "04\n.\n4\n.",
    ),
    "a choice by what is fixed": (
        """
        a: f64 = index x 0
        z: f64 = select t a y
        w: f64 = select t y 1.0
        o: f64 = select t 1.0 y
        return z w o
        """,
        "0\n4\n.",
    ),
    "a choice by an input": (
        """
        a: f64 = index x 0
        d: f64 = index x 1
        g: bool = gt d 0.0
        z: f64 = select g a y
        w: f64 = select g 1.0 y
        return z w
        """,
        "04\n4",
    ),
    "elements": (
        """
        j: i64 = convert[i64] y
        m: f64[2, 2] = reshape x 2 2
        a: f64 = index x k
        d: f64 = index x j
        e: f64 = index m 1 j
        g: f64 = index m j 1
        h: f64[2] = index m j
        l: f64 = index c j
        o: f64 = index m 1 0
        q: f64[2] = index m 1
        return a d e g h l o q
        """,
        "2\n0123\n23\n0123\n02 13\n.\n2\n2 3",
    ),
    "writes at fixed places": (
        """
        a: f64[4] = update x y 1
        d: f64[4] = update x 1.0 1
        e: f64[4] = update c y k
        m: f64[2, 2] = reshape x 2 2
        r: f64[2] = stack y 1.0
        g: f64[2, 2] = update m r 1
        h: f64[4] = accumulate x y 1
        i: f64[4] = accumulate x 1.0 1
        l: f64[4] = accumulate c y 1
        o: f64[2, 2] = accumulate m r 0
        return a d e g h i l o
        """,
        "0 4 2 3\n0 . 2 3\n. . 4 .\n0 1 4 .\n0 14 2 3\n0 1 2 3\n. 4 . .\n04 1 2 3",
    ),
    "writes at places that the inputs choose": (
        """
        j: i64 = convert[i64] y
        e0: f64 = index x 0
        a: f64[4] = update x y j
        d: f64[4] = update x 1.0 j
        e: f64[4] = update c e0 j
        g: f64[4] = accumulate x y j
        m: f64[2, 2] = reshape x 2 2
        r: f64[2] = stack y e0
        h: f64[2, 2] = update m r j
        return a d e g h
        """,
        "04 14 24 34\n0 1 2 3\n0 0 0 0\n04 14 24 34\n04 014 024 034",
    ),
    "parts": (
        """
        j: i64 = convert[i64] y
        a: f64[2] = slice x 1 2 2
        d: f64[2] = slice x j 2 1
        r: f64[2] = stack y 1.0
        e: f64[4] = update_slice x r 1 1
        g: f64[4] = update_slice x r j 1
        h: f64[2] = slice c 1 2 1
        return a d e g h
        """,
        "1 3\n0123 0123\n0 4 . 3\n01234 01234 01234 01234\n. .",
    ),
    "moves": (
        """
        m: f64[2, 2] = reshape x 2 2
        a: f64[2, 2] = transpose[1, 0] m
        d: f64[3] = replicate y 3
        r: f64[2] = stack y 1.0
        e: f64[6] = concat[0] x r 6
        g: f64[6] = concat[0] r c 6
        o: f64[2, 2] = stack r r
        return a d e g o
        """,
        "0 2 1 3\n4 4 4\n0 1 2 3 4 .\n4 . . . . .\n4 . 4 .",
    ),
}

FORMS = {
    "a branch on what is fixed": (
        """
        z: f64, i: i64, n: f64 = if t {
          a: f64 = index x 0
          return a 1 2.0
        } else {
          return y 2 1.0
        }
        w: f64 = index x i
        return z w n
        """,
        "0\n1\n.",
    ),
    "a branch on an input": (
        """
        g: bool = gt y 0.0
        z: f64, i: i64, n: f64 = if g {
          a: f64 = index x 0
          return a 1 2.0
        } else {
          d: f64 = index x 1
          return d 2 1.0
        }
        w: f64 = index x i
        return z w n
        """,
        "01\n0123\n.",
    ),
    "an arm with indices out of range": (
        """
        g: bool = gt y 0.0
        z: f64, v: f64, u: f64[4], s: f64[4], w: f64[4], q: f64[4] = if g {
          a: f64 = index x 9
          e: f64 = index c 9
          d: f64 = mul e y
          u1: f64[4] = update x y 9
          s1: f64[4] = accumulate x y 9
          w1: f64[4] = update c e 9
          w2: f64[4] = map 4 (i: i64) {
            p: f64 = index w1 i
            p1: f64 = mul p y
            return p1
          }
          q1: f64[4] = accumulate c 1.0 -1
          q2: f64 = index q1 0
          q3: f64 = mul q2 y
          q4: f64[4] = replicate q3 4
          return a d u1 s1 w2 q4
        } else {
          h: f64 = index x 1
          return h h x x x x
        }
        return z v u s w q
        """,
        "1\n14\n0 1 2 3\n0 1 2 3\n04 14 24 34\n04 14 24 34",
    ),
    "an arm that writes what is fixed": (
        """
        g: bool = gt y 0.0
        z: f64, w: f64, v: f64 = if g {
          j: i64[4] = update key 2 0
          l: i64 = index j 0
          a: f64 = index x l
          j1: i64[4] = accumulate key 1 1
          l1: i64 = index j1 1
          a1: f64 = index x l1
          j2: i64[4] = transpose[0] key
          l2: i64 = index j2 3
          a2: f64 = index x l2
          return a a1 a2
        } else {
          return 1.0 1.0 1.0
        }
        return z w v
        """,
        "2\n1\n1",
    ),
    "an arm with arrays of a new size": (
        """
        g: bool = gt y 0.0
        z: f64 = if g {
          r: f64[k] = replicate 1.0 k
          o: f64 = index r 0
          a: f64 = index x 0
          d: f64 = mul o a
          return d
        } else {
          return 1.0
        }
        return z
        """,
        "0123",
    ),
    "another arm with arrays of a new size": (
        """
        g: bool = gt y 0.0
        z: f64 = if g {
          return 1.0
        } else {
          r: f64[k] = replicate 1.0 k
          o: f64 = index r 0
          a: f64 = index x 0
          d: f64 = mul o a
          return d
        }
        return z
        """,
        "0123",
    ),
    "an arm with an array of the size of an argument": (
        """
        g: bool = gt y 0.0
        z: f64[size] = if g {
          r: f64[size] = map size (i: i64) {
            a: f64 = index x 0
            d: f64 = mul a y
            return d
          }
          return r
        } else {
          return more
        }
        return z
        """,
        "04 04 04",
    ),
    "an arm with an array of a size that was computed": (
        """
        m: i64 = add k 1
        v: f64[m] = replicate 1.0 m
        g: bool = gt y 0.0
        z: f64[m] = if g {
          r: f64[m] = map m (i: i64) {
            a: f64 = index x 0
            d: f64 = mul a y
            return d
          }
          return r
        } else {
          return v
        }
        return z
        """,
        "04 04 04",
    ),
    "a loop": (
        """
        a: f64, d: f64, i: i64, u: f64[4] = for 2 [y 0.0 0 x] (j: i64, p: f64, q: f64, l: i64, v: f64[4]) {
          e: f64 = index x j
          g: f64 = add p e
          l1: i64 = add l 1
          v1: f64[4] = update v p j
          return g p l1 v1
        }
        n: f64 = for 2 [0.0] (j2: i64, r: f64) {
          s: f64 = add r 1.0
          return s
        }
        w: f64 = index x i
        return a d n w u
        """,
        "014\n04\n.\n2\n4 04 2 3",
    ),
    "a loop whose length is an input": (
        """
        n: i64 = convert[i64] y
        a: f64 = for n [0.0] (j: i64, p: f64) {
          e: f64 = index x 0
          g: f64 = add p e
          return g
        }
        return a
        """,
        "0123",
    ),
    "a loop with a condition": (
        """
        i: i64, a: f64 = while [0 0.0] (l: i64, p: f64) {
          g: bool = lt l 2
          return g
        } (j: i64, q: f64) {
          e: f64 = index x j
          h: f64 = add q e
          j1: i64 = add j 1
          return j1 h
        }
        return a
        """,
        "01",
    ),
    "a loop until an input says so": (
        """
        a: f64, d: f64 = while [y 0.0] (l: f64, p: f64) {
          g: bool = lt l 2.0
          return g
        } (j: f64, q: f64) {
          e: f64 = index x 0
          h: f64 = add q e
          j1: f64 = add j 1.0
          return j1 h
        }
        return a d
        """,
        "01234\n01234",
    ),
    "a map": (
        """
        a: f64[4], n: f64[4], i: i64[4] = map 4 (j: i64) {
          l: i64 = index key j
          e: f64 = index x l
          g: f64 = mul e y
          l1: i64 = sub 3 l
          return g 2.0 l1
        }
        o: i64 = index i 0
        d: f64 = index x o
        return a n d
        """,
        "34 04 24 14\n. . . .\n0",
    ),
    "scopes": (
        """
        a: f64, i: i64 = custom [] () {
          e: f64 = index x 1
          return e 2
        }
        d: f64 = index x i
        g: f64 = custom [2.0] (u: f64) {
          return u
        } (u1: f64, u_dot: f64) {
          return u1 u_dot
        }
        h: f64 = custom [y] (v: f64) {
          return v
        } (v1: f64, v_dot: f64) {
          return v1 v_dot
        }
        j: i64 = convert[i64] g
        l: f64 = index x j
        return a d g h l
        """,
        "1\n2\n.\n4\n2",
    ),
    "scatters": (
        """
        j: i64 = convert[i64] y
        a: f64[4] = scatter 1 2 x (i: i64) {
          l: i64 = index key i
          return l y
        }
        d: f64[4] = scatter 1 2 c (i1: i64) {
          e: f64 = index x i1
          return i1 e
        }
        g: f64[4] = scatter 1 2 x (i2: i64) {
          return i2 1.0
        }
        h: f64[4] = scatter 1 2 c (i3: i64) {
          return j y
        }
        o: i64[4] = scatter 1 2 key (i4: i64) {
          return i4 0
        }
        o1: i64 = index o 1
        u: f64 = index x o1
        return a d g h u
        """,
        "4 1 2 4\n0 1 . .\n. . 2 3\n4 4 4 4\n0",
    ),
}

COMBINED = {
    "reductions": (
        """
        a: f64, i: i64, n: f64 = reduce 3 [0.0 0 0.0] (p: f64, q: i64, r: f64, p1: f64, q1: i64, r1: f64) {
          s: f64 = add p p1
          u: i64 = add q q1
          v: f64 = add r r1
          return s u v
        } (j: i64) {
          e: f64 = index x j
          return e 1 1.0
        }
        d: f64 = index x i
        w: f64 = reduce 2 [y] (p2: f64, q2: f64) {
          s2: f64 = add p2 q2
          return s2
        } (j1: i64) {
          e1: f64 = index x j1
          return e1
        }
        return a d n w
        """,
        "012\n3\n.\n014",
    ),
    "prefixes": (
        """
        a: f64[4], i: i64[4] = scan 4 [0.0 0] (p: f64, q: i64, p1: f64, q1: i64) {
          s: f64 = add p p1
          u: i64 = add q q1
          return s u
        } (j: i64) {
          e: f64 = index x j
          return e 1
        }
        l: i64 = index i 1
        d: f64 = index x l
        return a d
        """,
        "0 01 012 0123\n2",
    ),
    "accumulators that read others": (
        """
        a: f64, d: f64, e: f64 = reduce 2 [1.0 0.0 0.0] (p: f64, q: f64, r: f64, p1: f64, q1: f64, r1: f64) {
          s: f64 = mul p p1
          u0: f64 = mul q p1
          u: f64 = add u0 q1
          v0: f64 = mul q p1
          v1: f64 = add r r1
          v: f64 = add v0 v1
          return s u v
        } (j: i64) {
          g: f64 = index x j
          j1: i64 = add j 2
          h: f64 = index x j1
          return g h y
        }
        return a d e
        """,
        "01\n0123\n01234",
    ),
    "accumulators that read others which read others": (
        """
        a: f64, d: f64, e: f64 = reduce 1 [y y y] (p: f64, q: f64, r: f64, p1: f64, q1: f64, r1: f64) {
          return q1 r1 0.0
        } (j: i64) {
          g: f64 = index x 0
          h: f64 = index x 1
          l: f64 = index x 2
          return g h l
        }
        return a d e
        """,
        "0124\n124\n24",
    ),
    "an accumulator that reads a row": (
        """
        z: f64[2] = replicate 0.0 2
        a: f64, d: f64[2] = reduce 2 [0.0 z] (p: f64, q: f64[2], p1: f64, q1: f64[2]) {
          e: f64 = index q 0
          g: f64 = index q1 1
          h: f64 = mul e g
          s0: f64 = add p p1
          s: f64 = add s0 h
          u: f64[2] = map 2 (l: i64) {
            u0: f64 = index q l
            u1: f64 = index q1 l
            u2: f64 = add u0 u1
            return u2
          }
          return s u
        } (j: i64) {
          v: f64 = index x j
          w: f64[2] = stack v y
          return 1.0 w
        }
        return a d
        """,
        "014\n01 4",
    ),
    "an operator that reads what is outside": (
        """
        c2: f64[2] = slice c 0 2 1
        a: f64, d: f64[2] = reduce 2 [0.0 c2] (p: f64, q: f64[2], p1: f64, q1: f64[2]) {
          s: f64 = add p p1
          s1: f64 = mul s y
          return s1 q
        } (j: i64) {
          v: f64 = index x j
          return v c2
        }
        return a
        """,
        "014",
    ),
    "histograms": (
        """
        j: i64 = convert[i64] y
        z: i64[4] = replicate 0 4
        a: f64[4], n: i64[4] = hist 1 4 [0.0 0] [c z] (p: f64, q: i64, p1: f64, q1: i64) {
          s: f64 = add p p1
          u: i64 = add q q1
          return s u
        } (i: i64) {
          l: i64 = index key i
          m: i64 = floordiv l 2
          e: f64 = index x i
          return m e 1
        }
        o: i64 = index n 0
        d: f64 = index x o
        g: f64[4] = hist 1 4 [0.0] [x] (p2: f64, p3: f64) {
          s2: f64 = add p2 p3
          return s2
        } (i2: i64) {
          return i2 y
        }
        h: f64[4] = hist 1 4 [0.0] [c] (p4: f64, p5: f64) {
          s4: f64 = add p4 p5
          return s4
        } (i4: i64) {
          e4: f64 = index x 0
          return j e4
        }
        return a d g h
        """,
        "13 02 . .\n2\n04 14 24 34\n0123 0123 0123 0123",
    ),
    "reductions of as many values as an input says": (
        """
        j: i64 = convert[i64] y
        a: f64 = reduce j [0.0] (p: f64, p1: f64) {
          s: f64 = add p p1
          return s
        } (i: i64) {
          e: f64 = index x 0
          return e
        }
        return a
        """,
        "0123",
    ),
}
