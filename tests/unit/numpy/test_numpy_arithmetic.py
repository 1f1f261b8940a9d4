"""Python's operators: values, types, and whether a Python number comes back, for every pair of kinds of operands."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tapeless.errors import TapelessError
from tapeless.front.numpy import arithmetic

from .numpy_harness import Weak, run, same

BINARY = ("Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow")
BITWISE = ("BitAnd", "BitOr", "BitXor", "LShift", "RShift")
COMPARISONS = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
OPERANDS: tuple[Any, ...] = (
    2, 1.5, True, Weak(3), Weak(2.5), Weak(True),
    np.int64(5), np.int32(5), np.float64(1.25), np.float32(1.25), np.True_,
    np.array([1, 2, 3]), np.array([1, 2, 3], np.int32), np.array([0.5, 1.5, 2.0]),
    np.array([0.5, 1.5, 2.0], np.float32), np.array([True, False, True]), np.array([[1.0], [2.0]]),
)  # fmt: skip


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Weak) else value


def compare(op: str, *operands: Any) -> None:
    """Ours against Python's; what NumPy answers in a type outside the language may be refused."""
    two = arithmetic.compare if op in COMPARISONS else arithmetic.binary
    function = arithmetic.unary if len(operands) == 1 else two
    try:
        with np.errstate(all="ignore"):
            want = arithmetic.PYTHON_OF[op](*map(plain, operands))
    except TypeError:
        with pytest.raises(TapelessError):
            run(lambda c, values: function(c, op, *values), operands)
        return
    if np.asarray(want).dtype in (np.int8, np.float16):
        with pytest.raises(TapelessError):
            run(lambda c, values: function(c, op, *values), operands)
        return
    answer = run(lambda c, values: function(c, op, *values), operands)
    assert answer.is_python == [type(want) in (bool, int, float)]
    same(answer.parts[0], want)


@pytest.mark.parametrize("op", [*BINARY, *COMPARISONS])
def test_binary_operators(op: str) -> None:
    for x, y in itertools.product(OPERANDS, OPERANDS):
        compare(op, x, y)


@pytest.mark.parametrize("op", BITWISE)
def test_bitwise_operators(op: str) -> None:
    whole = [x for x in OPERANDS if np.asarray(plain(x)).dtype.kind in "bi"]
    for x, y in itertools.product(whole, whole):
        compare(op, x, y)


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
@pytest.mark.parametrize("op", ["USub", "UAdd", "Invert"])
def test_unary_operators(op: str) -> None:
    for x in OPERANDS:
        compare(op, x)


SIGNED = (7, -7, 7.5, -7.5)


@pytest.mark.parametrize("op", ["FloorDiv", "Mod", "Div"])
def test_division_rounds_as_python_does(op: str) -> None:
    for x, y in itertools.product(SIGNED, (2, -2, 2.5, -2.5)):
        compare(op, Weak(x), Weak(y))
        compare(op, np.asarray(x)[()], np.asarray(y)[()])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5, -1, -2, 0.5, -0.5, 1.5, 2.0])
def test_powers_with_literal_exponents(exponent: float) -> None:
    for base in (Weak(2.25), Weak(3), np.float64(2.25), np.float32(2.25), np.array([0.5, 4.0])):
        compare("Pow", base, exponent)


@pytest.mark.parametrize(
    ("op", "x", "y", "error"),
    [
        ("Div", Weak(1.0), Weak(0.0), ZeroDivisionError),
        ("Div", Weak(1), Weak(0), ZeroDivisionError),
        ("Div", 1, 0, ZeroDivisionError),
        ("FloorDiv", Weak(1), Weak(0), ZeroDivisionError),
        ("Mod", Weak(1.0), 0, ZeroDivisionError),
        ("Pow", Weak(0.0), Weak(-1.0), ZeroDivisionError),
        ("Pow", Weak(0.0), -1, ZeroDivisionError),
        ("Pow", np.array([2, 3]), -1, ValueError),
        ("Pow", np.int64(2), np.int64(-1), ValueError),
        ("LShift", Weak(1), Weak(-1), ValueError),
        ("Add", np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]), ValueError),
    ],
)
def test_raises_what_python_raises(op: str, x: Any, y: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        arithmetic.PYTHON_OF[op](plain(x), plain(y))
    with pytest.raises(error):
        run(lambda c, values: arithmetic.binary(c, op, *values), (x, y))


@pytest.mark.parametrize(("x", "y"), [(Weak(-8.0), 1 / 3), (Weak(-8.0), Weak(0.5))])
def test_complex_powers_raise(x: Any, y: Any) -> None:
    assert isinstance(plain(x) ** plain(y), complex)
    with pytest.raises(ValueError, match="complex"):
        run(lambda c, values: arithmetic.binary(c, "Pow", *values), (x, y))


@pytest.mark.parametrize("value", [1 << 40, -(1 << 40)])
def test_large_python_integers_beside_small_ones(value: int) -> None:
    small = np.array([1, -2], np.int32)
    for op in COMPARISONS:
        compare(op, small, value)
        compare(op, small, Weak(value))
    with pytest.raises(OverflowError):
        small + value
    with pytest.raises(OverflowError):
        run(lambda c, values: arithmetic.binary(c, "Add", *values), (small, Weak(value)))
    with pytest.raises(TapelessError, match="out of bounds"):
        run(lambda c, values: arithmetic.binary(c, "Add", *values), (small, value))


def test_numpy_divides_by_zero_silently() -> None:
    compare("Div", np.float64(1.0), 0)
    compare("FloorDiv", np.array([1, 2]), 0)
    compare("Mod", np.array([1.0, 2.0]), 0.0)
