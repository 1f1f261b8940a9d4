"""Arrays put into another order, and prefix sums: there and back, and refused or an error where something is lost."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

SWAPPED = np.array([3, 1, 0, 2, -1])


def given(a, order):
    a[0] = a[0][order]
    a[1:] += a[0]


def constant(a, order):
    a[2, :] = a[2, SWAPPED]
    a[1] += order * 0.5


def columns(a, order):
    a[:] = a[:, order]


def rows(a, order):
    a[:] = a[order]


def rolled(a, order):
    a[1] = np.roll(a[1], order[0])


def summed(a, order):
    a[3] = np.cumsum(a[3])
    a[order[1]] *= 2.0


@pytest.mark.parametrize("function", [given, constant, columns, rows, rolled, summed], ids=lambda f: f.__name__)
def test_there_and_back(function):
    run, first = tp.reversible(function), np.random.default_rng(11).normal(size=(5, 5))
    for order in (np.array([4, 0, 1, 3, 2]), np.array([-1, 2, 0, 1, 3]), np.arange(5)):
        plain, a = first.copy(), first.copy()
        function(plain, order)
        run(a, order)
        np.testing.assert_allclose(a, plain, rtol=1e-14, atol=1e-15)
        (~run)(a, order)
        np.testing.assert_allclose(a, first, rtol=1e-13, atol=1e-14)


def test_prefix_sums_of_integers_come_back_exactly():
    @tp.reversible
    def sums(x):
        x[:] = np.cumsum(3 * x + 1) if len(x) > 100 else np.cumsum(x)

    for size in (0, 1, 7):
        first = np.random.default_rng(12).integers(-(2**62), 2**62, size)
        x = first.copy()
        sums(x)
        (~sums)(x)
        assert x.tolist() == first.tolist()


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1, -3], [2, 2, 2]], ids=str)
def test_an_order_that_names_a_place_twice_is_an_error(order):
    @tp.reversible
    def turned(x, order):
        x[:] = x[order]

    with pytest.raises(AssertionError, match="must name each place once"):
        (~turned)(np.ones(3), np.array(order))


def test_an_order_beyond_the_end_is_an_error():
    @tp.reversible
    def turned(x, order):
        x[:] = x[order]

    with pytest.raises((AssertionError, IndexError)):
        (~turned)(np.ones(3), np.array([0, 1, 3]))


def test_an_order_that_is_not_known_is_refused():
    @tp.reversible
    def by_itself(n):
        n[:] = n[n]

    @tp.reversible
    def changed(x, order):
        x[:] = x[order] * x

    for run, args in ((by_itself, (np.arange(3),)), (changed, (np.ones(3), np.arange(3)))):
        with pytest.raises(tp.TapelessError, match="cannot be run backwards"):
            (~run)(*args)
