"""Running extremes that start from a value that varies, and rules of users at arrays whose adjoints are masked."""

import numpy as np
import numpy.typing as npt

import tapeless as tp

Vector = npt.NDArray[np.float64]


def running_maximum(start: float, xs: Vector) -> Vector:
    return tp.scan(np.maximum, start, xs)


def test_the_start_of_a_running_maximum_has_a_tangent() -> None:
    xs = np.array([0.5, 2.0, 1.0, 3.0])
    value, along = tp.jvp(running_maximum, (1.0, xs), (0.25, np.array([1.0, 2.0, 4.0, 8.0])))
    np.testing.assert_array_equal(value, [1.0, 2.0, 2.0, 3.0])
    np.testing.assert_array_equal(along, [0.25, 2.0, 2.0, 8.0])


@tp.custom_vjp
def inverse(x: Vector) -> Vector:
    return 1.0 / x


def _inverse_forward(x: Vector) -> tuple[Vector, Vector]:
    return 1.0 / x, x


def _inverse_backward(x: Vector, adjoint: Vector) -> tuple[Vector]:
    return (-adjoint / x**2,)


inverse.defvjp(_inverse_forward, _inverse_backward)


def chosen_inverses(x: Vector) -> float:
    total = 0.0
    for i in range(len(x)):
        y = inverse(x[i : i + 1] * np.ones(2))
        total += y[1] if x[i] > 0.0 else 0.0
    return total


def test_the_rule_of_a_user_answers_where_one_adjoint_is_not_zero() -> None:
    x = np.array([2.0, 0.0, 4.0])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(tp.grad(chosen_inverses)(x), [-0.25, 0.0, -0.0625])
