"""Stable forms in what is differentiated: values, first and second derivatives in long numbers, at extremes."""

from __future__ import annotations

import math
import warnings

import mpmath
import numpy as np
import pytest

import tapeless as tp
from tapeless.passes.notes import Notes
from tapeless.symbolic import stable
from tapeless.symbolic.rules import fired

from .helpers import before

MANY = [1e-300, 1e-9, 1e-3, 0.1, 0.7, 0.999, 1.0, 1.001, 3.0, 30.0]
SIGNED = [*(-x for x in MANY), *MANY]


def entropy(x):
    return np.log(1.0 + x * x) / x


def logarithm(x):
    return np.log(1.0 + x)


def softplus(x):
    return np.log(1.0 + np.exp(x))


def softplus_too(x):
    return np.log1p(np.exp(x))


def exponential(x):
    return np.exp(x) - 1.0


def from_one(x):
    return 1.0 - np.exp(x)


def wave(x):
    return np.sin(x) / x


def growth(x):
    return (np.exp(x) - 1.0) / x


def hyperbolic(x):
    return np.sinh(x) / x


def versine(x):
    return (1.0 - np.cos(x)) / x**2


def half_versine(x):
    return (1.0 - np.cos(x)) / x


def norm_of_one(x):
    return np.sqrt(1.0 + x * x)


LARGE = [-1e5, -1000.0, -745.5, -37.0, *SIGNED, 37.0, 709.5, 710.0, 1000.0, 1e5]
CASES = {
    "softplus": (softplus, lambda x: mpmath.log1p(mpmath.exp(x)), [0.0, *LARGE], "softplus"),
    "softplus too": (softplus_too, lambda x: mpmath.log1p(mpmath.exp(x)), [0.0, *LARGE], "softplus"),
    "log1p": (logarithm, mpmath.log1p, [0.0, *MANY, -0.5, 1e300], "log1p"),
    "expm1": (exponential, mpmath.expm1, [0.0, -1000.0, -40.0, *SIGNED, 700.0], "expm1"),
    "1 - exp": (from_one, lambda x: -mpmath.expm1(x), [0.0, -1000.0, -40.0, *SIGNED], "expm1"),
    "sin(x) / x": (wave, lambda x: mpmath.sin(x) / x, SIGNED, "removable"),
    "sinh(x) / x": (hyperbolic, lambda x: mpmath.sinh(x) / x, SIGNED, "removable"),
    "expm1(x) / x": (growth, lambda x: mpmath.expm1(x) / x, [-1000.0, *SIGNED, 700.0], "removable"),
    "(1 - cos(x)) / x^2": (versine, lambda x: (1 - mpmath.cos(x)) / x**2, SIGNED, "removable"),
    "(1 - cos(x)) / x": (half_versine, lambda x: (1 - mpmath.cos(x)) / x, SIGNED, "removable"),
    "sqrt(1 + x^2)": (norm_of_one, lambda x: mpmath.hypot(1, x), [0.0, *SIGNED, 1e160, -1e300], "hypot"),
}


@pytest.mark.parametrize("name", CASES)
def test_values_and_two_derivatives_keep_their_digits(name):
    function, exact, points, rule = CASES[name]
    fired.clear()
    stable.run(before(function, 1.0), Notes())
    assert fired[rule]
    first = tp.value_and_grad(function)
    second = tp.grad(tp.grad(function))
    for x in points:
        with mpmath.workdps(900):  # differences of exp(1000) need that many
            wanted = [mpmath.diff(exact, mpmath.mpf(x), k, h=mpmath.mpf(10) ** -150, addprec=600) for k in range(3)]
        found = (*first(x), second(x))
        scale = max(abs(float(w)) for w in wanted[1:2]) + abs(float(wanted[0]))
        for k, (got, want) in enumerate(zip(found, wanted, strict=True)):
            # Where a derivative passes through zero it is as good as the others.
            allowed = 4e-15 * (abs(float(want)) + (1e-2 * min(scale, 1.0) if abs(x) > 0.5 and k else 0.0)) + 1e-307
            assert abs(got - float(want)) <= allowed, (name, x, k, got, float(want))


def total(x):
    """A loop, as people write it."""
    s = 0.0
    for i in range(len(x)):
        s += np.exp(x[i])
    return np.log(s)


def total_of_array(x):
    return np.log(np.sum(np.exp(x)))


def total_and_one(x):
    return np.log(1.0 + np.sum(np.exp(2.0 * x)))


def three(x):
    return np.log(np.exp(x[0]) + np.exp(x[1]) + 2.0 + np.exp(-x[2]))


def exact_total(x):
    return mpmath.log(sum(mpmath.exp(t) for t in x))


SUMS = {
    "loop": (total, list, "logsumexp"),
    "array": (total_of_array, list, "logsumexp"),
    "and one": (total_and_one, lambda x: [0.0, *(2.0 * x)], "softplus"),
    "three": (three, lambda x: [x[0], x[1], math.log(2.0), -x[2]], "logsumexp"),
}
POINTS = {
    "small": [0.1, 0.2, 0.3],
    "ties": [0.5, 0.5, -0.5],
    "large": [1000.0, 999.0, -3.0],
    "far apart": [1e5, 0.0, -1e5],
    "very negative": [-1e5, -1e5, 1e5],
    "one of them": [40.0, -3.0, 2.0],
}


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("point", POINTS)
def test_logarithms_of_sums(name, point):
    function, exponents, rule = SUMS[name]
    x = np.array(POINTS[point])
    fired.clear()
    stable.run(before(function, x), Notes())
    assert fired[rule]
    value, slope = tp.value_and_grad(function)(x)
    weights = softmax(exponents(x))
    with mpmath.workdps(60):
        exact = exact_total(map(mpmath.mpf, exponents(x)))
    assert value == pytest.approx(float(exact), rel=2e-15)
    inner = {"and one": 2.0 * weights[1:], "three": np.array([weights[0], weights[1], -weights[-1]])}
    np.testing.assert_allclose(slope, inner.get(name, weights), rtol=4e-15, atol=1e-307)


