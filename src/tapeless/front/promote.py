"""NumPy 2's promotion of types, with Python numbers weak (NEP 50).

A Python number adapts to the arrays and NumPy scalars it meets: `x32 * 2.0` stays f32, `x32 * 2`
too, while an integer array times 2.0 is f64. Among themselves Python numbers follow Python: bool < int < float.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.types import BOOL, F32, F64, I32, I64, DType

_KIND = {BOOL: 0, I32: 1, I64: 1, F32: 2, F64: 2}
_PYTHON = (BOOL, I64, F64)


def promote(strong: Iterable[DType], weak: Iterable[DType]) -> DType:
    """The common type of NumPy values of types `strong` and Python numbers of types `weak`."""
    result: DType | None = None
    for dtype in strong:
        result = dtype if result is None else join(result, dtype)
    kind = max((_KIND[dtype] for dtype in weak), default=0)
    if result is None:
        return _PYTHON[kind]
    return result if kind <= _KIND[result] else _PYTHON[kind]


def join(x: DType, y: DType) -> DType:
    """The common type of two NumPy types."""
    if x is y:
        return x
    low, high = sorted((x, y), key=lambda d: (_KIND[d], d.itemsize))
    if high is F32 and low in (I32, I64):
        return F64
    return high
