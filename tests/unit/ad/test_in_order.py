"""Loops that only add something up run their return sweep in their own order, and keep nothing."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=9), RNG.normal(size=9)
KEPT = "keeps nothing (runs again in its own order"


def merged(a, b):
    i, j, total = 0, 0, 1.0
    while i < len(a) and j < len(b):
        if (i + j) % 3 != 1:
            total += a[i] * b[j]
        i += i <= j
        j += (i + j) % 2
    return total * total


def several(a, b):
    i, total, other = 0, a[0], 0.0
    while i < len(a):
        other -= np.sin(a[i]) * b[0]
        if i > 3:
            total = total + a[i] * a[i - 1] - b[i]
            other = a[i] + other
        i += 2
    return total * other


def never(a, b):
    i, total = 20, a[0]
    while i < len(a):
        total += b[i]
        i += 1
    return total * b[0]


def unused(a, b):
    i, total, count = 0, 0.0, 0
    while count < 4:
        total += a[i] * b[i]
        i += 1
        count += 1
    return a[i] * b[0]


def forked(a, b):  # one partial sum goes on in two ways
    i, total = 0, 0.0
    while i < len(a):
        total += a[i]
        if i > 3:
            total += b[i] * b[i]
        i += 2
    return total * b[0]


def scaled(a, b):  # a product: not only added
    i, total = 0, 1.0
    while i < len(a):
        total = total * b[i] + a[i]
        i += 1
    return total


def read(a, b):  # what was added so far is read
    i, total, other = 0, 0.0, 0.0
    while i < len(a):
        total += a[i]
        other += total * b[i]
        i += 1
    return other


def handed_on(a, b):  # a partial sum of one is the next of another
    i, total, other = 0, a[0], b[0]
    while i < len(a):
        total += a[i] * b[i]
        other = total + b[i]
        i += 3
    return total * other


def exchanged(a, b):
    i, total, other = 0, a[0], b[0]
    while i < len(a):
        total, other = other + a[i], total - b[i]
        i += 3
    return total * other * other


def deciding(a, b):  # the sum decides when to stop
    i, total = 0, 0.0
    while i < len(a) and total < 1.5:
        total += a[i] * a[i] * b[i] * b[i]
        i += 1
    return total


def deciding_inside(a, b):
    i, total = 0, 0.0
    while i < len(a):
        if total < 0.5:
            total += a[i] * b[i]
        i += 1
    return total


def twice(a, b):
    i, total = 0, 1.0
    while i < len(a):
        total = total + total
        i += 4
    return total * a[0] * b[0]


YES, NO = (
    (merged, several, never, unused, forked),
    (scaled, read, handed_on, exchanged, deciding, deciding_inside, twice),
)


@pytest.mark.parametrize("function", [*YES, *NO], ids=lambda f: f.__name__)
def test_gradients(function):
    found = tp.grad(function, (0, 1))(A, B)
    expected = [tp.jacfwd(function, k)(A, B) for k in (0, 1)]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-14)
    second = tp.jacrev(tp.grad(function))(A, B)
    np.testing.assert_allclose(second, tp.jacfwd(tp.grad(function))(A, B), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", YES, ids=lambda f: f.__name__)
def test_nothing_is_kept(function):
    assert (KEPT in tp.grad(function, (0, 1)).explain(A, B)) == (function is not unused)


@pytest.mark.parametrize("function", NO, ids=lambda f: f.__name__)
def test_others_keep_something(function):
    assert KEPT not in tp.grad(function, (0, 1)).explain(A, B)


def test_it_is_counted():
    check_grads(merged, A, B)
