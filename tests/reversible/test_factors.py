"""Factors that are known only when the program runs: gradients keep states there; whole numbers times odd literals."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def descent(w, v, a, y, rate, decay, steps):
    """Gradient descent with momentum: Maclaurin, Duvenaud and Adams ran it backwards to find its parameters."""
    for _ in range(steps):
        v *= decay
        v -= rate * (a.T @ (a @ w - y))
        w += v


def scaled(w, v, a, y, rate, decay, steps):
    for k in range(steps):
        w *= y[k % len(a)]
        w += rate * np.sin(v)
        v -= decay * w


def loss_of(run):
    def loss(w, v, a, y, rate, decay, steps):
        run(w, v, a, y, rate, decay, steps)
        return np.sum(w * w) + np.sum(v)

    return loss


def arguments(decay, steps):
    rng = np.random.default_rng(2)
    return rng.normal(size=3), np.zeros(3), rng.normal(size=(5, 3)), 1.0 + rng.random(5), 0.05, decay, steps


@pytest.mark.parametrize("decay", [0.9, 1e-200, 0.0])
@pytest.mark.parametrize("function", [descent, scaled], ids=lambda f: f.__name__)
def test_gradients(function, decay):
    args = arguments(decay, 20)
    gradient = tp.grad(loss_of(tp.reversible(function)), (0, 1, 3, 4, 5))
    for found, exact in zip(gradient(*args), tp.grad(loss_of(function), (0, 1, 3, 4, 5))(*args), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-8, atol=1e-10)


def test_zeros_among_the_factors():
    args = arguments(0.9, 20)
    args[3][2] = 0.0
    exact = tp.grad(loss_of(scaled), (0, 1, 3))(*args)
    for found, wanted in zip(tp.grad(loss_of(tp.reversible(scaled)), (0, 1, 3))(*args), exact, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)


def test_where_zeros_leave_nothing_wrong():
    """What is lost is lost for good: 0 / 0 is no number, and is seen."""

    def masked(w, v, a, y, rate, decay, steps):
        for k in range(steps):
            w *= v
            w += rate * decay * a[k]
            w[0] += y[k]

    args = list(arguments(0.9, 3))
    args[1] = np.array([0.0, 1.0, 0.5])
    exact = tp.grad(loss_of(masked), (0, 1, 3))(*args)
    for found, wanted in zip(tp.grad(loss_of(tp.reversible(masked)), (0, 1, 3))(*args), exact, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)


def walk(x, seed, size, steps):
    """Knuth's generator of random numbers, and a walk by them."""
    for _ in range(steps):
        seed = seed * 6364136223846793005 + 1442695040888963407
        x += size * ((seed >> 40) & 1023) / 1024.0
    return seed


def test_odd_factors_of_whole_numbers():
    reversible = tp.reversible(walk)
    x = np.array([0.25, 0.5])
    left = reversible(x, 12345, 0.125, 1000)
    assert (~reversible)(x, left, 0.125, 1000) == 12345
    np.testing.assert_allclose(x, [0.25, 0.5], rtol=1e-12)

    def loss(x, size):
        reversible(x, 7, size, 50)
        return np.sum(x * x)

    gradient = tp.grad(loss, (0, 1))
    assert "does not run backwards" not in gradient.explain(x, 0.5)
    for found, exact in zip(gradient(x, 0.5), tp.grad(loss, (0, 1), memory="1GB")(x, 0.5), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-9)


def test_narrow_whole_numbers():
    @tp.reversible
    def mixed(n, steps):
        for i in range(len(n)):
            for _ in range(steps):
                n[i] *= np.int32(-1640531527)
                n[i] += np.int32(i)

    n = np.array([1, -7, 2**30], np.int32)
    found = n.copy()
    mixed(found, 9)
    assert (found != n).all()
    (~mixed)(found, 9)
    assert (found == n).all()


def test_even_factors_are_refused():
    @tp.reversible
    def doubled(n):
        n *= 6
        return n

    with pytest.raises(tp.TapelessError, match="what n was does not follow"):
        (~doubled)(6)
