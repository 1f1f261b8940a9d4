"""Sums over rows of tangents pass over rows that are zero: the same values, and second derivatives are right."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tapeless as tp
import tapeless.ops
from tapeless.ir.check import check
from tapeless.ir.core import Block, For
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import Lit
from tapeless.ir.walk import statements
from tapeless.passes import reached
from tapeless.passes.notes import Notes
from tapeless.testing import check_grads

RNG = np.random.default_rng(31)
BONES = 48


# -- the pass ----------------------------------------------------------------------------------------------


def _program(term: str = "p: f64 = mul w t0", total: str = "add a p", more: str = "", seed: str = "basis one") -> str:
    """Direction s moves rows s and s + 4 of x'; `b` and `n` are sums of numbers that do not move."""
    return f"""
def f(e: f64[n, 9]) {{
  r: f64[4, n] = map 4 (s: i64) {{
    one: f64 = convert[f64] 1
    seed: f64 = {seed}
    x: f64[9, 4] = map 9 (o: i64) {{
      k: i64 = mod o 4
      met: bool = eq k s
      own: f64 = select met seed 0.0
      row: f64[4] = replicate own 4
      return row
    }}
    q: f64[n] = map n (i: i64) {{
      total: f64, number: f64 = for 9 [0.5 0.0] (j: i64, a: f64, b: f64) {{
        w: f64 = index e i j
        t0: f64 = index x j 2
        t1: f64 = index x j 3
        {more}
        {term}
        a2: f64 = {total}
        b2: f64 = add b w
        return a2 b2
      }}
      z: f64 = mul total number
      return z
    }}
    return q
  }}
  return r
}}
"""


def _changed(text: str):
    function = parse_function(text)
    check(function)
    made = reached.run(function, Notes())
    check(made)
    return function, made


def _goes_over_rows(function) -> bool:
    """Is there a loop whose length is computed?"""
    return any(isinstance(s.expr, For) and not isinstance(s.expr.count, Lit) for s in statements(function.body))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"term": "p: f64 = div t0 w"},
        {"term": "p: f64 = scale w t1"},
        {"term": "u: f64 = sub t0 t1\n        p: f64 = neg u"},
        {"term": "v: f64[4] = index x j\n        u: f64 = index v 1\n        p: f64 = mul u w"},
        {"total": "add p a"},
        {"total": "sub a p"},
        {"more": "check bounds j 9"},
        {"more": "h: bool = lt w 0.0\n        w2: f64 = if h {\n return 1.0 \n} else {\n return w \n}"},
    ],
    ids=["product", "quotient", "scaled", "difference", "part of a row", "turned", "less", "check", "branch"],
)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_values_are_the_same_bits_for_bits(change, n):
    function, made = _changed(_program(**change))
    assert _goes_over_rows(made)
    args = (RNG.normal(size=(n, 9)),)
    (expected,), (found,) = evaluate(function, args), evaluate(made, args)
    assert np.array_equal(expected, found)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "neg one"},
        {"term": "p: f64 = mul t0 t1"},
        {"term": "p: f64 = div w t0"},
        {"term": "p: f64 = add w t0"},
        {"term": "p: f64 = exp t0"},
        {"total": "sub p a"},
        {"total": "mul p a"},
        {"term": "p: f64 = mul b t0"},
        {"more": "far: i64 = sub 8 j", "term": "u: f64 = index x far 1\n        p: f64 = mul u w"},
        {"more": "h: bool = lt t0 0.0\n        w2: f64 = if h {\n return 1.0 \n} else {\n return w \n}"},
        {"more": "check bounds j 9\n        c: bool = ge t0 0.0\n        check assert c"},
    ],
    ids=[
        "no basis", "product of rows", "row below", "not zero at zero", "not linear", "turns", "not a sum",
        "needs what is carried", "another row", "a row decides", "a row is asked",
    ],
)  # fmt: skip
def test_other_loops_stay(change):
    function, made = _changed(_program(**change))
    assert not _goes_over_rows(made)
    assert made.body == function.body or change.get("seed") is None


