"""Traps that are not one gradient at one point: nesting, captured values, determinism, custom rules, threads."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def test_derivatives_nested_in_one_another_are_not_confused() -> None:
    # ForwardDiff 83, ReverseDiff 45, Enzyme.jl 3346: d/dx x * d/dy (x + y) is 1, not 2.
    def outer(x):
        def inner(y):
            return x + y

        return x * tp.grad(inner)(2.0)

    assert tp.grad(outer)(3.0) == 1.0
    assert tp.jacfwd(outer)(3.0) == 1.0


def test_an_inner_derivative_depends_on_the_outer_variable() -> None:
    def outer(x):
        return x * tp.grad(lambda y: x * y * y)(x)  # x * 2 x^2

    assert tp.grad(outer)(3.0) == pytest.approx(6.0 * 9.0, rel=1e-14)


def test_third_derivatives_of_a_loop() -> None:
    def power(x):
        s = 1.0
        for _ in range(5):
            s = s * x
        return s

    third = tp.grad(tp.grad(tp.grad(power)))
    assert third(2.0) == pytest.approx(60.0 * 4.0, rel=1e-14)
    assert tp.jacfwd(tp.grad(tp.jacfwd(power)))(2.0) == pytest.approx(240.0, rel=1e-14)


def test_a_captured_array_is_read_at_each_call() -> None:
    # JAX and Numba keep the values of the first call.
    weights = np.array([1.0, 2.0])
    gradient = tp.grad(lambda x: np.sum(weights * x))
    np.testing.assert_array_equal(gradient(np.zeros(2)), [1.0, 2.0])
    weights[:] = [10.0, 20.0]
    np.testing.assert_array_equal(gradient(np.zeros(2)), [10.0, 20.0])


def test_a_captured_number_is_read_at_each_call() -> None:
    holder = {"k": 2.0}

    def make(k: float):
        def f(x):
            return k * x * x

        return tp.grad(f)

    assert make(holder["k"])(1.0) == 4.0
    assert make(5.0)(1.0) == 10.0


def test_gradients_are_the_same_bits_every_time() -> None:
    x = np.random.default_rng(0).standard_normal(20_000)

    def f(x):
        return np.sum(np.sin(x) * np.cumsum(x * x))

    first = tp.grad(f)(x)
    for _ in range(5):
        assert np.array_equal(tp.grad(f)(x), first)


def test_a_sum_over_parallel_iterations_loses_nothing() -> None:
    # Numba 4922, 7344: races in parallel reductions.
    @tp.jit
    def f(x):
        s = 0.0
        for i in tp.prange(len(x)):
            s += x[i] * x[i]
        return s

    x = np.arange(50_000.0)
    np.testing.assert_array_equal(tp.grad(f)(x), 2.0 * x)


def test_gathers_in_parallel_iterations_add_up() -> None:
    @tp.jit
    def f(x, idx):
        s = 0.0
        for i in tp.prange(len(idx)):
            s += x[idx[i]] ** 2
        return s

    idx = np.arange(30_000) % 7
    counts = np.bincount(idx, minlength=10)
    x = np.linspace(1.0, 2.0, 10)
    np.testing.assert_allclose(tp.grad(f)(x, idx), 2.0 * x * counts, rtol=1e-13)


def test_compiled_and_interpreted_gradients_agree() -> None:
    # PyTorch 136662 and others: the optimiser breaks a derivative that was right.
    def f(x, y):
        return np.min(np.arctan2(x, y)) * np.sum(np.sqrt(x * x + y * y))

    x, y = np.random.default_rng(1).uniform(0.5, 2.0, (2, 9))
    compiled = tp.grad(f, argnums=(0, 1))(x, y)
    with tp.config(mode="interpret"):
        interpreted = tp.grad(f, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-13)


def test_a_custom_rule_survives_compilation_and_nesting() -> None:
    # PyTorch 193279: the compiled gradient was that of the body, 0.54, where the rule says 0.
    @tp.custom_vjp
    def f(x):
        return np.sin(x)

    f.defvjp(lambda x: (np.sin(x), x), lambda _, g: (0.0 * g,))
    assert tp.grad(f)(1.0) == 0.0
    assert tp.grad(tp.jit(lambda x: 2.0 * f(x)))(1.0) == 0.0


@pytest.mark.parametrize("second", [tp.hessian, lambda f: tp.grad(tp.grad(f)), lambda f: tp.jacfwd(tp.jacfwd(f))])
@pytest.mark.parametrize(
    "chosen", [lambda x: np.minimum(np.sin(x), 2.0), lambda x: np.where(x < 5.0, np.log(1.0 + x), 0.0)]
)
def test_an_adjoint_that_happens_to_be_zero_is_not_one_that_was_masked(chosen, second) -> None:
    # At 0 the adjoint of what was chosen is 0 by value, and its derivative is not.
    assert second(lambda x: 0.5 * chosen(x) ** 2)(0.0) == 1.0
