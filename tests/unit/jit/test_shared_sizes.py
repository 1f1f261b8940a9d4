"""Sizes of arguments that are equal are one size of the compiled program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tp
from tapeless.jitted import MOST_PATTERNS


def weighted(u, w):
    rows, columns = w.shape
    v = np.zeros_like(u)
    for i in range(rows):
        for j in range(columns):
            v[i, j] = u[i, j] * w[i, j]
    return v


def dot(x, y):
    total = 0.0
    for i in range(len(y)):
        total += x[i] * y[i]
    return total


@dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).normal(size=shape)


def _types(function) -> list[str]:
    return [line.rpartition("): ")[0] + ")" for line in function.specialisations]


def test_loops_over_one_array_write_all_of_another() -> None:
    f = tp.jit(weighted)
    u, w = _numbers(5, 6), _numbers(5, 6)
    np.testing.assert_array_equal(f(u, w), u * w)
    assert _types(f) == ["(u: f64[n, o], w: f64[n, o])"]
    assert f.explain().count("loop: map (iterations are independent)") == 2


def test_each_pattern_is_right() -> None:
    f = tp.jit(weighted)
    for shapes in [
        ((4, 5), (4, 5)),
        ((5, 5), (5, 5)),
        ((4, 5), (3, 5)),
        ((4, 4), (4, 2)),
        ((6, 3), (2, 3)),
        ((7, 2), (0, 2)),
    ]:
        u, w = (_numbers(*shape) for shape in shapes)
        np.testing.assert_array_equal(f(u, w), weighted(u, w))
    with pytest.raises(IndexError):
        f(_numbers(3, 5), _numbers(4, 5))


def test_code_for_equal_sizes_goes_first() -> None:
    f = tp.jit(dot)
    same, other = (_numbers(5), _numbers(5)), (_numbers(6), _numbers(4))
    for _ in range(3):
        assert f(*same) == pytest.approx(dot(*same))
        assert f(*other) == pytest.approx(dot(*other))
    assert _types(f) == ["(x: f64[n], y: f64[n])", "(x: f64[:], y: f64[:])"]
    assert ["1 calls" in line for line in f.specialisations] == [True, True]


def test_many_patterns_share_one_program() -> None:
    def total(a, b, c, d):
        return np.sum(a) + np.sum(b) + np.sum(c) + np.sum(d)

    f = tp.jit(total)
    patterns = [(2, 2, 3, 4), (2, 3, 2, 4), (2, 3, 4, 2), (3, 2, 2, 4), (3, 2, 4, 2), (4, 3, 2, 2), (2, 2, 2, 2)]
    for sizes in patterns:
        arrays = [_numbers(n) for n in sizes]
        assert f(*arrays) == pytest.approx(total(*arrays))
    assert len(f.specialisations) == MOST_PATTERNS + 1
    assert _types(f)[-1] == "(a: f64[:], b: f64[:], c: f64[:], d: f64[:])"


def test_sizes_in_containers() -> None:
    @tp.jit
    def inner(pair, scale):
        return scale * np.sum(pair.left * pair.right)

    assert inner(Pair(np.ones(3), np.full(3, 2.0)), 0.5) == 3.0
    assert _types(inner) == ["(pair: Pair(left: f64[n], right: f64[n]), scale: float)"]


def test_fixed_sizes_are_shared_with_none() -> None:
    @tp.jit
    def f(x: tp.f64[3], y):
        return np.sum(x) + np.sum(y)

    assert f(np.ones(3), np.ones(3)) == 6.0
    assert f(np.ones(3), np.ones(4)) == 7.0
    assert _types(f) == ["(x: f64[3], y: f64[:])"]


def test_gradients_have_the_same_patterns() -> None:
    slope = tp.grad(dot)
    x, y = _numbers(4), _numbers(4)
    np.testing.assert_array_equal(slope(x, y), y)
    np.testing.assert_array_equal(slope(x, y[:2]), [*y[:2], 0.0, 0.0])
    assert _types(slope) == ["(x: f64[n], y: f64[n])", "(x: f64[:], y: f64[:])"]


# -- small sizes that a program is better for knowing ---------------------------------------------------


def filtered(a, x):
    return np.sum(np.linalg.solve(a, x) ** 2)


def shifted(a):
    return np.sum((a + np.eye(3)) ** 2)


def test_systems_of_a_small_size_know_it() -> None:
    f = tp.jit(filtered)
    a, x = _numbers(3, 3), _numbers(3)
    assert f(a, x) == pytest.approx(filtered(a, x), rel=1e-12)
    assert _types(f) == ["(a: f64[3, 3], x: f64[3])"]


def test_a_size_that_is_written_into_the_program_is_known() -> None:
    f = tp.jit(shifted)
    a = _numbers(3, 3)
    assert f(a) == pytest.approx(shifted(a), rel=1e-12)
    assert _types(f) == ["(a: f64[3, 3])"]
    with pytest.raises(ValueError, match="3"):
        f(_numbers(4, 4))


@pytest.mark.parametrize("orders", [(2, 3, 20, 8, 9, 2, 20), (20, 2, 3), (2, 3, 4, 5, 6, 7, 8, 9)])
def test_systems_of_all_sizes_in_any_order(orders: tuple[int, ...]) -> None:
    f, slope = tp.jit(filtered), tp.grad(filtered, 1)
    for n in orders:
        a, x = _numbers(n, n) + 4 * np.eye(n), _numbers(n)
        assert f(a, x) == pytest.approx(filtered(a, x), rel=1e-10)
        inverse = np.linalg.inv(a)
        np.testing.assert_allclose(slope(a, x), 2 * inverse.T @ inverse @ x, rtol=1e-9)
    assert len(f.specialisations) <= MOST_PATTERNS + 1


def test_sizes_that_nothing_shares_stay_open() -> None:
    f = tp.jit(lambda points: np.sum(points + np.ones(3)))
    assert f(np.ones((5, 3))) == 30.0
    assert _types(f) == ["(points: f64[:, :])"]


def with_three(a, x, three):
    if three:
        return a @ np.ones(3) + x
    return a @ x


@pytest.mark.parametrize("orders", [(3, 2, 9, 2, 3), (2, 3, 2, 9), (9, 2, 3), (2, 4, 5, 6, 7, 3)])
def test_sizes_that_disagree_where_nothing_runs_stay_open(orders: tuple[int, ...]) -> None:
    f, slope = tp.jit(with_three), tp.grad(lambda a, x: np.sum(with_three(a, x, False)), 1)
    for n in orders:
        a, x = _numbers(n, n), _numbers(n)
        np.testing.assert_allclose(f(a, x, False), a @ x, rtol=1e-12)
        np.testing.assert_allclose(slope(a, x), a.sum(0), rtol=1e-12)
        if n == 3:
            np.testing.assert_allclose(f(a, x, True), a.sum(1) + x, rtol=1e-12)
        else:
            with pytest.raises(ValueError, match="sizes"):
                f(a, x, True)
    assert len(f.specialisations) <= MOST_PATTERNS + 1


def test_wrong_sizes_are_named() -> None:
    f = tp.jit(filtered)
    with pytest.raises(ValueError, match="sizes"):
        f(np.eye(4), np.ones(5))
    assert f(np.eye(4), np.ones(4)) == 4.0
    with pytest.raises(ValueError, match="sizes"):
        f(np.eye(4), np.ones(5))
