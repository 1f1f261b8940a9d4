"""Every verb of differentiation on small functions against closed forms: arguments, structures, types."""

# ruff: noqa: ARG005, PLW0108

from collections import namedtuple
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import tapeless as tp

A = np.array([[2.0, 1.0, 0.5], [0.0, 3.0, -1.0]])
X = np.array([0.3, -0.7, 1.1])


def quadratic(x, k):
    return 0.5 * k * np.sum(x**2)


def linear(x):
    return A @ x


def looped(x, n):
    s = 0.0
    for i in range(len(x)):
        for _ in range(n):
            s = s + np.sin(x[i] * s) + x[i]
    return s


def test_gradient_of_an_array_and_of_a_number():
    np.testing.assert_allclose(tp.grad(quadratic)(X, 3.0), 3.0 * X)
    slope = tp.grad(quadratic, argnums=1)(X, 3.0)
    assert type(slope) is float
    assert slope == pytest.approx(0.5 * np.sum(X**2))
    assert isinstance(tp.grad(lambda x: x * x)(np.float64(3.0)), np.float64)


def test_plain_jitted_and_library_functions_and_partials():
    assert tp.grad(tp.jit(lambda x: x * x))(3.0) == 6.0
    assert tp.grad(np.sin)(0.0) == 1.0
    assert tp.grad(partial(lambda k, x: k * x, 5.0))(1.0) == 5.0


def test_argnums():
    f = tp.grad(lambda x, y, z: x * y + z, argnums=(0, -1))
    assert f(2.0, 3.0, 4.0) == (3.0, 1.0)
    assert tp.grad(lambda x, y: x * y, argnums=-1)(2.0, 3.0) == 2.0
    assert tp.grad(lambda x, y: x * y, argnums=[0])(2.0, 3.0) == (3.0,)
    assert tp.grad(lambda *xs: xs[0] * xs[2], argnums=2)(2.0, 3.0, 4.0) == 2.0


