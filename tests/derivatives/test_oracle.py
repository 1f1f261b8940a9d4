"""The oracle: exact to 30 digits, and honest about points where there is no derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mpmath
import numpy as np
import pytest

from tapeless.ir.build import Builder, build
from tapeless.ir.core import Function
from tapeless.ir.types import F32, F64, I64, Atom, Type, Var, f64, i64
from tapeless.testing.oracle import Oracle, deviation


def scalar_function(body: Callable[[Builder, Var], Sequence[Atom]]) -> Function:
    x = Var("x", Type(F64))
    return build("f", (x,), lambda b: body(b, x))


def test_a_loop_has_its_derivative_to_thirty_digits() -> None:
    def body(b: Builder, x: Var) -> Sequence[Atom]:
        return b.for_(i64(20), (x,), lambda b, _, s: (b.apply("sin", s),))

    slope = Oracle(scalar_function(body)).slope([np.float64(0.7)], [np.float64(1.0)])
    with mpmath.workdps(60):
        value, exact = mpmath.mpf(0.7), mpmath.mpf(1)
        for _ in range(20):
            exact *= mpmath.cos(value)
            value = mpmath.sin(value)
        assert abs(slope.along[0] - exact) < 1e-35
    assert not slope.kink


def test_a_large_number_takes_nothing_away() -> None:
    slope = Oracle(scalar_function(lambda b, x: (b.apply("add", b.apply("sin", x), f64(-1e30)),)))
    found = slope.slope([np.float64(0.7)], [np.float64(1.0)]).along[0]
    with mpmath.workdps(60):
        assert abs(found - mpmath.cos(mpmath.mpf(0.7))) < 1e-30


@pytest.mark.parametrize(
    ("op", "point", "kinked"),
    [("abs", 0.0, True), ("abs", 1e-9, False), ("floor", 2.0, True), ("floor", 2.1, False), ("sqrt", 0.0, True),
     ("sign", 0.0, True), ("rint", 0.5, True), ("cbrt", 0.0, True)],
)  # fmt: skip
def test_kinks_jumps_and_poles_are_seen(op: str, point: float, kinked: bool) -> None:
    function = scalar_function(lambda b, x: (b.apply(op, x),))
    assert bool(Oracle(function).slope([np.float64(point)], [np.float64(1.0)]).kink) is kinked


def test_an_integer_that_jumps_and_a_check_that_fails_nearby_are_kinks() -> None:
    def jumping(b: Builder, x: Var) -> Sequence[Atom]:
        return (b.apply("convert", x, attrs=(I64,)),)

    def checked(b: Builder, x: Var) -> Sequence[Atom]:
        b.check("domain", b.apply("ge", x, f64(1.0)))
        return (x,)

    for body in (jumping, checked):
        assert Oracle(scalar_function(body)).slope([np.float64(1.0)], [np.float64(1.0)]).kink


def test_single_precision_numbers_are_exact_here() -> None:
    x = Var("x", Type(F32))
    function = build("f", (x,), lambda b: (b.apply("mul", x, x),))
    slope = Oracle(function).slope([np.float32(1.1)], [np.float32(1.0)])
    assert deviation(slope.along[0], 2 * Oracle(function).long(np.float32(1.1))) < 1e-30


def test_arguments_without_a_direction_stay() -> None:
    x, k = Var("x", Type(F64, (i64(2),))), Var("k", Type(F64))

    def body(b: Builder) -> Sequence[Atom]:
        return (b.apply("mul", b.apply("index", x, i64(1)), k), i64(3))

    slope = Oracle(build("f", (x, k), body)).slope([np.array([1.0, 2.0]), np.float64(3.0)], [np.ones(2), None])
    assert (float(slope.along[0]), slope.along[1]) == (3.0, None)


def test_a_wrong_digit_is_a_deviation_and_not_a_number_is_infinite() -> None:
    assert deviation(mpmath.mpf(1), mpmath.mpf(1)) == 0.0
    assert deviation(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-9])) > 1e-10
    assert deviation(float("nan"), 1.0) == float("inf")
