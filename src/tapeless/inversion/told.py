"""What the author of a program tells: the inverse of a call that is not to be found by solving its text."""

from __future__ import annotations

from ..ir.core import Check, Custom, Stm
from ..ir.types import Var
from .solving import Solving


def undo_told(s: Solving, stm: Stm) -> None:
    """A scope without results says of values that they were what it computes; any other tells nothing."""
    expr = stm.expr
    assert isinstance(expr, Custom)
    if stm.vars:
        return
    inner = Solving(expr.body.body, s.b, s.rules, set(), s)
    for told in expr.body.body.stms:
        match told.expr:
            case Check("told", (Var() as old, again)) if not s.is_known(old):
                value = inner.try_value(again)
                if value is not None:
                    s.learn(old, value)
            case _:
                pass
