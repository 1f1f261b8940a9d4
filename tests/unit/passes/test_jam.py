"""Eight rows of a matrix product at a time: the same numbers, one load for all rows, and the rows left over."""

from __future__ import annotations

import numpy as np
import pytest

from tapeless.ir.core import If, Map, Reduce
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import jam, simplify

from .small_programs import kinds, optimised

PRODUCT = """
def f(a: f64[n, m], b: f64[m, l]) {
  r: f64[n, l] = map n (i: i64) {
    row: f64[m] = index a i
    s: f64[l] = map l (j: i64) {
      t: f64 = reduce m [0.0] (x: f64, y: f64) {
        z: f64 = add x y
        return z
      } (k: i64) {
        u: f64 = index row k
        v: f64 = index b k j
        w: f64 = mul u v
        return w
      }
      q: f64 = mul t t
      return q
    }
    return s
  }
  return r
}
"""
NORM = PRODUCT.replace("r: f64[n, l] = map n (i: i64) {", """r: f64 = reduce n [-inf] (g: f64, h: f64) {
    o: f64 = max g h
    return o
  } (i: i64) {""").replace("s: f64[l] = map l (j: i64) {", """s: f64 = reduce l [0.0] (c: f64, d: f64) {
      e: f64 = add c d
      return e
    } (j: i64) {""")  # fmt: skip


# What a recurrent layer does with each row of a batch: the product stands among other things.
LAYER = """
def f(a: f64[3, m], b: f64[l, m]) {
  r: f64[3, l], p: f64[3] = map 3 (i: i64) {
    row: f64[m] = index a i
    s: f64[l], o: f64[l] = map l (j: i64) {
      t: f64 = reduce m [0.0] (x: f64, y: f64) {
        z: f64 = add x y
        return z
      } (k: i64) {
        u: f64 = index row k
        v: f64 = index b j k
        w: f64 = mul u v
        return w
      }
      q: f64 = tanh t
      return q t
    }
    e: f64 = reduce l [-inf] (g: f64, h: f64) {
      c: f64 = max g h
      return c
    } (d: i64) {
      aa: f64 = index o d
      return aa
    }
    return s e
  }
  return r p
}
"""


def _arguments(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.normal(size=(n, 3)), rng.normal(size=(3, 5))]


@pytest.mark.parametrize("n", [0, 1, 8, 19])
@pytest.mark.parametrize("text", [PRODUCT, NORM], ids=["product", "norm"])
def test_the_same_numbers(text: str, n: int) -> None:
    optimised(text, _arguments(n), jam, simplify)


def test_one_load_for_all_rows() -> None:
    function = optimised(PRODUCT, _arguments(9), jam, simplify)
    (main,) = (stm.expr for stm in function.body.stms if isinstance(stm.expr, Map))
    (sums,) = (stm.expr for stm in statements(main.body.body) if isinstance(stm.expr, Reduce))
    assert len(sums.neutral) == jam.ROWS
    assert kinds(sums.body.body).count("index") == jam.ROWS + 1


@pytest.mark.parametrize("n", [1, 20])
def test_a_large_product_is_left_to_the_back_end(n: int) -> None:
    text = PRODUCT.replace("      q: f64 = mul t t\n      return q", "      return t")
    rng = np.random.default_rng(n)
    function = optimised(text, [rng.normal(size=(n, 20)), rng.normal(size=(20, 200))], jam, simplify)
    (choice,) = (stm.expr for stm in function.body.stms if isinstance(stm.expr, If))
    arms = [
        [stm.expr for stm in statements(arm) if isinstance(stm.expr, Reduce)] for arm in (choice.then, choice.orelse)
    ]
    assert [len(sums.neutral) for (sums,) in arms] == [1, jam.ROWS]


@pytest.mark.parametrize("l", [0, 1, 7, 8, 19])
def test_elements_inside_another_map(l: int) -> None:
    rng = np.random.default_rng(l)
    function = optimised(LAYER, [rng.normal(size=(3, 4)), rng.normal(size=(l, 4))], jam, simplify)
    (main,) = (stm.expr for stm in function.body.stms if isinstance(stm.expr, Map))
    together = [stm.expr for stm in statements(main.body.body) if isinstance(stm.expr, Reduce)]
    assert [len(sums.neutral) for sums in together] == [jam.ROWS, 1, 1]
    assert kinds(together[0].body.body).count("index") == jam.ROWS + 1


@pytest.mark.parametrize(
    ("old", "new"),
    [("index b j k", "index row k"), ("u: f64 = index row k", "check bounds k m\n        u: f64 = index row k")],
    ids=["the same for all elements", "a check"],
)
def test_elements_left_alone(old: str, new: str) -> None:
    function = parse_function(LAYER.replace(old, new))
    assert kinds(jam.run(function, jam.Notes()).body) == kinds(function.body)


@pytest.mark.parametrize(
    ("old", "new"),
    [("index b k j", "index row k"), ("u: f64 = index row k", "check bounds k m\n        u: f64 = index row k")],
    ids=["nothing is shared", "a check"],
)
def test_left_alone(old: str, new: str) -> None:
    function = parse_function(PRODUCT.replace(old, new))
    assert kinds(jam.run(function, jam.Notes()).body) == kinds(function.body)
