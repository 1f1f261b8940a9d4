"""log1p is found in what is differentiated, at any argument, and keeps the digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import tapeless as tp
from tapeless.symbolic.rules import fired


def entropy(x):
    return np.log(1.0 + x * x) / x


@pytest.mark.parametrize("x", [1e-9, 1e-3, 0.7, 3.0, -2.0])
def test_digits_are_kept(x):
    value, _ = tp.value_and_grad(entropy)(x)
    with mpmath.workdps(60):
        exact = mpmath.log(1 + mpmath.mpf(x) ** 2) / mpmath.mpf(x)
    assert value == pytest.approx(float(exact), rel=1e-14)
    assert fired["log1p"]


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan, -1.0, -3.0, 800.0, 0.0])
def test_the_same_at_every_argument(x):
    def logarithm(x):
        return np.log(1.0 + x)

    with np.errstate(all="ignore"):
        value, slope = tp.value_and_grad(logarithm)(np.float64(x))
        np.testing.assert_allclose(value, logarithm(np.float64(x)), rtol=1e-15)
        np.testing.assert_allclose(slope, 1.0 / (1.0 + np.float64(x)), rtol=1e-15)


def test_functions_round_as_they_are_written():
    assert tp.jit(entropy)(1e-9) == entropy(1e-9)
