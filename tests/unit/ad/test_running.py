"""Running extrema backwards, against their definition: of each prefix the elements equal to its extremum share."""

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

from .operator_law import lawful_operators

SCALARS = """
def f(x: f64[n], s: f64) {{
  m: f64[n] = scan n [{1}] (p: f64, q: f64) {{
    r: f64 = {0} p q
    return r
  }} (i: i64) {{
    e: f64 = index x i
    return e
  }}
  return m
}}
"""
ROWS = """
def f(x: f64[n, 3], s: f64[3]) {{
  m: f64[n, 3] = scan n [s] (p: f64[3], q: f64[3]) {{
    r: f64[3] = map 3 (j: i64) {{
      g: f64 = index p j
      h: f64 = index q j
      o: f64 = {0} g h
      return o
    }}
    return r
  }} (i: i64) {{
    e: f64[3] = index x i
    return e
  }}
  return m
}}
"""
START = {"max": -1.0, "min": 5.0}


def shares(op: str, x: np.ndarray, s: float, m_adj: np.ndarray) -> tuple[np.ndarray, float]:
    """The adjoints of the elements and of the start, prefix by prefix."""
    x_adj, s_adj = np.zeros(len(x)), 0.0
    for k in range(len(x)):
        prefix = x[: k + 1]
        best = getattr(np, op)([*prefix, s])
        tied = prefix == best
        if tied.any():
            x_adj[: k + 1] += np.where(tied, m_adj[k] / tied.sum(), 0.0)
        elif s == best:
            s_adj += m_adj[k]
    return x_adj, s_adj


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("wins", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_elements_share(op: str, wins: bool, seed: int):
    """Where the start wins over the first elements, it has their prefixes to itself."""
    rng = np.random.default_rng(seed)
    x, m_adj = rng.integers(0, 5, 8).astype(float), rng.normal(size=8)
    s = 2.5 if wins else START[op]
    reverse = vjp_function(parse_function(SCALARS.format(op, "s")), (0, 1))
    check(reverse)
    _, *found = evaluate(reverse, [x, s, m_adj])
    for mine, theirs in zip(found, shares(op, x, s, m_adj), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("seed", range(3))
def test_elements_of_rows_share(op: str, seed: int):
    rng = np.random.default_rng(seed)
    x, m_adj, s = rng.integers(0, 5, (6, 3)).astype(float), rng.normal(size=(6, 3)), np.array([START[op], 2.5, 1.5])
    reverse = vjp_function(parse_function(ROWS.format(op)), (0, 1))
    check(reverse)
    _, x_adj, s_adj = evaluate(reverse, [x, s, m_adj])
    for j in range(3):
        expected, start = shares(op, x[:, j], float(s[j]), m_adj[:, j])
        np.testing.assert_allclose(x_adj[:, j], expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(s_adj[j], start, rtol=1e-13, atol=1e-15)


def test_a_prefix_that_is_no_number_has_no_derivative():
    reverse = vjp_function(parse_function(SCALARS.format("max", "-inf")), (0,))
    _, x_adj = evaluate(reverse, [np.array([1.0, 2.0, np.nan, 3.0]), 0.0, np.ones(4)])
    assert np.array_equal(x_adj, [1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(("op", "neutral"), [("max", "-inf"), ("min", "+inf")])
def test_operators_are_lawful(op: str, neutral: str):
    reverse = vjp_function(parse_function(SCALARS.format(op, neutral)), (0,))
    assert lawful_operators(reverse) == 3
