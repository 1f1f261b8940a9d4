"""Loops that keep the Jacobians of their bodies: where it is done, where not, and that the derivatives are right."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad import loops

WEIGHTS = np.linspace(0.3, 1.1, 7)


def newton(a, n):
    x = 1.0
    for _ in range(n):
        x = x - (x * x * x + np.sin(x) - a) / (3 * x * x + np.cos(x))
    return x


def network(x, w):
    s = x
    for i in range(len(w)):
        s = np.tanh(w[i] * s + np.exp(-s * s))
    return s


def both_ways(x, w):
    s = x
    for i in range(len(w) - 1):
        s = np.sin(w[len(w) - 1 - i] * s) * np.exp(w[i + 1] * s)
    return s


def branches(x, r):
    for _ in range(6):
        x = np.tanh(np.sin(r * x)) * np.sin(x) if x > 0.4 else np.cos(np.sin(x) + np.tanh(r * x))
    return x


def until(x, r):
    while x > 0.1:
        x = x * np.exp(-0.3 * r * np.cosh(np.sin(x)))
    return x


CASES = {
    "newton": (newton, (2.0, 4), 0),
    "network": (network, (0.4, WEIGHTS), (0, 1)),
    "both ways": (both_ways, (0.4, WEIGHTS), (0, 1)),
    "branches": (branches, (0.4, 1.3), (0, 1)),
    "until": (until, (2.0, 0.7), (0, 1)),
}


def keeps_slopes(derivative, args) -> bool:
    return "entries of its Jacobian" in derivative.explain(*args)


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_forward_mode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Loops of few inputs would carry tangents along instead.
    monkeypatch.setattr(loops, "ahead", lambda *_: None)
    function, args, argnums = CASES[name]
    derivative = tp.value_and_grad(function, argnums=argnums)
    value, slopes = derivative(*args)
    assert keeps_slopes(derivative, args)
    assert value == pytest.approx(function(*args), rel=1e-12)
    wanted = tp.jacfwd(function, argnums=argnums)(*args)
    for found, expected in zip(slopes if argnums else [slopes], wanted if argnums else [wanted], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_second_derivatives() -> None:
    step = 1e-6
    slope = tp.grad(network)
    wanted = (slope(0.4 + step, WEIGHTS) - slope(0.4 - step, WEIGHTS)) / (2 * step)
    for found in (tp.grad(slope)(0.4, WEIGHTS), tp.hessian(network)(0.4, WEIGHTS)):
        assert found == pytest.approx(wanted, rel=1e-6)


def test_in_a_map() -> None:
    points = np.array([0.1, 0.4, 0.9])
    found = tp.jit(lambda xs: tp.map(tp.grad(network), xs, WEIGHTS[None].repeat(3, 0)))
    wanted = [tp.jacfwd(network)(x, WEIGHTS) for x in points]
    np.testing.assert_allclose(found(points), wanted, rtol=1e-10)


def test_a_loop_without_iterations() -> None:
    value, slopes = tp.value_and_grad(network, argnums=(0, 1))(0.4, WEIGHTS[:0])
    assert value == 0.4
    assert slopes[0] == 1.0
    assert slopes[1].shape == (0,)


def test_states_are_kept_where_memory_is_limited_or_states_are_smaller() -> None:
    def pair(x, y):
        for _ in range(5):
            x, y = x * y + 0.1, y * y - x * 0.2
        return x + y

    assert not keeps_slopes(tp.grad(newton, memory="1KB"), (2.0, 4))
    assert not keeps_slopes(tp.grad(pair, argnums=(0, 1)), (0.3, 0.4))


def test_an_arm_not_taken_contributes_nothing() -> None:
    def guarded(x):
        s = 1.0
        for _ in range(3):
            s = s * np.exp(np.sin(np.where(x > 0, 1 / np.where(x > 0, x, 1.0), 0.0)))
        return s

    def chosen(x, a):
        s = a
        for _ in range(3):
            s = np.exp(np.sin(s * x)) / x
        return np.where(x > 0, s, 2.0 * a)

    assert tp.grad(guarded)(0.0) == 0.0
    assert tp.grad(chosen, argnums=(0, 1))(0.0, 1.0) == (0.0, 2.0)
