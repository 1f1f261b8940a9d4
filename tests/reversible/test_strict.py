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


def butterfly(x, i, j):
    a, b = x[i], x[j]
    x[i] = a + b
    x[j] = a - b


def test_places_that_may_be_one_are_refused():
    """Where they are one the inverse would fail: that is said when the function is called, not afterwards."""
    strict, x = tp.reversible(strict=True)(butterfly), np.arange(4.0)
    for run in (strict, ~strict):
        with pytest.raises(tp.TapelessError, match=r"only if two places differ(.|\n)*assert 0 <= i"):
            run(x, 1, 2)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_places_that_are_said_to_differ():
    def asserted(x, i, j):
        assert i >= 0
        assert j >= 0
        assert i != j
        butterfly(x, i, j)

    def ordered(x, i, j):
        assert 0 <= i < j
        butterfly(x, i, j)

    def chosen(x, i, j):
        if i >= 0 and j >= 0 and i != j:
            butterfly(x, i, j)

    def gates(x, i, j):
        """On two bits of the index."""
        for bit in (1 << i, 1 << j):
            for k in range(len(x)):
                if k & bit == 0:
                    other = k | bit
                    assert other > k
                    butterfly(x, k, other)

    for function in (asserted, ordered, chosen, gates):
        run, x = tp.reversible(strict=True)(function), np.arange(8.0)
        run(x, 0, 2)
        assert x.tolist() != list(range(8))
        (~run)(x, 0, 2)
        np.testing.assert_allclose(x, np.arange(8.0), rtol=1e-15, atol=1e-15)
        if function is not chosen:
            for direction in (run, ~run):
                with pytest.raises((AssertionError, IndexError, ValueError)):
                    direction(x, -1, -1)


def test_negative_indices_that_differ_may_name_one_place():
    def asserted(x, i, j):
        assert i != j
        butterfly(x, i, j)

    with pytest.raises(tp.TapelessError, match="only if two places differ"):
        tp.reversible(strict=True)(asserted)(np.ones(3), 0, 1)
    run, x = tp.reversible(asserted), np.ones(3)
    run(x, 0, -3)
    with pytest.raises(AssertionError, match="must differ"):
        (~run)(x, 0, -3)
