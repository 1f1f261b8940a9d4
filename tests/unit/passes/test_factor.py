"""A linear function of what a sum adds up is applied once, to the sum; anything else stays in the loop."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply, Block, If, Reduce
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Type
from tapeless.ir.walk import statements
from tapeless.passes import factor
from tapeless.passes.linear import CONSTANT, LINEAR, OTHER, ZERO, Kinds
from tapeless.passes.notes import Notes

from .small_programs import optimised

RNG = np.random.default_rng(8)
X, A = RNG.normal(size=(6, 4)), RNG.normal(size=(4, 3))

ADD = "(p: f64, q: f64) {\n    o: f64 = add p q\n    return o\n  }"
ADD3 = """(p: f64[3], q: f64[3]) {
    o: f64[3] = map 3 (j: i64) {
      pj: f64 = index p j
      qj: f64 = index q j
      oj: f64 = add pj qj
      return oj
    }
    return o
  }"""


def _product(element: str) -> str:
    """The sum over i of the products of the rows e(i) with a; `element` makes y of x[i, r] = w."""
    return f"""
def f(x: f64[n, 4], a: f64[4, 3]) {{
  z: f64[3] = replicate 0.0 3
  s: f64[3] = reduce n [z] {ADD3} (i: i64) {{
    e: f64[4] = map 4 (r: i64) {{
      w: f64 = index x i r
      {element}
      return y
    }}
    v: f64[3] = map 3 (c: i64) {{
      d: f64 = reduce 4 [0.0] (g: f64, h: f64) {{
        k: f64 = add g h
        return k
      }} (r2: i64) {{
        er: f64 = index e r2
        m: f64 = index a r2 c
        t: f64 = mul er m
        return t
      }}
      return d
    }}
    return v
  }}
  return s
}}
"""


def _summed(function) -> list[tuple]:
    """The shapes of what the sum over n adds up."""
    (sum_,) = [s for s in function.body.stms if isinstance(s.expr, Reduce) and not hasattr(s.expr.size, "value")]
    return [tuple(int(size.value) for size in var.type.shape) for var in sum_.vars]


def test_a_matrix_is_applied_once():
    function = optimised(_product("y: f64 = exp w"), [X, A], factor)
    assert _summed(function) == [(4,)]
    (loop,) = [s.expr for s in function.body.stms if isinstance(s.expr, Reduce) and not hasattr(s.expr.size, "value")]
    assert not any(isinstance(s.expr, Apply) and s.expr.op == "mul" for s in statements(loop.body.body))


def test_with_nothing_to_add_up_it_is_zero():
    function = factor.run(parse_function(_product("y: f64 = exp w")), Notes())
    (result,) = evaluate(function, [np.empty((0, 4)), np.full((4, 3), np.inf)])
    assert np.array_equal(result, np.zeros(3))


def _scalar(body: str, neutral: str = "0.0") -> str:
    return f"""
def f(x: f64[n, 4], a: f64[4, 3]) {{
  u: f64 = index a 0 0
  w: f64 = index a 1 1
  s: f64 = reduce n [{neutral}] {ADD} (i: i64) {{
    e: f64 = index x i 0
    t: f64 = exp e
{body}
    return v
  }}
  return s
}}
"""


LONG = "\n".join(f"    l{k + 1}: f64 = mul l{k} w" for k in range(8))


@pytest.mark.parametrize(
    ("body", "moved"),
    [
        (f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = neg l8", True),
        (f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = add l8 w", False),
        (f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = mul l8 t", False),
        (f"    l0: f64 = mul t u\n{LONG}\n    m: f64 = div t u\n    v: f64 = sub l8 m", True),
        (f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = div u l8", False),
        (f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = abs l8", False),
        ("    v: f64 = mul t u", False),
    ],
)
def test_what_is_linear(body, moved):
    function = optimised(_scalar(body), [X, A], factor)
    (loop,) = [s.expr for s in function.body.stms if isinstance(s.expr, Reduce)]
    products = sum(isinstance(s.expr, Apply) and s.expr.op == "mul" for s in statements(loop.body.body))
    assert (products == 0) == moved


def test_a_sum_that_starts_elsewhere_keeps_its_start():
    body = f"    l0: f64 = mul t u\n{LONG}\n    v: f64 = neg l8"
    optimised(_scalar(body, neutral="1.5"), [X, A], factor)


def test_kinds():
    function = parse_function("""
