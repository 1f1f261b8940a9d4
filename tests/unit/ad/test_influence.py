"""Exactly these variables change with an input, whatever their type, and no others."""

import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.influence import influenced
from tapeless.ir.check import check
from tapeless.ir.text import parse_function

PROGRAMS: dict[str, tuple[str, str]] = {
    "arithmetic": (
        """
        y1: f64 = floor x
        y2: i64 = convert[i64] y1
        y3: bool = lt y2 k
        n1: f64 = mul c 2.0
        check nonneg k
        y4: f64 = select y3 n1 c
        return y4
        """,
        "y1 y2 y3 y4",
    ),
    "sizes": (
        """
        y1: i64 = convert[i64] x
        y2: f64[y1] = replicate c y1
        y3: f64 = index y2 0
        n1: f64[k] = replicate c k
        y4: f64[y1] = map y1 (n2: i64) {
          return c
        }
        return y3 n1 y4
        """,
        "y1 y2 y3 y4",
    ),
    "a size that is influenced by a branch": (
        """
        y1: i64 = convert[i64] x
        y2: f64[y1] = if b {
          y3: f64[y1] = replicate c y1
          return y3
        } else {
          y4: f64[y1] = replicate 1.0 y1
          return y4
        }
        return y2
        """,
        "y1 y2 y3 y4",
    ),
    "arms": (
        """
        y1: bool = gt x 0.0
        y2: f64 = if y1 {
          n1: f64 = mul c c
          return n1
        } else {
          return c
        }
        y3: f64, y4: f64, n3: f64 = if b {
          y5: f64 = mul x c
          n2: f64 = mul c c
          return y5 n2 n2
        } else {
          y6: f64 = mul x 2.0
          return c y6 c
        }
        return y2 y3 y4 n3
        """,
        "y1 y2 y3 y4 y5 y6",
    ),
    "loops": (
        """
        y1: f64, n1: f64, y2: f64, y3: f64 = for k [x c c c] (n2: i64, y4: f64, n3: f64, y5: f64, y6: f64) {
          n4: f64 = add n3 1.0
          return c n4 y6 y4
        }
        y7: i64 = convert[i64] x
        y8: f64 = for y7 [c] (n5: i64, y9: f64) {
          y10: f64 = add y9 1.0
          return y10
        }
        return y1 n1 y2 y3 y8
        """,
        "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10",
    ),
    "loops with a condition": (
        """
        n1: f64, y1: f64 = while [c x] (n2: f64, y2: f64) {
          n3: bool = lt n2 9.0
          y14: f64 = add y2 1.0
          return n3
        } (n4: f64, y3: f64) {
          n5: f64 = add n4 1.0
          return n5 c
        }
        y4: f64, y5: f64 = while [c x] (y6: f64, y7: f64) {
          y8: bool = lt y7 9.0
          y15: f64 = add y6 1.0
          return y8
        } (y9: f64, y10: f64) {
          y11: f64 = add y9 1.0
          y12: f64 = add y10 1.0
          return y11 y12
        }
        return n1 y1 y4 y5
        """,
        "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y14 y15",
    ),
    "reductions": (
        """
        y1: f64, n1: f64 = reduce k [0.0 0.0] (y2: f64, n2: f64, y3: f64, n3: f64) {
          y4: f64 = add y2 y3
          n4: f64 = add n2 n3
          return y4 n4
        } (n5: i64) {
          return x c
        }
        y5: f64 = reduce k [x] (y6: f64, y7: f64) {
          y8: f64 = add y6 y7
          return y8
        } (n6: i64) {
          return c
        }
        y9: f64[k], y10: f64[k] = scan k [0.0 0.0] (y11: f64, y12: f64, y13: f64, y14: f64) {
          y15: f64 = add y11 y13
          y16: f64 = add y11 y14
          return y15 y16
        } (n7: i64) {
          return x c
        }
        y17: i64 = convert[i64] x
        y18: f64 = reduce y17 [0.0] (y19: f64, y20: f64) {
          y21: f64 = add y19 y20
          return y21
        } (n8: i64) {
          return c
        }
        y22: f64 = reduce k [x] (y23: f64, y24: f64) {
          return 1.0
        } (n9: i64) {
          return 1.0
        }
        return y1 n1 y5 y9 y10 y18 y22
        """,
        "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y13 y14 y15 y16 y17 y18 y19 y20 y21 y22 y23 y24",
    ),
    "maps": (
        """
        y1: f64[k], n1: f64[k] = map k (n2: i64) {
          y2: f64 = mul x c
          return y2 c
        }
        y3: i64 = convert[i64] x
        y4: f64[y3] = map y3 (n3: i64) {
          return c
        }
        return y1 n1 y4
        """,
        "y1 y2 y3 y4",
    ),
    "histograms": (
        """
        y1: i64 = convert[i64] x
        n1: f64[n] = hist 1 k [0.0] [d] (n2: f64, n3: f64) {
          n4: f64 = add n2 n3
          return n4
        } (n5: i64) {
          return n5 c
        }
        y2: f64[n] = hist 1 k [0.0] [d] (y3: f64, y4: f64) {
          y5: f64 = add y3 y4
          return y5
        } (n6: i64) {
          return y1 c
        }
        y6: f64[n] = hist 1 k [0.0] [d] (y7: f64, y8: f64) {
          y9: f64 = add y7 y8
          return y9
        } (n7: i64) {
          return n7 x
        }
        y10: f64[n] = hist 1 y1 [0.0] [d] (y11: f64, y12: f64) {
          y13: f64 = add y11 y12
          return y13
        } (n8: i64) {
          return n8 c
        }
        y14: f64[n] = hist 1 k [0.0] [y10] (y15: f64, y16: f64) {
          y17: f64 = add y15 y16
          return y17
        } (n9: i64) {
          return n9 c
        }
        return n1 y2 y6 y10 y14
        """,
        "y1 y2 y3 y4 y5 y6 y7 y8 y9 y10 y11 y12 y13 y14 y15 y16 y17",
    ),
    "scatters": (
        """
        y1: i64 = convert[i64] x
        n1: f64[n] = scatter 1 k d (n2: i64) {
          return n2 c
        }
        y2: f64[n] = scatter 1 k d (n3: i64) {
          return y1 c
        }
        y3: f64[n] = scatter 1 k d (n4: i64) {
          return n4 x
        }
        y4: f64[n] = scatter 1 y1 d (n5: i64) {
          return n5 c
        }
        y5: f64[n] = scatter 1 k y4 (n6: i64) {
          return n6 c
        }
        return n1 y2 y3 y4 y5
        """,
        "y1 y2 y3 y4 y5",
    ),
    "functions with rules": (
        """
        y1: f64, n1: f64 = custom [] () {
          y2: f64 = mul x c
          return y2 c
        }
        y3: f64, y4: f64 = custom [x] (n2: f64) {
          return n2 1.0
        } (n3: f64, n3_dot: f64) {
          return n3 1.0 n3_dot 0.0
        }
        n4: f64 = custom [c] (n5: f64) {
          return n5
        } (n6: f64, n6_dot: f64) {
          return n6 n6_dot
        }
        y5: f64 = custom [c] (n7: f64) {
          y6: f64 = mul n7 x
          return y6
        } (n8: f64, n8_dot: f64) {
          return n8 n8_dot
        }
        return y1 n1 y3 y4 n4 y5
        """,
        "y1 y2 y3 y4 y5",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_these_and_no_others(name: str):
    text, names = PROGRAMS[name]
    function = parse_function("def f(x: f64, c: f64, k: i64, b: bool, d: f64[n]) {" + text + "}")
    check(function)
    assert influenced(function.body, {"x"}) == {"x", *names.split()}
