"""Scalar operations of a loop body that are the same in every iteration, moved before the loop.

They are total, so they may run although the loop does not, and also when they stand in a branch.
"""

from __future__ import annotations

from ..ir.core import Block, If, Stm
from .cost import is_total
from .rewrite import Rewriter
from .uses import mentioned


def lift_scalars(r: Rewriter, block: Block, inside: set[str]) -> Block:
    """Emit the invariant scalar operations of a body now; `inside` are the names bound in it, less those moved."""
    kept: list[Stm] = []
    for stm in block.stms:
        if is_total(stm.expr) and not mentioned(stm) & inside:
            emit_before(r, stm, inside)
        elif isinstance(stm.expr, If):
            arms = [lift_scalars(r, arm, inside) for arm in (stm.expr.then, stm.expr.orelse)]
            kept.append(Stm(stm.vars, If(stm.expr.cond, arms[0], arms[1]), stm.pos))
        else:
            kept.append(stm)
    return Block(tuple(kept), block.results)


def emit_before(r: Rewriter, stm: Stm, inside: set[str]) -> None:
    """Emit a statement of a loop body before the loop."""
    r.pos = stm.pos
    r.emit(stm.vars, stm.expr)
    inside -= {var.name for var in stm.vars}
