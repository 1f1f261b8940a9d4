"""The functions of the module `math`: Python numbers in, Python numbers out, Python's exceptions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ...ir.build import Builder
from ...ir.types import F64, I64, Atom, f64, i64
from ...ops.formula import Formula
from ..context import Context
from ..prelude import points
from ..registry import implements
from ..values import Value
from .arguments import array_like
from .arithmetic import binary
from .atoms import convert, require_whole
from .ufuncs import UFUNCS

# From a builder and the argument to a bool: without it Python raises ValueError.
Condition: TypeAlias = Callable[[Builder, Atom], Atom]


def _at_least(low: float) -> Condition:
    return lambda b, x: b.apply("not", b.apply("lt", x, f64(low)))


def _above(low: float) -> Condition:
    return lambda b, x: b.apply("not", b.apply("le", x, f64(low)))


def _within(bound: float, strict: bool) -> Condition:
    """|x| within a bound; NaN passes."""
    return lambda b, x: b.apply("not", b.apply("ge" if strict else "gt", b.apply("abs", x), f64(bound)))


def _finite(b: Builder, x: Atom) -> Atom:
    return b.apply("not", b.apply("isinf", x))


def _not_a_pole(b: Builder, x: Atom) -> Atom:
    """Not zero, nor a negative integer."""
    pole = b.apply("and", b.apply("le", x, f64(0.0)), b.apply("eq", x, b.apply("floor", x)))
    return b.apply("not", pole)


_UNARY: dict[Callable[..., object], tuple[str, Condition | None]] = {
    math.sqrt: ("sqrt", _at_least(0.0)), math.cbrt: ("cbrt", None), math.exp: ("exp", None), math.exp2: ("exp2", None),
    math.expm1: ("expm1", None), math.log2: ("log2", _above(0.0)), math.log10: ("log10", _above(0.0)),
    math.log1p: ("log1p", _above(-1.0)),
    math.sin: ("sin", _finite), math.cos: ("cos", _finite), math.tan: ("tan", _finite),
    math.asin: ("asin", _within(1.0, False)), math.acos: ("acos", _within(1.0, False)), math.atan: ("atan", None),
    math.sinh: ("sinh", None), math.cosh: ("cosh", None), math.tanh: ("tanh", None), math.asinh: ("asinh", None),
    math.acosh: ("acosh", _at_least(1.0)), math.atanh: ("atanh", _within(1.0, True)), math.erf: ("erf", None),
    math.erfc: ("erfc", None), math.gamma: ("gamma", _not_a_pole), math.lgamma: ("lgamma", _not_a_pole),
    math.fabs: ("abs", None),
}  # fmt: skip

_BINARY: dict[Callable[..., object], str] = {math.atan2: "atan2", math.copysign: "copysign"}

# Overflow of a finite argument raises OverflowError in Python.
_OVERFLOWING = frozenset(("exp", "exp2", "expm1", "sinh", "cosh", "gamma", "lgamma", "pow"))


def _float(c: Context, value: Value) -> Atom:
    if c.is_array(value):
        c.refuse("functions of math take single numbers", fix="use the NumPy function of the same name")
    return c.atom(value, F64)


def _check_finite(c: Context, op: str, arguments: Sequence[Atom], result: Atom) -> None:
    if op not in _OVERFLOWING:
        return
    b = c.b
    fine = b.apply("not", b.apply("isinf", result))
    for x in arguments:
        fine = b.apply("or", fine, b.apply("isinf", x))
    b.check("overflow", fine, info="math range error")


def _register() -> None:
    for function, (op, condition) in _UNARY.items():
        implements(function)(_unary(op, condition))
    for function, op in _BINARY.items():
        implements(function)(_binary(op))
    for function, op in ((math.isnan, "isnan"), (math.isinf, "isinf"), (math.isfinite, "isfinite")):
        implements(function)(_binary(op))
    for function, op in ((math.floor, "floor"), (math.ceil, "ceil"), (math.trunc, "trunc")):
        implements(function)(_to_int(op))


def _unary(op: str, condition: Condition | None) -> Callable[..., Value]:
    def call(c: Context, x: Value) -> Value:
        atom = _float(c, x)
        if condition is not None:
            c.b.check("domain", condition(c.b, atom), info="math domain error")
        result = c.b.apply(op, atom)
        _check_finite(c, op, (atom,), result)
        return c.fresh(result, weak=True)

    return call


def _binary(op: str) -> Callable[..., Value]:
    def call(c: Context, *operands: Value) -> Value:
        return c.fresh(c.b.apply(op, *(_float(c, x) for x in operands)), weak=True)

    return call


def _to_int(op: str) -> Callable[..., Value]:
    def call(c: Context, x: Value) -> Value:
        if not c.is_array(x) and not c.dtype(x).is_float:
            return c.fresh(c.atom(x, I64), weak=True)
        return whole_number(c, c.b.apply(op, _float(c, x)))

    return call


def whole_number(c: Context, whole: Atom) -> Value:
    """A float without fraction as a Python int."""
    require_whole(c.b, whole, I64)
    return c.fresh(convert(c.b, whole, I64), weak=True)


@implements(math.log)
def log(c: Context, x: Value, base: Value = None) -> Value:
    """The logarithm, natural or to a base."""
    top = _unary("log", _above(0.0))(c, x)
    return top if base is None else binary(c, "Div", top, _unary("log", _above(0.0))(c, base))


@implements(math.pow)
def pow_(c: Context, x: Value, y: Value) -> Value:
    """x to the power y, as floats."""
    b, base, top = c.b, _float(c, x), _float(c, y)
    result = b.apply("pow", base, top)
    given_nan = b.apply("or", b.apply("isnan", base), b.apply("isnan", top))
    fine = b.apply("or", b.apply("not", b.apply("isnan", result)), given_nan)
    pole = b.apply("and", b.apply("eq", base, f64(0.0)), b.apply("lt", top, f64(0.0)))
    b.check("domain", b.apply("and", fine, b.apply("not", pole)), info="math domain error")
    _check_finite(c, "pow", (base, top), result)
    return c.fresh(result, weak=True)


@implements(math.fmod)
def fmod(c: Context, x: Value, y: Value) -> Value:
    """The remainder with the sign of x."""
    left, right = _float(c, x), _float(c, y)
    b = c.b
    fine = b.apply("and", b.apply("ne", right, f64(0.0)), b.apply("not", b.apply("isinf", left)))
    b.check("domain", b.apply("or", fine, b.apply("or", b.apply("isnan", left), b.apply("isnan", right))))
    return c.fresh(UFUNCS[np.fmod].kernel(b, left, right), weak=True)


@implements(math.hypot)
def hypot(c: Context, *coordinates: Value) -> Value:
    """The length of a vector."""
    result: Atom = f64(0.0)
    for k, x in enumerate(coordinates):
        atom = _float(c, x)
        result = c.b.apply("hypot", result, atom) if k else c.b.apply("abs", atom)
    return c.fresh(result, weak=True)


@implements(math.dist)
def dist(c: Context, p: Value, q: Value) -> Value:
    """The distance of two points."""
    if c.is_array(p) or c.is_array(q) or c.grown(p) or c.grown(q):
        return c.call(points.distance, (array_like(c, p), array_like(c, q)))
    left, right = c.items(p), c.items(q)
    if left is None or right is None or len(left) != len(right):
        c.refuse("math.dist needs two points of one length", fix="use np.linalg.norm")
    pairs = [(c.fresh(_float(c, x)), c.fresh(_float(c, y))) for x, y in zip(left, right, strict=True)]
    return hypot(c, *(binary(c, "Sub", x, y) for x, y in pairs))


@implements(math.degrees)
def degrees(c: Context, x: Value) -> Value:
    """Radians as degrees."""
    return c.fresh(UFUNCS[np.degrees].kernel(c.b, _float(c, x)), weak=True)


@implements(math.radians)
def radians(c: Context, x: Value) -> Value:
    """Degrees as radians."""
    return c.fresh(UFUNCS[np.radians].kernel(c.b, _float(c, x)), weak=True)


@implements(math.isclose)
def isclose(c: Context, a: Value, b: Value, *, rel_tol: Value = 1e-9, abs_tol: Value = 0.0) -> Value:
    """Are two numbers equal up to a relative or absolute tolerance?"""
    x, y = Formula(c.b, _float(c, a)), Formula(c.b, _float(c, b))
    larger = x.call("abs").call("max", y.call("abs"))
    limit = (larger * Formula(c.b, _float(c, rel_tol))).call("max", Formula(c.b, _float(c, abs_tol)))
    near = (x - y).call("abs").call("le", limit)
    infinite = x.call("isinf").call("or", y.call("isinf"))
    return c.fresh(x.call("eq", y).call("or", near.call("and", infinite.call("not"))).atom, weak=True)


@implements(math.gcd)
def gcd(c: Context, *integers: Value) -> Value:
    """The greatest common divisor."""
    result: Atom = i64(0)
    for x in integers:
        result = UFUNCS[np.gcd].kernel(c.b, result, c.atom(x, I64))
    return c.fresh(result, weak=True)


_register()
