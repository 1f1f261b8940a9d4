"""Numbers that a loop carries from round to round, and that do not depend on what is sought: they are computed anew.

In an FFT `half *= 2` cannot be undone, as a product of integers may have wrapped around. But nothing that is sought
makes it: so the inverse runs that part of the loop forward first, notes the number at the start of each round, and
reads it there when it goes back.
"""

from __future__ import annotations

from contextlib import suppress

from ..ir.core import Apply, Block, For, Function, Lambda, Stm
from ..ir.types import BOOL, Atom, Lit, Type, Var
from ..ir.walk import fresh
from ..passes import dce
from ..passes.notes import Notes
from .solving import CannotInvert, Solving, without_words


def history_of(s: Solving, expr: For, number: int) -> Atom | None:
    """A carried number at the start of each round; None for arrays, and for what depends on what is sought."""
    param = expr.body.params[1 + number]
    if param.type.shape:
        return None
    part = dce.run(Function("part", (), without_words(_noting(expr, param))), Notes()).body
    with suppress(CannotInvert):
        (history,) = s.computed(part)
        s.again.append(Stm((Var("history", history.type),), expr, s.b.pos))
        return history
    return None


def _noting(expr: For, param: Var) -> Block:
    """The loop, whose only result is an array of what the parameter is in each round."""
    counter, *carried = expr.body.params
    type = Type(param.type.dtype, (expr.count,))
    empty, before, after, found = (fresh("history", type) for _ in range(4))
    zeros = Stm((empty,), Apply("replicate", (Lit(_zero(param), param.type.dtype), expr.count)))
    note = Stm((after,), Apply("update", (before, param, counter)))
    body = Block((note, *expr.body.body.stms), (*expr.body.body.results, after))
    ends = tuple(fresh(var.name, var.type) for var in carried)
    loop = For(expr.count, (*expr.init, empty), Lambda((counter, *carried, before), body))
    return Block((zeros, Stm((*ends, found), loop)), (found,))


def _zero(param: Var) -> float | int | bool:
    dtype = param.type.dtype
    return 0.0 if dtype.is_float else False if dtype is BOOL else 0
