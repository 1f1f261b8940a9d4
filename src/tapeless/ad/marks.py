"""Few numbers that tell states apart: a sum by weights that favour no direction, and the largest magnitude."""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.types import F64, I64, Atom, DType, Lit, Type, Var, i64, zero
from .near import largest_magnitude

# The golden ratio less one: its multiples are spread over the unit interval.
_PHI = 0.6180339887498949


def mark_type(value: Type) -> Type:
    return Type(_kind(value))


def mark(b: Builder, value: Atom) -> Atom:
    """sum_e w_e value[e], w_e = 1/2 + frac(e phi); of whole numbers by odd weights. A number marks itself."""
    dtype = _kind(value.type)
    total = _total(b, value, i64(0), dtype) if value.type.shape else _converted(b, value, dtype)
    return b.apply("stop_gradient", total) if dtype.is_float else total


def top(b: Builder, value: Atom) -> Atom:
    """The largest magnitude."""
    return b.apply("stop_gradient", _converted(b, largest_magnitude(b, value), F64))


def root_of_size(b: Builder, value: Atom) -> Atom:
    """sqrt(N) for N elements."""
    count: Atom = i64(1)
    for size in value.type.shape:
        count = b.apply("mul", count, size)
    return b.apply("sqrt", b.apply("convert", count, attrs=(F64,)))


def _total(b: Builder, value: Atom, place: Atom, dtype: DType) -> Atom:
    """The weighted sum of what stands from a place on."""
    if not value.type.shape:
        return b.apply("mul", _converted(b, value, dtype), _weight(b, place, dtype))
    size = value.type.shape[0]

    def row(b: Builder, i: Var) -> tuple[Atom]:
        at = b.apply("add", b.apply("mul", place, size), i)
        return (_total(b, b.apply("index", value, i), at, dtype),)

    return b.reduce(size, "add", (zero(dtype),), row)[0]


def _weight(b: Builder, place: Atom, dtype: DType) -> Atom:
    if not dtype.is_float:
        return b.apply("add", b.apply("mul", place, i64(2)), i64(1))
    turns = b.apply("mul", b.apply("convert", place, attrs=(F64,)), Lit(_PHI, F64))
    return b.apply("add", b.apply("sub", turns, b.apply("floor", turns)), Lit(0.5, F64))


def _converted(b: Builder, x: Atom, dtype: DType) -> Atom:
    return x if x.type.dtype is dtype else b.apply("convert", x, attrs=(dtype,))


def _kind(type: Type) -> DType:
    return F64 if type.dtype.is_float else I64
