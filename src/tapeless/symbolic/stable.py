"""Functions that have another form of better rounding, because as they are written they lose digits or overflow.

    log(1 + y)               is  log1p(y)                              near y = 0 the sum has few digits of y
    exp(x) - 1               is  expm1(x)                              near x = 0 likewise
    log(1 + exp(x))          is  h + log1p(exp(l - h))                 h, l the larger and the smaller of x and 0
    log(exp(x) + exp(y))     is  the same with x and y, and so on for more terms
    log(sum of exp(x_i))     is  m + log1p(sum of exp(x_i - m))        m the largest, which the sum leaves out
    sqrt(x^2 + y^2)          is  hypot(x, y)
    sin(x) / x, ...          see `removable`

Both sides are the same function at every argument, infinities included, except where the left one overflows: there the
right one goes on. It is done to what derivatives are made of. Larger and smaller are chosen, not computed by `max` and
`abs`: derivatives of all orders are then right where both are equal.
"""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Apply, Expr, Function
from ..ir.types import Atom, Lit, Type
from ..ir.walk import statements
from ..passes import algebra, dce
from ..passes.control import forms
from ..passes.notes import Notes
from ..passes.rewrite import Rewriter
from .logsumexp import log_of_sum
from .removable import quotient
from .rules import fired

# Operations without which there is nothing to do.
_SIGNS = frozenset({"log", "log1p", "exp", "expm1", "sqrt", "sin", "cos", "sinh"})


def run(function: Function, notes: Notes) -> Function:
    """The same function, with better rounding."""
    if not any(isinstance(stm.expr, Apply) and stm.expr.op in _SIGNS for stm in statements(function.body)):
        return function
    rules = {"log": _log, "log1p": _log1p, "sub": _sub, "add": _add, "sqrt": _sqrt, "div": quotient}
    return dce.run(Rewriter(rules, forms(_never)).function(function), notes)


def _never(_r: Rewriter, _expr: Expr, _trips: int) -> bool:
    return False


def _log(r: Rewriter, e: Apply, type: Type) -> Atom | Apply | None:
    b = Builder(r.pos)
    found, total = log_of_sum(r, b, e.args[0]), r.operation(e.args[0], "add")
    if found is not None:
        soft = total is not None and any(algebra.is_value(x, 1.0) for x in total.args)
        return _spliced(r, b, found, "softplus" if soft else "logsumexp")
    for one, other in () if total is None else (total.args, total.args[::-1]):
        if algebra.is_value(one, 1.0):
            fired["log1p"] += 1
            return _log1p(r, Apply("log1p", (other,)), type) or Apply("log1p", (other,))
    return None


def _log1p(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    b = Builder(r.pos)
    found = log_of_sum(r, b, e.args[0], Lit(1.0, e.args[0].type.dtype))
    return None if found is None else _spliced(r, b, found, "softplus")


def _spliced(r: Rewriter, b: Builder, found: Atom, rule: str) -> Atom:
    fired[rule] += 1
    return r.splice(b.block((found,)))[0]


def _sub(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    for (x, y), sign in ((e.args, 1), (e.args[::-1], -1)):
        power = r.operation(x, "exp")
        if power is not None and algebra.is_value(y, 1.0):
            fired["expm1"] += 1
            small = Apply("expm1", power.args)
            return small if sign == 1 else Apply("neg", (r.apply("expm1", *power.args),))
    return None


def _add(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    for x, y in (e.args, e.args[::-1]):
        power = r.operation(x, "exp")
        if power is not None and algebra.is_value(y, -1.0):
            fired["expm1"] += 1
            return Apply("expm1", power.args)
    return None


def _sqrt(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    total = r.operation(e.args[0], "add")
    legs = [] if total is None else [_leg(r, x) for x in total.args]
    if len(legs) != 2 or legs[0] is None or legs[1] is None:
        return None
    fired["hypot"] += 1
    return Apply("hypot", (legs[0], legs[1]))


def _leg(r: Rewriter, atom: Atom) -> Atom | None:
    """What an atom is the square of."""
    if algebra.is_value(atom, 1.0):
        return atom
    square = r.operation(atom, "mul")
    return square.args[0] if square is not None and square.args[0] == square.args[1] else None