def test_values_and_auxiliary_results():
    value, slope = tp.value_and_grad(quadratic)(X, 2.0)
    assert value == pytest.approx(np.sum(X**2))
    np.testing.assert_allclose(slope, 2.0 * X)
    with_aux = lambda x: (x * x, {"twice": 2.0 * x, "name": "square", "n": 3})  # noqa: E731
    assert tp.grad(with_aux, has_aux=True)(3.0) == (6.0, {"twice": 6.0, "name": "square", "n": 3})
    assert tp.value_and_grad(with_aux, has_aux=True)(3.0)[0][1]["twice"] == 6.0
    assert tp.jacfwd(with_aux, has_aux=True)(3.0)[1]["n"] == 3
    assert tp.jacrev(with_aux, has_aux=True)(3.0)[1]["n"] == 3
    assert tp.hessian(with_aux, has_aux=True)(3.0)[0] == 2.0
    assert tp.jvp(with_aux, (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, {"twice": 6.0, "name": "square", "n": 3})
    value, pull, aux = tp.vjp(with_aux, 3.0, has_aux=True)
    assert (value, pull(2.0), aux["twice"]) == (9.0, (12.0,), 6.0)


def test_keyword_arguments_defaults_and_statics_pass_through():
    def f(x, *, power=2, kind="plain"):
        return x**power if kind == "plain" else -(x**power)

    assert tp.grad(f)(3.0) == 6.0
    assert tp.grad(f)(3.0, power=3) == 27.0
    assert tp.grad(f)(3.0, kind="negative") == -6.0
    assert tp.grad(lambda x, g: g(x))(2.0, lambda v: v * v) == 4.0
    np.testing.assert_allclose(tp.grad(looped)(X, 0), np.zeros(3))


Pair = namedtuple("Pair", "left right")


@dataclass
class Box:
    corner: object
    scale: float


def test_structures_of_arguments():
    def f(p):
        return p["a"] * p["b"][0] + np.sum(p["c"].left) * p["c"].right + p["d"].scale * p["d"].corner[1]

    given = {"a": 2.0, "b": [3.0], "c": Pair(X, 4.0), "d": Box((1.0, 5.0), 6.0)}
    slope = tp.grad(f)(given)
    assert list(slope) == ["a", "b", "c", "d"]
    assert slope["a"] == 3.0
    assert slope["b"] == [2.0]
    assert type(slope["c"]) is Pair
    assert slope["c"].right == pytest.approx(X.sum())
    np.testing.assert_array_equal(slope["c"].left, np.full(3, 4.0))
    assert slope["d"] == Box((0.0, 6.0), 5.0)


def test_jacobians():
    for jacobian in (tp.jacfwd, tp.jacrev):
        np.testing.assert_array_equal(jacobian(linear)(X), A)
        assert jacobian(lambda x: x**2)(3.0) == 6.0
        np.testing.assert_allclose(jacobian(np.outer)(X, X).shape, (3, 3, 3))
        product = jacobian(lambda m: m @ m)(A @ A.T)
        expected = np.einsum("ip,qj->ijpq", np.eye(2), A @ A.T) + np.einsum("ip,qj->ijpq", A @ A.T, np.eye(2))
        np.testing.assert_allclose(product, expected.transpose(0, 1, 2, 3))
        assert jacobian(lambda x: np.zeros((2, 0)) + x[:0])(X).shape == (2, 0, 3)
        assert jacobian(linear)(np.ones(3)).shape == (2, 3)


def test_jacobians_nest_results_over_arguments():
    for jacobian in (tp.jacfwd, tp.jacrev):
        found = jacobian(lambda x, y: {"s": np.sum(x) * y, "v": (x * y, y)}, argnums=(0, 1))(X, 2.0)
        by_x, by_y = found["s"]
        np.testing.assert_array_equal(by_x, np.full(3, 2.0))
        assert by_y == pytest.approx(X.sum())
        by_x, by_y = found["v"][0]
        np.testing.assert_array_equal(by_x, 2.0 * np.eye(3))
        np.testing.assert_array_equal(by_y, X)
        assert found["v"][1][1] == 1.0
        np.testing.assert_array_equal(found["v"][1][0], np.zeros(3))
        tree = jacobian(lambda p: p[0] * p[1])((X, 2.0))
        np.testing.assert_array_equal(tree[0], 2.0 * np.eye(3))


def test_tangents_and_cotangents():
    value, slope = tp.jvp(linear, (X,), (np.array([1.0, 0.0, 2.0]),))
    np.testing.assert_allclose(value, A @ X)
    np.testing.assert_allclose(slope, A @ [1.0, 0.0, 2.0])
    value, pull = tp.vjp(linear, X)
    np.testing.assert_allclose(pull(np.array([1.0, -1.0]))[0], A.T @ [1.0, -1.0])
    value, push = tp.linearize(lambda x: looped(x, 2), X)
    np.testing.assert_allclose(push(np.eye(3)[1]), tp.grad(looped)(X, 2)[1])
    out, out_dot = tp.jvp(lambda x: (x * 2.0, 3, x > 0.0), (1.0,), (1,))
    assert out == (2.0, 3, True)
    assert out_dot == (2.0, None, None)
    assert tp.vjp(lambda x: (x * 2.0, 3), 1.0)[1]((1.0, None)) == (2.0,)


def test_what_was_linearised_keeps_its_point():
    x = X.copy()
    _, pull = tp.vjp(lambda x: np.sum(x**2), x)
    _, push = tp.linearize(lambda x: np.sum(x**2), x)
    x[:] = 0.0
    np.testing.assert_allclose(pull(1.0)[0], 2.0 * X)
    assert push(np.ones(3)) == pytest.approx(2.0 * X.sum())


def test_second_derivatives():
    f = lambda x: np.sum(x**3) * x[0]  # noqa: E731
    x = np.array([0.5, 2.0])
    expected = np.array([[12 * 0.25, 3 * 4.0], [3 * 4.0, 6 * 2.0 * 0.5]])
    np.testing.assert_allclose(tp.hessian(f)(x), expected)
    np.testing.assert_allclose(tp.jacrev(tp.jacfwd(f))(x), expected)
    np.testing.assert_allclose(tp.jacrev(tp.grad(f))(x), expected)
    np.testing.assert_allclose(tp.jacfwd(tp.grad(f))(x), expected)
    v = np.array([1.0, -2.0])
    np.testing.assert_allclose(tp.hvp(f, (x,), (v,)), expected @ v)
    by_x, by_y = tp.hvp(lambda x, y: x * x * y, (2.0, 3.0), (1.0, 10.0))
    assert (by_x, by_y) == (2 * 3.0 + 4.0 * 10.0, 4.0)
    blocks = tp.hessian(lambda x, y: x * x * y, argnums=(0, 1))(2.0, 3.0)
    assert blocks == ((6.0, 4.0), (4.0, 0.0))


def test_single_precision():
    x = X.astype(np.float32)
    slope = tp.grad(lambda x: np.sum(np.sin(x) * x))(x)
    assert slope.dtype == np.float32
    np.testing.assert_allclose(slope, np.sin(X) + X * np.cos(X), rtol=1e-5)
    assert tp.hessian(lambda x: np.sum(x**3))(x).dtype == np.float32
    assert isinstance(tp.grad(lambda x: x * 2.0)(np.float32(1.0)), np.float32)


def test_arguments_are_not_written():
    def f(x):
        x[0] = x[0] * x[1]
        x *= 2.0
        return x.sum()

    x = X.copy()
    np.testing.assert_allclose(tp.grad(f)(x), [2.0 * X[1], 2.0 + 2.0 * X[0], 2.0])
    np.testing.assert_array_equal(x, X)
    assert tp.vjp(f, x)[0] == pytest.approx(2 * (X[0] * X[1] + X[1] + X[2]))
    np.testing.assert_array_equal(x, X)


SCALE = 2.0
WEIGHTS = np.array([1.0, 2.0, 3.0])


def test_captured_values_are_read_at_each_call():
    global SCALE  # noqa: PLW0603 - the point of the test
    slope = tp.grad(lambda x: SCALE * np.sum(WEIGHTS * x))
    np.testing.assert_array_equal(slope(X), 2.0 * WEIGHTS)
    SCALE = 3.0
    np.testing.assert_array_equal(slope(X), 3.0 * WEIGHTS)
    SCALE = 2.0


def test_functions_that_do_not_depend_on_the_argument():
    assert tp.grad(lambda x: 3.0)(1.0) == 0.0
    np.testing.assert_array_equal(tp.grad(lambda x: 3.0)(X), np.zeros(3))
    np.testing.assert_array_equal(tp.jacfwd(lambda x: WEIGHTS)(X), np.zeros((3, 3)))
    np.testing.assert_array_equal(tp.jacrev(lambda x: WEIGHTS)(X), np.zeros((3, 3)))


def test_stop_gradient_and_checkpoint():
    assert tp.stop_gradient(X) is X
    assert tp.grad(lambda x: x * tp.stop_gradient(x))(3.0) == 3.0
    np.testing.assert_array_equal(tp.grad(lambda x: np.sum(x * tp.stop_gradient({"a": x})["a"]))(X), X)
    assert tp.jvp(lambda x: tp.stop_gradient((x, 1))[0] * x, (3.0,), (1.0,)) == (9.0, 3.0)
    assert tp.grad(tp.checkpoint(lambda x: x * x))(3.0) == 6.0
    assert tp.grad(lambda x: tp.checkpoint(np.sin)(x))(0.0) == 1.0
    assert tp.jit(lambda x: tp.stop_gradient(x) * 2)(3) == 6


def test_numbers_without_dimensions():
    assert tp.grad(lambda x: x * x)(np.array(3.0)) == 6.0


def test_the_same_request_gives_the_same_function():
    assert tp.grad(quadratic) is tp.grad(quadratic)
    assert tp.grad(quadratic) is not tp.grad(quadratic, argnums=1)


def test_the_object_can_be_inspected():
    f = tp.grad(quadratic)
    assert f.__name__ == "quadratic"
    assert f.__wrapped__ is quadratic
    f(X, 2.0)
    assert "map" in f.show("ir")
    assert "define" in f.show("llvm")
    assert "def quadratic" in f.show("python")
    assert len(f.specialisations) == 1
    assert "x: f64[:]" in f.specialisations[0]
    assert str(tp.value_and_grad(quadratic).lower(X, 1.0)).startswith("def quadratic")
    assert "grad of quadratic" in repr(f)


def test_memory_limits_what_loops_keep():
    def chain(x, n):
        s = x
        for _ in range(n):
            s = np.sin(s) * 1.1
        return s

    expected = tp.grad(chain)(1.0, 50)
    limited = tp.grad(chain, memory=64)
    assert limited(1.0, 50) == pytest.approx(expected, rel=1e-13)
    assert tp.grad(chain, memory=tp.States(3))(1.0, 50) == pytest.approx(expected, rel=1e-13)
    assert limited is not tp.grad(chain)
    with pytest.raises(TypeError, match="no amount of memory"):
        tp.grad(chain, memory="lots")(1.0, 50)


def test_decisions_before_and_after_differentiation_are_explained():
    notes = tp.grad(lambda x: np.sum(tp.map(lambda v: v * v, x))).explain(X)
    assert "vector registers" in notes


def test_without_machine_code():
    for mode in ("interpret", "python"):
        with tp.config(mode=mode):
            np.testing.assert_allclose(tp.grad(quadratic)(X, 3.0), 3.0 * X)
