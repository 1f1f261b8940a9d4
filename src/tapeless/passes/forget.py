"""Forget: take out what only derivatives read, once they are made.

`stop_gradient(x)` is `x`. As long as it stands there no pass looks through it, so this one goes first.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Function, Lambda, Stm
from ..ir.types import Atom, Var
from ..ir.walk import map_lambdas, statements, subst_atom, substitute
from .notes import Notes


def run(function: Function, _notes: Notes) -> Function:
    """The function without marks."""
    same: dict[Var, Atom] = {}
    for stm in statements(function.body):
        if _is_mark(stm):
            assert isinstance(stm.expr, Apply)
            same[stm.vars[0]] = subst_atom(stm.expr.args[0], same)
    if not same:
        return function
    body = substitute(_without_marks(function.body), same)
    return Function(function.name, function.params, body, function.donated)


def _is_mark(stm: Stm) -> bool:
    return isinstance(stm.expr, Apply) and stm.expr.op == "stop_gradient"


def _without_marks(block: Block) -> Block:
    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, _without_marks(lam.body))

    stms = tuple(Stm(s.vars, map_lambdas(s.expr, inner), s.pos) for s in block.stms if not _is_mark(s))
    return Block(stms, block.results)
