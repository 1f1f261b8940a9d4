"""Static estimates: how deep loops are nested in a block, and what an iteration costs.

Costs are in units of one addition, from the records of the operations. A loop whose trip count is not
a literal is taken to run `GUESS` rounds.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Expr, For, If, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit
from ..ir.walk import lambdas, operands

GUESS = 32.0


def height(block: Block) -> int:
    """The number of loops nested in a loop with this body, itself included."""
    return 1 + max((_height(stm.expr) for stm in block.stms), default=0)


def _height(expr: Expr) -> int:
    inner = [height(lam.body) - 1 for lam in lambdas(expr)]
    if isinstance(expr, Apply | Check):
        return 0
    return max(inner) + (not isinstance(expr, If))


def trips(count: Atom) -> float:
    """The number of rounds, or a guess."""
    return float(max(count.value, 0)) if isinstance(count, Lit) else GUESS


def block_cost(block: Block) -> float:
    """The cost of running a block once."""
    return sum(map(statement_cost, block.stms))


def statement_cost(stm: Stm) -> float:
    """The cost of one statement."""
    match stm.expr:
        case Apply(op):
            return lookup(op).cost
        case Check():
            return 1.0
        case If(_, then, orelse):
            return 1.0 + max(block_cost(then), block_cost(orelse))
        case For(count, _, body):
            return trips(count) * (1.0 + block_cost(body.body))
        case While(_, cond, body):
            return GUESS * (block_cost(cond.body) + block_cost(body.body))
        case expr:
            return trips(operands(expr)[0]) * (1.0 + sum(block_cost(lam.body) for lam in lambdas(expr)))
