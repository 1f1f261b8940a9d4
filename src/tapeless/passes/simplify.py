"""Simplify: constants, identities, copies, common sub-expressions, branches and loops of known shape, dead code.

`run` walks until nothing changes (a rule may uncover work for an earlier statement), at most `ROUNDS` times.
"""

from __future__ import annotations

from ..ir.core import Expr, Function
from . import algebra, dce, views
from .control import forms
from .notes import Notes
from .rewrite import Rewriter

ROUNDS = 2
RULES = algebra.RULES | views.RULES


def run(function: Function, notes: Notes) -> Function:
    """The same function, simpler."""
    for _ in range(ROUNDS):
        r = Rewriter(RULES, forms(_only_once))
        function = dce.run(r.function(function), notes)
        if not r.changed:
            break
    return function


def _only_once(_r: Rewriter, _expr: Expr, trips: int) -> bool:
    return trips == 1
