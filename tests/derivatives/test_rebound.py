"""Arrays that a loop only hands on: their adjoints are not added up in every iteration, and come out right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads
from tapeless.testing.counting import Work, reverse_work


def rebinds(x, n):
    a, i, s = x * 2.0, 0, 0.1
    while i < n and s < 1e9:
        s = s + np.sin(x[i] * s)
        a = x
        i += 1
    return s + np.sum(a * a)


def last_of_two(x, n):
    a, last = x * 1.0, x * 3.0
    for i in range(1, n):
        a[i] = np.sin(a[i - 1]) * a[i]
        last = a
    return np.sum(a) + np.sum(last * last)


def swaps(x, n):
    a, b, c = x * 1.0, x * 2.0, x * 3.0
    for _ in range(n):
        a, b = b * 1.1, a
        c = b
    return np.sum(a * c) + np.sum(b)


def several_names(x, n):
    a, b, z = x * 1.0, x * 3.0, x * 2.0
    for i in range(1, n):
        z[i] = np.sin(z[i - 1]) * z[i]
        a = z
        b = z
    return np.sum(a) + np.sum(b * b) + np.sum(z)


@pytest.mark.parametrize("function", [rebinds, last_of_two, swaps, several_names], ids=lambda f: f.__name__)
@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_derivatives_are_right(function: Callable[..., Any], trips: int) -> None:
    check_grads(lambda x: function(x, trips), np.linspace(0.3, 1.2, 6))
    x = np.linspace(0.3, 1.2, 6)
    np.testing.assert_allclose(tp.grad(function)(x, trips), tp.jacfwd(function)(x, trips), rtol=1e-13)
    np.testing.assert_allclose(
        tp.grad(function, memory=tp.States(2))(x, trips), tp.grad(function)(x, trips), rtol=1e-13
    )


@pytest.mark.parametrize("function", [rebinds, last_of_two], ids=lambda f: f.__name__)
def test_the_cost_does_not_grow_with_the_size(function: Callable[..., Any]) -> None:
    from tapeless.front.capture import lower, specialise

    def counted(size: int) -> Work:
        call = specialise(function, (np.linspace(0.5, 1.0, size), size), {})
        return reverse_work(lower(function, call.specs).function, call.leaves)

    small, large = counted(16), counted(128)
    assert large.reverse <= large.bound
    assert large.reverse / large.primal <= 1.3 * small.reverse / small.primal