def softmax(exponents):
    with mpmath.workdps(60):
        total = sum(mpmath.exp(mpmath.mpf(t)) for t in exponents)
        return np.array([float(mpmath.exp(mpmath.mpf(t)) / total) for t in exponents])


@pytest.mark.parametrize("point", ["small", "large", "one of them"])
def test_second_derivatives_of_logarithms_of_sums(point):
    x = np.array(POINTS[point])
    found = tp.hessian(total_of_array)(x)
    with mpmath.workdps(60):
        powers = [mpmath.exp(mpmath.mpf(t)) for t in x]
        p = [power / sum(powers) for power in powers]
        exact = [[float((p[i] if i == j else 0) - p[i] * p[j]) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(found, exact, rtol=1e-13)


def shifted(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def shifted_by_another(x):
    largest = np.max(2.0 * x)
    return largest + np.log(np.sum(np.exp(x - largest)))


@pytest.mark.parametrize("point", POINTS)
def test_sums_that_are_shifted_by_their_largest_exponent_stay_as_they_are(point):
    x = np.array(POINTS[point])
    fired.clear()
    stable.run(before(shifted, x), Notes())
    assert not fired["logsumexp"]
    stable.run(before(shifted_by_another, x), Notes())
    assert fired["logsumexp"]
    value, slope = tp.value_and_grad(shifted)(x)
    with mpmath.workdps(60):
        assert value == pytest.approx(float(exact_total(map(mpmath.mpf, x))), rel=2e-15)
    np.testing.assert_allclose(slope, softmax(x), rtol=4e-15, atol=1e-307)


def test_rows_and_nothing():
    def rows(x):
        out = 0.0
        for k in range(x.shape[0]):
            s = 0.0
            for i in range(x.shape[1]):
                s += np.exp(x[k, i])
            out += np.log(s)
        return out

    x = np.array([[1000.0, 1001.0], [-2.0, -1000.0]])
    np.testing.assert_allclose(tp.grad(rows)(x), [softmax(row) for row in x], rtol=1e-14)
    with np.errstate(all="ignore"):
        assert tp.value_and_grad(total)(np.zeros(0))[0] == -np.inf


@pytest.mark.parametrize("x", [[np.inf, np.inf], [-np.inf, -np.inf], [np.nan, 1.0], [1.0, np.nan], [np.inf, 0.0]])
def test_infinities_and_what_is_no_number(x):
    x = np.array(x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tp.value_and_grad(total)(x)[0], total_of_array(x))
        pair = tp.value_and_grad(lambda a, b: np.log(np.exp(a) + np.exp(b)))(*x)[0]
        np.testing.assert_array_equal(pair, np.log(np.exp(x[0]) + np.exp(x[1])))


def norm(x, y):
    return np.sqrt(x * x + y**2)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_hypot(scale):
    x, y = 3.0 * scale, -4.0 * scale
    value, slopes = tp.value_and_grad(norm, argnums=(0, 1))(x, y)
    assert value == pytest.approx(5.0 * scale, rel=1e-15)
    np.testing.assert_allclose(slopes, [0.6, -0.8], rtol=1e-15)
    assert tp.grad(norm)(0.0, 0.0) == 0.0


@pytest.mark.parametrize("x", [np.inf, -np.inf, np.nan, -1.0, -3.0, 800.0, 0.0])
def test_the_same_at_every_argument(x):
    with np.errstate(all="ignore"):
        value, slope = tp.value_and_grad(logarithm)(np.float64(x))
        np.testing.assert_allclose(value, logarithm(np.float64(x)), rtol=1e-15)
        np.testing.assert_allclose(slope, 1.0 / (1.0 + np.float64(x)), rtol=1e-15)


@pytest.mark.parametrize("x", [1e-9, 1e-3, 0.7, 3.0, -2.0])
def test_log1p_inside(x):
    value, _ = tp.value_and_grad(entropy)(x)
    with mpmath.workdps(60):
        exact = mpmath.log(1 + mpmath.mpf(x) ** 2) / mpmath.mpf(x)
    assert value == pytest.approx(float(exact), rel=1e-14)


def test_quotients_at_zero_are_what_the_source_says():
    with pytest.raises(ZeroDivisionError):
        tp.grad(lambda x: math.sin(x) / x)(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = tp.jacobian(lambda x: np.sin(x) / x)(np.array([0.0, 0.5]))
    assert np.isnan(values[0, 0])
    assert values[1, 1] == pytest.approx(np.cos(0.5) / 0.5 - np.sin(0.5) / 0.25)


def test_functions_round_as_they_are_written():
    assert tp.jit(entropy)(1e-9) == entropy(1e-9)
    with np.errstate(all="ignore"):
        assert tp.jit(lambda x: np.log(1.0 + np.exp(x)))(1000.0) == np.inf


def test_steps_of_expm1_are_exponentials():
    """Its slope is no value plus one: where exp(x) is small that has no digits."""
    assert tp.grad(np.expm1)(-40.0) == pytest.approx(math.exp(-40.0), rel=1e-15)
