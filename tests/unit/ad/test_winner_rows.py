"""The smallest of values that read a row each: of a thousand rows the winner's alone is gone back through."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply, If
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements

RNG = np.random.default_rng(5)


def cost(points: np.ndarray, centres: np.ndarray) -> float:
    return np.sum(tp.map(lambda p: np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres)), points))


def heads(points: np.ndarray, centres: np.ndarray) -> float:
    """Of each row one element is read: an array of all rows is larger than what is read."""
    return np.sum(tp.map(lambda p: np.min(tp.map(lambda c: np.exp(np.sin(p[0] - c[0]) ** 3), centres)), points))


def _branches_of_rows(gradient, *arguments) -> int:
    """How many branches write one row into zeros."""
    function = parse_function(gradient.show("ir", *arguments))
    arms = [s.expr.then for s in statements(function.body) if isinstance(s.expr, If)]
    return sum(any(isinstance(s.expr, Apply) and s.expr.op == "update" for s in arm.stms) for arm in arms)


def _expected(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    squares = np.sum((points[:, None] - centres) ** 2, axis=2)
    ties = squares == squares.min(axis=1, keepdims=True)
    shares = ties / ties.sum(axis=1, keepdims=True)
    return -2 * np.einsum("ik,ikd->kd", shares, points[:, None] - centres)


@pytest.mark.parametrize(("n", "k", "d"), [(50, 7, 5), (33, 40, 3), (2, 2, 2), (8, 2, 17), (0, 4, 3)])
def test_rows_of_unknown_length(n: int, k: int, d: int) -> None:
    points, centres = RNG.normal(size=(n, d)), RNG.normal(size=(k, d))
    gradient = tp.grad(cost, 1)
    np.testing.assert_allclose(gradient(points, centres), _expected(points, centres), rtol=1e-12, atol=1e-12)
    assert _branches_of_rows(gradient, points, centres) == 1


def test_ties_share() -> None:
    points, centres = RNG.integers(0, 2, size=(60, 3)).astype(float), RNG.integers(0, 2, size=(9, 3)).astype(float)
    found = tp.grad(cost, 1)(points, centres)
    np.testing.assert_allclose(found, _expected(points, centres), rtol=1e-12, atol=1e-12)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match=r"2.*3|3.*2"):
        tp.grad(cost, 1)(np.ones((4, 2)), np.ones((5, 3)))


def test_without_centres_there_is_no_smallest() -> None:
    with pytest.raises(ValueError, match="zero-size"):
        tp.grad(cost, 1)(np.ones((4, 2)), np.ones((0, 2)))


def test_single_elements_of_rows_are_not_worth_an_array() -> None:
    points, centres = RNG.normal(size=(20, 2)), RNG.normal(size=(6, 30))
    gradient = tp.grad(heads, 1)
    found = gradient(points, centres)
    values = np.exp(np.sin(points[:, :1] - centres[:, 0]) ** 3)
    slopes = -values * 3 * np.sin(points[:, :1] - centres[:, 0]) ** 2 * np.cos(points[:, :1] - centres[:, 0])
    expected = np.zeros_like(centres)
    np.add.at(expected[:, 0], values.argmin(axis=1), slopes[np.arange(20), values.argmin(axis=1)])
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    assert _branches_of_rows(gradient, points, centres) == 0


def test_second_derivatives_count_points() -> None:
    points, centres = RNG.normal(size=(50, 4)), RNG.normal(size=(6, 4))
    nearest = np.sum((points[:, None] - centres) ** 2, axis=2).argmin(axis=1)
    found = tp.hvp(lambda c: cost(points, c), (centres,), (np.ones_like(centres),))
    np.testing.assert_allclose(found, 2.0 * np.bincount(nearest, minlength=6)[:, None] * np.ones((6, 4)), rtol=1e-12)
