"""Forget: take out what only derivatives read, once they are made.

`stop_gradient(x)` and `basis(x)` are `x`, and a function with rules of its own is inlined. As long as these stand there
few passes look through them, so this one goes before the others.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Custom, Function, Lambda, Stm
from ..ir.types import Atom, Var
from ..ir.walk import inline, map_lambdas, statements, subst_atom, substitute
from .notes import Notes


def run(function: Function, _notes: Notes) -> Function:
    """The function without marks and rules."""
    if not any(_is_mark(stm) for stm in statements(function.body)):
        return function
    same: dict[Var, Atom] = {}
    body = _without_marks(function.body, same)
    return Function(function.name, function.params, substitute(body, same), function.donated)


def _is_mark(stm: Stm) -> bool:
    return isinstance(stm.expr, Custom) or (isinstance(stm.expr, Apply) and stm.expr.op in ("stop_gradient", "basis"))


def _without_marks(block: Block, same: dict[Var, Atom]) -> Block:
    """The block without statements that are marks; `same` tells what stands for the variables that they bound."""
    stms: list[Stm] = []

    def inner(lam: Lambda) -> Lambda:
        return Lambda(lam.params, _without_marks(lam.body, same))

    for stm in block.stms:
        match stm.expr:
            case Custom() if not stm.vars:
                pass  # it told inverses something
            case Custom(args, body):
                value = _without_marks(inline(body, args), same)
                stms += value.stms
                _identify(stm.vars, value.results, same)
            case Apply("stop_gradient" | "basis", args):
                _identify(stm.vars, args, same)
            case expr:
                stms.append(Stm(stm.vars, map_lambdas(expr, inner), stm.pos))
    return Block(tuple(stms), block.results)


def _identify(vars: tuple[Var, ...], atoms: tuple[Atom, ...], same: dict[Var, Atom]) -> None:
    same.update((var, subst_atom(atom, same)) for var, atom in zip(vars, atoms, strict=True))
