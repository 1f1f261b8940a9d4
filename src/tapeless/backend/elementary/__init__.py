"""Our own elementary functions as LLVM functions, for f64 and f32 and any number of lanes.

`call("exp", x)` writes a call of `@tp.exp.f64.w8` and sees to it that the module holds its definition.
The definitions are branch-free, except that arguments for which the short way is not exact (a huge angle) take a
whole-vector branch to a long one. Errors are at most 2 units in the last place and mostly below 1;
`docs/elementary.md` has the measured table. The same operations run in each lane at
every width, so results do not depend on the width.
"""

from __future__ import annotations

from .definition import Elementary, call_definition
from .division import floordiv, mod
from .error_function import erf, erfc
from .exponential import exp, exp2, expm1
from .gamma import digamma, gamma, lgamma
from .hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from .integer_power import ipow
from .inverse_trigonometric import acos, asin, atan, atan2
from .lanes import Lanes
from .logarithm import log, log1p, log2, log10
from .power import cbrt, hypot, pow
from .trigonometric import cos, sin, tan

FUNCTIONS: dict[str, Elementary] = {
    record.name: record
    for record in (
        Elementary("exp", exp),
        Elementary("exp2", exp2),
        Elementary("expm1", expm1),
        Elementary("log", log),
        Elementary("log2", log2),
        Elementary("log10", log10),
        Elementary("log1p", log1p),
        Elementary("sin", sin),
        Elementary("cos", cos),
        Elementary("tan", tan),
        Elementary("sinh", sinh),
        Elementary("cosh", cosh),
        Elementary("tanh", tanh),
        Elementary("asinh", asinh),
        Elementary("acosh", acosh),
        Elementary("atanh", atanh),
        Elementary("asin", asin),
        Elementary("acos", acos),
        Elementary("atan", atan),
        Elementary("atan2", atan2),
        Elementary("pow", pow),
        Elementary("cbrt", cbrt),
        Elementary("hypot", hypot),
        Elementary("erf", erf),
        Elementary("erfc", erfc),
        Elementary("gamma", gamma, inline=False),
        Elementary("lgamma", lgamma, inline=False),
        Elementary("digamma", digamma, inline=False),
        Elementary("floordiv", floordiv, inline=False),
        Elementary("mod", mod, inline=False),
        Elementary("ipow", ipow, inline=False),
    )
}


def call(name: str, *args: Lanes) -> Lanes:
    """The elementary function `name` of `args`, which all have one type."""
    return call_definition(FUNCTIONS[name], *args)


__all__ = ["FUNCTIONS", "Elementary", "call"]
