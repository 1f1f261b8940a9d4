"""Reverse mode costs a small constant times the program, counted; and the constant does not grow with the size."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.front.capture import lower, specialise
from tapeless.testing import SMOOTH, random_program
from tapeless.testing.counting import Work, reverse_work

PROGRAMS = int(os.environ.get("TAPELESS_COUNTS", "60"))


def counted(function: Callable[..., Any], *args: Any) -> Work:
    call = specialise(function, args, {})  # type: ignore[arg-type]
    lowered = lower(function, call.specs)  # type: ignore[arg-type]
    return reverse_work(lowered.function, [*call.leaves, *lowered.hidden_leaves()])


def fill(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        a[i] = np.sin(x[i]) * x[i]
    return np.sum(a)


def fill_sequentially(x):
    a = np.zeros(len(x))
    a[0] = x[0]
    for i in range(1, len(x)):
        a[i] = np.tanh(a[i - 1] + x[i])
    return a[len(x) - 1]


def overwrite(x):
    a = x * 1.0
    for i in range(1, len(a)):
        a[i] = a[i] * a[i - 1]
        a[i - 1] = np.sqrt(1.0 + a[i - 1] * a[i - 1])
    return np.sum(a)


def recurrence(x):
    s = 0.5
    for i in range(len(x)):
        s = np.sin(s) + 0.1 * s * x[i]
    return s


def tally(x):
    out = np.zeros(8)
    for i in range(len(x)):
        out[i % 8] += x[i] * x[i]
    return np.sum(out * out)


def stencil(x):
    u = x * 1.0
    for _ in range(4):
        v = np.zeros(len(u))
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def running_product(x):
    return np.sum(np.cumprod(1.0 + 0.01 * x))


def until_large(x):
    s, i = 1.0, 0
    while s < 1e9 and i < len(x):
        s = s * (1.0 + 0.1 * x[i] * x[i])
        i += 1
    return s


LOOPS = (fill, fill_sequentially, overwrite, recurrence, tally, stencil, running_product, until_large)


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_the_constant_is_small_and_does_not_grow(function: Callable[..., Any]) -> None:
    small, large = (counted(function, np.linspace(0.5, 1.0, n)) for n in (16, 256))
    assert large.reverse <= large.bound
    assert large.reverse / large.primal <= 1.3 * small.reverse / small.primal


@pytest.mark.parametrize("first", range(0, PROGRAMS, 20))
def test_random_programs_cost_no_more_than_promised(first: int) -> None:
    works = {seed: reverse_work(*random_program(seed, profile=SMOOTH)) for seed in range(first, first + 20)}
    assert not {seed: work for seed, work in works.items() if work.reverse > work.bound}
