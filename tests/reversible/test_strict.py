"""Strictly reversible functions whose loops run backwards inside of others, or have closed forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tapeless as tp


@dataclass
class Body:
    position: float
    velocity: float


def spring(a, b, stiffness, dt, steps):
    """Linear, so that it has a closed form, by powers in a loop that has no inverse."""
    for _ in range(steps):
        force = stiffness * (b.position - a.position)
        a.velocity += dt * force
        b.velocity -= dt * force
        a.position += dt * a.velocity
        b.position += dt * b.velocity


def solve(x, lower):
    """The inner loop ends before the place that it changes, because of where the outer one is."""
    for i in range(len(x)):
        for j in range(i):
            x[i] -= lower[i, j] * x[j]


@pytest.mark.parametrize("steps", [5, 900])
def test_closed_forms(steps):
    def loss(run):
        def total(stiffness, dt):
            a, b = Body(0.0, 0.1), Body(1.0, -0.2)
            run(a, b, stiffness, dt, steps)
            return a.position * b.position + a.velocity

        return total

    strict = tp.grad(loss(tp.reversible(strict=True)(spring)), (0, 1))
    np.testing.assert_allclose(strict(2.0, 0.01), tp.grad(loss(spring), (0, 1))(2.0, 0.01), rtol=1e-8)


def test_loops_within_loops():
    def loss(run):
        def total(x, lower):
            run(x, lower)
            return np.sum(np.sin(x))

        return total

    rng = np.random.default_rng(3)
    args = rng.normal(size=6), rng.normal(size=(6, 6))
    strict = tp.grad(loss(tp.reversible(strict=True)(solve)), (0, 1))
    for found, exact in zip(strict(*args), tp.grad(loss(solve), (0, 1))(*args), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12)
    assert "does not run backwards" not in strict.explain(*args)
