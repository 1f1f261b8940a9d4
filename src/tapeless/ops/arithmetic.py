"""Arithmetic: integers wrap around, floats follow IEEE 754.

Integer division and remainder are total, as in NumPy: dividing by zero gives 0 (the user's
ZeroDivisionError is a `Check` of its own). Where an operation has a kink, its convention says
which value the derivative takes there; the weights of a tie sum to one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.op import Domain
from .formula import Formula, Term
from .record import INTS, NUMBERS, binary, ternary, unary

TIE = "1 for the operand that is returned, one half each at a tie"
STEP = "zero wherever it exists, and at the steps"


def _smaller(x: Formula, y: Formula, _out: Formula) -> Term:
    return x.call("lt", y).choose(1.0, x.call("eq", y).choose(0.5, 0.0, x.dtype), x.dtype)


def _larger(x: Formula, y: Formula, _out: Formula) -> Term:
    return x.call("gt", y).choose(1.0, x.call("eq", y).choose(0.5, 0.0, x.dtype), x.dtype)


binary(
    "add", lambda n, x, y: x + y, (lambda x, y, r: 1.0, lambda x, y, r: 1.0),
    dtypes=NUMBERS, lowering="add fadd", doc="Sum.",
)  # fmt: skip
binary(
    "sub", lambda n, x, y: x - y, (lambda x, y, r: 1.0, lambda x, y, r: -1.0),
    dtypes=NUMBERS, lowering="sub fsub", doc="Difference.",
)  # fmt: skip
binary(
    "mul", lambda n, x, y: x * y, (lambda x, y, r: y, lambda x, y, r: x),
    dtypes=NUMBERS, lowering="mul fmul", doc="Product.",
)  # fmt: skip
binary(
    "div", lambda n, x, y: n.div(x, y), (lambda x, y, r: 1.0 / y, lambda x, y, r: -r / y),
    lowering="fdiv", cost=5, domain=Domain(((-4.0, 4.0), (0.25, 4.0))), doc="Quotient of floats.",
)  # fmt: skip
binary(
    "floordiv", lambda n, x, y: n.floordiv(x, y), "constant",
    dtypes=NUMBERS, lowering="sdiv fdiv", cost=15,
    domain=Domain(((-9.0, 9.0), (0.5, 4.0)), smooth=False, convention=STEP),
    doc="Quotient rounded towards minus infinity; an integer by 0 gives 0.",
)  # fmt: skip
binary(
    "mod", lambda n, x, y: n.mod(x, y), (lambda x, y, r: 1.0, lambda x, y, r: -x.call("floordiv", y)),
    dtypes=NUMBERS, lowering="srem frem", cost=15,
    domain=Domain(((-9.0, 9.0), (0.5, 4.0)), smooth=False, convention="that of x - floor(x / y) * y, floor constant"),
    doc="Remainder with the sign of the divisor; an integer by 0 gives 0.",
)  # fmt: skip
unary("neg", lambda n, x: -x, (lambda x, r: -1.0,), dtypes=NUMBERS, lowering="sub fneg", doc="Negation.")
unary(
    "abs", lambda n, x: n.abs(x), (lambda x, r: x.call("sign"),),
    dtypes=NUMBERS, lowering="llvm.abs llvm.fabs", domain=Domain(smooth=False, convention="0 at 0"),
    doc="Absolute value.",
)  # fmt: skip
unary(
    "sign", lambda n, x: n.sign(x), "constant",
    dtypes=NUMBERS, lowering="select", cost=2, domain=Domain(smooth=False, convention=STEP),
    doc="-1, 0 or 1; NaN stays NaN.",
)  # fmt: skip
binary(
    "ipow", lambda n, x, y: n.ipow(x, y), "constant",
    dtypes=INTS, lowering="loop", cost=20, domain=Domain(((-9.0, 9.0), (0.0, 9.0))),
    doc="Integer power that wraps around; a negative exponent gives 1.",
)  # fmt: skip
binary(
    "min", lambda n, x, y: n.min(x, y), (_smaller, lambda x, y, r: _smaller(y, x, r)),
    dtypes=NUMBERS, lowering="llvm.smin llvm.minimum", domain=Domain(smooth=False, convention=TIE),
    doc="The smaller; NaN when either is NaN.",
)  # fmt: skip
binary(
    "max", lambda n, x, y: n.max(x, y), (_larger, lambda x, y, r: _larger(y, x, r)),
    dtypes=NUMBERS, lowering="llvm.smax llvm.maximum", domain=Domain(smooth=False, convention=TIE),
    doc="The larger; NaN when either is NaN.",
)  # fmt: skip
binary(
    "fmin", lambda n, x, y: n.fmin(x, y),
    (
        lambda x, y, r: y.call("isnan").choose(1.0, _smaller(x, y, r), x.dtype),
        lambda x, y, r: x.call("isnan").choose(1.0, _smaller(y, x, r), x.dtype),
    ),
    lowering="llvm.minnum", cost=2, domain=Domain(smooth=False, convention=TIE),
    doc="The smaller; an operand that is NaN is ignored.",
)  # fmt: skip
binary(
    "fmax", lambda n, x, y: n.fmax(x, y),
    (
        lambda x, y, r: y.call("isnan").choose(1.0, _larger(x, y, r), x.dtype),
        lambda x, y, r: x.call("isnan").choose(1.0, _larger(y, x, r), x.dtype),
    ),
    lowering="llvm.maxnum", cost=2, domain=Domain(smooth=False, convention=TIE),
    doc="The larger; an operand that is NaN is ignored.",
)  # fmt: skip
ternary(
    "fma", lambda n, x, y, z: n.fma(x, y, z), (lambda x, y, z, r: y, lambda x, y, z, r: x, lambda x, y, z, r: 1.0),
    lowering="llvm.fma", doc="x * y + z, rounded once.",
)  # fmt: skip
binary(
    "copysign", lambda n, x, y: n.copysign(x, y),
    (lambda x, y, r: x.call("sign") * r.call("sign"), lambda x, y, r: 0.0),
    lowering="llvm.copysign", domain=Domain(smooth=False, convention="0 at x = 0"),
    doc="The magnitude of x with the sign of y.",
)  # fmt: skip


binary(
    "scale", lambda n, x, y: y if y == 0 else x * y, "structural",
    lowering="fmul select", cost=3,
    doc="x * y, and 0 where y is 0, whatever x is: a partial times an adjoint that may have been masked to zero.",
)  # fmt: skip


def _rounding(name: str, meaning: Callable[[Any, Any], Any], doc: str) -> None:
    domain = Domain(smooth=False, convention=STEP)
    unary(name, meaning, "constant", lowering=f"llvm.{name}", domain=domain, doc=doc)


_rounding("floor", lambda n, x: n.floor(x), "The largest integer not above x, as a float.")
_rounding("ceil", lambda n, x: n.ceil(x), "The smallest integer not below x, as a float.")
_rounding("trunc", lambda n, x: n.trunc(x), "x without its fraction.")
_rounding("rint", lambda n, x: n.rint(x), "The nearest integer, half-way cases to the even one.")
