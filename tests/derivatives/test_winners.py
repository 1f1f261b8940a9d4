"""The nearest of many: its adjoint goes to one place, found at run time; where several are nearest they share."""

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads


def distance(p, centres):
    return np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres))


def nearest(points, centres):
    return tp.reduce(np.add, 0.0, tp.map(lambda p: distance(p, centres), points))


def fixed(count, dims):
    def cost(points: tp.f64[:, dims], centres: tp.f64[count, dims]) -> float:
        return nearest(points, centres)

    return cost


def by_hand(points, centres):
    """The gradient by centres, ties shared equally."""
    square = ((points[:, None] - centres[None]) ** 2).sum(-1)
    hit = square == square.min(axis=1, keepdims=True)
    share = hit / hit.sum(axis=1, keepdims=True)
    return (2 * share[:, :, None] * (centres[None] - points[:, None])).sum(axis=0)


def data(points, count, dims, seed=3):
    rng = np.random.default_rng(seed)
    return rng.integers(-4, 5, (points, dims)).astype(float), rng.integers(-4, 5, (count, dims)).astype(float)


@pytest.mark.parametrize(("count", "dims"), [(10, 8), (40, 8), (12, 16), (3, 2), (16, 3), (7, 9)])
@pytest.mark.parametrize("points", [0, 1, 7, 8, 45])
def test_one_winner_and_many_winners(count, dims, points):
    """Whole numbers tie often."""
    p, c = data(points, count, dims)
    np.testing.assert_allclose(tp.grad(fixed(count, dims), 1)(p, c), by_hand(p, c), rtol=1e-13, atol=1e-13)


def test_sizes_known_at_run_time_only():
    p, c = data(33, 11, 9)
    np.testing.assert_allclose(tp.grad(nearest, 1)(p, c), by_hand(p, c), rtol=1e-13)


def test_the_same_for_any_number_of_points_per_block():
    rng = np.random.default_rng(1)
    p, c = rng.normal(size=(5003, 8)), rng.normal(size=(10, 8))
    np.testing.assert_allclose(tp.grad(fixed(10, 8), 1)(p, c), by_hand(p, c), rtol=1e-11, atol=1e-11)


def test_product_with_the_hessian():
    """Each centre moves by itself: twice the points it has, shared where they tie."""
    cost = fixed(10, 8)
    p, c = data(61, 10, 8)
    direction = np.random.default_rng(2).normal(size=c.shape)
    square = ((p[:, None] - c[None]) ** 2).sum(-1)
    hit = square == square.min(axis=1, keepdims=True)
    owned = (hit / hit.sum(axis=1, keepdims=True)).sum(axis=0)
    expected = 2 * owned[:, None] * direction
    forward = tp.hvp(lambda x: cost(p, x), (c,), (direction,))
    reverse = tp.grad(lambda x: np.sum(tp.grad(lambda y: cost(p, y))(x) * direction))(c)
    np.testing.assert_allclose(forward, expected, rtol=1e-13)
    np.testing.assert_allclose(reverse, expected, rtol=1e-13)


def test_by_points_and_centres_and_something_else():
    def scaled(p, centres, scale):
        return np.min(tp.map(lambda c: np.sum(np.exp(scale) * (p - c) ** 2), centres))

    def cost(points: tp.f64[:, 8], centres: tp.f64[10, 8], scale: tp.f64[8]) -> float:
        total = 0.0
        for i in range(len(points)):
            total += scaled(points[i], centres, scale)
        return total

    rng = np.random.default_rng(5)
    p, c, s = rng.normal(size=(19, 8)), rng.normal(size=(10, 8)), 0.1 * rng.normal(size=8)
    which = (np.exp(s) * (p[:, None] - c[None]) ** 2).sum(-1).argmin(1)
    by_point = 2 * np.exp(s) * (p - c[which])
    by_centre = np.zeros_like(c)
    np.add.at(by_centre, which, -by_point)
    by_scale = (np.exp(s) * (p - c[which]) ** 2).sum(0)
    for found, expected in zip(tp.grad(cost, (0, 1, 2))(p, c, s), (by_point, by_centre, by_scale), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_in_a_loop_that_carries_what_it_looks_at():
    def farthest(x, centres):
        return np.max(tp.map(lambda c: np.sum(np.cos(x - c)), centres))

    def walk(x: tp.f64[8], centres: tp.f64[10, 8], steps: int) -> float:
        total = 0.0
        for _ in range(steps):
            far = farthest(x, centres)
            total += far
            x = np.sin(x) + 0.1 * far
        return total

    rng = np.random.default_rng(6)
    x, c = rng.normal(size=8), rng.normal(size=(10, 8))
    check_grads(walk, x, c, 5)


def test_in_one_arm():
    def cost(points: tp.f64[:, 8], centres: tp.f64[10, 8]) -> float:
        total = 0.0
        for i in range(len(points)):
            if points[i, 0] > 0.0:
                total += distance(points[i], centres)
            else:
                total += points[i, 1] * centres[3, 2]
        return total

    p, c = data(37, 10, 8)
    expected = by_hand(p[p[:, 0] > 0], c)
    expected[3, 2] += p[p[:, 0] <= 0][:, 1].sum()
    np.testing.assert_allclose(tp.grad(cost, 1)(p, c), expected, rtol=1e-13)


def test_the_smallest_of_neighbours():
    """Each place is looked at from three sides: no place is found at run time that moves with the loop."""

    def cost(x: tp.f64[:], weights: tp.f64[3]) -> float:
        total = 0.0
        for i in range(len(x) - 2):
            total += np.min(np.exp(weights) * x[i : i + 3] ** 2)
        return total

    rng = np.random.default_rng(7)
    x, w = rng.normal(size=40), 0.1 * rng.normal(size=3)
    expected = np.zeros_like(x)
    for i in range(38):
        k = np.argmin(np.exp(w) * x[i : i + 3] ** 2)
        expected[i + k] += 2 * np.exp(w[k]) * x[i + k]
    np.testing.assert_allclose(tp.grad(cost)(x, w), expected, rtol=1e-13)


def test_few_of_known_number_share_equally():
    def cost(x: tp.f64[3], y: tp.f64[3, 2]) -> float:
        return np.min(x * x) + np.max(tp.map(lambda r: np.sum(r * r), y))

    by_x, by_y = tp.grad(cost, (0, 1))(np.ones(3), np.ones((3, 2)))
    np.testing.assert_allclose(by_x, 2 / 3)
    np.testing.assert_allclose(by_y, 2 / 3)


def test_the_largest_of_many_at_the_top():
    def cost(x: tp.f64[:]) -> float:
        return np.max(np.sin(x) * np.exp(-x * x))

    x = np.linspace(-3, 3, 1001)
    k = np.argmax(np.sin(x) * np.exp(-x * x))
    expected = np.zeros_like(x)
    expected[k] = np.exp(-(x[k] ** 2)) * (np.cos(x[k]) - 2 * x[k] * np.sin(x[k]))
    np.testing.assert_allclose(tp.grad(cost)(x), expected, rtol=1e-12)
    same = np.full(8, 0.3)
    share = np.exp(-0.09) * (np.cos(0.3) - 0.6 * np.sin(0.3)) / 8
    np.testing.assert_allclose(tp.grad(cost)(same), share, rtol=1e-12)
