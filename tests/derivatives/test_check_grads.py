"""`check_grads` for users: silent when right, and otherwise at the statement that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import ArgumentError, WrongDerivativeError
from tapeless.testing import check_grads
from tapeless.testing.mutants import Mutant, record_mutants


def wrong(op: str, change: str) -> Mutant:
    return next(m for m in record_mutants() if m.right.name == op and change in m.change)


def trajectory(x, n):
    total = 0.0
    for i in range(n):
        x = np.cos(x) + 0.1 * i
        if x > 0.5:
            total += np.exp(-x)
    return total * np.tanh(x)


def test_right_derivatives_pass_at_first_and_second_order() -> None:
    assert check_grads(trajectory, 0.3, 5).kind == "ok"
    assert check_grads(tp.jit(trajectory), 0.3, 4, order=2).kind == "ok"


def test_arrays_trees_and_captured_values() -> None:
    weights = np.array([0.5, 1.5, 2.5])

    def loss(p, scale):
        return scale * np.sum(weights * np.sqrt(1.0 + p["x"] ** 2)) + p["b"] * p["b"]

    assert check_grads(loss, {"x": np.array([0.1, 0.2, 0.3]), "b": 2.0}, scale=3.0).kind == "ok"


@pytest.mark.parametrize(("op", "line"), [("cos", 4), ("exp", 6), ("tanh", 7)])
@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_the_wrong_statement_is_named(op: str, line: int, mode: str) -> None:
    with wrong(op, "doubled").planted(), pytest.raises(WrongDerivativeError) as caught:
        check_grads(trajectory, 0.3, 5, modes=(mode,))
    place = caught.value.place
    assert place is not None
    assert place.line == trajectory.__code__.co_firstlineno + line - 1
    assert len(str(caught.value).splitlines()) <= 12


def test_one_wrong_element_of_a_large_array_is_seen() -> None:
    # Differences in double precision miss this: their error grows with the size.
    def f(x):
        s = np.sum(x * x)
        return s + 1e-9 * np.sinh(x[123])

    x = np.linspace(0.1, 1.0, 400)
    assert check_grads(f, x).kind == "ok"
    with wrong("sinh", "doubled").planted(), pytest.raises(WrongDerivativeError):
        check_grads(f, x)


def test_a_kink_is_reported_as_such() -> None:
    verdict = check_grads(lambda x: np.max(x) * 2.0, np.array([1.0, 1.0]))
    assert verdict.kind == "unstable"
    assert "kink" in verdict.detail


def test_without_floats_there_is_nothing_to_check() -> None:
    with pytest.raises(ArgumentError):
        check_grads(lambda n: n * 2, 3)


def test_a_rule_of_the_users_is_held_to_the_function():
    @tp.custom_jvp
    def cube(x):
        return x**3

    cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 2.0 * primals[0] ** 2 * tangents[0]))
    with pytest.raises(WrongDerivativeError, match="derivative of <lambda> is wrong"):
        check_grads(lambda x: 1.0 + cube(x), 2.0)
    assert tp.grad(cube)(2.0) == 8.0
    cube.defjvp(lambda primals, tangents: (primals[0] ** 3, 3.0 * primals[0] ** 2 * tangents[0]))
    assert check_grads(lambda x: 1.0 + cube(x), 2.0, order=2).kind == "ok"


def test_what_is_held_still_does_not_move():
    assert check_grads(lambda x: x * tp.stop_gradient(x), 2.0, order=2).kind == "ok"
    assert check_grads(lambda x: np.sum(x * tp.stop_gradient(np.sin(x))), np.array([1.0, 2.0])).kind == "ok"
