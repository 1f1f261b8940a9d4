"""Closed forms beside 60 digits: a few units for any number of iterations, also near convergence and near overflow."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import tapeless as tp

from .test_loops import annuity, geometric
from .test_powers_and_quotients import forward

UNIT = 2.0**-53


@pytest.mark.parametrize("n", [400, 1000, 3000, 50_000])
@pytest.mark.parametrize("a", [0.0, 0.5, 0.9, 0.99, 0.999, 1.0 - 1e-7, 1.0, 1.0 + 1e-9, 1.001, -0.9, -0.999])
def test_one_number(a, n):
    """The value and its derivatives, all of them sums in which nothing cancels."""
    args = (a, 0.3, 2.0)
    value, slopes = tp.value_and_grad(geometric, argnums=(0, 1, 2))(*args, n)
    with mpmath.workdps(60):
        exact = closed(*map(mpmath.mpf, args), n)
    for found, wanted in zip((value, *slopes), exact, strict=True):
        if abs(wanted) > 1e-290:
            assert abs(found - float(wanted)) <= 24 * UNIT * abs(float(wanted)), (a, n, found, float(wanted))


def closed(a, b, x, n):
    """a^n x + b s with its slopes, by definition."""
    s = mpmath.mpf(n) if a == 1 else (a**n - 1) / (a - 1)
    ds = mpmath.mpf(n) * (n - 1) / 2 if a == 1 else (n * a ** (n - 1) - s) / (a - 1)
    return a**n * x + b * s, n * a ** (n - 1) * x + b * ds, s, a**n


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 1e-3, 0.05, 0.5])
def test_a_series(rate):
    """The ratio is rounded, in the source too: that counts once for each term."""
    value, slopes = tp.value_and_grad(annuity, argnums=(0, 1))(rate, 3.0, 2000)
    with mpmath.workdps(60):
        exact, partials = forward(annuity, (rate, 3.0, 2000), (0, 1))
    for found, wanted in zip((value, *slopes), (exact, *partials), strict=True):
        assert found == pytest.approx(float(wanted), rel=2000 * UNIT)


def fit(rate, x, y, steps):
    w = 0.0
    for _ in range(steps):
        slope = 0.0
        for i in range(len(x)):
            slope += x[i] * (y[i] - x[i] * w)
        if slope < 1e-6:
            break
        w += rate * slope
    return (w - 2.0) ** 2


@pytest.mark.parametrize("rate", [0.001, 0.01, 0.03])
@pytest.mark.parametrize("steps", [50, 200, 500, 2000])
def test_near_convergence(rate, steps):
    """The slope is a difference of terms of the size of w / rate, and right to some units of these, as in the loop."""
    x = np.linspace(0.1, 1.0, 20)
    y = 1.7 * x
    for function in (fit, tp.jit(coarsen=False)(fit)):
        value, slope = tp.value_and_grad(function)(rate, x, y, steps)
        with mpmath.workdps(60):
            exact, w = by_hand(mpmath.mpf(rate), x, y, steps)
        largest = 2.0 * abs(float(w) - 2.0) * abs(float(w)) / rate
        assert value == pytest.approx(float(exact[0]), rel=1e-14)
        assert abs(slope - float(exact[1])) <= 64 * UNIT * largest


def by_hand(rate, x, y, steps):
    xy, xx = sum(mpmath.mpf(a) * mpmath.mpf(b) for a, b in zip(x, y, strict=True)), sum(mpmath.mpf(a) ** 2 for a in x)
    w, by_rate = mpmath.mpf(0), mpmath.mpf(0)
    for _ in range(steps):
        slope = xy - xx * w
        if slope < 1e-6:
            break
        w, by_rate = w + rate * slope, by_rate + slope - rate * xx * by_rate
    return ((w - 2) ** 2, 2 * (w - 2) * by_rate), w


@pytest.mark.parametrize("n", [7300, 7420, 7440, 7450])
def test_derivatives_that_overflow(n):
    """1.1^7440 is 1e308: a slope is larger by n, and infinite where that of the loop is."""
    coarse = tp.value_and_grad(geometric, argnums=(0, 1, 2))(1.1, 0.3, 2.0, n)
    plain = tp.value_and_grad(tp.jit(coarsen=False)(geometric), argnums=(0, 1, 2))(1.1, 0.3, 2.0, n)
    np.testing.assert_allclose(coarse[0], plain[0], rtol=1e-11)
    np.testing.assert_allclose(coarse[1], plain[1], rtol=1e-11)
