"""The table of NumPy's ufuncs: which type each computes in, and how one element is computed.

Nearly all are one operation of the intermediate language. The others are formulas over such operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...ir.build import Builder
from ...ir.types import BOOL, F64, I64, Atom, Lit, zero
from ...ops.formula import Formula, Term
from .atoms import convert, literal
from .elementwise import (
    Kernel,
    Rule,
    Ufunc,
    any_type,
    bits,
    comparable,
    double,
    floating,
    integers,
    numeric,
    true_division,
    truth,
)  # fmt: skip


def by_op(op: str, boolean: str | None = None) -> Kernel:
    """One operation of the table, another one for booleans."""

    def kernel(b: Builder, *args: Atom) -> Atom:
        return b.apply(boolean if boolean and args[0].type.dtype is BOOL else op, *args)

    return kernel


def by_formula(rule: Callable[..., Term]) -> Kernel:
    """A formula over the operands."""

    def kernel(b: Builder, *args: Atom) -> Atom:
        result = rule(*(Formula(b, x) for x in args))
        return result.atom if isinstance(result, Formula) else literal(result, args[0].type.dtype)

    return kernel


def _unchanged(_: Builder, x: Atom) -> Atom:
    return x


def _absolute(b: Builder, x: Atom) -> Atom:
    return x if x.type.dtype is BOOL else b.apply("abs", x)


def _square(b: Builder, x: Atom) -> Atom:
    return b.apply("mul", x, x)


def _rounding(op: str) -> Kernel:
    """Rounds floating-point numbers, leaves integers as they are."""

    def kernel(b: Builder, x: Atom) -> Atom:
        return b.apply(op, x) if x.type.dtype.is_float else x

    return kernel


def _float_test(op: str, otherwise: bool) -> Kernel:
    """A test of floating-point numbers with a known answer for all others."""

    def kernel(b: Builder, x: Atom) -> Atom:
        return b.apply(op, x) if x.type.dtype.is_float else Lit(otherwise, BOOL)

    return kernel


def _by_kind(floats: str, ints: str, bools: str) -> Kernel:
    """One operation for each kind of number."""

    def kernel(b: Builder, x: Atom, y: Atom) -> Atom:
        dtype = x.type.dtype
        return b.apply(floats if dtype.is_float else bools if dtype is BOOL else ints, x, y)

    return kernel


def _power(b: Builder, x: Atom, y: Atom) -> Atom:
    if x.type.dtype.is_float:
        return b.apply("pow", x, y)
    if not isinstance(y, Lit) or y.value < 0:
        b.check("nonneg", convert(b, y, I64), info="Integers to negative integer powers are not allowed.")
    return b.apply("ipow", x, y)


def _fmod(b: Builder, x: Atom, y: Atom) -> Atom:
    """The remainder with the sign of x; |x| mod |y| is exact."""
    rest = b.apply("mod", b.apply("abs", x), b.apply("abs", y))
    if x.type.dtype.is_float:
        return b.apply("copysign", rest, x)
    return b.apply("select", b.apply("lt", x, zero(x.type.dtype)), b.apply("neg", rest), rest)


def _reciprocal(b: Builder, x: Atom) -> Atom:
    one = literal(1, x.type.dtype)
    if x.type.dtype.is_float:
        return b.apply("div", one, x)
    # Truncated, not floored: 1 / -2 is 0.
    return b.apply("convert", b.apply("div", convert(b, one, F64), convert(b, x, F64)), attrs=(x.type.dtype,))


def _log_add(power: str, log_base: float) -> Callable[[Formula, Formula], Formula]:
    """log(b^x + b^y) = max + log(1 + b^-|x - y|) to the base b; equal infinities do not cancel."""

    def rule(x: Formula, y: Formula) -> Formula:
        top = x.call("max", y)
        tail = (-(x - y).call("abs")).call(power).call("log1p") * (1.0 / log_base)
        return x.call("eq", y).choose(x + math.log(2.0) / log_base, top + tail, x.dtype)

    return rule


def _heaviside(x: Formula, at_zero: Formula) -> Formula:
    step = x.call("lt", 0.0).choose(0.0, x.call("gt", 0.0).choose(1.0, at_zero, x.dtype), x.dtype)
    return x.call("isnan").choose(x, step, x.dtype)


def _radians(x: Formula) -> Formula:
    return x * (math.pi / 180.0)


def _degrees(x: Formula) -> Formula:
    return x * (180.0 / math.pi)


def _signbit(x: Formula) -> Formula:
    return Formula(x.b, Lit(1.0, x.dtype)).call("copysign", x).call("lt", 0.0)


def _gcd(b: Builder, x: Atom, y: Atom) -> Atom:
    """Euclid's algorithm."""

    def go_on(b: Builder, _: Atom, y: Atom) -> tuple[Atom]:
        return (b.apply("ne", y, zero(y.type.dtype)),)

    def step(b: Builder, x: Atom, y: Atom) -> tuple[Atom, Atom]:
        return y, b.apply("mod", x, y)

    return b.while_((b.apply("abs", x), b.apply("abs", y)), go_on, step)[0]


