"""Stacks: what is pushed comes back when it is popped, and when the function runs backwards."""

from __future__ import annotations

import copy
import doctest

import numpy as np
import pytest

import tapeless as tp
from tapeless.reversible import stack as module


def pushes(s, x, n):
    for i in range(n):
        x = s.push(x)
        x += 2.0 * i
    return x


def pushes_and_pops(s, x, y):
    x = s.push(x)
    y = s.push(y)
    x = s.pop(x)
    y = s.pop(y)
    return x, y


def copies(s, x, y):
    for i in range(len(x)):
        s.push_copy(x[i])
        x[i] += y
    for _ in range(len(x)):
        y = s.push(y)
        y += 1.0
    return y


def copies_are_taken_back(s, x):
    s.push_copy(x)
    x *= 2.0
    x *= 0.5
    s.pop_copy(x)
    return x


def pushes_some(s, x):
    for i in range(len(x)):
        if x[i] > 1.0:
            x[i] = s.push(x[i])


def running_maxima(s, best, x):
    for i in range(len(x)):
        if x[i] > best:
            best = s.push(best)
            best += x[i]
    return best


CASES = [
    (pushes, tp.Stack.of(8), 3.0, 5), (pushes_and_pops, tp.Stack.of(2), 1.0, 2.0),
    (copies, tp.Stack.of(9), np.array([1.0, 2.0]), 4.0), (copies_are_taken_back, tp.Stack.of(1), 3.0),
    (pushes_some, tp.Stack.of(3), np.array([1.0, 2.0, 3.0, 0.5])),
    (running_maxima, tp.Stack.of(6), -1.0, np.array([0.5, 0.25, 2.0, 1.0, 4.0])),
]  # fmt: skip
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)


@cases
def test_there_and_back(case):
    plain, *args = case
    tp.reversible(plain).check_inverse(*args, tolerance=0.0)


@cases
def test_forward_is_the_plain_function(case):
    plain, *args = case
    first, second = copy.deepcopy(args), copy.deepcopy(args)
    assert plain(*first) == tp.reversible(plain)(*second)
    np.testing.assert_array_equal(first[0].places, second[0].places)
    np.testing.assert_array_equal(first[0].taken, second[0].taken)


@pytest.mark.parametrize("plain", [pushes, pushes_and_pops, copies], ids=lambda f: f.__name__)
def test_strictly_reversible_functions_may_use_them(plain):
    args = next(args for function, *args in CASES if function is plain)
    tp.reversible(strict=True)(plain).check_inverse(*args, tolerance=0.0)


def test_full_and_empty():
    with pytest.raises(IndexError):
        tp.reversible(pushes)(tp.Stack.of(2), 1.0, 3)
    with pytest.raises(AssertionError):
        tp.reversible(popped)(tp.Stack.of(2), 0.0)
    with pytest.raises(AssertionError):
        popped(tp.Stack.of(2), 0.0)


def popped(s, x):
    x = s.pop(x)
    return x  # noqa: RET504 -- parameters are returned by their names


def test_integers():
    s = tp.Stack.of(4, np.int64)
    tp.reversible(pushes_of_integers).check_inverse(s, 2**62 + 1, 3)


def pushes_of_integers(s, x, n):
    for i in range(n):
        x = s.push(x)
        x ^= i + 5
    return x


def test_examples():
    assert doctest.testmod(module).failed == 0
