"""Number towers: the kinds of numbers in which a program can be evaluated.

A tower says how scalars and arrays of each type are represented, and offers the functions of
numbers that the meanings in `ops/` use by name. Integers and bools are NumPy scalars in every
tower; what differs is what stands for a float:

    NumpyTower      np.float64 and np.float32: the machine's own numbers
    MpTower         mpmath numbers of 60 digits (`numbers_mp`): the oracle of derivatives
    CountingTower   those of another tower, while operations and bytes are counted (`numbers_count`)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np

from .digamma import digamma
from .op import Op
from .types import BOOL, F32, F64, I32, I64, DType

NUMPY_TYPES: dict[DType, Any] = {BOOL: np.bool_, I32: np.int32, I64: np.int64, F32: np.float32, F64: np.float64}


class Tower(Protocol):
    """What the interpreter itself needs; meanings call the functions of numbers besides."""

    def storage(self, dtype: DType) -> Any:
        """The NumPy type of arrays of `dtype`."""
        ...

    def scalar(self, value: Any, dtype: DType) -> Any:
        """A Python, NumPy or own number as a scalar of `dtype`."""
        ...

    def operation(self, op: Op) -> Callable[..., Any]:
        """The function from the operands' values and the attributes to the result."""
        ...

    def written(self, arrays: Sequence[Any]) -> None:
        """Called with the arrays that a parallel form has filled."""
        ...


def _exactly_rounded(value: Fraction, like: np.floating[Any]) -> Any:
    """The float of the type of `like` nearest to a rational number, ties to even."""
    try:
        nearest = float(value)
    except OverflowError:
        return type(like)(math.copysign(math.inf, value))
    narrow = type(like)(nearest)
    if isinstance(like, np.float64):
        return narrow
    other = np.nextafter(narrow, type(like)(math.inf if nearest > narrow else -math.inf))
    # Rounding twice goes wrong only when the first step lands on a tie of the second.
    if (float(narrow) + float(other)) / 2 == nearest and value != nearest:
        return max(narrow, other) if value > nearest else min(narrow, other)
    return narrow


def _fma(x: Any, y: Any, z: Any) -> Any:
    if not (np.isfinite(x) and np.isfinite(y)):
        return x * y + z
    if not np.isfinite(z):
        return z
    value = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
    return _exactly_rounded(value, x) if value else x * y + z


def _gamma(x: float) -> float:
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0.0 else math.nan


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (OverflowError, ValueError):
        return math.inf


def _in_double(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of doubles for scalars of either float type."""
    return lambda x: type(x)(function(float(x)))


def _pow(x: Any, y: Any) -> Any:
    # np.power takes a square root when y is 0.5, which differs from C99 at -0 and -inf.
    return type(x)(np.float_power(x, y))


def int_power(x: Any, y: Any) -> Any:
    """x to the power y, wrapped; 1 when y is negative."""
    return np.power(x, y) if y > 0 else type(x)(1)


def logical_shift_right(x: Any, y: Any) -> Any:
    """x, read as unsigned, shifted right by y; 0 when y is not below the width."""
    bits = 8 * x.itemsize
    if y == 0 or not 0 < y < bits:
        return x if y == 0 else type(x)(0)
    return type(x)((int(x) % (1 << bits)) >> int(y))


def to_int(value: Any, dtype: DType) -> Any:
    """A whole number as an integer of `dtype`, the most negative one when it does not fit."""
    bits = 8 * dtype.itemsize
    fits = -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)
    return NUMPY_TYPES[dtype](int(value) if fits else -(2 ** (bits - 1)))


def convert(x: Any, dtype: DType) -> Any:
    """The meaning of `convert` on NumPy scalars."""
    if dtype is BOOL:
        return np.bool_(x != 0)
    if dtype.is_int and isinstance(x, np.floating):
        return to_int(np.trunc(x), dtype)  # pyright: ignore[reportUnknownArgumentType]
    return x.astype(NUMPY_TYPES[dtype])


class NumpyTower:
    """The machine's numbers: NumPy scalars and arrays."""

    boolean = staticmethod(np.bool_)
    div = staticmethod(np.true_divide)
    floordiv, mod = staticmethod(np.floor_divide), staticmethod(np.mod)
    abs, sign = staticmethod(np.abs), staticmethod(np.sign)
    min, max = staticmethod(np.minimum), staticmethod(np.maximum)
    fmin, fmax = staticmethod(np.fmin), staticmethod(np.fmax)
    copysign, fma = staticmethod(np.copysign), staticmethod(_fma)
    floor, ceil = staticmethod(np.floor), staticmethod(np.ceil)
    trunc, rint = staticmethod(np.trunc), staticmethod(np.rint)
    isnan, isinf, isfinite = staticmethod(np.isnan), staticmethod(np.isinf), staticmethod(np.isfinite)
    pow, ipow = staticmethod(_pow), staticmethod(int_power)
    shl, shr, lshr = staticmethod(np.left_shift), staticmethod(np.right_shift), staticmethod(logical_shift_right)
    convert = staticmethod(convert)

    sqrt, cbrt, hypot = staticmethod(np.sqrt), staticmethod(np.cbrt), staticmethod(np.hypot)
    exp, exp2, expm1 = staticmethod(np.exp), staticmethod(np.exp2), staticmethod(np.expm1)
    log, log2 = staticmethod(np.log), staticmethod(np.log2)
    log10, log1p = staticmethod(np.log10), staticmethod(np.log1p)
    sin, cos, tan = staticmethod(np.sin), staticmethod(np.cos), staticmethod(np.tan)
    asin, acos, atan = staticmethod(np.arcsin), staticmethod(np.arccos), staticmethod(np.arctan)
    atan2 = staticmethod(np.arctan2)
    sinh, cosh, tanh = staticmethod(np.sinh), staticmethod(np.cosh), staticmethod(np.tanh)
    asinh, acosh, atanh = staticmethod(np.arcsinh), staticmethod(np.arccosh), staticmethod(np.arctanh)
    erf, erfc = staticmethod(_in_double(math.erf)), staticmethod(_in_double(math.erfc))
    gamma, lgamma = staticmethod(_in_double(_gamma)), staticmethod(_in_double(_lgamma))
    digamma = staticmethod(_in_double(digamma))

    def bitcast(self, x: Any, dtype: DType) -> Any:
        return x.view(NUMPY_TYPES[dtype])

    def argsort(self, a: Any) -> Any:
        return np.argsort(a, axis=-1, kind="stable")

    def storage(self, dtype: DType) -> Any:
        return NUMPY_TYPES[dtype]

    def scalar(self, value: Any, dtype: DType) -> Any:
        return NUMPY_TYPES[dtype](value)

    def operation(self, op: Op) -> Callable[..., Any]:
        return partial(op.meaning, self)

    def written(self, arrays: Sequence[Any]) -> None:
        """Nothing is counted here."""


NUMPY = NumpyTower()
