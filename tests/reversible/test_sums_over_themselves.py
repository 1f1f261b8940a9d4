"""Reflections and their like: what is changed by a sum over itself, where that sum follows from what it becomes."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def reflected(x, v):
    x -= 2.0 * (v @ x) / (v @ v) * v


def from_the_left(a, v):
    w = v / np.sqrt(np.sum(v * v))
    a -= 2 * np.outer(w, w @ a)


def from_the_right(a, v):
    w = v / np.linalg.norm(v)
    a -= 2 * np.outer(a @ w, w)


def orthogonal(x, v):
    """A product of reflections, as in flows with orthogonal layers."""
    for k in range(3):
        w = v + np.cos(k * v)
        x -= 2.0 * np.dot(w, x) / np.dot(w, w) * w


def farther_from_the_mean(x, v):
    x -= 0.5 * np.mean(x)
    x += v * np.sum(x * v)


def rows(a, v):
    a += np.sum(a, axis=1)[:, None] * 0.25
    a += np.sum(a, axis=0) * np.sum(v * v)


def two_arrays(a, v):
    s = np.sum(a) + 0.1 * np.sum(v)
    a += s
    v -= s


def of_twelve_rows(a, _):
    """Vectors of a size that is written down: sums of so many are taken apart, and sizes go by two names."""
    for k in range(3):
        w = np.ones(12) * (k + 1.0)
        w[k] = -2.0
        a -= 2 * np.outer(w, w @ a) / np.sum(w * w)


def normal(*shape):
    return np.random.default_rng(5).normal(size=shape)


CASES = [
    (reflected, normal(11), normal(11)), (reflected, normal(4), normal(4)), (from_the_left, normal(9, 10), normal(9)),
    (from_the_left, normal(6, 5), normal(6)), (from_the_right, normal(9, 10), normal(10)),
    (orthogonal, normal(12), normal(12)), (farther_from_the_mean, normal(9), normal(9)),
    (rows, normal(9, 10), normal(3)), (of_twelve_rows, normal(12, 10), normal(1)),
    (two_arrays, normal(9), normal(5)), (reflected, normal(0), normal(0)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), [(f, x) for f, *x in CASES], ids=lambda x: getattr(x, "__name__", ""))
def test_there_and_back(function, args):
    reversible = tp.reversible(function)
    reversible.check_inverse(*(x.copy() for x in args))
    reversible.check_grad(*(x.copy() for x in args))
    tp.reversible(function, strict=True)(*(x.copy() for x in args))


def projected(x, v):
    x -= (v @ x) / (v @ v) * v


def centred(x, _):
    x -= np.mean(x)


def almost_projected(x, v):
    x -= 0.9999 * (v @ x) / (v @ v) * v


def of_one_sum(x, _):
    x /= np.sum(x)


@pytest.mark.parametrize("function", [projected, centred, almost_projected, of_one_sum], ids=lambda f: f.__name__)
def test_a_sum_that_is_lost_is_an_error_backwards(function):
    x, v = normal(9), normal(9)
    reversible = tp.reversible(function)
    reversible(x, v)
    with pytest.raises(AssertionError, match="a sum over itself"):
        (~reversible)(x, v)


def squares(x):
    x += np.sum(x * x)


def two_sums(x):
    x -= np.sum(x) * np.cos(x[0] * 0.0) + np.sum(x * x[::-1])


def turned(x):
    x += np.sum(np.outer(x, np.ones(9)) * np.cos(x), axis=0)


@pytest.mark.parametrize("function", [squares, two_sums, turned], ids=lambda f: f.__name__)
def test_other_sums_are_refused(function):
    with pytest.raises(tp.TapelessError, match="what x was does not follow"):
        tp.reversible(function).inv(np.ones(9))
