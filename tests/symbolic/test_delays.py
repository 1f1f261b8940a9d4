"""What an iteration passes on without having read what was passed to it is an element of an array (F4)."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import For
from tapeless.ir.walk import statements


def slide(heights, dx):
    """Neighbours: the last height is known, and so is the first."""
    n = len(heights)
    total, y, v = 0.0, 1.0, 0.0
    for i in range(n + 1):
        below = heights[i] if i < n else 0.0
        speed = np.sqrt(19.6 * (1.0 - below))
        total += np.sqrt(dx * dx + (below - y) ** 2) / ((v + speed) / 2.0)
        y, v = below, speed
    return total


def length(x, y):
    total, px, py = 0.0, 0.0, 0.0
    for i in range(len(x)):
        total += np.sqrt((x[i] - px) ** 2 + (y[i] - py) ** 2)
        px, py = x[i], y[i]
    return total * px + py


def differences(x):
    out = np.zeros(len(x))
    last = 2.0
    for i in range(len(x)):
        out[i] = np.sin(x[i]) * last
        last = x[i] * x[i]
    return np.sum(out) + last


CASES = [
    (slide, (np.linspace(0.9, 0.1, 40), 0.1)),
    (slide, (np.array([0.5]), 0.1)),
    (slide, (np.zeros(0), 0.1)),
    (length, (np.linspace(0.0, 1.0, 50) ** 2, np.linspace(1.0, 3.0, 50))),
    (length, (np.zeros(0), np.zeros(0))),
    (length, (np.ones(1), np.zeros(1))),
    (differences, (np.linspace(-1.0, 2.0, 37),)),
    (differences, (np.zeros(0),)),
]


@pytest.mark.parametrize(("function", "args"), CASES)
def test_values_and_derivatives_are_the_same(function, args):
    coarse, plain = (tp.jit(coarsen=c)(function) for c in (True, False))
    np.testing.assert_allclose(coarse(*args), function(*args), rtol=1e-13)
    np.testing.assert_allclose(tp.grad(coarse)(*args), tp.grad(plain)(*args), rtol=1e-11, atol=1e-13)
    v = np.linspace(1.0, 2.0, len(args[0]))
    rest = [np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0 for x in args[1:]]
    found, wanted = (tp.jvp(f, args, (v, *rest))[1] for f in (coarse, plain))
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("case", [0, 3, 6])
def test_no_loop_is_left(case):
    function, args = CASES[case]
    gradient = tp.grad(tp.jit(coarsen=True)(function))
    assert not any(isinstance(stm.expr, For) for stm in statements(gradient.lower(*args).ir.body))
    assert "by F4" in gradient.explain(*args)


def chained(x):
    total, before = 0.0, 0.5
    for i in range(len(x)):
        total = total * 0.5 + np.sin(total) * before * x[i]
        before = x[i]
    return total


def failing(x, places):
    total, before = 0.0, 0.0
    for i in range(len(places)):
        total += before * x[places[i]]
        before = x[places[i]]
    return total


def test_a_loop_that_stays_sequential_stays_as_it_is():
    x = np.linspace(0.1, 1.0, 20)
    assert "by F4" not in tp.grad(chained).explain(x)
    np.testing.assert_allclose(tp.grad(chained)(x), tp.grad(tp.jit(coarsen=False)(chained))(x), rtol=1e-12)


def test_what_raises_raises():
    x = np.arange(4.0)
    for places in (np.array([0, 3, 4]), np.array([7])):
        with pytest.raises(IndexError):
            tp.grad(failing)(x, places)
    np.testing.assert_allclose(tp.grad(failing)(x, np.array([0, 3, 1])), [3.0, 3.0, 0.0, 1.0])
