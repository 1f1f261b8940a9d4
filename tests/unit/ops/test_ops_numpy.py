"""Every scalar operation against NumPy or the standard library: special values and random points, all types."""

import itertools
import math
from math import inf, nan

import mpmath
import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers import NUMPY_TYPES
from tapeless.ir.op import all_ops, lookup
from tapeless.ir.types import BOOL, F32, F64, I32, I64, DType
from tapeless.ops.samples import cases

EXPECTED = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "neg": np.negative, "abs": np.absolute, "sign": np.sign,
    "ipow": lambda x, y: np.array(1, x.dtype) if y < 0 else np.power(x, y), "pow": np.float_power,
    "min": np.minimum, "max": np.maximum, "fmin": np.fmin, "fmax": np.fmax, "copysign": np.copysign,
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.round,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
    "shl": np.left_shift, "shr": np.right_shift, "lshr": lambda x, y: _unsigned(x) >> _unsigned(y),
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "select": np.where, "scale": lambda x, y: y if y == 0 else x * y,
    "stop_gradient": np.positive, "basis": np.positive,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp, "exp2": lambda x: np.power(2.0, np.float64(x)), "expm1": np.expm1,
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "hypot": np.hypot,
    "erf": math.erf, "erfc": math.erfc, "gamma": lambda x: float(mpmath.gamma(x)),
    "lgamma": lambda x: float(mpmath.loggamma(x)),
    "digamma": lambda x: float(mpmath.digamma(x)),
}  # fmt: skip
# These have tests of their own below.
APART = {"fma", "convert", "bitcast"}

SPECIAL = {
    BOOL: [False, True],
    I32: [0, 1, -1, 2, 7, -7, 31, 32, 33, 64, 2**31 - 1, -(2**31)],
    I64: [0, 1, -1, 2, 7, -7, 31, 63, 64, 65, 2**63 - 1, -(2**63)],
    F32: [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-40, 3e38, inf, -inf, nan],
    F64: [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 5e-324, 1e308, inf, -inf, nan],
}

SCALAR = [op for op in all_ops() if op.arity is not None]


def _unsigned(x):
    return x.view({4: np.uint32, 8: np.uint64}[x.itemsize])


