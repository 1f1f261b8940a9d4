"""Crosswise fusion: a matrix made by rows and read by columns goes away, where no work is repeated for it."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply
from tapeless.ir.walk import statements
from tapeless.passes import fuse, simplify

from .small_programs import kinds, optimised

X = np.linspace(-1.0, 2.0, 4)
W = np.linspace(0.5, 1.5, 20).reshape(5, 4)
Z = np.linspace(-2.0, 3.0, 5)

ROWS = """
  a: f64[n, m] = map n (i: i64) {
    p: f64 = index x i
    r: f64[m] = map m (j: i64) {
      q: f64 = index z j
      s: f64 = mul p q
      return s
    }
    return r
  }
"""
COLUMNS = """
  b: f64[m, n] = map m (k: i64) {
    c: f64[n] = map n (l: i64) {
      e: f64 = index w k l
      y: f64 = index a l k
      g: f64 = sub e y
      return g
    }
    return c
  }
"""


def body(rows=ROWS, columns=COLUMNS, results="b"):
    """What is left of a matrix made by rows and one made by columns from it; the results are compared."""
    text = f"def f(x: f64[n], w: f64[m, n], z: f64[m]) {{{rows}{columns}  return {results}\n}}\n"
    return optimised(text, [X, W, Z], simplify, fuse, simplify).body


def maps(**parts):
    return kinds(body(**parts)).count("map")


def test_the_matrix_goes_away():
    assert maps() == 2


def test_a_second_reader_keeps_it_and_work_is_not_repeated():
    found = body(results="b a")
    assert kinds(found).count("map") == 4
    products = [stm for stm in statements(found) if isinstance(stm.expr, Apply) and stm.expr.op == "mul"]
    assert len(products) == 1


def test_rows_read_by_rows_are_not_turned():
    other = COLUMNS.replace("index a l k", "index a k l").replace("w k l", "w l k")
    other = other.replace("[m, n] = map m", "[n, m] = map n").replace("[n] = map n (l", "[m] = map m (l")
    assert maps(columns=other) == 2


def test_what_is_dear_for_a_row_is_not_repeated():
    dear = ROWS.replace("p: f64 = index x i", "o: f64 = index x i\n    p: f64 = exp o")
    assert maps(rows=dear) == 4


def test_rows_that_are_sums_stay():
    sums = ROWS.replace(
        "s: f64 = mul p q",
        "s: f64 = reduce n [0.0] (u: f64, v: f64) {\n        t: f64 = add u v\n        return t\n      } (d: i64) {\n"
        "        h: f64 = index w j d\n        o: f64 = mul h q\n        return o\n      }",
    )
    assert maps(rows=sums) == 4


def test_other_results_of_the_map_are_still_made():
    both = ROWS.replace("  a: f64[n, m] =", "  a: f64[n, m], d: f64[n] =").replace(
        "return r", "f: f64 = exp p\n    return r f"
    )
    assert maps(rows=both, results="b d") == 3


def test_a_check_of_elements_keeps_the_matrix():
    checked = ROWS.replace("q: f64", "check bounds j m\n      q: f64")
    assert maps(rows=checked) == 4


def test_a_check_of_rows_is_made_where_it_was():
    checked = ROWS.replace("p: f64", "check bounds i n\n    p: f64")
    assert maps(rows=checked) == 3


def test_elements_are_not_made_after_a_write_to_what_they_are_made_of():
    write = "  x2: f64[n] = update x 7.0 1\n"
    assert maps(columns=write + COLUMNS, results="b x2") == 4


def test_the_gradient_of_a_chain_of_products_makes_no_matrix():
    def chain(w, x):
        for _ in range(4):
            x = np.tanh(x @ w)
        return np.sum(x)

    gradient = tp.grad(chain)
    w, x = np.linspace(-1.0, 1.0, 81).reshape(9, 9), np.linspace(-0.5, 0.9, 9)
    h = 1e-6
    found = gradient(w, x)
    for at in np.ndindex(9, 9):
        step = np.zeros((9, 9))
        step[at] = h
        assert found[at] == pytest.approx((tp.jit(chain)(w + step, x) - tp.jit(chain)(w - step, x)) / (2 * h), rel=1e-6)
    shown = gradient.show("ir")
    assert shown.count(": f64[n.0, n.0] = map") == 1
