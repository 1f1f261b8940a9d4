"""Python's operators on numbers and arrays: `binary`, `compare`, `unary`.

Operators are named as in `ast`: "Add", "FloorDiv", "Lt", "USub", ... Two Python numbers follow Python (division by zero
raises, `/` of integers is a float, the result is a Python number again); as soon as a NumPy value takes part, NumPy's
ufuncs decide. Python integers are 64-bit here: they wrap around instead of growing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.types import BOOL, F64, I64, Atom, DType, Lit, zero
from ..context import Context
from ..values import Scalar, Value
from .arguments import array_like, pull
from .atoms import convert, literal
from .elementwise import apply_ufunc, deliver, elementwise, is_static
from .linear import matmul
from .ufuncs import UFUNCS

UFUNC_OF: dict[str, np.ufunc] = {
    "Add": np.add, "Sub": np.subtract, "Mult": np.multiply, "Div": np.true_divide, "FloorDiv": np.floor_divide,
    "Mod": np.remainder, "Pow": np.power, "BitAnd": np.bitwise_and, "BitOr": np.bitwise_or, "BitXor": np.bitwise_xor,
    "LShift": np.left_shift, "RShift": np.right_shift, "USub": np.negative, "UAdd": np.positive, "Invert": np.invert,
    "Eq": np.equal, "NotEq": np.not_equal, "Lt": np.less, "LtE": np.less_equal, "Gt": np.greater,
    "GtE": np.greater_equal,
}  # fmt: skip

_PYTHON_NAMES = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv", "Mod": "mod", "Pow": "pow",
    "BitAnd": "and_", "BitOr": "or_", "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
    "USub": "neg", "UAdd": "pos", "Invert": "invert",
    "Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge",
}  # fmt: skip
PYTHON_OF: dict[str, Callable[..., Any]] = {op: getattr(operator, name) for op, name in _PYTHON_NAMES.items()}

_WEAK_OPS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "FloorDiv": "floordiv", "Mod": "mod",
    "BitAnd": "and", "BitOr": "or", "BitXor": "xor", "LShift": "shl", "RShift": "shr",
}  # fmt: skip
_BITWISE = frozenset(("BitAnd", "BitOr", "BitXor", "LShift", "RShift"))
_COMPARISONS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}


def binary(c: Context, op: str, x: Value, y: Value) -> Value:
    """`x op y` for numbers and arrays."""
    if op == "MatMult":
        return matmul(c, x, y)
    x, y = array_like(c, x), array_like(c, y)
    if is_static(x) and is_static(y):
        return _static(c, op, x, y)
    if c.is_weak(x) and c.is_weak(y):
        return _python_power(c, x, y) if op == "Pow" else _python_binary(c, op, x, y)
    if op == "Pow":
        # The operator squares arrays by np.square, whose 8-bit answer for booleans is refused there.
        squares_flags = c.is_array(x) and c.dtype(x) is BOOL and _literal(y) == 2 and c.is_weak(y)
        return apply_ufunc(c, UFUNCS[np.square], (x,)) if squares_flags else power(c, x, y)
    return apply_ufunc(c, UFUNCS[UFUNC_OF[op]], (x, y))


def compare(c: Context, op: str, x: Value, y: Value) -> Value:
    """`x op y` for a comparison of numbers and arrays."""
    if is_static(x) and is_static(y):
        return PYTHON_OF[op](x, y)
    if c.is_weak(x) and c.is_weak(y):
        dtype = c.promote(x, y)
        return c.fresh(c.b.apply(_COMPARISONS[op], c.atom(x, dtype), c.atom(y, dtype)), weak=True)
    return apply_ufunc(c, UFUNCS[UFUNC_OF[op]], (x, y))


def unary(c: Context, op: str, x: Value) -> Value:
    """`op x` for a number or an array; `not` is no concern of this function."""
    if not c.is_weak(x):
        return apply_ufunc(c, UFUNCS[UFUNC_OF[op]], (x,))
    dtype = c.dtype(x)
    if op == "Invert" and dtype.is_float:
        c.refuse("~ is not defined for floats", fix="convert to an integer first")
    if is_static(x):
        return PYTHON_OF[op](x)
    atom = c.atom(x, I64 if dtype is BOOL else dtype)
    emitted = atom if op == "UAdd" else c.b.apply("neg" if op == "USub" else "not", atom)
    return c.fresh(emitted, weak=True)


def power(c: Context, x: Value, y: Value, out: Value = None) -> Value:
    """`x ** y` where NumPy decides; small literal exponents become products, 0.5 a square root."""
    ufunc = UFUNCS[np.power]
    exponent = _literal(y)
    if exponent is None:
        return apply_ufunc(c, ufunc, (x, y), out)
    dtype = ufunc.rule(c, ufunc.name, (x, y))
    kernel = _literal_power(exponent, dtype)
    if kernel is None:
        return apply_ufunc(c, ufunc, (x, y), out)
    return deliver(c, elementwise(c, [pull(c, x, dtype)], kernel), out)


def _literal_power(exponent: float, dtype: DType) -> Callable[[Builder, Atom], Atom] | None:
    if exponent == 1:
        return lambda _, x: x
    if exponent == 2:
        return lambda b, x: b.apply("mul", x, x)
    if exponent == 3:
        return lambda b, x: b.apply("mul", b.apply("mul", x, x), x)
    if exponent == 4:
        return _fourth_power
    if dtype.is_float and exponent == 0.5:
        return lambda b, x: b.apply("sqrt", x)
    if dtype.is_float and exponent == -1:
        return lambda b, x: b.apply("div", literal(1, dtype), x)
    return None


def _fourth_power(b: Builder, x: Atom) -> Atom:
    square = b.apply("mul", x, x)
    return b.apply("mul", square, square)


def _literal(value: Value) -> float | None:
    if is_static(value):
        return value
    if isinstance(value, Scalar) and isinstance(value.atom, Lit):
        return value.atom.value
    return None


def _static(c: Context, op: str, x: Any, y: Any) -> Value:
    """Python's own arithmetic, done now; what it raises is raised when the program gets there."""
    try:
        result = PYTHON_OF[op](x, y)
    except ZeroDivisionError:
        c.b.check("nonzero", zero(I64))
        return 0 if op in ("FloorDiv", "Mod") and isinstance(x, int) and isinstance(y, int) else 0.0
    except (TypeError, ValueError, OverflowError) as error:
        c.refuse(f"{x!r} and {y!r} cannot be combined: {error}")
    if isinstance(result, complex):
        c.refuse(f"{x!r} ** {y!r} is a complex number", why="the language has no complex numbers yet")
    return result


