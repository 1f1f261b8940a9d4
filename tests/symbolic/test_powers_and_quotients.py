"""x = a x^b (C9) and x = (a x + b) / (c x + d) (Moebius): exact, accurate near convergence, and the loop at poles."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import tapeless as tp

from .helpers import after, agree, before, exactly, operations


def power(a, b, x, n):
    for _ in range(n):
        x = a * x**b
    return x


def roots(a, x, n):
    y = 0.0
    for _ in range(n):
        x, y = a * np.sqrt(x), 0.5 * y + 1.0
    return x + y


def quotient_of_powers(a, x, n):
    for _ in range(n):
        x = np.sqrt(x) * a * x / (x**0.75 * 2.0)
    return x


def squares(x, n):
    for _ in range(n):
        x = x * x
    return x


def quotient(a, b, c, d, x, n):
    for _ in range(n):
        x = (a * x + b) / (c * x + d)
    return x


def fraction(c, x, n):
    for _ in range(n):
        x = 1.0 + c / x
    return x


def beverton(r, m, x, n):
    """Growth with a limit, beside a sum."""
    s = 0.0
    for _ in range(n):
        x, s = r * x / (1.0 + x / m), s + 0.5
    return x + s


def mixed(a, c, x, n):
    for _ in range(n):
        x = 3.0 - (a - x) / (c + x)
    return x


CASES = {
    "C9": (power, (1.1, 0.7, 2.0, 400), "C9"),
    "C9 growing": (power, (0.999, 1.01, 1.02, 300), "C9"),
    "C9 of zero": (power, (1.1, 0.0, 2.0, 400), "C9"),
    "roots": (roots, (1.3, 2.0, 400), "C9"),
    "quotient of powers": (quotient_of_powers, (1.3, 2.0, 400), "C9"),
    "squares": (squares, (1.0 + 2.0**-40, 40), "C9"),
    "quotient": (quotient, (1.0, 2.0, 3.0, 4.0, 1.0, 500), "Moebius"),
    "negative": (quotient, (-1.0, -2.0, -3.0, -4.0, 1.0, 500), "Moebius"),
    "turning": (quotient, (0.1, 2.0, 3.0, 0.2, 1.0, 501), "Moebius"),
    "slow": (quotient, (1.0, 2e-3, 2e-3, 1.0, 0.3, 500), "Moebius"),
    "small fixed point": (quotient, (0.5, 1e-3, 1.0, 2.0, 0.7, 300), "Moebius"),
    "fraction": (fraction, (1.0, 1.5, 300), "Moebius"),
    "beverton": (beverton, (1.5, 3.0, 0.2, 300), "Moebius"),
    "mixed": (mixed, (0.3, 5.0, 2.0, 300), "Moebius"),
}


@pytest.mark.parametrize("name", CASES)
def test_closed_forms_are_exact(name):
    function, args, rule = CASES[name]
    program = before(function, *args)
    coarse, segments, reasons = after(program)
    assert segments, reasons
    assert rule in segments[0].rules
    assert agree(exactly(program, args), exactly(coarse, args), digits=40)
    assert operations(coarse, args) < 0.8 * operations(program, args) or function is squares


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_any_number_of_iterations(name, count):
    function, (*args, _), _ = CASES[name]
    np.testing.assert_allclose(
        tp.jit(function)(*args, count), function(*args, count), rtol=1e-11 if count < 64 else 1e-9
    )


@pytest.mark.parametrize("name", [name for name in CASES if name != "squares"])
def test_values_and_derivatives_have_all_digits(name):
    """Beside the loop in 60 digits: no worse than a few units, for the gradient too."""
    function, args, _ = CASES[name]
    active = tuple(k for k, arg in enumerate(args) if isinstance(arg, float))
    value, slopes = tp.value_and_grad(function, argnums=active)(*args)
    with mpmath.workdps(60):
        exact, partials = forward(function, args, active)
    assert value == pytest.approx(float(exact), rel=1e-13)
    for slope, partial in zip(slopes, partials, strict=True):
        np.testing.assert_allclose(slope, float(partial), rtol=2e-11, atol=1e-300)


class Dual:
    """A long number and its slopes."""

    def __init__(self, value, slopes):
        self.value, self.slopes = mpmath.mpf(value), slopes

    def of(self, other):
        return other if isinstance(other, Dual) else Dual(other, [mpmath.mpf(0)] * len(self.slopes))

    def combined(self, other, value, by_self, by_other):
        pairs = zip(self.slopes, other.slopes, strict=True)
        return Dual(value, [by_self * x + by_other * y for x, y in pairs])

    def __add__(self, other):
        other = self.of(other)
        return self.combined(other, self.value + other.value, 1, 1)

    def __mul__(self, other):
        other = self.of(other)
        return self.combined(other, self.value * other.value, other.value, self.value)

    def __truediv__(self, other):
        other = self.of(other)
        return self.combined(other, self.value / other.value, 1 / other.value, -self.value / other.value**2)

    def __sub__(self, other):
        return self + self.of(other) * -1.0

    def __rsub__(self, other):
        return self.of(other) - self

    def __rtruediv__(self, other):
        return self.of(other) / self

    def __pow__(self, other):
        other = self.of(other)
        value = self.value**other.value
        return self.combined(
            other, value, other.value * self.value ** (other.value - 1), value * mpmath.log(self.value)
        )

    def sqrt(self):
        return self ** mpmath.mpf(0.5)

    __radd__, __rmul__ = __add__, __mul__


def forward(function, args, active):
    given = [
        Dual(arg, [mpmath.mpf(k == other) for other in active]) if k in active else arg for k, arg in enumerate(args)
    ]
    result = function(*given)
    return result.value, result.slopes


# -- where the loop runs -----------------------------------------------------------------------------


def test_poles_on_the_way_raise():
    def parabolic(a, b, x, n):
        for _ in range(n):
            x = (a * x - b) / x
        return x

    with pytest.raises(ZeroDivisionError):
        tp.jit(parabolic)(1.0, 1.0, 1.0, 400)  # a rotation by a sixth: 1, 0, ...
    with pytest.raises(ZeroDivisionError):
        tp.jit(parabolic)(3.0, 0.75, 0.25, 400)  # 0.25, 0
    for start in (0.7, 0.45, -3.0):  # through poles that are not met
        np.testing.assert_allclose(tp.jit(parabolic)(2.5, 1.0, start, 400), parabolic(2.5, 1.0, start, 400), rtol=1e-13)
        np.testing.assert_allclose(tp.jit(parabolic)(1.3, 1.0, start, 100), parabolic(1.3, 1.0, start, 100), rtol=1e-10)


def test_the_other_fixed_point():
    """0.5 is a fixed point that repels: the loop stays there exactly."""

    def parabolic(a, x, n):
        for _ in range(n):
            x = (a * x - 1.0) / x
        return x

    assert tp.jit(parabolic)(2.5, 0.5, 400) == 0.5


def test_overflow_and_signs_are_left_to_the_loop():
    assert tp.jit(squares)(1.5, 40) == np.inf
    assert tp.jit(squares)(0.5, 40) == 0.0
    assert tp.jit(squares)(-1.0, 41) == 1.0
    assert tp.jit(power)(-1.5, 3.0, 0.5, 40) == pytest.approx(power(-1.5, 3.0, 0.5, 40))
    with pytest.raises(ValueError, match="complex"):
        tp.jit(power)(-1.0, 0.5, 2.0, 100)
    with pytest.raises(ZeroDivisionError):
        tp.jit(power)(0.0, -1.0, 2.0, 100)
    assert tp.jit(power)(1e30, 0.9, 1e-250, 200) == pytest.approx(power(1e30, 0.9, 1e-250, 200), rel=1e-12)


def test_other_loops_say_why_they_stay():
    def nested(a, x, n):
        for _ in range(n):
            x = 1.0 / (a + 1.0 / x)
        return x

    def beside(a, x, n):
        y = 1.0
        for _ in range(n):
            x, y = (a * x + 1.0) / (x + 2.0), y + x
        return x + y

    for function in (nested, beside):
        _, segments, reasons = after(before(function, 0.5, 1.0, 100))
        assert not segments
        assert reasons


def test_mathematics_is_told():
    _, (segment,), _ = after(before(power, 1.1, 0.5, 2.0, 9))
    assert segment.formulas[-1] == "x = a^(1 + b + ... + b^(N-1)) * x^(b^N)"
    assert segment.latex[-1] == r"x = a^{1 + b + \cdots + b^{N-1}} x^{b^{N}}"
    _, (segment,), _ = after(before(quotient, 1.0, 2.0, 3.0, 4.0, 1.0, 9))
    assert r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}" in segment.latex[-1]
