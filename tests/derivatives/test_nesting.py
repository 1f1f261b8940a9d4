"""Derivatives of derivatives, and derivatives inside compiled functions: any order, no confusion of perturbations."""

# ruff: noqa: PLW0108

import itertools
import math

import numpy as np
import pytest

import tapeless as tp

X = np.array([0.4, 1.3])


def f(x):
    return x * np.sin(x)


FIRST = {
    "grad": tp.grad,
    "jacfwd": tp.jacfwd,
    "jacrev": tp.jacrev,
    "jvp": lambda f: lambda x: tp.jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f: lambda x: tp.vjp(f, x)[1](1.0)[0],
    "linearize": lambda f: lambda x: tp.linearize(f, x)[1](1.0),
    "jit": lambda f: tp.jit(lambda x: tp.grad(f)(x)),
}


@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(FIRST, FIRST)))
def test_second_derivative_in_any_order(outer, inner):
    x = 0.7
    assert FIRST[outer](FIRST[inner](f))(x) == pytest.approx(2 * math.cos(x) - x * math.sin(x), rel=1e-13)


@pytest.mark.parametrize("order", [("grad", "grad", "grad"), ("jvp", "jacrev", "vjp"), ("jacfwd", "jvp", "grad")])
def test_third_derivative(order):
    g = f
    for name in reversed(order):
        g = FIRST[name](g)
    x = 0.7
    assert g(x) == pytest.approx(-3 * math.sin(x) - x * math.cos(x), rel=1e-12)


def test_fourth_derivative_of_a_power():
    g = lambda x: x**5  # noqa: E731
    for _ in range(4):
        g = tp.grad(g)
    assert g(2.0) == pytest.approx(240.0)


@pytest.mark.parametrize("name", list(FIRST))
def test_perturbations_are_not_confused(name):
    d = FIRST[name]
    # d/dx (x * d/dy (x + y)) = 1, and not 2
    assert d(lambda x: x * d(lambda y: x + y)(1.0))(3.0) == 1.0
    # d/dx (d/dy (x * y) at y = x) = 1
    assert d(lambda x: d(lambda y: x * y)(x))(3.0) == 1.0


def test_inside_compiled_functions():
    @tp.jit
    def newton(x, steps):
        for _ in range(steps):
            x = x - f(x - 1.0) / tp.grad(f)(x - 1.0)
        return x

    slope = tp.grad(f)
    assert newton(1.9, 1) == pytest.approx(1.9 - f(0.9) / slope(0.9))
    assert abs(newton(4.0, 8) - 1.0 - math.pi) < 1e-12
    assert tp.grad(newton)(1.9, 1) == pytest.approx(
        1.0 - (slope(0.9) ** 2 - f(0.9) * tp.grad(slope)(0.9)) / slope(0.9) ** 2
    )


def test_inside_parallel_operators_branches_and_loops():
    slopes = tp.jit(lambda xs: tp.map(tp.grad(f), xs))(X)
    np.testing.assert_allclose(slopes, np.sin(X) + X * np.cos(X))

    @tp.jit
    def branch(x):
        value, pull = tp.vjp(f, x)
        if value > 0.0:
            return pull(2.0)[0]
        return tp.jvp(f, (x,), (3.0,))[1]

    for x in (0.7, 4.0):
        weight = 2.0 if f(x) > 0 else 3.0
        assert branch(x) == pytest.approx(weight * (math.sin(x) + x * math.cos(x)))


def test_results_and_auxiliary_values_inside():
    @tp.jit
    def both(x):
        (value, aux), slope = tp.value_and_grad(lambda v: (np.sum(v**2), {"n": len(v), "v": v}), has_aux=True)(x)
        value2, pull, aux2 = tp.vjp(lambda v: (v * 2.0, v), x, has_aux=True)
        return value, aux, slope, pull(x)[0], aux2, tp.hessian(lambda v: v[0] * v[1])(x), value2

    value, aux, slope, pulled, aux2, hessian, value2 = both(X)
    assert value == pytest.approx(np.sum(X**2))
    assert aux["n"] == 2
    for found, expected in [(slope, 2 * X), (pulled, 2 * X), (aux2, X), (aux["v"], X), (value2, 2 * X)]:
        np.testing.assert_allclose(found, expected)
    np.testing.assert_array_equal(hessian, [[0.0, 1.0], [1.0, 0.0]])


def test_closures_over_run_time_values_and_writes_into_copies():
    def write(v):
        v[0] = v[0] * v[1]
        return v.sum()

    @tp.jit
    def g(x, k):
        slope = tp.grad(lambda v: k * write(v))(x)
        return slope, x.sum()

    slope, total = g(X, 3.0)
    np.testing.assert_allclose(slope, 3.0 * np.array([X[1], X[0] + 1.0]))
    assert total == pytest.approx(X.sum())
    inner = tp.jacfwd(lambda k: tp.grad(lambda v: k * write(v))(X))(3.0)
    np.testing.assert_allclose(inner, [X[1], X[0] + 1.0])


def test_derived_functions_as_arguments_and_globals():
    slope = tp.grad(f)
    assert tp.jit(lambda g, x: g(x))(slope, 0.7) == slope(0.7)
    assert tp.jit(lambda x: slope(x))(0.7) == slope(0.7)


def test_exceptions_stay():
    def g(x):
        if x < 0.0:
            raise ValueError("negative")
        return math.sqrt(x)

    assert tp.grad(g)(4.0) == 0.25
    with pytest.raises(ValueError, match="negative"):
        tp.grad(g)(-1.0)
    with pytest.raises(IndexError):
        tp.grad(lambda x, i: x[i] * 2.0)(X, 5)
    with pytest.raises(ZeroDivisionError):
        tp.grad(lambda x: 1.0 / x)(0.0)
