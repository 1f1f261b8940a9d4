"""Loops with closed forms: the same to 45 digits, in the logarithm of the operations; and the loops that stay."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

from .helpers import after, agree, before, exactly, operations


def geometric(a, b, x, n):
    for _ in range(n):
        x = a * x + b
    return x


def growth(a, x, n):
    y = 0.0
    for _ in range(n):
        x, y = a * x, x
    return x + y


def arithmetic(b, x, n):
    y = 1.0
    for _ in range(n):
        x, y = x + b, x * 0.5 - y
    return x + y


def coupled(a, b, x, n):
    y = 1.0
    for _ in range(n):
        x, y = a * x + b * y + 0.1, y * 0.5 - x * 0.2
    return x + y


def counted(a, b, x, n):
    for i in range(n):
        x = a * x + b * i
    return x


def fibonacci(n):
    x, y = 0, 1
    for _ in range(n):
        x, y = y, x + y
    return x


def scrambled(seed, n):
    for i in range(n):
        seed = seed * 6364136223846793005 + 1442695040888963407 * i
    return seed


def chosen(flag, a, x, n):
    for _ in range(n):
        if flag:
            x = a * x + 1.0
        else:
            x = 0.5 * x
    return x


def statistics(r, x, y, n):
    w = 0.1
    for _ in range(n):
        d = 0.0
        for i in range(len(x)):
            d += x[i] * (y[i] - x[i] * w)
        w = w + r * d
    return w


def descent(r, x, y, most):
    w, k = 0.0, 0
    while k < most:
        d = 0.0
        for i in range(len(x)):
            d += 2.0 * x[i] * (y[i] - x[i] * w)
        d = d / len(x)
        if d < 0.001:
            break
        w = w + r * d
        k += 1
    return w, k


def cooling(a, t, room):
    k = 0
    while t - room > 0.01:
        t = room + a * (t - room)
        k += 1
    return t, k


def steady(x, b, bound):
    k = 0
    while x < bound:
        x = x + b
        k += 1
    return x, k


def breaking(a, x, n):
    """The break leaves something else than the last iteration."""
    k = 0
    while k < n:
        if x > 50.0:
            x = x - 50.0
            break
        x = a * x + 1.0
        k += 1
    return x, k


def polynomial(a, b, n):
    total = 0.5
    for i in range(n):
        total += a + b * i + 0.25 * (i * i) - 0.001 * (i * i * i)
    return total


def fourth(a, n):
    total = 0.0
    for i in range(n):
        t = a * i
        total += t * t * t * t
    return total


def triangle(k, n):
    total = 3
    for i in range(n):
        total += k * i + 2
    return total


def annuity(rate, payment, years):
    value = 0.0
    for year in range(years):
        value += payment / (1.0 + rate) ** year
    return value


def discounted(rate, payment, years):
    value = 0.0
    for year in range(years):
        value += payment * (1.0 + rate) ** -(year + 1.0)
    return value


def compound(a, x, n):
    for _ in range(n):
        x = a * x
    return x


DATA = np.array([0.3, 0.7, 0.2]), np.array([0.5, 1.1, 0.9])
CASES = {
    "geometric": (geometric, (0.9, 0.3, 2.0, 300), "C6"),
    "near one": (geometric, (1.0 + 2.0**-40, 0.3, 2.0, 300), "C6"),
    "one": (geometric, (1.0, 0.3, 2.0, 300), "C6"),
    "alternating": (geometric, (-0.9, 0.3, 2.0, 301), "C6"),
    "growth": (growth, (1.01, 2.0, 500), "coupled"),
    "arithmetic": (arithmetic, (0.25, 2.0, 400), "coupled"),
    "coupled": (coupled, (0.7, 0.3, 2.0, 300), "coupled"),
    "counted": (counted, (0.7, 0.3, 2.0, 300), "counter"),
    "fibonacci": (fibonacci, (400,), "coupled"),
    "scrambled": (scrambled, (7, 500), "coupled"),
    "chosen": (chosen, (True, 0.7, 2.0, 400), "F2"),
    "not chosen": (chosen, (False, 0.7, 2.0, 400), "F2"),
    "polynomial": (polynomial, (0.3, 0.2, 2000), "Faulhaber"),
    "fourth powers": (fourth, (0.3, 5000), "Faulhaber"),
    "triangle": (triangle, (7, 5000), "Faulhaber"),
    "annuity": (annuity, (0.05, 3.0, 2000), "geometric"),
    "discounted": (discounted, (0.05, 3.0, 2000), "geometric"),
    "compound": (compound, (1.01, 3.0, 2000), "C6"),
    "statistics": (statistics, (0.01, *DATA, 300), "linear"),
    "descent to the end": (descent, (0.01, *DATA, 50), "exit"),
    "descent to a break": (descent, (0.3, *DATA, 300), "exit"),
    "cooling": (cooling, (0.97, 90.0, 20.0), "exit"),
    "steady": (steady, (0.1, 0.25, 70.0), "exit"),
    "breaking": (breaking, (0.981, 0.1, 1000), "exit"),
    "breaking late": (breaking, (0.981, 0.1, 140), "exit"),
}


@pytest.mark.parametrize("name", CASES)
def test_closed_forms_are_exact(name):
    function, args, rule = CASES[name]
    program = before(function, *args)
    coarse, segments, reasons = after(program)
    assert segments, reasons
    assert rule in segments[0].rules
    assert agree(exactly(program, args), exactly(coarse, args)), name
    assert operations(coarse, args) < 0.8 * operations(program, args)


@pytest.mark.parametrize("name", CASES)
def test_closed_forms_compute_what_loops_compute(name):
    function, args, _ = CASES[name]
    if function is scrambled:
        pytest.skip("Python's integers do not wrap")
    if function is fibonacci:
        args = (60,)
    compiled = tp.jit(function)(*args)
    np.testing.assert_allclose(np.array(compiled, float), np.array(function(*args), float), rtol=1e-11)


@pytest.mark.parametrize(
    "name", [name for name, (f, _, _) in CASES.items() if f not in (fibonacci, scrambled, triangle)]
)
def test_derivatives_of_closed_forms(name):
    function, args, _ = CASES[name]

    def value(*given):
        out = function(*given)
        return out[0] if isinstance(out, tuple) else out

    active = tuple(k for k, arg in enumerate(args) if isinstance(arg, float))
    coarse = tp.grad(tp.jit(coarsen=True)(value), argnums=active)(*args)
    plain = tp.grad(tp.jit(coarsen=False)(value), argnums=active)(*args)
    np.testing.assert_allclose(coarse, plain, rtol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 63, 64, 65, 127, 128, 1000])
def test_any_number_of_iterations(count):
    for function, args in ((geometric, (0.9, 0.3, 2.0)), (coupled, (0.7, 0.3, 2.0))):
        assert tp.jit(function)(*args, count) == pytest.approx(function(*args, count), rel=1e-12)


def test_second_derivatives():
    def value(a):
        return geometric(a, 0.3, 2.0, 300)

    slope = tp.grad(tp.grad(value))(0.95)
    plain = tp.grad(tp.grad(tp.jit(coarsen=False)(value)))(0.95)
    assert slope == pytest.approx(plain, rel=1e-9)


# -- where the closed form is not as good, the loop runs ---------------------------------------------


def test_an_overflow_that_the_loop_does_not_meet():
    assert tp.jit(growth)(1e3, 0.0, 1000) == 0.0
    assert tp.grad(growth, argnums=1)(0.5, 1.0, 1000) == 3 * 0.5**1000
    assert tp.jit(growth)(1e200, 1e-300, 2) == growth(1e200, 1e-300, 2)


def test_a_cancellation_that_the_loop_does_not_meet():
    assert tp.jit(geometric)(2.0, -1.0, 1.0, 200) == 1.0
    assert tp.grad(geometric)(2.0, -1.0, 1.0, 200) == tp.grad(tp.jit(coarsen=False)(geometric))(2.0, -1.0, 1.0, 200)


def test_numbers_below_the_smallest():
    assert tp.jit(growth)(0.5, 1e300, 1990) == growth(0.5, 1e300, 1990)


def test_not_a_number_stays_one():
    assert np.isnan(tp.jit(geometric)(np.nan, 1.0, 1.0, 500))
    assert tp.jit(geometric)(np.inf, 1.0, 1.0, 500) == np.inf


def test_a_bound_that_is_met_exactly():
    """1/2, 1/4, ... meets 2^-100: a guess that is one off would be seen."""
    for bound in (2.0**-100, np.nextafter(2.0**-100, 0.0), np.nextafter(2.0**-100, 1.0)):

        def halve(x, a, bound):
            k = 0
            while x > bound:
                x = a * x
                k += 1
            return k

        assert tp.jit(halve)(1.0, 0.5, bound) == halve(1.0, 0.5, bound)


def test_checks_of_iterations_are_made():
    with pytest.raises(IndexError):
        tp.jit(statistics)(0.1, np.ones(3), np.ones(2), 100)
    assert tp.jit(statistics)(0.1, np.ones(3), np.ones(2), 0) == 0.1


def test_loops_without_a_closed_form_stay_and_say_why():
    def logistic(x, n):
        for _ in range(n):
            x = 3.6 * x * (1.0 - x)
        return x

    _, segments, reasons = after(before(logistic, 0.3, 100))
    assert not segments
    assert reasons == ["x is not affine in what the iteration before left"]


def test_coarsening_can_be_switched_off():
    assert "closed form" in tp.jit(geometric).explain(0.5, 1.0, 1.0, 9)
    assert "coarsening" not in tp.jit(coarsen=False)(geometric).explain(0.5, 1.0, 1.0, 9)
    with tp.config(coarsen=False):
        assert "coarsening" not in tp.grad(geometric).explain(0.5, 1.0, 1.0, 9)


def flagged(x, n):
    """A truth value that the loop hands on, and one that a break leaves."""
    seen, k = True, 0
    while k < n:
        if x > 10.0:
            seen = False
            break
        x, k = x * 1.25 + 0.5, k + 1
    return x if seen else -x


@pytest.mark.parametrize("x", [0.25, 3.0])
@pytest.mark.parametrize("n", [0, 5, 40])
def test_truth_values_are_handed_on(x, n):
    np.testing.assert_allclose(tp.jit(flagged)(x, n), flagged(x, n), rtol=1e-13)
    np.testing.assert_allclose(tp.grad(flagged)(x, n), tp.grad(tp.jit(flagged, coarsen=False))(x, n), rtol=1e-12)


def of_one(x, y, flag, n):
    """A loop whose branch chooses between arrays that it reads."""
    total = 0.0
    for _ in range(n):
        if flag > 0:
            z = x
        else:
            z = y
        total = 0.5 * total + z[0]
    return total


def test_arrays_are_not_chosen_between():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for flag in (0, 1):
        np.testing.assert_allclose(tp.jit(of_one)(x, y, flag, 60), of_one(x, y, flag, 60), rtol=1e-13)
        np.testing.assert_allclose(tp.grad(of_one)(x, y, flag, 60), [2.0 * flag, 0.0], rtol=1e-13)


def multiplied(x):
    p = 1.0
    for _ in range(2000):
        p *= x
    return p


def grown(x, a, n):
    for _ in range(n):
        x = a * x
    return x


@pytest.mark.parametrize("coarsen", [True, False])
def test_a_product_is_computed_from_its_start_on(coarsen):
    """Its factors alone would overflow."""
    with tp.config(coarsen=coarsen):
        np.testing.assert_allclose(tp.jit(grown)(1e-300, 1e3, 150), 1e150, rtol=1e-12)
        assert tp.jit(grown)(0.0, 1e3, 1000) == 0.0
        np.testing.assert_allclose(tp.jit(multiplied)(1.001), 1.001**2000, rtol=1e-12)


def test_sums_in_sums():
    """The inner one waits for the index of the outer one; nothing is hoisted before a return sweep."""

    def total(v, w, steps):
        sum = 0.0
        for _ in range(steps):
            sum += np.sum(v * w)
        return sum * sum + np.sum(v)

    v, w = np.random.default_rng(0).normal(size=(2, 4, 5))
    for steps in (0, 1, 7, 5000):
        found, expected = (tp.grad(total, (0, 1), coarsen=coarsen)(v, w, steps) for coarsen in (True, False))
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-11)
