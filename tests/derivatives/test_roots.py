"""Roots where their slope is infinite: what does not move to first order does not move its root, in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def norm(x):
    return np.linalg.norm(x)


def distances(x):
    return np.sum(np.sqrt(np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)))


def distances_in_loops(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return total


def weighted(x):
    return np.sqrt(np.sum((1.0 + x**3) * x**2))


def geometric(x):
    return np.sqrt(np.prod(x))


def running(x):
    s = 1.0
    for i in range(len(x)):
        s = s * x[i]
    return np.cbrt(s)


def positive_part(x):
    return np.sum(np.maximum(x, 0.0) ** 0.5)


def sum_of_roots(x):
    return np.sum(np.sqrt(x))


def root_of_variance(x):
    return np.std(x) + np.sum(np.abs(x - x[0]) ** 0.5)


ORIGIN = np.zeros(3)
PROGRAMS: tuple[tuple[Callable[..., Any], np.ndarray, np.ndarray], ...] = (
    (norm, ORIGIN, ORIGIN),
    (distances, np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[-1.2, -1.6], [1.2, 1.6]])),
    (distances_in_loops, np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[-1.2, -1.6], [1.2, 1.6]])),
    (weighted, ORIGIN, ORIGIN),
    (geometric, np.array([0.0, 2.0, 0.0]), ORIGIN),
    (running, np.array([0.0, 2.0, 0.0]), ORIGIN),
    (positive_part, np.array([-1.0, 4.0, 0.0]), np.array([0.0, 0.25, np.inf])),
    (sum_of_roots, np.array([0.0, 4.0, 0.0]), np.array([np.inf, 0.25, np.inf])),
    (root_of_variance, np.full(3, 2.0), ORIGIN),
)


@pytest.mark.parametrize(("function", "point", "gradient"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("verb", [tp.grad, tp.jacfwd, tp.jacrev], ids=lambda v: v.__name__)
def test_zero_wins_before_a_root(
    verb: Callable[..., Any], function: Callable[..., Any], point: np.ndarray, gradient: np.ndarray
) -> None:
    np.testing.assert_allclose(verb(function)(point), gradient, rtol=1e-14)


@pytest.mark.parametrize("function", [distances, distances_in_loops, weighted, geometric, running, root_of_variance])
def test_away_from_zero_nothing_changes(function: Callable[..., Any]) -> None:
    shape = (3, 2) if function in (distances, distances_in_loops) else (4,)
    check_grads(function, np.random.default_rng(3).uniform(0.5, 2.0, shape))


def test_a_norm_is_level_at_the_origin_in_all_orders() -> None:
    for second in (tp.hessian(norm), tp.jacrev(tp.jacfwd(norm)), tp.jacfwd(tp.jacfwd(norm)), tp.jacrev(tp.grad(norm))):
        assert np.array_equal(second(np.zeros(2)), np.zeros((2, 2)))


def roots_on_the_way(x):
    s, t = 0.0, 0.0
    for i in range(len(x)):
        s = 0.5 * s * (1.0 + t * t) + x[i] ** 2
        t = t + np.sqrt(s)
    return t


def roots_until(x):
    s, i, t = 0.0, 0, 0.0
    while i < 2:
        t = t + np.sqrt(s)
        s = s * abs(t + 1.0) + x[i] ** 2
        i += 1
    return t + np.sqrt(s)


@pytest.mark.parametrize(("function", "second"), [(roots_on_the_way, 1 / 6), (roots_until, 1 / 3)])
@tp.config(mode="interpret")
def test_a_sum_of_squares_that_a_loop_carries_is_level_in_all_orders(
    function: Callable[..., Any], second: float
) -> None:
    for hessian in (tp.hessian, lambda f: tp.jacrev(tp.jacfwd(f)), lambda f: tp.jacfwd(tp.jacfwd(f))):
        assert np.array_equal(hessian(function)(np.zeros(2)), np.zeros((2, 2)))
        np.testing.assert_allclose(hessian(function)(np.array([0.0, 3.0])), [[second, 0.0], [0.0, 0.0]])


def test_a_zero_behind_a_root_says_nothing() -> None:
    def squared(x):
        return np.sqrt(x) * np.sqrt(x)

    assert np.isnan(tp.grad(squared)(0.0))
    assert np.isnan(tp.jacfwd(squared)(0.0))


def test_what_a_loop_carries_may_be_masked_in_the_next_iteration() -> None:
    def first_only(x, n):
        value, total = x, 0.0
        for i in range(n):
            total += np.where(i < 1, value, 0.0)
            value = np.log(value)
        return total

    assert tp.grad(first_only)(0.0, 3) == 1.0
    assert tp.jacfwd(first_only)(0.0, 3) == 1.0


def test_an_infinite_product_in_an_arm_that_is_not_taken() -> None:
    def guarded(x):
        return np.where(x[0] > 0.0, np.prod(1.0 / x), x[1])

    for verb in (tp.grad, tp.jacfwd):
        assert np.array_equal(verb(guarded)(np.array([0.0, 2.0])), [0.0, 1.0])


def test_elements_that_are_masked_in_a_function_with_a_rule_for_tangents() -> None:
    @tp.custom_jvp
    def reciprocal(x):
        return 1.0 / x

    @reciprocal.defjvp
    def rule(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        return 1.0 / x, -x_dot / (x * x)

    def guarded(x):
        return np.sum(np.where(x > 0.0, reciprocal(x), 0.0))

    assert np.array_equal(tp.grad(guarded)(np.array([0.0, 2.0])), [0.0, -0.25])


def accumulated(x):
    return np.sum(np.maximum.accumulate(x) * np.arange(1.0, 7.0))


def test_prefixes_share_ties_as_reductions_do() -> None:
    point = np.array([1.0, 1.0, 2.0, 2.0, 1.0, 2.0])
    expected = np.array([2.0, 1.0, 9.5, 6.5, 0.0, 2.0])
    assert np.allclose(tp.grad(accumulated)(point), expected)
    assert np.allclose(tp.jacfwd(accumulated)(point), expected)


def test_running_extrema_of_rows_and_computed_elements() -> None:
    def rows(x):
        return np.sum(np.minimum.accumulate(np.sin(x) * x, axis=0) * np.arange(1.0, 5.0)[:, None])

    check_grads(rows, np.random.default_rng(5).normal(size=(4, 3)))
    check_grads(accumulated, np.random.default_rng(6).normal(size=6))
    point = np.random.default_rng(7).normal(size=(4, 3))
    assert np.allclose(tp.hessian(rows)(point), tp.jacrev(tp.jacfwd(rows))(point))
