"""Scalar atoms with the obvious simplifications: index arithmetic, conversions, literals, extremes.

Sizes and indices are made here, so that literal shapes stay literal: `n - 0`, `3 * 2` and
`convert` of a literal emit nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ...ir.build import Builder
from ...ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Lit, i64

NUMPY_DTYPE: dict[DType, np.dtype[np.generic]] = {
    BOOL: np.dtype(np.bool_),
    I32: np.dtype(np.int32),
    I64: np.dtype(np.int64),
    F32: np.dtype(np.float32),
    F64: np.dtype(np.float64),
}

ZERO, ONE = i64(0), i64(1)


def plus(b: Builder, x: Atom, y: Atom) -> Atom:
    """x + y of two i64."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(int(x.value) + int(y.value))
    if x == ZERO:
        return y
    return x if y == ZERO else b.apply("add", x, y)


def minus(b: Builder, x: Atom, y: Atom) -> Atom:
    """x - y of two i64."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(int(x.value) - int(y.value))
    if x == y:
        return ZERO
    return x if y == ZERO else b.apply("sub", x, y)


def times(b: Builder, x: Atom, y: Atom) -> Atom:
    """x * y of two i64."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(int(x.value) * int(y.value))
    if ZERO in (x, y):
        return ZERO
    if x == ONE:
        return y
    return x if y == ONE else b.apply("mul", x, y)


def quotient(b: Builder, x: Atom, y: Atom) -> Atom:
    """x // y of two i64, y positive."""
    if isinstance(x, Lit) and isinstance(y, Lit) and y.value:
        return i64(int(x.value) // int(y.value))
    return x if y == ONE else b.apply("floordiv", x, y)


def remainder(b: Builder, x: Atom, y: Atom) -> Atom:
    """x % y of two i64, y positive."""
    if isinstance(x, Lit) and isinstance(y, Lit) and y.value:
        return i64(int(x.value) % int(y.value))
    return ZERO if y == ONE else b.apply("mod", x, y)


def smaller(b: Builder, x: Atom, y: Atom) -> Atom:
    """min(x, y) of two i64."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(min(int(x.value), int(y.value)))
    return x if x == y else b.apply("min", x, y)


def larger(b: Builder, x: Atom, y: Atom) -> Atom:
    """max(x, y) of two i64."""
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(max(int(x.value), int(y.value)))
    return x if x == y else b.apply("max", x, y)


def product(b: Builder, sizes: Iterable[Atom]) -> Atom:
    """The number of elements of a shape."""
    total: Atom = ONE
    for size in sizes:
        total = times(b, total, size)
    return total


def literal(value: float, dtype: DType) -> Lit:
    """A Python number as a literal of the type, rounded or truncated as NumPy would."""
    if not -(1 << 63) <= value < 1 << 63 and isinstance(value, int):
        raise OverflowError(f"the integer {value} does not fit in 64 bits")
    if dtype is BOOL:
        return Lit(bool(value), BOOL)
    if dtype.is_int:
        bits = 32 if dtype is I32 else 64
        whole = int(value) if math.isfinite(value) else -(1 << bits - 1)
        return Lit((whole + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1), dtype)
    if dtype is F32:
        with np.errstate(over="ignore"):
            return Lit(float(np.float32(value)), F32)
    return Lit(float(value), F64)


def convert(b: Builder, x: Atom, dtype: DType) -> Atom:
    """The scalar x as a value of another type."""
    if x.type.dtype is dtype:
        return x
    if isinstance(x, Lit):
        return literal(x.value, dtype)
    return b.apply("convert", x, attrs=(dtype,))


def highest(dtype: DType) -> Lit:
    """The neutral element of `min`."""
    return _extreme(dtype, 1)


def lowest(dtype: DType) -> Lit:
    """The neutral element of `max`."""
    return _extreme(dtype, -1)


def _extreme(dtype: DType, sign: int) -> Lit:
    if dtype.is_float:
        return Lit(sign * math.inf, dtype)
    if dtype is BOOL:
        return Lit(sign > 0, BOOL)
    bound = 1 << (31 if dtype is I32 else 63)
    return Lit(bound - 1 if sign > 0 else -bound, dtype)


def require_whole(b: Builder, number: Atom, dtype: DType) -> None:
    """Emit the checks that Python makes before a float becomes an integer of a type."""
    bound = Lit(2.0**31 if dtype is DType.I32 else 2.0**63, number.type.dtype)
    b.check("domain", b.apply("not", b.apply("isnan", number)), info="cannot convert float NaN to integer")
    fits = b.apply("lt", b.apply("abs", number), bound)
    b.check("overflow", fits, info=f"the integer does not fit in {8 * dtype.itemsize} bits")
