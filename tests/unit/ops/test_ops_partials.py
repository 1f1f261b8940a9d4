"""Every partial against a difference quotient at 60 digits, at kinks and poles, and with the operand's type kept."""

import math

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.build import build
from tapeless.ir.check import check
from tapeless.ir.eval import interpreter
from tapeless.ir.numbers_mp import MpTower
from tapeless.ir.op import all_ops, lookup
from tapeless.ir.types import F32, F64, Type, Var
from tapeless.ops.samples import cases

MP = MpTower(digits=60)
STEP = MP.mp.mpf(10) ** -18
SMOOTH = [op for op in all_ops() if not isinstance(op.partials, str)]
# The series behind the partial of digamma has double precision; the others are exact formulas.
TOLERANCE = {"digamma": 1e-15}


def with_partials(op, dtype):
    """The program that returns the operation's value and all its partials."""
    params = tuple(Var(f"x.{k}", Type(dtype)) for k in range(op.arity))

    def body(b):
        out = b.apply(op.name, *params)
        return (out, *(rule(b, params, out) for rule in op.partials))

    function = build(f"d_{op.name}", params, body)
    check(function)
    assert all(type == Type(dtype) for type in function.result_types)
    return function


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_partials_equal_difference_quotients(op):
    run = interpreter(with_partials(op, F64), MP)
    rng = np.random.default_rng(3)
    (case,) = [case for case in cases(op) if case.function.params[0].type.dtype is F64]
    for _ in range(6):
        point = [MP.mp.mpf(float(x)) for x in case.arguments(rng)]
        _, *partials = run(point)
        for k, partial in enumerate(partials):
            values = []
            for side in (1, -1):
                moved = list(point)
                moved[k] += side * STEP
                values.append(run(moved)[0])
            slope = (values[0] - values[1]) / (2 * STEP)
            error = abs(slope - partial) / max(abs(slope), 1)
            assert error < TOLERANCE.get(op.name, 1e-30), f"{op.name}{point} by operand {k}"


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_partials_keep_the_type_f32(op):
    run = interpreter(with_partials(op, F32))
    rng = np.random.default_rng(4)
    (case,) = [case for case in cases(op) if case.function.params[0].type.dtype is F32]
    single = run(case.arguments(rng))
    assert all(value.dtype == np.float32 and np.isfinite(value) for value in single)


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("abs", (0.0,), (0.0,)),
        ("min", (2.0, 2.0), (0.5, 0.5)),
        ("max", (2.0, 2.0), (0.5, 0.5)),
        ("max", (3.0, 2.0), (1.0, 0.0)),
        ("fmin", (math.nan, 2.0), (0.0, 1.0)),
        ("fmax", (2.0, math.nan), (1.0, 0.0)),
        ("copysign", (0.0, 1.0), (0.0, 0.0)),
        ("copysign", (-3.0, -0.0), (1.0, 0.0)),
        ("sqrt", (0.0,), (math.inf,)),
        ("cbrt", (0.0,), (math.inf,)),
        ("hypot", (0.0, 0.0), (0.0, 0.0)),
        ("atan2", (0.0, 0.0), (0.0, 0.0)),
        ("atan2", (3e200, 4e200), (4.0 / 25.0 * 1e-200, -3.0 / 25.0 * 1e-200)),
        ("pow", (0.0, 2.0), (0.0, 0.0)),
        ("pow", (0.0, 1.0), (1.0, 0.0)),
        ("pow", (0.0, 0.0), (0.0, 0.0)),
        ("pow", (-2.0, 3.0), (12.0, math.nan)),
        ("mod", (-7.0, 2.0), (1.0, 4.0)),
        ("log", (0.0,), (math.inf,)),
    ],
)
def test_conventions_at_kinks(name, point, expected):
    _, *partials = interpreter(with_partials(lookup(name), F64))(point)
    np.testing.assert_allclose(partials, expected, rtol=1e-14)


def test_trigamma_also_below_zero():
    run = interpreter(with_partials(lookup("digamma"), F64))
    for x in (-3.7, -0.5, 0.3, 40.0):
        np.testing.assert_allclose(float(run([x])[1]), float(MP.mp.psi(1, x)), rtol=1e-13)
