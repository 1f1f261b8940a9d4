"""How much a piece of program costs, in units of one addition, and what may be done speculatively.

Costs are estimates for choosing between forms, never for correctness. A loop with an unknown trip count counts as
`UNKNOWN_TRIPS` iterations. An expression is *total* when evaluating it can neither fail nor read memory out of range:
scalar operations are (integer division by zero gives 0), array reads are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set

from ..ir.core import CHECKS, Apply, Block, Check, Expr, For, If, Map, Reduce, Scan, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import lambdas, operands

UNKNOWN_TRIPS = 100
FEW_TRIPS = 8
ARRAY_OPS = frozenset(
    {
        "index", "slice", "update", "update_slice", "accumulate", "transpose", "reshape", "replicate", "concat",
        "stack", "iota", "argsort",
    }
)  # fmt: skip


def block_cost(block: Block, few: Set[str] = frozenset()) -> float:
    """The cost of running a block once; loops over as many as one of `few` says are short."""
    return sum(stm_cost(stm, few) for stm in block.stms)


def stm_cost(stm: Stm, few: Set[str] = frozenset()) -> float:
    """The cost of one statement, its loops included."""
    expr = stm.expr
    if isinstance(expr, Apply):
        return lookup(expr.op).cost
    inner = sum(block_cost(lam.body, few) for lam in lambdas(expr))
    size = operands(expr)[0] if few and isinstance(expr, For | Map | Reduce | Scan) else None
    return inner * (FEW_TRIPS if isinstance(size, Var) and size.name in few else trips(expr)) + 1


def cost_of(block: Block, names: Set[str]) -> float:
    """The part of the cost of a block, at any depth, that makes these variables."""
    total = 0.0
    for stm in block.stms:
        if isinstance(stm.expr, Apply):
            total += stm_cost(stm) if stm.vars[0].name in names else 0.0
        else:
            total += trips(stm.expr) * sum(cost_of(lam.body, names) for lam in lambdas(stm.expr))
    return total


def trips(expr: Expr) -> float:
    """How often the sub-blocks of an expression run."""
    match expr:
        case For(count):
            return _trip_count(count)
        case If() | Check():
            return 1
        case Map(size) | Reduce(size) | Scan(size):
            return _trip_count(size)
        case _:
            return UNKNOWN_TRIPS


def _trip_count(count: Atom) -> float:
    return float(count.value) if isinstance(count, Lit) else UNKNOWN_TRIPS


def elements(type: Type) -> float:
    """How many elements a value of this type has, as an estimate."""
    return math.prod((_trip_count(size) for size in type.shape), start=1.0)


def is_total(expr: Expr) -> bool:
    """A scalar operation: it may be evaluated where it was not asked for."""
    return isinstance(expr, Apply) and expr.op not in ARRAY_OPS


def statement_count(block: Block) -> int:
    """Statements in a block and the blocks inside it."""
    return sum(1 + sum(statement_count(lam.body) for lam in lambdas(stm.expr)) for stm in block.stms)


def exceptions(stms: Iterable[Stm]) -> set[str]:
    """Which exceptions the checks among the statements and inside them raise."""
    found: set[str] = set()
    for stm in stms:
        if isinstance(stm.expr, Check):
            found.add(stm.expr.info if stm.expr.kind == "raise" else CHECKS[stm.expr.kind][0])
        for lam in lambdas(stm.expr):
            found |= exceptions(lam.body.stms)
    return found


def has_check(stms: Iterable[Stm]) -> bool:
    """Is there a run-time check among the statements or inside them?"""
    return any(isinstance(s.expr, Check) or any(has_check(lam.body.stms) for lam in lambdas(s.expr)) for s in stms)
