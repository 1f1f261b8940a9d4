"""What several operators of the return sweep need of each index is computed once where it is dear."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.shared import keep_shared
from tapeless.ir.build import Builder
from tapeless.ir.core import Map, Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements

RNG = np.random.default_rng(3)


def squares(a, b):
    return np.sum((a @ b) ** 2)


def layers(x, w, v):
    return np.sum(np.tanh(np.tanh(x @ w) @ v))


def test_a_product_of_matrices_is_not_computed_again():
    gradient = tp.grad(squares, (0, 1))
    a, b = RNG.normal(size=(9, 12)), RNG.normal(size=(12, 7))
    for found, expected in zip(gradient(a, b), (2 * a @ b @ b.T, 2 * a.T @ a @ b), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert "kept" in gradient.show("ir")
    # The product, and one for each of its operands, each as it stands for large matrices, and by rows for others.
    assert gradient.show("ir").count("reduce") == 6


@pytest.mark.parametrize("memory", [None, "1kB"])
def test_gradients_of_layers(memory):
    x, w, v = RNG.normal(size=(6, 3)), RNG.normal(size=(3, 5)), RNG.normal(size=(5, 2))
    h = np.tanh(x @ w)
    out_adj = 1 - np.tanh(h @ v) ** 2
    h_adj = (out_adj @ v.T) * (1 - h**2)
    gradient = tp.grad(layers, (0, 1, 2), memory=memory)
    for found, expected in zip(gradient(x, w, v), (h_adj @ w.T, x.T @ h_adj, h.T @ out_adj), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


BODY = """
def f(a: f64[n, m], i: i64) {
  s: f64 = reduce m [0.0] (x: f64, y: f64) {
    z: f64 = add x y
    return z
  } (k: i64) {
    e: f64 = index a i k
    t: f64 = exp e
    return t
  }
  d: f64 = add s s
  u: f64 = sin d
  v: f64 = cos d
  w: f64 = index a i 0
  p: f64 = mul v w
  return u p w
}
"""


def names_of(results):
    return [x.name.split(".")[0] for x in results]


def test_the_last_dear_value_that_all_need_is_kept():
    function = parse_function(BODY)
    b, i = Builder(), function.params[1]
    u, p, w = function.body.results
    new = keep_shared(b, function.params[0].type.shape[0], i, function.body, ((u,), (p,)))
    (made,) = b.stms
    assert isinstance(made.expr, Map)
    assert names_of(made.expr.body.body.results) == ["d"]  # one number, not u and v
    assert not any(isinstance(stm.expr, Reduce) for stm in statements(new))
    assert keep_shared(Builder(), i, i, function.body, ((u,), (w,))) is function.body  # nothing in common
    assert evaluate(function, [np.ones((1, 2)), 0])


ON_THE_WAY = (
    BODY.replace("  s: f64 =", "  c: f64 = index a i 1\n  s: f64 =")
    .replace("exp e", "mul e c")
    .replace("mul v w", "mul v c")
)


def test_what_is_cheap_is_not_kept_beside_what_is_dear():
    function = parse_function(ON_THE_WAY)
    b, i = Builder(), function.params[1]
    u, p, _ = function.body.results
    new = keep_shared(b, function.params[0].type.shape[0], i, function.body, ((u,), (p,)))
    assert [names_of(stm.expr.body.body.results) for stm in b.stms] == [["d"]]  # c was read for it: it is read again
    assert [stm.expr.op for stm in statements(new)].count("index") == 2
