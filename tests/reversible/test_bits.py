"""Gradients of loops that run backwards, and keep bits and counts of the loops inside of them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads


def inner_branches(x, y, n):
    for i in range(n):
        for j in range(2 + i % 3):
            if x > 0.5:
                x -= 0.3 * y
            else:
                x += 0.4 * y + 0.1 * j
        y += 0.01 * np.sin(x)
    return x * x + y


def inner_while(x, y, n):
    for _ in range(n):
        while x > 1.0:
            x -= 0.75 * y
            if y > x:
                y -= 0.01 * x
        x += 1.5
    return x * x * y


def of_varying_length(x, y, n):
    a, b = x, 0.4
    for i in range(n):
        for _ in range(i % 3):
            if a > 0.5:
                b -= 0.3 * y
            else:
                a += 0.1 * b * y
            for _ in range(2):
                if b < 0.0:
                    b += 0.3
                    a -= 0.01 * y
    return a * b


def rarely_entered(x, y, n):
    for i in range(n):
        if i % 4 == 1:
            for _ in range(i):
                if x > y:
                    x -= 0.5 * y
                else:
                    y += 0.25 * x
    return x + y * y


def beside_the_loop(x, y, n):
    for i in range(n):
        if x > 1.0:
            x -= 0.7 * y
        for _ in range(2 + i % 2):
            if x < 0.5:
                x += 0.3 * y
    return x * y


SCALAR = (inner_branches, inner_while, of_varying_length, rarely_entered, beside_the_loop)


@pytest.mark.parametrize("function", SCALAR, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 23])
def test_numbers(function, n):
    args = 1.3, 0.7, n
    gradient = tp.grad(function, (0, 1), memory="reversible")
    np.testing.assert_allclose(gradient(*args), tp.grad(function, (0, 1))(*args), rtol=1e-9, atol=1e-12)
    text = gradient.explain(*args)
    assert "keeps a bit (1 byte) each time" in text
    assert "does not run backwards" not in text
    reversible = tp.reversible(function)
    check_grads(lambda x, y: reversible(x, y, 6), 1.3, 0.7)


def elements(x, n):
    for _ in range(n):
        for _ in range(2):
            for k in tp.prange(len(x)):
                if x[k] > 0.5:
                    x[k] -= 0.3 * x[k] * 0.5
        x *= 1.25
    return np.sum(x * x)


def elements_of_the_loop(x, n):
    for _ in range(n):
        for k in tp.prange(len(x)):
            if x[k] > 0.5:
                x[k] -= 0.25
        x *= 1.25
    return np.sum(x * x)


def elements_in_a_branch(x, n):
    for i in range(n):
        if i % 2 == 0:
            for k in tp.prange(len(x)):
                if x[k] > 0.3:
                    x[k] -= 0.25
        x += 0.1
    return np.sum(x * x)


@pytest.mark.parametrize("function", [elements, elements_of_the_loop, elements_in_a_branch], ids=lambda f: f.__name__)
def test_of_each_element(function):
    x = np.array([0.3, 0.7, 2.0])
    gradient = tp.grad(function, memory="reversible")
    np.testing.assert_allclose(gradient(x, 6), tp.grad(function)(x, 6), rtol=1e-9)
    text = gradient.explain(x, 6)
    assert "keeps a bit" in text
    assert "does not run backwards" not in text


def test_second_derivatives():
    def function(x):
        return inner_branches(x, 0.7, 8)

    found = tp.hessian(tp.reversible(function))(1.3)
    assert found == pytest.approx(tp.hessian(function)(1.3), rel=1e-9)


def test_what_is_known_is_read_in_both_arms():
    """The branch changes y by an x that was changed before it, and is known."""

    def function(x, y, n):
        for _ in range(n):
            x -= 0.75 * y
            if y > x:
                y -= 0.01 * x
        return x * x * y

    gradient = tp.grad(function, (0, 1), memory="reversible")
    np.testing.assert_allclose(gradient(2.0, 1.0, 5), tp.grad(function, (0, 1))(2.0, 1.0, 5), rtol=1e-12)
    assert "keeps a bit (1 byte) of each iteration" in gradient.explain(2.0, 1.0, 5)