def test_a_check_is_asked_in_all_iterations():
    _, made = _changed(_program(more="ok: bool = gt w 0.0\n        check assert ok"))
    assert _goes_over_rows(made)
    weights = np.ones((2, 9))
    evaluate(made, (weights,))
    weights[1, 3] = -1.0
    with pytest.raises(AssertionError):
        evaluate(made, (weights,))


def test_rows_that_are_no_blocks_are_not_looked_at():
    text = _program().replace("f64[9, 4]", "f64[9, 3]").replace("f64[4] = replicate own 4", "f64[3] = replicate own 3")
    _, made = _changed(text.replace("index x j 3", "index x j 1"))
    assert not _goes_over_rows(made)


def test_rows_are_listed_once_for_two_loops():
    text = _program()
    first, last = text.index("      total:"), text.index("      z:")
    again = re.sub(r"\b(total|number|a|b|w|t0|t1|p|a2|b2|j)\b", r"other_\1", text[first:last])
    made = reached.run(parse_function(text[:last] + again + text[last:]), Notes())
    check(made)
    loops = [s.expr for s in statements(made.body) if isinstance(s.expr, For)]
    counts = {loop.count for loop in loops if not isinstance(loop.count, Lit)}
    assert (len(loops), len(counts)) == (5, 1)


# -- Jacobians ---------------------------------------------------------------------------------------------


