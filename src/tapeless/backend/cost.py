"""Static estimates: how deep loops are nested in a block, and what an iteration costs.

Costs are in units of one addition, from the records of the operations. A loop whose trip count is not a literal is
taken to run `GUESS` rounds, or `SHORT` rounds when the count is computed inside another loop: then it differs from
round to round, as the length of a row of a sparse matrix does.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Check, Expr, For, Function, If, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas, operands, statements

GUESS = 64.0
SHORT = 10.0
# The share of a program that is not worth the time to write out a loop.
_SHARE = 1 / 64


def height(block: Block) -> int:
    """The number of loops nested in a loop with this body, itself included."""
    return 1 + max((_height(stm.expr) for stm in block.stms), default=0)


def _height(expr: Expr) -> int:
    inner = [height(lam.body) - 1 for lam in lambdas(expr)]
    if isinstance(expr, Apply | Check):
        return 0
    return max(inner) + (not isinstance(expr, If))


def trips(count: Atom, changing: frozenset[Var] = frozenset()) -> float:
    """The number of rounds, or a guess; `changing` are the counts that differ from round to round."""
    if isinstance(count, Lit):
        return float(max(count.value, 0))
    return SHORT if count in changing else GUESS


def changing(function: Function) -> frozenset[Var]:
    """The integers that are computed inside loops and parallel forms."""
    found: set[Var] = set()
    for stm in function.body.stms:
        for lam in lambdas(stm.expr):
            if not isinstance(stm.expr, If):
                found.update(lam.params)
                found.update(var for inner in statements(lam.body) for var in inner.vars if not _is_round(inner))
    return frozenset(var for var in found if var.type.dtype.is_int and not var.type.shape)


def _is_round(stm: Stm) -> bool:
    """What is left of many, but at most a number that is large itself: nearly always it is that number."""
    match stm.expr:
        case Apply("min", args):
            return any(isinstance(x, Lit) and x.value >= GUESS for x in args)
        case _:
            return False


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
        case For() as loop:
            return _loop_cost(loop)
        case While(_, cond, body):
            return GUESS * (block_cost(cond.body) + block_cost(body.body))
        case expr:
            return trips(operands(expr)[0]) * (1.0 + sum(block_cost(lam.body) for lam in lambdas(expr)))


def is_aside(loop: For, whole: float) -> bool:
    """Is a loop of known length, without loops inside, next to nothing beside a program that costs `whole`?"""
    return isinstance(loop.count, Lit) and height(loop.body.body) == 1 and _loop_cost(loop) < _SHARE * whole


def _loop_cost(loop: For) -> float:
    return trips(loop.count) * (1.0 + block_cost(loop.body.body))
