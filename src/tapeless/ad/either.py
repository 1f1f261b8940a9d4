"""Two ways through a loop, of which a condition that is known when the program runs chooses one.

The forward sweep is a branch between both, from which comes what either keeps (the other one keeps zeros of no rows),
and so is the return sweep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import For, If, Stm
from ..ir.types import Atom, Var
from ..ir.walk import fresh
from ..records import dataclass
from . import stacks
from .adjoints import ArmScope, Scope
from .branches import join
from .planner import Plan
from .stacks import Stacks, Writes
from .sweep import Sweep
from .values import retyped, zeros

# The return sweep of a loop, given the adjoints of its results: the arrays that it wrote, as they were before it.
BackOf: TypeAlias = "Callable[[Scope, Sequence[Atom | None]], dict[int, Var]]"


class Way(ABC):
    """One way through a loop."""

    @abstractmethod
    def forward(self, b: Builder, vars: Sequence[Var]) -> Atoms:
        """Emit the loop, binding its results to `vars`; what it keeps, of types that mention nothing emitted here."""

    @abstractmethod
    def back(self, scope: Scope, kept: Sequence[Var], adjoints: Sequence[Atom | None]) -> dict[int, Var]:
        """Emit the return sweep; the arrays that the loop wrote, as they were before it."""


@dataclass(frozen=True, slots=True)
class Everything(Way):
    """Something is kept of every iteration: `rows` is their number, or 0 where the other way is taken."""

    sweep: Sweep
    stm: Stm
    writes: Writes
    rows: Atom
    plan: Plan

    @property
    def _loop(self) -> For:
        assert isinstance(self.stm.expr, For)
        return self.stm.expr

    def forward(self, b: Builder, vars: Sequence[Var]) -> Atoms:
        """The loop with its stacks."""
        kept = stacks.forward(b, vars, self._loop, self._loop.count, self.writes)
        types = stacks.row_types(self._loop, self.writes)
        return tuple(retyped(b, kept.rows[key], type.stacked(self.rows)) for key, type in types.items())

    def back(self, scope: Scope, kept: Sequence[Var], adjoints: Sequence[Atom | None]) -> dict[int, Var]:
        """From the stacks, of as many rows as there are iterations."""
        count, keys = self._loop.count, stacks.row_types(self._loop, self.writes)
        rows = {
            key: scope.b.apply("reshape", stack, count, *stack.type.shape[1:])
            for key, stack in zip(keys, kept, strict=True)
        }
        return stacks.back(self.sweep, scope, self.stm, Stacks(self.writes, rows), adjoints, self.plan)


def either(sweep: Sweep, stm: Stm, cond: Atom, ways: tuple[Way, Way], arrays: Sequence[int]) -> BackOf:
    """Emit a loop in the first way if a condition holds, else in the second. `arrays` are those that come back."""
    children = [sweep.b.child() for _ in ways]
    results = [tuple(fresh(var.name, var.type) for var in stm.vars) for _ in ways]
    kept = [way.forward(b, vars) for way, b, vars in zip(ways, children, results, strict=True)]
    outs = [[fresh("kept", x.type) for x in own] for own in kept]
    blocks = [
        b.block((*vars, *(x if own is mine else zeros(b, x.type) for own in kept for x in own)))
        for b, vars, mine in zip(children, results, kept, strict=True)
    ]
    sweep.b.stms.append(Stm((*stm.vars, *outs[0], *outs[1]), If(cond, blocks[0], blocks[1]), stm.pos))

    def back(scope: Scope, adjoints: Sequence[Atom | None]) -> dict[int, Var]:
        arms = [ArmScope(scope.b.child(), scope.varied, set(), scope) for _ in ways]
        ends = [way.back(arm, own, adjoints) for way, arm, own in zip(ways, arms, outs, strict=True)]
        made = join(scope, cond, arms, [[end[k] for k in arrays] for end in ends])
        return dict(zip(arrays, made, strict=True))

    return back
