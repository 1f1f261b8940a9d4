"""Elements that are changed by their neighbours as they were, all at once: backwards one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def differences(x):
    x[1:] -= x[:-1].copy()


def the_other_way(x):
    x[:-1] = x[1:] - x[:-1]


def of_sines(x):
    for _ in range(3):
        x[1:] += 0.5 * np.sin(x[:-1])


def two_before(x):
    x[2:] = x[2:] - 2 * x[1:-1] + x[:-2]


def products(x):
    x[:-2] -= np.tanh(x[1:-1] * x[2:])


@pytest.mark.parametrize(
    "function", [differences, the_other_way, of_sines, two_before, products], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("size", [12, 5, 2])
def test_there_and_back(function, size):
    reversible = tp.reversible(function)
    reversible.check_inverse(np.random.default_rng(5).normal(size=size))
    reversible.check_grad(np.random.default_rng(6).normal(size=size))
    tp.reversible(function, strict=True)(np.ones(size))


@pytest.mark.parametrize("function", [differences, of_sines, two_before], ids=lambda f: f.__name__)
def test_rows(function):
    tp.reversible(function).check_inverse(np.random.default_rng(5).normal(size=(9, 4)))


def test_integers_come_back_to_the_bit():
    numbers = np.random.default_rng(5).integers(-(2**62), 2**62, 30)
    found = numbers.copy()
    f = tp.reversible(differences)
    f(found)
    np.testing.assert_array_equal(found[1:], np.diff(numbers))
    (~f)(found)
    np.testing.assert_array_equal(found, numbers)


def both_neighbours(x):
    x[1:-1] -= 0.3 * (x[:-2] + x[2:])


def around(x):
    x -= np.roll(x, 1)


def lost(x):
    x[1:] = 0.0 * x[1:] + x[:-1]


def other_end(x):
    """The last one is read by all."""
    x[:-1] += x[:-1][::-1].copy()


@pytest.mark.parametrize("function", [both_neighbours, around, lost, other_end], ids=lambda f: f.__name__)
def test_where_there_is_no_first_one_it_is_refused(function):
    with pytest.raises(tp.TapelessError, match="what x was does not follow"):
        tp.reversible(function).inv(np.ones(12))
