"""Slices that are changed one after another, and with steps: they run backwards, and so do gradients through them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def real_nvp(x, s, t):
    """Two changes of one slice, whose sizes go by other names: that of x, and those of s and t."""
    for k in range(len(s)):
        a = np.tanh(s[k] * x[:2])
        x[2:] *= np.exp(a)
        x[2:] += t[k] * x[:2]
        x[0], x[2] = x[2], x[0]
        x[1], x[3] = x[3], x[1]


def lifting(x, s, t):
    """A wavelet: odd places by even ones, then even by odd."""
    for k in range(len(s)):
        x[1:-1:2] -= s[k, 0] * (x[0:-2:2] + x[2::2])
        x[2:-1:2] += t[k, 0] * (x[1:-2:2] + x[3::2])


def halves(x, s, t):
    for k in range(len(s)):
        x[1::2] -= s[k, 0] * np.sin(x[0::2])
        x[0::2] += t[k, 1] * x[1::2] ** 2


def convolved(x, s, t):
    """Halves change each other by neighbours, element by element: they are apart where the loop runs at all."""
    half = len(x) // 2
    for k in range(len(s)):
        for i in range(1, half - 1):
            x[half + i] += np.tanh(s[k, 0] * x[i - 1] + s[k, 1] * x[i + 1])
        for i in range(1, half - 1):
            x[i] += np.tanh(t[k, 0] * x[half + i - 1] + t[k, 1] * x[half + i + 1])


CASES = [(convolved, 10), (real_nvp, 4), (lifting, 7), (halves, 6)]


def arguments(size):
    rng = np.random.default_rng(5)
    return rng.normal(size=size), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))


@pytest.mark.parametrize(("function", "size"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_they_come_back(function, size):
    x, s, t = arguments(size)
    found = x.copy()
    reversible = tp.reversible(function)
    reversible.check_inverse(x.copy(), s, t)
    _, kept = reversible.keep(found, s, t)
    assert kept == ()
    plain = x.copy()
    function(plain, s, t)
    np.testing.assert_allclose(found, plain, rtol=1e-13)


@pytest.mark.parametrize(("function", "size"), CASES[1:], ids=lambda x: getattr(x, "__name__", x))
def test_gradients_run_backwards(function, size):
    def loss(run):
        def total(x, s, t):
            run(x, s, t)
            return np.sum(np.sin(x))

        return total

    args = arguments(size)
    gradient = tp.grad(loss(tp.reversible(function)), (0, 1, 2))
    for found, exact in zip(gradient(*args), tp.grad(loss(function), (0, 1, 2))(*args), strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-12)
    text = gradient.explain(*args)
    assert "does not run backwards" not in text
    assert "runs backwards" in text


def shifted(x, k):
    x[1::2] += x[k : k + len(x) // 2]


def test_what_may_be_one_place_is_refused():
    with pytest.raises(tp.TapelessError, match="what x was does not follow"):
        tp.reversible(shifted).check_inverse(np.ones(6), 0)
