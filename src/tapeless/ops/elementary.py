"""Elementary and special functions of real numbers, on floats.

Outside its domain a function gives NaN, at a pole the infinity of C99. The partials are written
for accuracy near the ends of the domain: `(1 - x) * (1 + x)` keeps digits that `1 - x * x` loses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.op import Domain
from .formula import Formula, Term
from .record import binary, unary
from .trigamma import trigamma

ANY = (-4.0, 4.0)
UNIT = (-0.95, 0.95)
POSITIVE = (0.05, 8.0)


def _unary(
    name: str,
    meaning: Callable[[Any, Any], Any],
    derivative: Callable[[Formula, Formula], Term],
    range: tuple[float, float],
    cost: float,
    doc: str,
    convention: str = "",
) -> None:
    domain = Domain((range,), smooth=not convention, convention=convention)
    lowering = "llvm.sqrt" if name == "sqrt" else f"math:{name}"
    unary(name, meaning, (derivative,), lowering=lowering, cost=cost, domain=domain, doc=doc)


_unary("sqrt", lambda n, x: n.sqrt(x), lambda x, r: 0.5 / r, POSITIVE, 6, "Square root.", "infinite at 0")
_unary("cbrt", lambda n, x: n.cbrt(x), lambda x, r: 1.0 / (3.0 * (r * r)), ANY, 15, "Cube root.", "infinite at 0")

_unary("exp", lambda n, x: n.exp(x), lambda x, r: r, ANY, 10, "e to the power x.")
_unary("exp2", lambda n, x: n.exp2(x), lambda x, r: x.constant("log", 2.0) * r, ANY, 10, "2 to the power x.")
# Its slope is not its value plus 1: where exp(x) is small, that has no digits.
_unary("expm1", lambda n, x: n.expm1(x), lambda x, r: x.call("exp"), ANY, 14, "exp(x) - 1, accurate near 0.")
_unary("log", lambda n, x: n.log(x), lambda x, r: 1.0 / x, POSITIVE, 12, "Natural logarithm.")
_unary(
    "log2",
    lambda n, x: n.log2(x),
    lambda x, r: 1.0 / (x.constant("log", 2.0) * x),
    POSITIVE,
    12,
    "Logarithm to base 2.",
)
_unary(
    "log10",
    lambda n, x: n.log10(x),
    lambda x, r: 1.0 / (x.constant("log", 10.0) * x),
    POSITIVE,
    12,
    "Logarithm to base 10.",
)
_unary("log1p", lambda n, x: n.log1p(x), lambda x, r: 1.0 / (1.0 + x), (-0.9, 4.0), 14, "log(1 + x), accurate near 0.")

_unary("sin", lambda n, x: n.sin(x), lambda x, r: x.call("cos"), ANY, 14, "Sine of an angle in radians.")
_unary("cos", lambda n, x: n.cos(x), lambda x, r: -x.call("sin"), ANY, 14, "Cosine of an angle in radians.")
_unary("tan", lambda n, x: n.tan(x), lambda x, r: 1.0 + r * r, (-1.4, 1.4), 18, "Tangent of an angle in radians.")
_unary(
    "asin", lambda n, x: n.asin(x), lambda x, r: 1.0 / ((1.0 - x) * (1.0 + x)).call("sqrt"), UNIT, 14,
    "Angle in [-pi/2, pi/2] whose sine is x.",
)  # fmt: skip
_unary(
    "acos", lambda n, x: n.acos(x), lambda x, r: -1.0 / ((1.0 - x) * (1.0 + x)).call("sqrt"), UNIT, 14,
    "Angle in [0, pi] whose cosine is x.",
)  # fmt: skip
_unary(
    "atan", lambda n, x: n.atan(x), lambda x, r: 1.0 / (1.0 + x * x), ANY, 14, "Angle in (-pi/2, pi/2) of tangent x."
)
_unary("sinh", lambda n, x: n.sinh(x), lambda x, r: x.call("cosh"), ANY, 16, "Hyperbolic sine.")
_unary("cosh", lambda n, x: n.cosh(x), lambda x, r: x.call("sinh"), ANY, 14, "Hyperbolic cosine.")
_unary("tanh", lambda n, x: n.tanh(x), lambda x, r: 1.0 - r * r, ANY, 14, "Hyperbolic tangent.")
_unary("asinh", lambda n, x: n.asinh(x), lambda x, r: 1.0 / x.call("hypot", 1.0), ANY, 20, "Inverse hyperbolic sine.")
_unary(
    "acosh", lambda n, x: n.acosh(x), lambda x, r: 1.0 / ((x - 1.0) * (x + 1.0)).call("sqrt"), (1.1, 8.0), 20,
    "Inverse hyperbolic cosine.",
)  # fmt: skip
_unary(
    "atanh", lambda n, x: n.atanh(x), lambda x, r: 1.0 / ((1.0 - x) * (1.0 + x)), UNIT, 16,
    "Inverse hyperbolic tangent.",
)  # fmt: skip


def _bell(x: Formula) -> Formula:
    # exp(-x^2) / sqrt(pi)
    return (-(x * x)).call("exp") / x.constant("acos", -1.0).call("sqrt")


_unary("erf", lambda n, x: n.erf(x), lambda x, r: 2.0 * _bell(x), ANY, 16, "Error function.")
_unary(
    "erfc", lambda n, x: n.erfc(x), lambda x, r: -2.0 * _bell(x), ANY, 25,
    "1 - erf(x), accurate for large x.",
)  # fmt: skip
_unary(
    "lgamma", lambda n, x: n.lgamma(x), lambda x, r: x.call("digamma"), POSITIVE, 30,
    "Logarithm of |gamma(x)|; +inf at its poles.",
)  # fmt: skip
_unary(
    "gamma", lambda n, x: n.gamma(x), lambda x, r: r * x.call("digamma"), POSITIVE, 30,
    "Gamma function; NaN at negative integers.",
)  # fmt: skip
_unary(
    "digamma", lambda n, x: n.digamma(x), lambda x, r: trigamma(x), POSITIVE, 30,
    "Logarithmic derivative of gamma; NaN at negative integers, infinite at 0.",
)  # fmt: skip


def _pow_base(x: Formula, y: Formula, _out: Formula) -> Term:
    # x**0 is 1 everywhere, so its slope is 0 even at x = 0, where the formula gives 0 * inf.
    return y.call("eq", 0.0).choose(0.0, y * x.call("pow", y - 1.0), x.dtype)


def _pow_exponent(x: Formula, y: Formula, out: Formula) -> Term:
    flat = x.call("eq", 0.0).call("and", y.call("ge", 0.0))
    return flat.choose(0.0, out * x.call("log"), x.dtype)


def _over_square(top: Formula, x: Formula, y: Formula) -> Term:
    # top / (x*x + y*y) without overflow; 0 at the origin.
    radius = x.call("hypot", y)
    return radius.call("eq", 0.0).choose(0.0, top / radius / radius, x.dtype)


def _over_radius(top: Formula, radius: Formula) -> Term:
    return radius.call("eq", 0.0).choose(0.0, top / radius, top.dtype)


binary(
    "pow", lambda n, x, y: n.pow(x, y), (_pow_base, _pow_exponent),
    lowering="math:pow", cost=30,
    domain=Domain(
        ((0.05, 4.0), (-3.0, 3.0)), smooth=False,
        convention="by the base 0 at y = 0; by the exponent 0 at x = 0 <= y, NaN for x < 0",
    ),
    doc="x to the power y, as C99 defines it.",
)  # fmt: skip
binary(
    "atan2", lambda n, y, x: n.atan2(y, x),
    (lambda y, x, r: _over_square(x, x, y), lambda y, x, r: _over_square(-y, x, y)),
    lowering="math:atan2", cost=20, domain=Domain((ANY, ANY), smooth=False, convention="0 at the origin"),
    doc="Angle in [-pi, pi] of the point (x, y); the first operand is y.",
)  # fmt: skip
binary(
    "hypot", lambda n, x, y: n.hypot(x, y),
    (lambda x, y, r: _over_radius(x, r), lambda x, y, r: _over_radius(y, r)),
    lowering="math:hypot", cost=12, domain=Domain((ANY, ANY), smooth=False, convention="0 at the origin"),
    doc="sqrt(x*x + y*y) without overflow on the way.",
)  # fmt: skip
