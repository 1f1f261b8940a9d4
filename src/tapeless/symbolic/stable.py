"""Functions of sums that have a name of their own, because as they are written they lose digits.

    log(1 + y)   is  log1p(y)         near y = 0 the sum has few digits of y

Both sides are the same function at every argument, infinities included; they differ in rounding alone. It is done to
what derivatives are made of. exp(x) - 1 is left alone: the slope of expm1 is computed as its value plus 1, which has no
digits where exp(x) is small. What overflows as it is written (softplus for large arguments) still does.
"""

from __future__ import annotations

from ..ir.core import Apply, Expr, Function
from ..ir.types import Atom, Type
from ..ir.walk import statements
from ..passes import algebra, dce
from ..passes.control import forms
from ..passes.notes import Notes
from ..passes.rewrite import Rewriter
from .rules import fired


def run(function: Function, notes: Notes) -> Function:
    """The same function, with better rounding."""
    if not any(isinstance(stm.expr, Apply) and stm.expr.op == "log" for stm in statements(function.body)):
        return function
    return dce.run(Rewriter({"log": _log}, forms(_never)).function(function), notes)


def _never(_r: Rewriter, _expr: Expr, _trips: int) -> bool:
    return False


def _log(r: Rewriter, e: Apply, _type: Type) -> Atom | Apply | None:
    total = r.operation(e.args[0], "add")
    if total is None:
        return None
    for one, other in (total.args, total.args[::-1]):
        if algebra.is_value(one, 1.0):
            fired["log1p"] += 1
            return Apply("log1p", (other,))
    return None
