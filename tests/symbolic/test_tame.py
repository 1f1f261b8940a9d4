"""log(1 + e^x) where a branch around it says that x is not large: as short as it is written, with all its digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import Apply
from tapeless.ir.walk import statements
from tapeless.passes.notes import Notes
from tapeless.symbolic import stable
from tapeless.symbolic.rules import fired

from .helpers import before


def greater(x):
    return x if x > 80.0 else np.log(1.0 + np.exp(x))


def at_least(x):
    return x if x >= 80.0 else np.log1p(np.exp(x))


def less(x):
    return np.log(np.exp(x) + 1.0) if x < 80.0 else x


def at_most(x):
    return np.log(1.0 + np.exp(x)) if x <= 80.0 else x


def turned(x):
    return x if 80.0 < x else np.log(1.0 + np.exp(x))  # noqa: SIM300  (the other comparison is meant)


BOUNDED = [greater, at_least, less, at_most, turned]


def too_large(x):
    return x if x > 400.0 else np.log(1.0 + np.exp(x))


def the_other_arm(x):
    return np.log(1.0 + np.exp(x)) if x > 80.0 else x


def from_below(x):
    return 0.0 if x < -80.0 else np.log(1.0 + np.exp(x))


def of_another(x, y):
    return x if y > 80.0 else np.log(1.0 + np.exp(x))


def two_terms(x):
    return x if x > 80.0 else np.log(2.0 + np.exp(x))


def operations(program) -> list[str]:
    return [stm.expr.op for stm in statements(program.body) if isinstance(stm.expr, Apply)]


@pytest.mark.parametrize("function", BOUNDED)
def test_what_is_bounded_is_a_logarithm_of_one_and_a_power(function):
    program = stable.run(before(function, 1.0), Notes())
    found = operations(program)
    assert "log1p" in found
    assert "select" not in found
    assert operations(stable.run(program, Notes())) == found


@pytest.mark.parametrize("function", [too_large, the_other_arm, from_below, two_terms])
def test_what_is_not_bounded_takes_the_form_for_all_numbers(function):
    assert "select" in operations(stable.run(before(function, 1.0), Notes()))


def test_a_bound_of_another_number_says_nothing():
    assert "select" in operations(stable.run(before(of_another, 1.0, 1.0), Notes()))


def test_in_single_precision_less_is_large():
    x = np.float32(1.0)
    assert "select" in operations(stable.run(before(greater, x), Notes()))
    assert "select" not in operations(
        stable.run(before(lambda x: x if x > 20.0 else np.log(1.0 + np.exp(x)), x), Notes())
    )


@pytest.mark.parametrize("x", [-1e5, -745.5, -40.0, -1e-9, 0.0, 1.0, 36.0, 79.9])
def test_values_and_derivatives_keep_their_digits(x):
    third = tp.grad(tp.grad(tp.grad(greater)))
    found = [*tp.value_and_grad(greater)(x), tp.grad(tp.grad(greater))(x), third(x)]
    with mpmath.workdps(400):
        power = mpmath.exp(mpmath.mpf(x))
        p = power / (1 + power)
        wanted = [mpmath.log1p(power), p, p * (1 - p), p * (1 - p) * (1 - 2 * p)]
    for got, want in zip(found[:2], wanted[:2], strict=True):
        assert got == pytest.approx(float(want), rel=4e-15, abs=1e-307)
    for got, want in zip(found[2:], wanted[2:], strict=True):
        assert got == pytest.approx(float(want), rel=1e-13, abs=2e-16)


def test_a_derivative_takes_no_more_than_the_plain_one():
    def slope(coarsen):
        with tp.config(coarsen=coarsen):
            return tp.grad(greater).lower(1.0).ir

    assert len(operations(slope(True))) <= len(operations(slope(False)))


def test_one_and_a_power_of_any_number_needs_no_test_for_infinities():
    def softplus(x):
        return np.log(1.0 + np.exp(x))

    program = stable.run(before(softplus, 1.0), Notes())
    assert "abs" not in operations(program)
    fired.clear()
    stable.run(program, Notes())
    assert not fired["softplus"]  # what is stable stays as it is
    value, slope = tp.value_and_grad(softplus)(np.array([math.inf, -math.inf])[0])
    assert (value, slope) == (math.inf, 1.0)
    assert tp.value_and_grad(softplus)(-math.inf) == (0.0, 0.0)
    assert math.isnan(tp.jit(softplus)(math.nan))
