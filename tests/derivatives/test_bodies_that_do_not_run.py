"""A loop that runs no time reads nothing, so its places need not exist: neither mode may touch them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads

FAR = 10**12


def one_place(x, k, m):
    s = 0.0
    for j in range(m):
        s += np.sin(x[k]) * j
    return s


def product(x, k, m):
    s = 1.0
    for j in range(m):
        s *= np.cos(x[k]) + j
    return s


def largest(x, k, m):
    s = -1.0
    for j in range(m):
        s = max(s, x[k] * j)
    return s


def filled(x, k, m):
    y = np.zeros(m)
    for j in range(m):
        y[j] = np.exp(x[k]) * j
    return np.sum(y * y)


def prefix(x, k, m):
    y = np.zeros(m)
    for j in range(m):
        y[j] = x[k] * j
    return np.sum(np.cumsum(y) ** 2)


def counted(x, k, m):
    y = np.zeros(3)
    for j in range(m):
        y[j % 3] += np.exp(x[k])
    return np.sum(y * y)


def recurrence(x, k, m):
    s = 0.5
    for _ in range(m):
        s = np.sin(s * x[k])
    return s


def inside_a_map(x, k, m):
    y = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(m):
            y[i] += np.sin(x[i] * x[k]) * j
    return np.sum(y * y)


def before_the_counter(x, k, m):
    y = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i):
            y[i] += np.sin(x[i - 1]) * j * x[k]
    return np.sum(y * y) * (m + 1)


PROGRAMS = (
    one_place, product, largest, filled, prefix, counted, recurrence, inside_a_map, before_the_counter
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_no_run(program):
    x = np.array([0.3, 0.5, 0.2])
    if program is not before_the_counter:
        np.testing.assert_array_equal(tp.grad(program)(x, FAR, 0), np.zeros(3))
        np.testing.assert_array_equal(tp.jvp(lambda x: program(x, FAR, 0), (x,), (np.ones(3),))[1], 0.0)
    check_grads(program, x, 1, 0)
    check_grads(program, x, 1, 1)
    check_grads(program, x, 1, 4)


def row(x, k, m):
    s = 0.0
    for j in range(m):
        s += np.sin(x[k, j]) * j
    return s


def rows(x, k, m):
    s = 0.0
    for j in range(m):
        s += np.sum(np.sin(x[j, k : k + 2])) * j
    return s


@pytest.mark.parametrize("program", [row, rows], ids=lambda program: program.__name__)
def test_no_run_over_a_part(program):
    x = np.linspace(0.1, 0.9, 12).reshape(3, 4)
    np.testing.assert_array_equal(tp.grad(program)(x, FAR, 0), np.zeros((3, 4)))
    check_grads(program, x, 1, 0)
    check_grads(program, x, 1, 3)


def test_empty_array():
    """Nothing to read from, and nothing read."""
    np.testing.assert_array_equal(tp.grad(inside_a_map)(np.zeros(0), 0, 5), np.zeros(0))
    np.testing.assert_array_equal(tp.grad(one_place)(np.zeros(0), 0, 0), np.zeros(0))
