"""Extrema inside parallel operators and loops: what the reverse rule makes for itself belongs to the inner block."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def nearest(points, centres):
    return tp.reduce(np.add, 0.0, tp.map(lambda p: np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres)), points))


def farthest_in_a_loop(points, centres):
    total = 0.0
    for i in range(len(points)):
        total = 0.5 * total + np.max(np.sin(centres[:, 0] * points[i, 0] + total))
    return total


def branch_with_an_extremum(points, centres):
    total = 0.0
    for i in range(len(points)):
        if points[i, 0] > 0:
            total += points[i, 1] * np.max(np.exp(centres[:, 0] * points[i, 0]))
    return total


@pytest.mark.parametrize("function", [nearest, farthest_in_a_loop, branch_with_an_extremum])
@pytest.mark.parametrize("count", [3, 40])
def test_reverse_equals_forward(function, count):
    rng = np.random.default_rng(count)
    arguments = rng.normal(size=(7, 2)), rng.normal(size=(count, 2))
    tangents = rng.normal(size=(7, 2)), rng.normal(size=(count, 2))
    gradients = tp.grad(function, argnums=(0, 1))(*arguments)
    _, slope = tp.jvp(function, arguments, tangents)
    assert slope != 0
    np.testing.assert_allclose(sum(np.sum(g * t) for g, t in zip(gradients, tangents, strict=True)), slope, rtol=1e-12)
