"""Gradients of reversible functions: those of the plain function, with memory that does not grow with the steps."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.runtime import host

from .programs import CASES, PARTIAL, leapfrog, normal, numbers

FLOATS = [case for case in (*CASES, *PARTIAL) if any(np.asarray(x).dtype.kind == "f" for x in case[1:])]


def active(args):
    return tuple(k for k, x in enumerate(args) if np.asarray(x).dtype.kind == "f")


def loss_of(function):
    """The sum of the squares of what the arguments become, and of what is returned."""

    def loss(*args):
        own = [x + 0 for x in args]
        returned = function(*own)
        total = 0.0
        for x in own:
            total += np.sum(x * x)
        for x in returned or ():
            total += x * x
        return total

    return loss


@pytest.mark.parametrize("case", FLOATS, ids=lambda case: case[0].__name__)
def test_gradients_are_those_of_the_plain_function(case):
    plain, *args = case
    loss = loss_of(plain)
    expected = tp.grad(loss, active(args))(*args)
    found = tp.grad(loss, active(args), memory="reversible")(*args)
    for a, b in zip(expected, found, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-11)


def final(x, v, n):
    for _ in range(n):
        v = v - np.sin(x) * 0.01
        x = x + v * 0.01
    return x * v


def test_gradient_of_a_reversible_function_runs_backwards():
    function = tp.reversible(final)
    assert "runs backwards" in tp.grad(function).explain(0.3, 0.2, 10)
    assert "runs backwards" not in tp.grad(final).explain(0.3, 0.2, 10)
    assert tp.grad(function)(0.3, 0.2, 100) == pytest.approx(tp.grad(final)(0.3, 0.2, 100), rel=1e-10)
    assert tp.grad(function)(0.3, 0.2, 10**6) == pytest.approx(tp.grad(final)(0.3, 0.2, 10**6), rel=1e-6)


def loss(x, v, steps):
    x, v = x * 1.0, v * 1.0
    leapfrog(x, v, 0.01, steps)
    return np.sum(x * v)


def most_memory(gradient, *args):
    """Bytes that a call takes from the allocator, the arrays that it returns included."""
    gradient(*args)
    host.trim()
    gradient(*args)
    return host.memory().cached_bytes


def test_memory_does_not_grow_with_the_steps():
    x, v = normal(1000), normal(1000)
    backwards, kept = tp.grad(loss, memory="reversible"), tp.grad(loss)
    few, many = (most_memory(backwards, x, v, steps) for steps in (10, 1000))
    assert many == few
    assert most_memory(kept, x, v, 1000) > 50 * many


def test_the_trips_of_a_loop_with_a_condition_are_counted():
    """Its inverse would need to be told; the return sweep is."""

    def falling(x, v):
        while x > 0.0:
            v -= 0.01 * np.sin(x)
            x += 0.01 * v
        return x * v

    found = tp.grad(falling, (0, 1), memory="reversible")
    assert "runs backwards" in found.explain(2.0, -1.0)
    np.testing.assert_allclose(found(2.0, -1.0), tp.grad(falling, (0, 1))(2.0, -1.0), rtol=1e-10)


def test_second_derivatives():
    function = tp.reversible(numbers)

    def value(x, v):
        x, v = function(x, v, 5)
        return x * v

    found = tp.hessian(value, (0, 1))(0.3, 0.2)
    expected = tp.hessian(lambda x, v: np.prod(np.array(numbers(x, v, 5))), (0, 1))(0.3, 0.2)
    np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=1e-10)


def test_a_loop_that_forgets_is_kept():
    def forgets(x, n):
        for _ in range(n):
            x = np.sin(x) * 1.5
        return x

    gradient = tp.grad(forgets, memory="reversible")
    assert gradient(0.3, 20) == pytest.approx(tp.grad(forgets)(0.3, 20), rel=1e-12)
    assert "does not run backwards" in gradient.explain(0.3, 20)
