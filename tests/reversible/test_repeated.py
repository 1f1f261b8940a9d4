"""Steps without inverses, run forward and back by Bennett's schedule."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad.bennett import calls
from tapeless.reversible import lib


@pytest.mark.parametrize("sectors", [2, 3, 5])
@pytest.mark.parametrize("steps", [0, 1, 7, 16])
def test_there_and_back(steps, sectors):
    count = 0
    compiled = tp.jit(lambda x: np.floor(x * 0.75) + np.sin(x))

    def step(x):
        nonlocal count
        count += 1
        return compiled(x)

    x, expected = np.array([100.0, -3.0, 0.2]), np.array([100.0, -3.0, 0.2])
    for _ in range(steps):
        expected = compiled(expected)
    function = lib.repeated(step, steps, sectors)
    y = np.array([0.5, 0.25, -1.0])
    function(y, x)
    np.testing.assert_array_equal(y, np.array([0.5, 0.25, -1.0]) + expected)
    assert count == calls(steps, sectors)
    (~function)(y, x)
    np.testing.assert_allclose(y, [0.5, 0.25, -1.0], rtol=1e-13)
    np.testing.assert_array_equal(x, [100.0, -3.0, 0.2])


def test_steps_that_differ_are_noticed():
    rng = np.random.default_rng(1)
    function = lib.repeated(lambda x: x + rng.normal(), 8, 2)
    with pytest.raises(AssertionError, match="the second time"):
        function(np.zeros(1), np.zeros(1))


def test_examples():
    import sys

    assert doctest.testmod(sys.modules["tapeless.reversible.lib.repeated"]).failed == 0