def _lcm(b: Builder, x: Atom, y: Atom) -> Atom:
    return b.apply("abs", b.apply("mul", b.apply("floordiv", x, _gcd(b, x, y)), y))


FLOAT_FUNCTIONS = {
    np.sqrt: "sqrt", np.cbrt: "cbrt", np.exp: "exp", np.exp2: "exp2", np.expm1: "expm1",
    np.log: "log", np.log2: "log2", np.log10: "log10", np.log1p: "log1p",
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "asin", np.arccos: "acos", np.arctan: "atan",
    np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh", np.arcsinh: "asinh", np.arccosh: "acosh", np.arctanh: "atanh",
    np.fabs: "abs", np.rint: "rint",
}  # fmt: skip

FLOAT_BINARY = {np.arctan2: "atan2", np.hypot: "hypot", np.copysign: "copysign"}

COMPARISONS = {
    np.equal: "eq", np.not_equal: "ne", np.less: "lt", np.less_equal: "le", np.greater: "gt", np.greater_equal: "ge",
}  # fmt: skip

# Associative ufuncs as operations, for numbers and for booleans.
ASSOCIATIVE: dict[np.ufunc, tuple[str, str]] = {
    np.add: ("add", "or"), np.multiply: ("mul", "and"), np.minimum: ("min", "and"), np.maximum: ("max", "or"),
    np.logical_and: ("and", "and"), np.logical_or: ("or", "or"), np.logical_xor: ("xor", "xor"),
    np.bitwise_and: ("and", "and"), np.bitwise_or: ("or", "or"), np.bitwise_xor: ("xor", "xor"),
}  # fmt: skip


_ROWS: tuple[tuple[np.ufunc, int, Rule, Kernel], ...] = (
    (np.add, 2, any_type, by_op("add", "or")),
    (np.subtract, 2, numeric, by_op("sub")),
    (np.multiply, 2, any_type, by_op("mul", "and")),
    (np.true_divide, 2, true_division, by_op("div")),
    (np.floor_divide, 2, numeric, by_op("floordiv")),
    (np.remainder, 2, numeric, by_op("mod")),
    (np.fmod, 2, numeric, _fmod),
    (np.power, 2, numeric, _power),
    (np.float_power, 2, double, by_op("pow")),
    (np.negative, 1, numeric, by_op("neg")),
    (np.positive, 1, numeric, _unchanged),
    (np.conjugate, 1, numeric, _unchanged),
    (np.absolute, 1, any_type, _absolute),
    (np.sign, 1, numeric, by_op("sign")),
    (np.square, 1, numeric, _square),
    (np.reciprocal, 1, numeric, _reciprocal),
    (np.minimum, 2, any_type, by_op("min", "and")),
    (np.maximum, 2, any_type, by_op("max", "or")),
    (np.fmin, 2, any_type, _by_kind("fmin", "min", "and")),
    (np.fmax, 2, any_type, _by_kind("fmax", "max", "or")),
    (np.floor, 1, any_type, _rounding("floor")),
    (np.ceil, 1, any_type, _rounding("ceil")),
    (np.trunc, 1, any_type, _rounding("trunc")),
    (np.isnan, 1, any_type, _float_test("isnan", False)),
    (np.isinf, 1, any_type, _float_test("isinf", False)),
    (np.isfinite, 1, any_type, _float_test("isfinite", True)),
    (np.signbit, 1, floating, by_formula(_signbit)),
    (np.deg2rad, 1, floating, by_formula(_radians)),
    (np.radians, 1, floating, by_formula(_radians)),
    (np.rad2deg, 1, floating, by_formula(_degrees)),
    (np.degrees, 1, floating, by_formula(_degrees)),
    (np.logaddexp, 2, floating, by_formula(_log_add("exp", 1.0))),
    (np.logaddexp2, 2, floating, by_formula(_log_add("exp2", math.log(2.0)))),
    (np.heaviside, 2, floating, by_formula(_heaviside)),
    (np.gcd, 2, integers, _gcd),
    (np.lcm, 2, integers, _lcm),
    (np.logical_and, 2, truth, by_op("and")),
    (np.logical_or, 2, truth, by_op("or")),
    (np.logical_xor, 2, truth, by_op("xor")),
    (np.logical_not, 1, truth, by_op("not")),
    (np.bitwise_and, 2, bits, by_op("and")),
    (np.bitwise_or, 2, bits, by_op("or")),
    (np.bitwise_xor, 2, bits, by_op("xor")),
    (np.invert, 1, bits, by_op("not")),
    (np.left_shift, 2, integers, by_op("shl")),
    (np.right_shift, 2, integers, by_op("shr")),
    *((f, 1, floating, by_op(op)) for f, op in FLOAT_FUNCTIONS.items()),
    *((f, 2, floating, by_op(op)) for f, op in FLOAT_BINARY.items()),
    *((f, 2, comparable, by_op(op)) for f, op in COMPARISONS.items()),
)

UFUNCS: dict[np.ufunc, Ufunc] = {f: Ufunc(f"np.{f.__name__}", arity, rule, kernel) for f, arity, rule, kernel in _ROWS}