def assert_same(found, expected, dtype: DType, what: str) -> None:
    """Bits equal for integers and bools; floats within a few units in the last place."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == NUMPY_TYPES[dtype], what
    if dtype.is_float:
        tolerance = 1e-6 if dtype is F32 else 2e-14
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0.0, err_msg=what)
    else:
        assert found == expected.astype(found.dtype), what


def test_every_scalar_operation_has_an_expectation():
    assert {op.name for op in SCALAR} == set(EXPECTED) | APART


@pytest.mark.parametrize("name", EXPECTED)
def test_random_points(name):
    rng = np.random.default_rng(7)
    for case in cases(lookup(name)):
        for _ in range(12):
            args = case.arguments(rng)
            (found,) = evaluate(case.function, args)
            with np.errstate(all="ignore"):
                expected = EXPECTED[name](*args)
            assert_same(found, expected, case.function.result_types[0].dtype, f"{name}{args}")


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - {"select", "lgamma", "gamma", "digamma"}))
def test_special_values(name):
    op = lookup(name)
    for case in cases(op):
        dtype = case.function.params[0].type.dtype
        values = [NUMPY_TYPES[dtype](value) for value in SPECIAL[dtype]]
        for args in itertools.product(values, repeat=op.arity):
            (found,) = evaluate(case.function, args)
            with np.errstate(all="ignore"):
                expected = EXPECTED[name](*args)
            result = case.function.result_types[0].dtype
            with np.errstate(all="ignore"):
                expected = np.asarray(expected).astype(NUMPY_TYPES[result])
            assert_same(found, expected, result, f"{name}{args}")
            if result.is_float and found == 0.0:
                assert np.signbit(found) == np.signbit(expected), f"sign of {name}{args}"


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("gamma", [(0.0, inf), (-0.0, -inf), (-1.0, nan), (-inf, nan), (inf, inf), (200.0, inf)]),
        ("lgamma", [(0.0, inf), (-0.0, inf), (-3.0, inf), (-inf, inf), (1.0, 0.0), (2.0, 0.0)]),
        ("digamma", [(0.0, -inf), (-0.0, inf), (-2.0, nan), (-inf, nan), (inf, inf)]),
    ],
)  # fmt: skip
def test_poles(name, points):
    case = cases(lookup(name))[-1]
    for x, value in points:
        np.testing.assert_equal(evaluate(case.function, [x])[0], np.float64(value))


def test_pow_follows_c99_where_numpy_takes_a_square_root():
    case = cases(lookup("pow"))[-1]
    points = [(-0.0, 0.5, 0.0), (-inf, 0.5, inf), (-0.0, 3.0, -0.0), (-8.0, 1 / 3, nan)]
    points += [(1.0, nan, 1.0), (nan, 0.0, 1.0), (-1.0, inf, 1.0), (-0.0, -1.0, -inf)]
    for x, y, value in points:
        np.testing.assert_equal(evaluate(case.function, [x, y])[0], np.float64(value))


@pytest.mark.parametrize("x", [-7.3, -2.5, -0.4, 0.01, 0.7, 1.5, 3.0, 9.99, 50.0, 1e6])
def test_digamma_between_its_poles(x):
    (found,) = evaluate(cases(lookup("digamma"))[-1].function, [x])
    np.testing.assert_allclose(found, float(mpmath.digamma(x)), rtol=1e-14)


@pytest.mark.parametrize("dtype", [F32, F64])
def test_fma_rounds_once(dtype):
    number = NUMPY_TYPES[dtype]
    (case,) = [case for case in cases(lookup("fma")) if case.function.params[0].type.dtype is dtype]
    eps = np.finfo(number).eps
    # (1 + eps)(1 - eps) - 1 = -eps^2 exactly; rounding the product first would give 0.
    assert evaluate(case.function, [number(1 + eps), number(1 - eps), number(-1)])[0] == -number(eps) * number(eps)
    assert np.isnan(evaluate(case.function, [number(0), number(np.inf), number(1)])[0])
    assert evaluate(case.function, [number(3e38), number(10), number(-np.inf)])[0] == -np.inf
    assert np.signbit(evaluate(case.function, [number(-0.0), number(1), number(-0.0)])[0])


def test_fma_of_random_doubles_is_correctly_rounded():
    case = cases(lookup("fma"))[-1]
    rng = np.random.default_rng(2)
    for _ in range(200):
        x, y, z = rng.standard_normal(3) * [1.0, 1.0, 1e-3]
        with mpmath.workprec(400):
            expected = float(mpmath.mpf(x) * mpmath.mpf(y) + mpmath.mpf(z))
        assert evaluate(case.function, [x, y, z])[0] == expected


def test_fma_of_f32_is_not_rounded_twice():
    case = cases(lookup("fma"))[0]
    number, step = np.float32, 2.0**-23
    odd = number(1 + step)
    # x * y + odd lies 2**-70 below (above) the middle of odd and its successor; as a double it is the middle.
    x, y = number(2.0**-12 * (1 + step)), number(2.0**-12 * (1 - step))
    assert evaluate(case.function, [x, y, odd])[0] == odd
    assert evaluate(case.function, [number(-1) * x, y, number(1 + 2 * step)])[0] == number(1 + 2 * step)
    # Exactly in the middle: to the even neighbour.
    assert evaluate(case.function, [number(2.0**-24), number(1), odd])[0] == number(1 + 2 * step)
    assert evaluate(case.function, [number(2.0**-24), number(1), number(1)])[0] == number(1)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (2.9, F64, I64, 2), (-2.9, F64, I32, -2), (nan, F64, I64, -(2**63)), (1e30, F64, I64, -(2**63)),
        (-1e30, F32, I32, -(2**31)), (inf, F32, I64, -(2**63)), (2**31, F64, I32, -(2**31)), (2.0**62, F64, I64, 2**62),
        (2**40 + 5, I64, I32, 5), (-1, I32, I64, -1), (True, BOOL, F64, 1.0), (True, BOOL, I32, 1),
        (0.5, F64, BOOL, True), (nan, F64, BOOL, True), (-0.0, F64, BOOL, False), (3, I64, BOOL, True),
        (16777217, I64, F32, 16777216.0), (0.1, F64, F32, float(np.float32(0.1))), (1e300, F64, F32, inf),
    ],
)  # fmt: skip
def test_convert(value, source, target, expected):
    for case in cases(lookup("convert")):
        if case.function.params[0].type.dtype is source and case.function.result_types[0].dtype is target:
            (found,) = evaluate(case.function, [NUMPY_TYPES[source](value)])
            assert found.dtype == NUMPY_TYPES[target]
            assert found == expected


def test_bitcast_keeps_bits():
    for case in cases(lookup("bitcast")):
        dtype = case.function.params[0].type.dtype
        for value in SPECIAL[dtype]:
            arg = NUMPY_TYPES[dtype](value)
            assert evaluate(case.function, [arg])[0].tobytes() == arg.tobytes()
