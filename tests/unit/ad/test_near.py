"""Is a state the one it was: numbers to within a share of the largest, integers exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  (the records of operations)
from tapeless.ad.near import DRIFT, is_near
from tapeless.ir.build import build
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F32, F64, I64, DType, Lit, Type, Var

NAMES = {F64: "float64", F32: "float32", I64: "int64"}


def near(dtype: DType, found: Any, expected: Any, last: Any) -> bool:
    """Scalars, or matrices whose sizes are not written in the program."""
    n, m = Var("n", Type(I64)), Var("m", Type(I64))
    values = [np.array(value, NAMES[dtype]) for value in (found, expected, last)]
    shape = (n, m)[: values[0].ndim]
    params = tuple(Var(name, Type(dtype, shape)) for name in ("found", "expected", "last"))
    function = build("near", params, lambda b: [is_near(b, *params)])
    check(function)
    (answer,) = evaluate(function, values)
    return bool(answer)


@pytest.mark.parametrize("dtype", [F64, F32], ids=str)
@pytest.mark.parametrize("scale", [1.0, 1000.0, -3.0])
def test_numbers_may_differ_by_a_share_of_the_largest(dtype: DType, scale: float) -> None:
    share = DRIFT[dtype]
    for sign in (1.0, -1.0):
        assert near(dtype, scale * (1.0 + sign * 0.9 * share), scale, 0.0)
        assert not near(dtype, scale * (1.0 + sign * 1.2 * share), scale, 0.0)
        assert near(dtype, sign * 0.9 * share * scale, 0.0, scale)  # large at the end
        assert not near(dtype, sign * 1.2 * share * scale, 0.0, scale)


def test_zeros_are_found_again() -> None:
    assert near(F64, 0.0, 0.0, 0.0)
    assert not near(F64, 1e-300, 0.0, 0.0)
    assert not near(F64, np.nan, 1.0, 1.0)


def test_one_element_decides() -> None:
    expected = np.array([[1.0, -1000.0, 3.0], [0.0, 4.0, 5.0]])
    for place in np.ndindex(2, 3):
        for off, answer in ((0.9e-5, True), (-0.9e-5, True), (1.1e-5, False), (-1.1e-5, False), (np.nan, False)):
            found = expected.copy()
            found[place] += off
            assert near(F64, found, expected, np.zeros((2, 3))) == answer
            assert near(F64, found.T, expected.T, np.zeros((3, 2))) == answer
    small = expected * 1e-3
    assert near(F64, small + 0.9e-5, small, expected)
    assert not near(F64, small + 0.9e-5, small, small)


def test_integers_are_found_exactly() -> None:
    assert near(I64, 7, 7, 0)
    assert not near(I64, 10**12 + 1, 10**12, 10**12)
    expected = np.arange(6).reshape(2, 3)
    assert near(I64, expected, expected, expected * 0)
    for place in np.ndindex(2, 3):
        found = expected.copy()
        found[place] -= 1
        assert not near(I64, found, expected, expected)


@pytest.mark.parametrize(
    ("dust", "off", "answer"), [(1e-3, 0.9e-3, True), (1e-3, 1.1e-3, False), (1e-12, 0.9e-8, True)]
)
def test_dust_is_no_difference(dust: float, off: float, answer: bool) -> None:
    found = Var("found", Type(F64))
    function = build("near", (found,), lambda b: [is_near(b, found, Lit(1.0, F64), Lit(1.0, F64), Lit(dust, F64))])
    (is_found,) = evaluate(function, [1.0 + off])
    assert bool(is_found) == answer
