"""What inverses are told: inverses of calls that are not to be found by solving, and what an inverse itself undoes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ..ir.build import Builder
from ..ir.core import Check, Custom, For, Lambda, Stm
from ..ir.types import Atom, Var
from .solving import CannotInvert, Solving


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


def tell_iteration(s: Solving, b: Builder, expr: For, starts: Sequence[Atom], lasts: Sequence[Var]) -> None:
    """Say in an iteration that runs backwards what undoes it: the iteration of the loop `expr`, from what it made.

    The text of an inverse often tells less than the one that it was made of.
    """
    inner = b.child()
    again = Solving(expr.body.body, inner, s.rules, set(), s)
    again.known.update((param.name, start) for param, start in zip(expr.body.params, starts, strict=True))
    with suppress(CannotInvert):
        for last, result in zip(lasts, expr.body.body.results, strict=True):
            inner.check("told", last, again.value(result))
        b.bind((), Custom((), Lambda((), inner.block(()))))
