"""Jacobians of functions of few numbers: exact zeros, shared work, and every way that a shape can be put together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply, Function, Map, Reduce
from tapeless.ir.walk import statements

BOTH = pytest.mark.parametrize("verb", [tp.jacfwd, tp.jacrev])


def program(derivative, *args) -> Function:
    """The optimised program of a derivative."""
    return derivative.lower(*args).ir


def operations(function: Function) -> Counter[str]:
    return Counter(stm.expr.op for stm in statements(function.body) if isinstance(stm.expr, Apply))


def numerical(f, x: np.ndarray) -> np.ndarray:
    """The Jacobian by the complex step, which is exact to rounding for analytic functions."""
    columns = []
    for k in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[k] += 1e-30j
        columns.append(np.imag(f(moved)) / 1e-30)
    return np.moveaxis(np.array(columns).reshape(*x.shape, *columns[0].shape), range(x.ndim), range(-x.ndim, 0))


# -- what is zero is not computed ------------------------------------------------------------------


@BOTH
def test_directions_that_do_not_reach_a_value_leave_exact_zeros(verb):
    def f(x: tp.f64[3]):
        return np.array([np.sqrt(x[0]), x[1] * x[1], x[2]])

    # The slope of the root is infinite here: a zero that took part in a product would be NaN.
    found = verb(f)(np.array([0.0, 3.0, 5.0]))
    np.testing.assert_array_equal(found, [[np.inf, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 1.0]])


@BOTH
def test_a_diagonal_jacobian_costs_its_diagonal(verb):
    def f(x: tp.f64[6]):
        return np.sin(x)

    counts = operations(program(verb(f), np.ones(6)))
    assert counts["cos"] == 6
    assert counts["mul"] == counts["add"] == counts["select"] == 0


def test_inputs_that_act_through_one_value_share_its_direction():
    def through(p: tp.f64[2], c: tp.f64[2]):
        x, y = p[0] - c[0], p[1] * c[1]
        return np.array([np.exp(x) * y, x / y])

    def alone(x, y):
        return np.array([np.exp(x) * y, x / y])

    p, c = np.array([0.3, 1.2]), np.array([0.7, 0.4])
    by_p, by_c = tp.jacfwd(through, (0, 1))(p, c)
    by_x, by_y = tp.jacfwd(alone, (0, 1))(p[0] - c[0], p[1] * c[1])
    np.testing.assert_allclose(by_p, np.stack([by_x, by_y * c[1]], axis=1), rtol=1e-15)
    np.testing.assert_allclose(by_c, np.stack([-by_x, by_y * p[1]], axis=1), rtol=1e-15)
    merged = operations(program(tp.jacfwd(through, (0, 1)), p, c))
    unmerged = operations(program(tp.jacfwd(alone, (0, 1)), 0.1, 0.2))
    assert merged["div"] == unmerged["div"]
    # Two factors, for two results each, and the product itself.
    assert merged["mul"] <= unmerged["mul"] + 5


def test_a_value_read_twice_is_not_merged_away():
    def f(p: tp.f64[2]):
        x = p[0] - p[1]
        return np.array([x * p[0], x])

    np.testing.assert_allclose(tp.jacfwd(f)(np.array([3.0, 1.0])), [[5.0, -3.0], [1.0, -1.0]])


def test_an_operand_that_stands_twice_has_one_partial():
    def cube(x: tp.f64[1]):
        return np.array([x[0] * x[0] * x[0]])

    assert operations(program(tp.jacfwd(cube), np.ones(1)))["mul"] <= 3
    np.testing.assert_allclose(tp.jacfwd(cube)(np.array([2.0])), [[12.0]])


def test_either_direction_is_chosen_by_the_operations_it_takes():
    def wide(x: tp.f64[8]):
        y = x[0]
        for k in range(1, 8):
            y = np.sin(y) * x[k]
        return np.array([y])

    def tall(x: tp.f64[1]):
        y, out = x[0], np.empty(8)
        for k in range(8):
            y = np.sin(y) * y
            out[k] = y
        return out

    for f, better, other in ((wide, tp.jacrev, tp.jacfwd), (tall, tp.jacfwd, tp.jacrev)):
        x = np.full(8 if f is wide else 1, 0.8)
        with tp.config(coarsen=False):  # shortened afterwards, both directions take the same
            either, good, bad = (operations(program(verb(f), x))["mul"] for verb in (tp.jacobian, better, other))
        assert either <= good < bad
        np.testing.assert_allclose(tp.jacobian(f)(x), other(f)(x), rtol=1e-13)


# -- control flow and operators --------------------------------------------------------------------


def branches(x):
    if x[0] * x[1] > 1.0:
        u, v = np.exp(x[0]) * x[2], x[1] ** 3
    else:
        u, v = x[0] * x[2], np.cos(x[1])
    return np.array([u / v, u * v + x[2]])


def newton(x):
    y = x[0] * 1.0
    for _ in range(7):
        y = y - (y * y * y - x[1] * y - x[2]) / (3.0 * y * y - x[1])
    return np.array([y, y * x[2]])


def matrix(x):
    return np.array([[x[0] * x[1], x[1] * x[2]], [np.sin(x[2]), x[0] / x[2]], [x[0], 1.0 + x[1] * 0.0]])


@BOTH
@pytest.mark.parametrize("f", [branches, newton, matrix])
@pytest.mark.parametrize("x", [np.array([1.3, 1.1, 0.7]), np.array([2.0, 0.1, 0.4])])
def test_small_functions(verb, f, x):
    def typed(x: tp.f64[3]):
        return f(x)

    np.testing.assert_allclose(verb(typed)(x), numerical(f, x), rtol=1e-12, atol=1e-14)


@BOTH
def test_a_while_loop(verb):
    def f(x: tp.f64[2]):
        y, n = x[0], 0
        while y < 100.0:
            y = y * x[1] + x[0]
            n += 1
        return np.array([y, y * n])

    def unrolled(x):
        y = x[0]
        for _ in range(6):
            y = y * x[1] + x[0]
        return np.array([y, y * 6])

    x = np.array([1.5, 2.0])
    np.testing.assert_allclose(verb(f)(x), numerical(unrolled, x), rtol=1e-13)


@BOTH
def test_results_of_any_length(verb):
    def f(x: tp.f64[2], t):
        return x[0] * np.exp(-x[1] * t)

    x, t = np.array([2.0, 0.5]), np.linspace(0.0, 3.0, 7)
    found = verb(f)(x, t)
    np.testing.assert_allclose(found, np.stack([np.exp(-0.5 * t), -2.0 * t * np.exp(-0.5 * t)], axis=1), rtol=1e-14)


def fit(w: tp.f64[3], x, y) -> float:
    total = 0.0
    for i in range(len(y)):
        total += np.log(1.0 + (w[0] + w[1] * x[i] + np.sin(w[2] * x[i]) - y[i]) ** 2)
    return total


def test_a_hessian_of_a_sum_goes_through_the_data_once():
    rng = np.random.default_rng(4)
    w, x, y = np.array([0.2, 0.5, 1.5]), rng.normal(size=50), rng.normal(size=50)
    hessian = tp.hessian(fit)
    expected = numerical(lambda v: np.array(gradient_of_fit(v, x, y)), w)
    np.testing.assert_allclose(hessian(w, x, y), expected, rtol=1e-11)
    forms = [stm.expr for stm in statements(program(hessian, w, x, y).body)]
    assert sum(isinstance(form, Reduce) for form in forms) == 1
    assert not any(isinstance(form, Map) for form in forms)


def gradient_of_fit(w, x, y):
    residual = w[0] + w[1] * x + np.sin(w[2] * x) - y
    factor = 2.0 * residual / (1.0 + residual**2)
    return [np.sum(factor), np.sum(factor * x), np.sum(factor * x * np.cos(w[2] * x))]


def test_prefix_sums_in_several_directions():
    def f(w: tp.f64[2], x):
        return np.cumsum(np.sin(w[0] * x) + w[1])

    x = np.linspace(0.1, 2.0, 9)
    expected = np.stack([np.cumsum(x * np.cos(0.3 * x)), np.arange(1.0, 10.0)], axis=1)
    np.testing.assert_allclose(tp.jacfwd(f)(np.array([0.3, 0.1]), x), expected, rtol=1e-14)


def test_extrema_and_products_go_one_by_one():
    def f(w: tp.f64[2], x):
        return np.array([np.max(w[0] * x + w[1]), np.prod(w[0] + w[1] * x)])

    w, x = np.array([1.5, 0.5]), np.array([0.2, 0.9, 0.4])
    factors = w[0] + w[1] * x
    product = np.prod(factors)
    expected = [[0.9, 1.0], [np.sum(product / factors), np.sum(product * x / factors)]]
    np.testing.assert_allclose(tp.jacfwd(f)(w, x), expected, rtol=1e-14)


# -- shapes ----------------------------------------------------------------------------------------


@BOTH
def test_shapes_of_results_and_inputs_follow_each_other(verb):
    def f(a: tp.f64[2, 3], s: float):
        return a.T * s, np.sum(a) * s

    a = np.arange(6.0).reshape(2, 3)
    (by_a, by_s), (sum_by_a, sum_by_s) = verb(f, (0, 1))(a, 2.0)
    expected = np.zeros((3, 2, 2, 3))
    for i in range(2):
        for j in range(3):
            expected[j, i, i, j] = 2.0
    np.testing.assert_array_equal(by_a, expected)
    np.testing.assert_array_equal(by_s, a.T)
    np.testing.assert_array_equal(sum_by_a, np.full((2, 3), 2.0))
    assert sum_by_s == 15.0


@BOTH
@pytest.mark.parametrize("size", [0, 1, 33])
def test_sizes_at_the_limits(verb, size):
    def f(x: tp.f64[size]):  # type: ignore[valid-type]
        return 2.0 * x

    np.testing.assert_array_equal(verb(f)(np.ones(size)), 2.0 * np.eye(size))


@BOTH
def test_small_and_large_inputs_side_by_side(verb):
    def f(w: tp.f64[2], x):
        return np.array([w[0] * x[0], w[1] * np.sum(x)])

    w, x = np.array([2.0, 3.0]), np.array([1.0, 4.0, 7.0])
    by_w, by_x = verb(f, (0, 1))(w, x)
    np.testing.assert_array_equal(by_w, [[1.0, 0.0], [0.0, 12.0]])
    np.testing.assert_array_equal(by_x, [[2.0, 0.0, 0.0], [3.0, 3.0, 3.0]])


@BOTH
def test_single_precision_and_auxiliary_results(verb):
    def f(x: tp.f32[2]):
        return np.array([x[0] * x[1], x[0]]), x[0] > 1

    found, aux = verb(f, has_aux=True)(np.array([2.0, 3.0], np.float32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [[3.0, 2.0], [1.0, 0.0]])
    assert aux


def test_inside_a_loop_over_items():
    def item(c: tp.f64[2], s: float):
        return np.array([c[0] * s, np.exp(c[1] * s)])

    @tp.jit
    def all_items(c: tp.f64[:, 2], s: tp.f64[:]):
        out = np.empty((len(s), 2, 3))
        for i in range(len(s)):
            by_c, by_s = tp.jacfwd(item, (0, 1))(c[i], s[i])
            out[i, :, :2] = by_c
            out[i, :, 2] = by_s
        return out

    rng = np.random.default_rng(0)
    c, s = rng.normal(size=(11, 2)), rng.normal(size=11)
    expected = np.zeros((11, 2, 3))
    grown = np.exp(c[:, 1] * s)
    expected[:, 0, 0], expected[:, 0, 2] = s, c[:, 0]
    expected[:, 1, 1], expected[:, 1, 2] = s * grown, c[:, 1] * grown
    np.testing.assert_allclose(all_items(c, s), expected, rtol=1e-14)


def test_second_derivatives_of_straight_line_code():
    def f(x: tp.f64[3]) -> float:
        return x[0] * np.sin(x[1]) * x[2] + x[2] ** 3 / x[0]

    x = np.array([1.2, 0.4, 0.9])
    sin, cos = np.sin(x[1]), np.cos(x[1])
    mixed = [[0.0, x[2] * cos, sin - 3 * x[2] ** 2 / x[0] ** 2], [0.0, 0.0, x[0] * cos], [0.0, 0.0, 0.0]]
    diagonal = [2 * x[2] ** 3 / x[0] ** 3, -x[0] * sin * x[2], 6 * x[2] / x[0]]
    expected = np.array(mixed) + np.array(mixed).T + np.diag(diagonal)
    np.testing.assert_allclose(tp.hessian(f)(x), expected, rtol=1e-13)
    np.testing.assert_allclose(tp.jacrev(tp.grad(f))(x), expected, rtol=1e-13)