def f(x: f64[n], i: i64, a: f64) {
  g: f64 = index x i
  z: f64[4] = replicate 0.0 4
  p: f64 = mul g a
  one: f64[4] = update z p 2
  two: f64[4] = update one a 1
  gone: f64[4] = update one 0.0 2
  moved: f64[4] = update z p i
  same: f64 = index gone 2
  other: f64 = index gone i
  b: f64 = add a 1.0
  return one two gone moved same other b z
}
""")
    x, i, a = function.params
    assert a.type == Type(a.type.dtype)
    given = next(s.vars[0] for s in function.body.stms if s.vars[0].name.startswith("g"))
    block = Block(function.body.stms, function.body.results)
    assert Kinds(i, given, frozenset()).block(block) == [LINEAR, OTHER, LINEAR, OTHER, LINEAR, OTHER, CONSTANT, ZERO]
    assert x.type.shape


def test_gradient_of_a_residual():
    """Least squares: the adjoint of the model is summed, and the derivative of the shift is made of that sum."""

    def loss(shift: tp.f64[40], factors: tp.f64[40, 40], points: tp.f64[:, 40]) -> float:
        total = 0.0
        for i in range(len(points)):
            r = factors @ (points[i] - shift)
            total += np.sum(np.sin(r))
        return total

    points, factors, shift = RNG.normal(size=(50, 40)), RNG.normal(size=(40, 40)), RNG.normal(size=40)
    residuals = (points - shift) @ factors.T
    expected = -(np.cos(residuals) @ factors).sum(axis=0)
    gradient = tp.grad(loss)
    np.testing.assert_allclose(gradient(shift, factors, points), expected, rtol=1e-11)
    assert "done once, after the sum" in gradient.explain(shift, factors, points)
    assert np.array_equal(gradient(shift, factors, points[:0]), np.zeros(40))


def test_an_index_of_an_empty_sum_is_not_read() -> None:
    """Layer 7 need not exist where nothing is added up."""
    text = _product("y: f64 = sin w").replace(
        "x: f64[n, 4], a: f64[4, 3]", "x: f64[n, 4], b: f64[layers, 4, 3], at: i64"
    )
    text = text.replace("    e: f64[4] = map", "    a: f64[4, 3] = index b at\n    e: f64[4] = map")
    empty = [np.zeros((0, 4)), np.zeros((2, 4, 3)), 7]
    function = optimised(text, [X, A[None], 0], factor)
    assert _summed(function) == [(4,)]
    np.testing.assert_array_equal(evaluate(function, empty)[0], np.zeros(3))


@pytest.mark.parametrize(
    ("start", "step", "harmless"),
    [("0", "1", True), ("1", "1", True), ("2", "1", False), ("0", "2", False), ("at", "1", False)],
)
def test_slices_run_where_they_are_in_range(start: str, step: str, harmless: bool) -> None:
    """The sum of the rows of a triangle, put into zeros: with nothing to add up there need be no place for them."""
    add4 = ADD3.replace("3", "4")
    text = f"""
def f(x: f64[n, 4], b: f64[4, 3], at: i64) {{
  z: f64[4] = replicate 0.0 4
  s: f64[4] = reduce n [z] {add4} (i: i64) {{
    v: f64[4] = reduce 4 [z] {add4} (r: i64) {{
      w: f64 = index x i r
      y: f64 = exp w
      row: f64[r] = map r (c: i64) {{
        m: f64 = index b r c
        t: f64 = mul m y
        return t
      }}
      put: f64[4] = update_slice z row {start} {step}
      return put
    }}
    return v
  }}
  return s
}}
"""
    function = factor.run(parse_function(text), Notes())
    (loop,) = [s.expr for s in function.body.stms if isinstance(s.expr, Reduce) and not hasattr(s.expr.size, "value")]
    assert not any(isinstance(s.expr, Apply) and s.expr.op == "mul" for s in statements(loop.body.body))
    assert any(isinstance(s.expr, If) for s in function.body.stms) is not harmless
    np.testing.assert_array_equal(evaluate(function, [X[:0], RNG.normal(size=(4, 3)), 7])[0], np.zeros(4))


def test_gradient_of_a_triangular_product() -> None:
    def loss(shift: tp.f64[16], factors: tp.f64[16, 16], points: tp.f64[:, 16]) -> float:
        total = 0.0
        for i in range(len(points)):
            centred = points[i] - shift
            for r in range(16):
                entry = 0.0
                for c in range(r):
                    entry += factors[r, c] * centred[c]
                total += np.sin(entry)
        return total

    points, factors, shift = RNG.normal(size=(50, 16)), RNG.normal(size=(16, 16)), RNG.normal(size=16)
    lower = np.tril(factors, -1)
    expected = -(np.cos((points - shift) @ lower.T) @ lower).sum(axis=0)
    gradient = tp.grad(loss)
    np.testing.assert_allclose(gradient(shift, factors, points), expected, rtol=1e-11)
    assert "done once, after the sum" in gradient.explain(shift, factors, points)
