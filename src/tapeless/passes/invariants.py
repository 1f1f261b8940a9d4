"""Scalar operations of a loop body that are the same in every iteration, moved before the loop.

They are total, so they may run although the loop does not, and also when they stand in a branch.
"""

from __future__ import annotations

from typing import Protocol

from ..ir.core import Apply, Block, Custom, Expr, If, Lambda, Pos, Stm
from ..ir.types import Var
from ..ir.walk import lambdas, map_lambdas
from ..records import dataclass, field, replace
from .cost import is_total
from .uses import bound_names, mentioned


class Sink(Protocol):
    """What statements are emitted into."""

    pos: Pos | None

    def emit(self, vars: tuple[Var, ...], expr: Expr) -> object:
        """Add a statement."""
        ...


def lifted(block: Block) -> Block:
    """The block with the invariant scalar operations of all loops and operators before them, from the inside out."""
    out = _Statements()
    for stm in block.stms:
        expr = stm.expr if isinstance(stm.expr, Apply | Custom) else map_lambdas(stm.expr, _lifted_inside)
        if not isinstance(expr, Apply | Custom | If):
            inside = set[str]().union(*(bound_names(lam.body) | {p.name for p in lam.params} for lam in lambdas(expr)))
            expr = map_lambdas(expr, lambda lam, inside=inside: replace(lam, body=lift_scalars(out, lam.body, inside)))
        out.pos = stm.pos
        out.emit(stm.vars, expr)
    return Block(tuple(out.stms), block.results)


def _lifted_inside(lam: Lambda) -> Lambda:
    return replace(lam, body=lifted(lam.body))


@dataclass(slots=True)
class _Statements:
    pos: Pos | None = None
    stms: list[Stm] = field(default_factory=list[Stm])

    def emit(self, vars: tuple[Var, ...], expr: Expr) -> None:
        self.stms.append(Stm(vars, expr, self.pos))


def lift_scalars(r: Sink, block: Block, inside: set[str]) -> Block:
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


def emit_before(r: Sink, stm: Stm, inside: set[str]) -> None:
    """Emit a statement of a loop body before the loop."""
    r.pos = stm.pos
    r.emit(stm.vars, stm.expr)
    inside -= {var.name for var in stm.vars}
