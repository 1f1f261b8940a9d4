"""Scalar operations of the table as LLVM text, in any number of lanes.

Names and types of operands go in, the name of the result comes out. Nothing traps and nothing is
poison, whatever the operands: division by zero, shift counts and conversions out of range have
the values NumPy gives. Additions and multiplications carry `contract`, so that the code generator may
fuse them, but for `rounded_mul` (see `contraction.py`); every other operation is rounded on its own.
Elementary functions become calls of our own definitions (`elementary/`), which the module then holds once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from ..ir.types import DType
from . import elementary
from .elementary.lanes import Lanes, fma, select
from .text import Writer


def emit_op(
    w: Writer,
    op: str,
    attrs: Sequence[object],
    arg_dtypes: Sequence[DType],
    result: DType,
    width: int,
    operands: Sequence[str],
) -> str:
    """Emit one operation; operands and result are `width` lanes of their types."""
    args = [Lanes(w, dtype, width, text) for dtype, text in zip(arg_dtypes, operands, strict=True)]
    if op in ("convert", "bitcast"):
        target = cast(DType, attrs[0])
        return (args[0].convert(target) if op == "convert" else _bitcast(args[0], target)).text
    if op in elementary.FUNCTIONS and result.is_float:
        return elementary.call(op, *args).text
    return _EMITTERS[op](*args).text


def is_emitted(op: str) -> bool:
    """Does scalar code exist for this operation?"""
    return op in _EMITTERS or op in elementary.FUNCTIONS or op in ("convert", "bitcast")


# -- arithmetic ---------------------------------------------------------------------------------


def _contracted(name: str) -> Callable[[Lanes, Lanes], Lanes]:
    def emit(a: Lanes, b: Lanes) -> Lanes:
        instruction = f"f{name} contract" if a.dtype.is_float else name
        return a.emit(f"{instruction} {a.type} {a.text}, {b.text}")

    return emit


def _abs(a: Lanes) -> Lanes:
    if a.dtype.is_float:
        return a.abs()
    return select(a < 0, -a, a)


def _sign(a: Lanes) -> Lanes:
    one, zero = a.constant(1), a.constant(0)
    unit = select(a > 0, one, select(a < 0, -one, zero))
    return select(a.is_nan(), a, unit) if a.dtype.is_float else unit


def _scale(a: Lanes, b: Lanes) -> Lanes:
    return select(b.ne(0), a * b, b.constant(0))


def _min(a: Lanes, b: Lanes) -> Lanes:
    return _extreme("minimum", b, a) if a.dtype.is_float else select(a < b, a, b)


def _max(a: Lanes, b: Lanes) -> Lanes:
    return _extreme("maximum", b, a) if a.dtype.is_float else select(a > b, a, b)


def _extreme(name: str, new: Lanes, best: Lanes) -> Lanes:
    """NaN if one is; the sign of a zero is left open. The best of many waits for one instruction, and one that chooses:

    whether a value is NaN is tested on the first operand alone, which is the new one.
    """
    return new.intrinsic(name, best, flags="nsz")


def _fmin(a: Lanes, b: Lanes) -> Lanes:
    # `a < b` is false when a is NaN, so b is left to test.
    smaller = select(a < b, a, b)
    return select(b.is_nan(), a, smaller) if a.dtype.is_float else smaller


def _fmax(a: Lanes, b: Lanes) -> Lanes:
    larger = select(a > b, a, b)
    return select(b.is_nan(), a, larger) if a.dtype.is_float else larger


# -- integers -----------------------------------------------------------------------------------


def _literal(a: Lanes) -> int | None:
    """The value of an integer operand that is a constant, the same in every lane."""
    match = re.fullmatch(r"(?:splat \(i\d+ )?(-?\d+)\)?", a.text)
    return int(match[1]) if match else None


def _divide(a: Lanes, b: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """The floored quotient and remainder, and where the divisor is zero (there both are meaningless)."""
    by_zero = b.eq(0)
    overflows = a.eq(-(2 ** (8 * a.dtype.itemsize - 1))) & b.eq(-1)
    # The one quotient that overflows wraps to the dividend, which is also what division by 1 gives.
    divisor = select(by_zero | overflows, 1, b)
    quotient = a / divisor
    remainder = a - quotient * divisor
    rounded_up = remainder.ne(0) & ((remainder ^ divisor) < 0)
    floored = quotient - rounded_up.convert(a.dtype)
    return floored, remainder + select(rounded_up, divisor, 0), by_zero


def _floordiv(a: Lanes, b: Lanes) -> Lanes:
    value = _literal(b)
    if value is not None and value > 0 and value & (value - 1) == 0:
        return a.arithmetic_shift(value.bit_length() - 1)
    quotient, _, by_zero = _divide(a, b)
    return select(by_zero, 0, quotient)


def _mod(a: Lanes, b: Lanes) -> Lanes:
    value = _literal(b)
    if value is not None and value > 0 and value & (value - 1) == 0:
        return a & (value - 1)
    _, remainder, by_zero = _divide(a, b)
    return select(by_zero, 0, remainder)


def _shl(a: Lanes, count: Lanes) -> Lanes:
    return select(count.below_unsigned(8 * a.dtype.itemsize), a << count, 0)


def _lshr(a: Lanes, count: Lanes) -> Lanes:
    return select(count.below_unsigned(8 * a.dtype.itemsize), a >> count, 0)


def _shr(a: Lanes, count: Lanes) -> Lanes:
    last = 8 * a.dtype.itemsize - 1
    return a.arithmetic_shift(select(count.below_unsigned(last), count, last))


# -- tests and bits -----------------------------------------------------------------------------


def _bitcast(a: Lanes, target: DType) -> Lanes:
    return a if target is a.dtype else a.bits()


def _same(a: Lanes) -> Lanes:
    return a


def _isinf(a: Lanes) -> Lanes:
    return a.abs().eq(float("inf"))


def _isfinite(a: Lanes) -> Lanes:
    return a.abs() < float("inf")


_EMITTERS: dict[str, Callable[..., Lanes]] = {
    "add": _contracted("add"),
    "sub": _contracted("sub"),
    "mul": _contracted("mul"),
    "rounded_mul": Lanes.__mul__,
    "scale": _scale,
    "div": Lanes.__truediv__,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": Lanes.__neg__,
    "abs": _abs,
    "sign": _sign,
    "ipow": partial(elementary.call, "ipow"),
    "min": _min,
    "max": _max,
    "fmin": _fmin,
    "fmax": _fmax,
    "fma": fma,
    "copysign": Lanes.with_sign_of,
    "and": Lanes.__and__,
    "or": Lanes.__or__,
    "xor": Lanes.__xor__,
    "not": Lanes.__invert__,
    "shl": _shl,
    "shr": _shr,
    "lshr": _lshr,
    "eq": Lanes.eq,
    "ne": Lanes.ne,
    "lt": Lanes.__lt__,
    "le": Lanes.__le__,
    "gt": Lanes.__gt__,
    "ge": Lanes.__ge__,
    "select": select,
    "stop_gradient": _same,
    "basis": _same,
    "sqrt": Lanes.sqrt,
    "floor": Lanes.floor,
    "ceil": Lanes.ceil,
    "trunc": Lanes.trunc,
    "rint": Lanes.rint,
    "isnan": Lanes.is_nan,
    "isinf": _isinf,
    "isfinite": _isfinite,
}
