"""What cannot be differentiated is refused, with the user's line, the reason and the remedy."""

# ruff: noqa: ARG005, PLW0108

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import ArgumentError, CallError, DerivativeError

X = np.array([0.4, 1.3])
COUNTS = np.zeros(2)


def square(x):
    return x * x


def writes_outside(x):
    COUNTS[0] = 1.0
    return x * COUNTS[1]


def positive(x):
    found = []
    for i in range(len(x)):
        if x[i] > 0.0:
            found.append(x[i] * x[i])
    return found


CASES = {
    "an integer": (lambda: tp.grad(square)(3), "argument 0 .* Python int"),
    "an array of integers": (lambda: tp.grad(lambda x: np.sum(x))(np.arange(3)), "array of i64"),
    "a truth value": (lambda: tp.jvp(square, (True,), (1.0,)), "argument 0"),
    "integers in a structure": (lambda: tp.grad(lambda p: p["a"])({"a": 1.0, "n": 2}), "holds integers"),
    "no number": (lambda: tp.grad(lambda s, x: x, argnums=0)("text", 1.0), "the string 'text'"),
    "an array as result": (lambda: tp.grad(square)(X), "1-dimensional array"),
    "a pair as result": (lambda: tp.value_and_grad(lambda x: (x, x))(1.0), "a tuple of 2"),
    "an integer as result": (lambda: tp.grad(lambda x: int(x))(1.5), "number of type i64"),
    "nothing as result": (lambda: tp.grad(lambda x: None)(1.5), "not None"),
    "integers in a Jacobian": (lambda: tp.jacfwd(lambda x: (x, 1))(1.5), "returns floats"),
    "no auxiliary result": (lambda: tp.grad(square, has_aux=True)(1.5), "must return a pair"),
    "argnums beyond": (lambda: tp.grad(square, argnums=1)(1.5), "1 positional"),
    "argnums below": (lambda: tp.grad(square, argnums=-2)(1.5), "asks for argument -2"),
    "argnums twice": (lambda: tp.grad(lambda x, y: x * y, argnums=(0, -2))(1.5, 2.0), "twice"),
    "argnums of another kind": (lambda: tp.grad(square, argnums=(0.5,))(1.5), "int or a tuple"),
    "a tangent of another rank": (lambda: tp.jvp(square, (X,), (1.0,)), "1-dimensional array of f64 is needed"),
    "a tangent of another type": (lambda: tp.jvp(square, (X,), (X.astype(np.float32),)), "array of f32"),
    "a tangent of another structure": (lambda: tp.jvp(lambda p: p[0], ((1.0, 2.0),), ([1.0, 2.0],)), "a tuple of 2"),
    "too few tangents": (lambda: tp.jvp(square, (1.0,), ()), "1 tangents are needed"),
    "a cotangent of another structure": (lambda: tp.vjp(lambda x: (x, x), 1.0)[1](1.0), "cotangent"),
    "writing into surroundings": (lambda: tp.grad(writes_outside)(1.0), "writes into"),
    "a list of run-time length": (lambda: tp.jacrev(positive)(X), "length is known only at run time"),
    "the tangent of such a list": (lambda: tp.jvp(positive, (X,), (X,)), r"np\.array\(the_list\)"),
    "inside compiled code": (lambda: tp.jit(tp.grad(square))(3), "argument 0"),
}


@pytest.mark.parametrize("name", list(CASES))
def test_refused(name):
    attempt, message = CASES[name]
    with pytest.raises(DerivativeError, match=message) as caught:
        attempt()
    text = str(caught.value)
    assert text.startswith("[TP300]")
    assert "test_refusals.py" in text
    assert len(text.splitlines()) <= 12
    assert isinstance(caught.value, TypeError)


def test_sizes_of_tangents_are_compared_at_run_time():
    with pytest.raises(ValueError, match="sizes 3 and 2"):
        tp.jvp(square, (X,), (np.ones(3),))
    with pytest.raises(ValueError, match="sizes 3 and 2"):
        tp.vjp(square, X)[1](np.ones(3))


def test_an_array_of_such_a_list_has_a_derivative():
    jacobian = tp.jacrev(lambda x: np.array(positive(x)))(X)
    np.testing.assert_array_equal(jacobian, np.diag(2.0 * X))


def test_only_functions_can_be_differentiated():
    with pytest.raises(CallError, match="int"):
        tp.grad(3)


def test_complex_numbers_and_subclasses_of_arrays():
    with pytest.raises(ArgumentError, match="complex"):
        tp.grad(square)(1j)
    with pytest.raises(ArgumentError, match="subclass"):
        tp.grad(np.sum)(np.ma.masked_array(X, [True, False]))


def test_surroundings_are_left_alone():
    with pytest.raises(DerivativeError):
        tp.grad(writes_outside)(1.0)
    assert COUNTS[0] == 0.0
