"""Quotients whose numerator vanishes with the denominator: they and their derivatives keep their digits near zero.

    sin(x) / x              1 - x^2/3! + x^4/5! - ...
    sinh(x) / x             1 + x^2/3! + x^4/5! + ...
    expm1(x) / x            exp(x / 2) sinh(x / 2) / (x / 2)
    (1 - cos(x)) / x^2      (sin(x / 2) / (x / 2))^2 / 2

The quotient of sin(x) and x is as good as both, but its derivative is a difference of two large numbers, and the second
one worse. So near zero it is a series, in which nothing cancels, of as many terms as 22 digits take. At zero itself it
is what the source says: not a number, or a ZeroDivisionError.
"""

from __future__ import annotations

from ..ir.core import Apply
from ..ir.types import Atom, Lit, Type, zero
from ..passes import algebra
from ..passes.rewrite import Rewriter
from .rules import fired

NEAR = 1.0
TERMS = 11  # 1 / 23! is 4e-23


def quotient(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    """A quotient in a better form, if it is one of these."""
    above, below = e.args
    chosen = r.operation(below, "select")
    if chosen is not None and algebra.is_value(chosen.args[1], 1.0):
        return None  # that of `_over_itself`, far from zero
    for op in ("sin", "sinh", "expm1"):
        found = r.operation(above, op)
        if found is not None and found.args[0] == below:
            fired["removable"] += 1
            return _over_itself(r, op, below)
    return _versine(r, above, below)


def _versine(r: Rewriter, above: Atom, below: Atom) -> Atom | None:
    """(1 - cos(x)) over x or its square."""
    difference = r.operation(above, "sub")
    turn = None if difference is None else r.operation(difference.args[1], "cos")
    if difference is None or turn is None or not algebra.is_value(difference.args[0], 1.0):
        return None
    (x,) = turn.args
    square = r.operation(below, "mul")
    if below != x and (square is None or square.args != (x, x)):
        return None
    fired["removable"] += 1
    half = Lit(0.5, x.type.dtype)
    ratio = _over_itself(r, "sin", r.apply("mul", x, half))
    found = r.apply("mul", half, r.apply("mul", ratio, ratio))
    return r.apply("mul", x, found) if below == x else found


def _over_itself(r: Rewriter, op: str, x: Atom) -> Atom:
    """op(x) / x. Where one form is not used, its derivatives are finite all the same."""
    dtype = x.type.dtype
    inside = r.apply("lt", r.apply("abs", x), Lit(NEAR, dtype))
    near = r.apply("and", inside, r.apply("ne", x, zero(dtype)))
    far = r.apply("select", near, Lit(1.0, dtype), x)
    close = r.apply("select", near, x, zero(dtype))
    if op == "expm1":
        half = r.apply("mul", close, Lit(0.5, dtype))
        series = r.apply("mul", r.apply("exp", half), _series(r, "add", half))
    else:
        series = _series(r, "sub" if op == "sin" else "add", close)
    return r.apply("select", near, series, r.apply("div", r.apply(op, far), far))


def _series(r: Rewriter, sign: str, x: Atom) -> Atom:
    """sin(x) / x or, with plus signs, sinh(x) / x. Divisors are whole numbers, and exact."""
    dtype = x.type.dtype
    square, series = r.apply("mul", x, x), Lit(1.0, dtype)
    for k in range(2 * TERMS, 0, -2):
        term = r.apply("div", r.apply("mul", square, series), Lit(float(k * (k + 1)), dtype))
        series = r.apply(sign, Lit(1.0, dtype), term)
    return series