def _python_binary(c: Context, op: str, x: Value, y: Value) -> Value:
    """Two Python numbers, not both known now."""
    dtype = c.promote(x, y)
    if op in _BITWISE:
        if dtype.is_float:
            c.refuse("bitwise operators are not defined for floats", fix="convert to integers first")
        if dtype is BOOL and op in ("LShift", "RShift"):
            dtype = I64
    elif op == "Div":
        dtype = F64
    elif dtype is BOOL:
        dtype = I64
    left, right = c.atom(x, dtype), c.atom(y, dtype)
    if op in ("Div", "FloorDiv", "Mod"):
        _check_nonzero(c, right)
    if op in ("LShift", "RShift") and not isinstance(right, Lit):
        c.b.check("nonneg", right, info="negative shift count")
    return c.fresh(c.b.apply("div" if op == "Div" else _WEAK_OPS[op], left, right), weak=True)


def _python_power(c: Context, x: Value, y: Value) -> Value:
    """`x ** y` of Python numbers: an integer when both are and the exponent is not negative."""
    exponent = _literal(y)
    dtype = c.promote(x, y)
    if dtype is BOOL:
        dtype = I64
    if dtype is I64 and exponent is not None and exponent < 0:
        dtype = F64
    base, top = c.atom(x, dtype), c.atom(y, dtype)
    if dtype is I64:
        if exponent is None:
            c.b.check("nonneg", top, info="a Python integer to a negative power would be a float")
    else:
        _check_real_power(c, base, top)
    kernel = None if exponent is None else _literal_power(exponent, dtype)
    if kernel is not None:
        return c.fresh(kernel(c.b, base), weak=True)
    return c.fresh(c.b.apply("pow" if dtype is F64 else "ipow", base, top), weak=True)


def _check_real_power(c: Context, base: Atom, top: Atom) -> None:
    """Python raises for zero to a negative power, and answers a negative base with a complex number."""
    if isinstance(base, Lit) and base.value > 0:
        return
    b, nothing = c.b, zero(F64)
    if not (isinstance(top, Lit) and top.value >= 0):
        fine = b.apply("or", b.apply("ne", base, nothing), b.apply("ge", top, nothing))
        b.check("nonzero", convert(b, fine, I64), info="0.0 cannot be raised to a negative power")
    if not (isinstance(top, Lit) and float(top.value).is_integer()):
        whole = b.apply("eq", top, b.apply("floor", top))
        fine = b.apply("or", b.apply("not", b.apply("lt", base, nothing)), whole)
        b.check("domain", fine, info="a negative number to a fractional power would be complex")


def _check_nonzero(c: Context, divisor: Atom) -> None:
    if isinstance(divisor, Lit) and divisor.value != 0:
        return
    c.b.check("nonzero", divisor)
