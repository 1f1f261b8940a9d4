"""The multiprecision tower agrees with NumPy wherever a double can hold the answer."""

import itertools
import math

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers import NUMPY_TYPES
from tapeless.ir.numbers_mp import MpTower
from tapeless.ir.op import all_ops, lookup
from tapeless.ir.types import F32, F64
from tapeless.ops.samples import cases

MP = MpTower()
# No negative zero: multiprecision numbers have only one.
FLOATS = [0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 7.0, -8.0, 1e-300, 700.0, math.inf, -math.inf, math.nan]


def as_double(value):
    if isinstance(value, MP.mp.mpf):
        return math.copysign(math.inf, value) if abs(value) > 2e308 else float(value)
    return value


def assert_agree(function, args):
    (plain,) = evaluate(function, args)
    (wide,) = evaluate(function, args, MP)
    dtype = function.result_types[0].dtype
    if dtype.is_float:
        with np.errstate(all="ignore"):
            wide = np.vectorize(as_double, otypes=[np.float64])(wide)
            wide = wide.astype(NUMPY_TYPES[dtype])
        np.testing.assert_allclose(plain, wide, rtol=2e-6 if dtype is F32 else 3e-14, atol=1e-300, err_msg=f"{args}")
    else:
        np.testing.assert_array_equal(plain, wide, err_msg=f"{args}")
        assert np.asarray(wide).dtype == NUMPY_TYPES[dtype]


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.name)
def test_random_points(op):
    rng = np.random.default_rng(11)
    for case in cases(op):
        for _ in range(3):
            assert_agree(case.function, case.arguments(rng))


@pytest.mark.parametrize(
    "op", [op for op in all_ops() if op.arity in (1, 2) and F64 in op.dtypes], ids=lambda op: op.name
)
def test_special_values(op):
    (case, *_) = [case for case in cases(op) if case.function.params[0].type.dtype is F64]
    for args in itertools.product(FLOATS, repeat=op.arity):
        if op.name != "bitcast" or not math.isnan(args[0]):  # the bits of a NaN are not kept
            assert_agree(case.function, args)


def test_sorting_puts_nan_last_and_keeps_ties():
    case = cases(lookup("argsort"))[-1]
    row = [3.0, math.nan, 1.0, 3.0, 1.0, -math.inf, math.nan, 0.0, math.inf]
    (order,) = evaluate(case.function, [np.array([row, row])], MP)
    assert order[1].tolist() == [5, 7, 2, 4, 0, 3, 8, 1, 6]
