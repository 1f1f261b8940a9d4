"""Exposure: whether a value that is not finite shows in every result that depends on it.

A zero slope of an arm not taken must win over an infinite slope before it, which costs a test in each product of the
two. It can be left out where the infinite slope belongs to a value that is then not finite itself and reaches every
result that depends on it along a path without choices too: those results are not finite, and their slopes mean nothing.
`where(x > 0, 1 / x, 0)` needs the test, `where(x > 0, 1 / x, 0) + 1 / x` does not.
"""

from __future__ import annotations

from collections import defaultdict

from ..ad.masks import floats
from ..ir.core import Apply, Block, Expr
from ..ir.types import Var
from ..ir.walk import free_vars

_CHOICES = frozenset({"select", "min", "max", "fmin", "fmax", "update", "update_slice"})


def exposed(block: Block) -> set[str]:
    """The float variables bound by the statements of a block, not those inside, that show in all they reach."""
    # The results that a variable reaches at all, and those that it reaches without a choice, as bits.
    reached, openly = defaultdict[str, int](int), defaultdict[str, int](int)
    for k, result in enumerate(block.results):
        if isinstance(result, Var):
            reached[result.name] |= 1 << k
            openly[result.name] |= 1 << k
    bound = [(stm, name) for stm in block.stms for name in floats(stm.vars)]
    for stm, name in reversed(bound):
        shown = _shown(stm.expr)
        for source in floats(free_vars(stm.expr)):
            reached[source] |= reached[name]
            openly[source] |= openly[name] if source in shown else 0
    return {name for _, name in bound if reached[name] == openly[name]}


def _shown(expr: Expr) -> list[str]:
    """The operands of which an expression that is not finite is made without a choice."""
    match expr:
        case Apply("scale", (_, y)):
            return floats((y,))
        case Apply(op, args) if op not in _CHOICES:
            return floats(args)
        case _:
            return []
