"""Reversible functions inside of others that are differentiated: their loops keep nothing there either."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import NotReversibleError
from tapeless.testing import check_grads

X, V = np.array([1.0, 0.5]), np.array([0.25, -0.5])
BACKWARDS = "runs backwards from its last state"


@tp.reversible
def swing(x, v, dt, n):
    for _ in range(n):
        v -= np.sin(x) * dt
        x += v * dt


@tp.reversible(strict=True)
def strict_swing(x, v, dt, n):
    for _ in range(n):
        v -= np.sin(x) * dt
        x += v * dt


def there(x, v, n):
    swing(x, v, 0.1, n)
    return np.sum(x * v)


def back(x, v, n):
    (~swing)(x, v, 0.1, n)
    return np.sum(x * v)


def both(x, v, n):
    swing(x, v, 0.1, n)
    x *= 1.5
    (~swing)(x, v, 0.1, n)
    return np.sum(x * v)


def strictly(x, v, n):
    strict_swing(x, v, 0.1, n)
    return np.sum(x * v)


def again_and_again(x, v, n):
    for k in range(n):
        swing(x, v, 0.1, 3 + k)
        x[:] = np.tanh(x)
    return np.sum(x * v)


def through_another(x, v, n):
    def once(x, v):
        swing(x, v, 0.1, n)
        return x

    return np.sum(once(x, v) ** 2)


PLAIN = (there, back, both, strictly, again_and_again, through_another)


@pytest.mark.parametrize("function", PLAIN, ids=lambda f: f.__name__)
def test_a_call_is_differentiated_as_the_function_itself(function):
    gradient = tp.grad(function, (0, 1))
    check_grads(lambda x, v: function(x, v, 5), X, V)
    found, kept = gradient(X, V, 9), tp.grad(function, (0, 1), memory="1GB")(X, V, 9)
    np.testing.assert_allclose(found, kept, rtol=1e-12)
    assert BACKWARDS in gradient.explain(X, V, 9)


def test_loops_of_the_caller_are_its_own():
    text = tp.grad(again_and_again).explain(X, V, 4)
    own = [line for line in text.splitlines() if "return sweep: keeps" in line]
    assert len(own) == 1
    assert sum(BACKWARDS in line for line in text.splitlines()) == 1


def test_a_limit_of_the_caller_decides():
    assert BACKWARDS not in tp.grad(there, memory="1GB").explain(X, V, 9).splitlines()[0]
    assert "within 1000000000 bytes" in tp.grad(there, memory="1GB").explain(X, V, 9)


def test_second_derivatives():
    direction = np.array([1.0, -1.0])
    slope = tp.grad(there)
    found = tp.hvp(lambda x: there(x, V * 1.0, 7), (X,), (direction,))
    step = 1e-6 * direction
    near = (slope(X + step, V, 7) - slope(X - step, V, 7)) / 2e-6
    np.testing.assert_allclose(found, near, rtol=1e-8)
    for function in (there, back):
        at = lambda x, f=function: f(x, V * 1.0, 7)  # noqa: E731
        expected = tp.hvp(at, (X,), (direction,))
        np.testing.assert_allclose(tp.hessian(at)(X) @ direction, expected, rtol=1e-12)
        np.testing.assert_allclose(tp.jacrev(tp.grad(at))(X) @ direction, expected, rtol=1e-12)


def test_strict_functions_refuse_inside_of_others():
    @tp.reversible(strict=True)
    def forgets(x, n):
        for _ in range(n):
            if x > 0.0:
                x -= 0.3 * x * x
            else:
                x += 0.7 * x * x
        return x

    with pytest.raises(NotReversibleError):
        tp.grad(lambda x, n: forgets(x, n) ** 2)(1.0, 5)


# -- pairs -------------------------------------------------------------------------------------------


def exponential(x):
    x[:] = np.exp(x)


def logarithm(x):
    x[:] = np.log(x)


def sinh_of(x, k):
    x = np.sinh(x) * k
    return x  # noqa: RET504 - by its name


def arsinh_of(x, k):
    x = np.arcsinh(x / k)
    return x  # noqa: RET504


grown = tp.dual(exponential, logarithm)
bent = tp.dual(sinh_of, arsinh_of)


@tp.primitive
def turned(a, b, t):
    return a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)


@turned.inverse
def _(a, b, t):
    return turned(a, b, -t)


@tp.reversible
def in_a_loop(x, n):
    for _ in range(n):
        grown(x)
        x *= 0.25


@tp.reversible(strict=True)
def in_loops_of_loops(x, n):
    for _ in range(n):
        for j in range(3):
            grown(x)
            x -= 0.5 + 0.25 * j
            x *= 0.25


@tp.reversible(strict=True)
def of_numbers(a, b, n):
    for k in range(n):
        a, b = turned(a, b, 0.1 * k)
        a = bent(a, 0.5)
        for _ in range(2):
            b = bent(b, 0.75)
        b += a * a
    return a, b


@tp.reversible
def one_way_or_the_other(x, n):
    for k in range(n):
        for _ in range(2):
            if k % 2 == 0:
                grown(x)
            else:
                (~grown)(x)
            x *= 0.5


@pytest.mark.parametrize("pair", [in_a_loop, in_loops_of_loops, one_way_or_the_other], ids=lambda f: f.__name__)
def test_pairs_of_arrays(pair):
    def loss(x):
        pair(x, 4)
        return np.sum(x * x)

    start = np.array([3.0, 4.5])
    check_grads(loss, start)
    text = tp.grad(loss).explain(start)
    assert BACKWARDS in text
    assert "does not run backwards" not in text


def test_pairs_of_numbers():
    def loss(a, b):
        a, b = of_numbers(a, b, 5)
        return a * b

    check_grads(loss, 0.25, 0.5)
    assert "does not run backwards" not in tp.grad(loss, (0, 1)).explain(0.25, 0.5)


def test_the_given_inverse_is_what_undoes():
    """Gradients are taken where the inverse leads: one that is wrong is seen in them, and by `check_inverse`."""

    careless = tp.dual(exponential, exponential)

    @tp.reversible
    def wrong(x, n):
        for _ in range(n):
            careless(x)

    with pytest.raises(AssertionError, match="is not what it was"):
        wrong.check_inverse(np.array([0.5]), 2)
