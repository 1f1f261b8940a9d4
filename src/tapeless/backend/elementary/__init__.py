"""Our own elementary functions as LLVM functions, for f64 and f32 and any number of lanes.

`call("exp", x)` writes a call of `@tp.exp.f64.w8` and sees to it that the module holds its definition.
The definitions are branch-free, except that arguments for which the short way is not exact (a huge angle) take a
whole-vector branch to a long one. Errors are at most 2 units in the last place and mostly below 1;
`docs/elementary.md` has the measured table. The same operations run in each lane at
every width, so results do not depend on the width.
"""

from __future__ import annotations

from .definition import Elementary, call_definition, call_pair
from .division import floordiv, mod
from .error_function import erf, erfc
from .exponential import exp, exp2, expm1
from .gamma import gamma
from .hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from .integer_power import ipow
from .inverse_trigonometric import acos, asin, atan, atan2
from .lanes import Lanes
from .log_gamma import digamma, lgamma
from .logarithm import log, log1p, log2, log10
from .power import cbrt, hypot, pow
from .trigonometric import cos, sin, sine_and_cosine, tan

# Inlining gains 10 to 25 % on the short functions and nothing on the long ones, of which it would only repeat the code.
_SHORT = (
    exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, cbrt, hypot,
)  # fmt: skip
_LONG = (atan2, asinh, acosh, atanh, pow, erf, erfc, gamma, lgamma, digamma, floordiv, mod, ipow)

# What scalar code computes together: each alone takes nearly as long as both.
_PAIRED = ("sin", "cos")

FUNCTIONS: dict[str, Elementary] = {
    body.__name__: Elementary(body.__name__, body, inline=body in _SHORT) for body in (*_SHORT, *_LONG)
}


def call(name: str, *args: Lanes) -> Lanes:
    """The elementary function `name` of `args`, which all have one type."""
    if name in _PAIRED and args[0].width == 1:
        return call_pair("sine_and_cosine", sine_and_cosine, args[0])[_PAIRED.index(name)]
    return call_definition(FUNCTIONS[name], *args)


__all__ = ["FUNCTIONS", "Elementary", "call"]
