"""Loops over arrays that may be too short for running backwards to save memory: these keep their states.

A loop that runs backwards holds two states besides the one that it is at: the first one, which it is to come back to,
and the last one, to start again from if it does not (`drift`). A loop of at most `FEW` iterations that keeps the state
before each of them holds no more, and computes none of them a third time. Which of the two is done is known when the
program runs:

    forward:  if n <= FEW: for i < n: stack[i] = y;  y = body(i, y)      else: for i < n: note y;  y = body(i, y)
    return:   if n <= FEW: back through the iterations from the stack    else: backwards

That is the return sweep once more, so loops with loops inside do without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import For, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import refresh
from ..records import dataclass, replace
from . import drift, stacks, uncompute
from .adjoints import Scope
from .announce import announce_few
from .bits import Backwards
from .either import BackOf, Everything, Way, either
from .planner import Plan, has_loops
from .sweep import Sweep
from .uncompute import Returning
from .witness import Witness

FEW = 2


def may_keep(plan: Plan, expr: For) -> bool:
    """Is it a loop of which each iteration may be kept if there are few, though it is to run backwards?"""
    is_asked = plan.backwards and not plan.strict and not plan.parallel
    return is_asked and any(x.type.shape for x in expr.init) and not any(map(has_loops, expr.body.body.stms))


@dataclass(slots=True)
class _Backwards(Way):
    """The loop runs backwards. What it notes of its states is kept, and known once the loop was emitted."""

    sweep: Sweep
    stm: Stm
    inverse: Backwards
    plan: Plan
    witness: Witness | None = None

    def forward(self, b: Builder, vars: Sequence[Var]) -> Atoms:
        """The loop that notes some of its states."""
        expr = self.stm.expr
        assert isinstance(expr, For)
        made = Stm(tuple(vars), For(expr.count, expr.init, refresh(expr.body)), self.stm.pos)
        b.stms.append(made)
        self.witness = uncompute.witness_of(b, made)
        return self.witness.values()

    def back(self, scope: Scope, kept: Sequence[Var], adjoints: Sequence[Atom | None]) -> dict[int, Var]:
        """Backwards, as long as it comes back."""
        assert self.witness is not None
        found = replace(self.inverse, witness=self.witness.renamed(kept))
        return drift.back(Returning(self.sweep, self.stm, found, adjoints, self.plan), scope)


def forward(sweep: Sweep, stm: Stm, trips: Atom, plan: Plan) -> BackOf | None:
    """Emit a loop that runs `trips` times, and is to run backwards unless these are few; None where it cannot."""
    expr = stm.expr
    assert isinstance(expr, For)
    if isinstance(trips, Lit) or not may_keep(plan, expr) or (inverse := uncompute.inverse_of(sweep, stm)) is None:
        return None
    counted = Stm(stm.vars, For(trips, expr.init, expr.body), stm.pos)
    few = sweep.b.apply("le", trips, i64(FEW), hint="few")
    rows = sweep.b.apply("select", few, trips, i64(0), hint="rows")
    announce_few(plan, stm.pos, FEW, [x.type for x in expr.init])
    writes, quiet = stacks.writes_of(expr), replace(plan, notes=None, reruns=None)
    ways = (Everything(sweep, counted, writes, rows, quiet), _Backwards(sweep, counted, inverse, plan))
    return either(sweep, counted, few, ways, stacks.undone(writes))
