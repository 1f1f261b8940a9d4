"""Arithmetic on i64 that keeps `base + lane * step` as two uniform numbers, and folds constants.

Indices and offsets go through here, so that a load whose offset has step 1 is known to be contiguous.
All of it wraps modulo 2**64, under which the linear form is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import I64
from ..records import replace
from .emitter import Emitter
from .text import llvm_type
from .values import VARYING, Array, Scalar, as_literal, size

_FOLD = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}


def add(e: Emitter, a: Scalar, b: Scalar) -> Scalar:
    return _additive(e, "add", a, b)


def sub(e: Emitter, a: Scalar, b: Scalar) -> Scalar:
    return _additive(e, "sub", a, b)


def mul(e: Emitter, a: Scalar, b: Scalar) -> Scalar:
    if not a.is_varying and b.is_uniform:
        return Scalar(I64, text_of(e, "mul", a.text, b.text), text_of(e, "mul", a.step, b.text))
    if not b.is_varying and a.is_uniform:
        return mul(e, b, a)
    if a.literal == 1 or b.literal == 1:
        return b if a.literal == 1 else a
    return _spread(e, "mul", a, b)


def _additive(e: Emitter, op: str, a: Scalar, b: Scalar) -> Scalar:
    if a.is_varying or b.is_varying:
        if b.literal == 0:
            return a
        if op == "add" and a.literal == 0:
            return b
        near = (a.near and b.is_uniform) or (b.near and a.is_uniform and op == "add")
        return replace(_spread(e, op, a, b), near=near, origin=_origin(op, a, b))
    return Scalar(I64, text_of(e, op, a.text, b.text), text_of(e, op, a.step, b.step))


def _origin(op: str, a: Scalar, b: Scalar) -> tuple[str, int] | None:
    """The vector to which literals were added, and their sum."""
    if op == "add" and a.literal is not None:
        a, b = b, a
    if b.literal is None:
        return None
    base, shift = a.origin or (a.text, 0)
    return base, shift + (b.literal if op == "add" else -b.literal)


def _spread(e: Emitter, op: str, a: Scalar, b: Scalar) -> Scalar:
    return Scalar(I64, e.w.op(f"{op} {llvm_type(I64, e.width)} {e.spread(a)}, {e.spread(b)}"), VARYING)


def text_of(e: Emitter, op: str, x: str, y: str) -> str:
    """`x op y` on two uniform operands."""
    m, n = as_literal(x), as_literal(y)
    if m is not None and n is not None:
        return str((_FOLD[op](m, n) + (1 << 63)) % (1 << 64) - (1 << 63))
    if op == "mul" and 0 in (m, n):
        return "0"
    if (op in ("add", "sub") and n == 0) or (op == "mul" and n == 1):
        return x
    if (op == "add" and m == 0) or (op == "mul" and m == 1):
        return y
    return e.w.op(f"{op} i64 {x}, {y}")


def offset_at(e: Emitter, array: Array, indices: Sequence[Scalar]) -> Scalar:
    """The offset of the element, or of the sub-array, at the leading indices."""
    offset = array.offset
    for index, stride in zip(indices, array.strides, strict=False):
        offset = add(e, offset, mul(e, index, stride))
    return offset


def row_major(e: Emitter, dims: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """The strides of a packed array."""
    strides = [size(1)]
    for dim in reversed(dims[1:]):
        strides.append(mul(e, strides[-1], dim))
    return tuple(reversed(strides)) if dims else ()


def count_of(e: Emitter, dims: Sequence[Scalar]) -> Scalar:
    """The number of elements."""
    total = size(1)
    for dim in dims:
        total = mul(e, total, dim)
    return total
