"""Recurrences whose steps differ (C7, C8): the same in all digits, and the loop where blocks would be unsafe."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.symbolic.rules import fired

from .helpers import after, agree, before, exactly

RNG = np.random.default_rng(3)


def smoothed(a, b, x):
    for i in range(len(b)):
        x = a * x + b[i]
    return x


def smoothed_later(a, b, x):
    for i in range(len(b) - 1):
        x = b[i + 1] - x * a
    return x


def linear(a, b, x):
    for i in range(len(b)):
        x = a[i] * x + b[i]
    return x


def discounted(a, b, x):
    """A product of something computed, with a term that depends on the counter alone."""
    for i in range(len(a)):
        x = (1.0 - 0.1 * a[i]) * x + 0.01 * i * b
    return x


def resonance(a, b, c, x):
    """Two unknowns, and a third one that has a closed form of its own."""
    y, z = 0.5, 1.0
    for i in range(len(b)):
        x, y, z = a * x - 0.3 * y + b[i], c * y + 0.1 * x, 0.9 * z + 0.2
    return x + 2.0 * y + z


def whole(b, x):
    for i in range(len(b)):
        x = 6364136223846793005 * x + b[i]
    return x


def data(n):
    return RNG.uniform(-1.0, 1.0, n)


CASES = {
    "C7": (smoothed, lambda n: (0.93, data(n), 1.3), "C7"),
    "C7 backwards": (smoothed_later, lambda n: (0.93, data(n + 2), 1.3), "C7"),
    "C8": (linear, lambda n: (1.0 + 0.1 * data(n), data(n), 1.3), "C8"),
    "C8 computed": (discounted, lambda n: (data(n), 0.4, 1.3), "C8"),
    "coupled": (resonance, lambda n: (0.8, data(n), 0.7, 1.3), "C7"),
    "integers": (whole, lambda n: (np.arange(n) * 7 - 3, 5), "C7"),
}
COUNTS = [0, 2, 7, 127, 128, 129, 130, 131, 133, 135, 200]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", COUNTS)
def test_blocks_are_exact(name, count):
    function, make, rule = CASES[name]
    args = make(count)
    program = before(function, *args)
    coarse, segments, reasons = after(program)
    assert segments, reasons
    assert rule in segments[0].rules
    assert agree(exactly(program, args), exactly(coarse, args))


@pytest.mark.parametrize("name", [name for name in CASES if name != "integers"])
@pytest.mark.parametrize("count", [5, 128, 301])
def test_values_and_derivatives(name, count):
    function, make, _ = CASES[name]
    args = make(count)
    np.testing.assert_allclose(tp.jit(function)(*args), function(*args), rtol=1e-12)
    active = tuple(range(len(args)))
    coarse = tp.grad(function, argnums=active)(*args)
    plain = tp.grad(tp.jit(coarsen=False)(function), argnums=active)(*args)
    for x, y in zip(coarse, plain, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-13)


def test_second_derivatives():
    b = data(200)

    def value(a):
        return smoothed(a, b, 1.3)

    plain = tp.grad(tp.grad(tp.jit(coarsen=False)(value)))(0.9)
    assert tp.grad(tp.grad(value))(0.9) == pytest.approx(plain, rel=1e-11)


def test_the_rule_is_used_for_derivatives_where_it_pays():
    fired.clear()
    tp.grad(smoothed).explain(0.5, data(3), 1.0)
    assert fired["C7"] == 1


def test_side_by_side_loops_are_left_alone():
    def rows(a, b):
        out = np.zeros(b.shape[0])
        for k in range(b.shape[0]):
            x = 0.0
            for i in range(b.shape[1]):
                x = a * x + b[k, i]
            out[k] = x
        return out

    _, segments, reasons = after(before(rows, 0.5, np.ones((3, 4))))
    assert not segments
    assert reasons


# -- the loop runs where blocks would overflow or lose something ---------------------------------------


def test_products_that_the_loop_does_not_form():
    """Four factors of 1e100 overflow, and four of 1e-100 vanish; the loop meets neither."""
    n = 128
    for factor, start in ((1e100, 0.0), (1e-100, 1e300)):
        a, b = np.ones(n), np.zeros(n)
        a[:4] = factor
        assert tp.jit(linear)(a, b, start) == linear(a, b, start)
        assert tp.jit(linear)(a[::-1].copy(), b, start) == linear(a[::-1], b, start)
    assert tp.jit(smoothed)(1e-200, np.zeros(128), 1e300) == 0.0
    b = np.full(128, 1e-300)
    assert tp.jit(smoothed)(1e60, np.where(np.arange(128) == 127, 1.0, 0.0), 0.0) == 1.0
    assert tp.jit(smoothed)(0.0, b, 1e300) == 1e-300
    assert tp.jit(linear)(np.zeros(n), b, 1e300) == 1e-300


def test_small_factors_keep_their_digits():
    """A product that is too small for all its digits, and then one that is large again."""
    n = 128
    a, b = np.ones(n), np.zeros(n)
    a[:4] = 1e-155, 1e-155, 1e200, 1e110
    np.testing.assert_allclose(tp.jit(linear)(a, b, 1e30), linear(a, b, 1e30), rtol=1e-15)


def test_what_is_infinite_in_the_loop_is_so():
    a, b = np.full(128, 1e10), np.ones(128)
    assert tp.jit(linear)(a, b, 1.0) == np.inf
    b[3] = np.nan
    assert np.isnan(tp.jit(linear)(np.ones(128), b, 1.0))
