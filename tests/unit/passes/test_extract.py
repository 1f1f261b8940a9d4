"""Products inside maps that do more with their elements become products alone, where that takes no more memory."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.core import Map
from tapeless.ir.text import parse_function
from tapeless.passes import extract
from tapeless.passes.notes import Notes
from tapeless.passes.products import product

from .small_programs import kinds, optimised

LAYER = """
def f(a: f64[n, m], b: f64[l, m], v: f64[n, m], c: f64[l]) {
  r: f64[n, l] = map n (i: i64) {
    row: f64[m] = index a i
    first: f64[l] = map l (j: i64) {
      t: f64 = reduce m [0.0] (x: f64, y: f64) {
        z: f64 = add x y
        return z
      } (k: i64) {
        u: f64 = index row k
        w: f64 = index b j k
        p: f64 = mul u w
        return p
      }
      return t
    }
    s: f64[l] = map l (j2: i64) {
      t2: f64 = reduce m [0.0] (x2: f64, y2: f64) {
        z2: f64 = add x2 y2
        return z2
      } (k2: i64) {
        u2: f64 = index b j2 k2
        w2: f64 = index v i k2
        p2: f64 = mul u2 w2
        return p2
      }
      e: f64 = index c j2
      g: f64 = index first AT
      h: f64 = add t2 e
      o: f64 = add g h
      return o
    }
    return s
  }
  return r
}
"""
RNG = np.random.default_rng(2)
ARGUMENTS = [RNG.normal(size=(5, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=4)]


def test_both_products_stand_alone() -> None:
    function = optimised(LAYER.replace("AT", "j2"), ARGUMENTS, extract)
    maps = [stm.expr for stm in function.body.stms if isinstance(stm.expr, Map)]
    assert [product(expr) is not None for expr in maps] == [True, True, False]
    assert "reduce" not in kinds(maps[2].body.body)


def test_a_row_that_is_read_elsewhere_stays_one() -> None:
    function = optimised(LAYER.replace("AT", "0"), ARGUMENTS, extract)
    maps = [stm.expr for stm in function.body.stms if isinstance(stm.expr, Map)]
    assert [product(expr) is not None for expr in maps] == [True, False]
    assert kinds(maps[1].body.body).count("reduce") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[n, m]", "[n, 3]"),
        ("u2: f64 = index b j2 k2", "check bounds k2 m\n        u2: f64 = index b j2 k2"),
        ("[0.0]", "[1.0]"),
        ("mul", "div"),
    ],
    ids=["a known size", "a check", "not from 0", "no product"],
)
def test_left_alone(old: str, new: str) -> None:
    text = LAYER.replace("AT", "j2").replace(old, new)
    function = parse_function(text.replace("reduce m", "reduce 3").replace("[m]", "[3]") if "3" in new else text)
    assert kinds(extract.run(function, Notes()).body) == kinds(function.body)