def _maps(angles: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Each bone turns by its angle and goes on from its parent."""
    maps = np.empty((BONES, 2, 3))
    for bone in range(BONES):
        c, s = np.cos(angles[bone]), np.sin(angles[bone])
        parent = parents[bone]
        if parent < 0:
            maps[bone] = np.array([[c, -s, 1.0], [s, c, 0.5]])
        else:
            for r in range(2):
                a, b = maps[parent, r, 0], maps[parent, r, 1]
                maps[bone, r, 0] = a * c + b * s
                maps[bone, r, 1] = b * c - a * s
                maps[bone, r, 2] = maps[parent, r, 2] + a + 0.5 * b
    return maps


def _skin(angles: np.ndarray, parents: np.ndarray, weights: np.ndarray, points: np.ndarray) -> np.ndarray:
    maps = _maps(angles, parents)
    moved = np.empty((len(points), 2))
    for i in range(len(points)):
        blend = np.zeros((2, 3))
        for bone in range(BONES):
            for r in range(2):
                for c in range(3):
                    blend[r, c] += weights[i, bone] * maps[bone, r, c]
        for r in range(2):
            moved[i, r] = np.sin(blend[r, 0] * points[i, 0] + blend[r, 1] * points[i, 1] + blend[r, 2])
    return moved


@tp.jit
def skin(angles: tp.f64[BONES], parents: tp.i64[BONES], weights: tp.f64[:, BONES], points: tp.f64[:, 2]) -> np.ndarray:
    return _skin(angles, parents, weights, points)


@tp.jit
def skin32(
    angles: tp.f32[BONES], parents: tp.i64[BONES], weights: tp.f32[:, BONES], points: tp.f32[:, 2]
) -> np.ndarray:
    return _skin(angles, parents, weights, points)


# A root, then fingers of four bones.
PARENTS = np.array([-1, *(0 if bone % 4 == 1 else bone - 1 for bone in range(1, BONES))])


def _hand(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return RNG.normal(size=BONES), PARENTS, RNG.uniform(size=(n, BONES)), RNG.normal(size=(n, 2))


@pytest.mark.parametrize("n", [0, 1, 7, 8, 29])
def test_jacobians_of_parts_are_right(n):
    args = _hand(n)
    jacobian = tp.jacfwd(skin)
    found = jacobian(*args)
    assert "only those that a direction reaches" in str(jacobian.explain()) or n == 1  # a program for one point
    assert found.shape == (n, 2, BONES)
    assert np.allclose(found, tp.jacrev(skin)(*args), rtol=1e-13, atol=1e-13)


def test_what_is_not_reached_is_exactly_zero():
    angles, _, weights, points = _hand(12)
    alone = np.full(BONES, -1)
    weights[:, 3] = 0.0
    assert not np.any(tp.jacfwd(skin)(angles, alone, weights, points)[:, :, 3])
    weights[:, 4] = np.inf
    column = tp.jacfwd(skin)(angles, alone, weights, points)[:, :, 3]
    assert np.all(np.isnan(column)) or not np.any(column)  # the value itself is not finite


def test_single_precision():
    angles, parents, weights, points = _hand(10)
    args = (angles.astype(np.float32), parents, weights.astype(np.float32), points.astype(np.float32))
    exact = tp.jacfwd(skin)(*(np.asarray(a, np.float64 if a.dtype == np.float32 else a.dtype) for a in args))
    assert np.allclose(tp.jacfwd(skin32)(*args), exact, rtol=1e-5, atol=1e-5)


@tp.jit
def flat(angles: tp.f64[40], weights: tp.f64[:, 40]) -> np.ndarray:
    """Where an angle is 0 its whole row of tangents is zero, but the tangent of that is not."""
    rows = np.empty((40, 2, 2))
    for j in range(40):
        for r in range(2):
            for c in range(2):
                rows[j, r, c] = (1.0 + r + 2.0 * c) * angles[j] ** 2
    result = np.empty(len(weights))
    for i in range(len(weights)):
        total = 0.0
        for j in range(40):
            total += weights[i, j] * rows[j, 0, 0] - weights[i, j] ** 2 * rows[j, 1, 1]
        result[i] = total
    return result


@pytest.mark.parametrize("outer", [tp.jacfwd, tp.jacrev])
def test_second_derivatives_where_rows_are_zero(outer):
    angles, weights = RNG.integers(-1, 2, 40) * RNG.normal(size=40), RNG.normal(size=(11, 40))
    inner = tp.jacfwd(flat)
    inner(angles, weights)
    assert "only those that a direction reaches" in str(inner.explain())
    slopes = weights - 4.0 * weights**2
    assert np.allclose(inner(angles, weights), slopes * 2.0 * angles)
    expected = np.einsum("ij,jk->ijk", 2.0 * slopes, np.eye(40))
    assert np.allclose(outer(inner)(angles, weights), expected)
    third = tp.jacfwd(outer(inner))(angles, weights)
    assert not np.any(third)


def test_hessian_by_two_forward_sweeps():
    angles, parents, weights, points = _hand(6)

    def cost(angles, weights, points):
        return np.sum(skin(angles, parents, weights, points) ** 2)

    direct = tp.hessian(cost)(angles, weights, points)
    assert np.allclose(tp.jacfwd(tp.jacfwd(cost))(angles, weights, points), direct, rtol=1e-11, atol=1e-11)
    check_grads(cost, angles, weights, points)


def test_under_a_block_of_a_branch_and_a_nested_loop():
    @tp.jit
    def f(angles: tp.f64[BONES], weights: tp.f64[:, 3, BONES], on: bool) -> np.ndarray:
        maps = _maps(angles, PARENTS)
        result = np.zeros(len(weights))
        for i in range(len(weights)):
            for k in range(3):
                if on:
                    total = 0.0
                    for bone in range(BONES):
                        total += weights[i, k, bone] * maps[bone, 0, 2]
                    result[i] -= np.cos(total)
        return result

    angles, weights = RNG.normal(size=BONES), RNG.uniform(size=(9, 3, BONES))
    for on in (True, False):
        forward, back = tp.jacfwd(f)(angles, weights, on), tp.jacrev(f)(angles, weights, on)
        assert np.allclose(forward, back, rtol=1e-13, atol=1e-13)


def test_nothing_is_left_of_the_mark():
    lowered = tp.jacfwd(skin).lower(*_hand(4))
    assert "basis" not in str(lowered.ir)
    assert isinstance(lowered.ir.body, Block)
