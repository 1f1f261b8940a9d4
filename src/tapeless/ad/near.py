"""Is a state the one that it was? Numbers may differ by `DRIFT`, relative to the largest of their array."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.core import Lambda, Reduce
from ..ir.types import F32, F64, I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh

DRIFT = {F64: 1e-8, F32: 1e-4}
# What rounding leaves of values that are much smaller than they will be, relative to the largest that they will be.
DUST = {F64: 1e-12, F32: 1e-6}


def is_near(b: Builder, found: Atom, expected: Atom, last: Atom, dust: Atom | None = None) -> Atom:
    """Is each element what is expected? Floats within `DRIFT` of the largest one, at the start or at the end.

    Less than `dust` is no difference.
    """
    dtype = expected.type.dtype
    if not dtype.is_float:
        return b.apply("eq", _largest(b, (found, expected), _differ), i64(0))
    size = b.apply("max", largest_magnitude(b, expected), largest_magnitude(b, last))
    limit = b.apply("mul", size, Lit(DRIFT[dtype], dtype))
    if dust is not None:
        limit = b.apply("max", limit, dust)
    return b.apply("le", _largest(b, (found, expected), _difference), limit)


def largest_magnitude(b: Builder, value: Atom) -> Atom:
    """NaN if there is one."""
    return _largest(b, (value,), _magnitude)


def _magnitude(b: Builder, x: Atom) -> Atom:
    return b.apply("abs", x)


def _difference(b: Builder, x: Atom, y: Atom) -> Atom:
    return b.apply("abs", b.apply("sub", x, y))


def _differ(b: Builder, x: Atom, y: Atom) -> Atom:
    return b.apply("select", b.apply("eq", x, y), i64(0), i64(1))


def _largest(b: Builder, arrays: Sequence[Atom], value: Callable[..., Atom]) -> Atom:
    """The largest value of corresponding elements; NaN if there is one."""
    if not arrays[0].type.shape:
        return value(b, *arrays)
    dtype = arrays[0].type.dtype if arrays[0].type.dtype.is_float else I64

    def row(inner: Builder, i: Var) -> Atom:
        return _largest(inner, [inner.apply("index", array, i) for array in arrays], value)

    i, inner = fresh("i", Type(I64)), b.child()
    body = Lambda((i,), inner.block((row(inner, i),)))
    zero = Lit(0.0, dtype) if dtype.is_float else i64(0)
    expr = Reduce(arrays[0].type.shape[0], b.operator("max", (Type(dtype),)), (zero,), body)
    return b.bind((Type(dtype),), expr)[0]
