"""The return sweep of one iteration of a loop, built on trial: to see what it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, For, Function, Stm
from ..ir.types import Var
from ..ir.walk import fresh
from ..passes import dce
from ..passes.notes import Notes
from ..passes.uses import mentioned
from ..records import dataclass
from .adjoints import Scope
from .planner import Plan
from .sweep import Sweep, back_through

# Variables of a loop's body that need not be computed, and what they are instead.
Recalled: TypeAlias = Callable[[Builder], Mapping[Var, Apply]]


@dataclass(frozen=True, slots=True)
class Trial:
    """What the adjoints of an iteration are made of, given the carried values `start` before it."""

    block: Block
    start: tuple[Var, ...]

    @property
    def read(self) -> set[int]:
        """The carried values that are read."""
        names = mentioned(self.block)
        return {k for k, var in enumerate(self.start) if var.name in names}


def trial(sweep: Sweep, stm: Stm, recalled: Recalled = lambda _b: {}) -> Trial:
    """Build the return sweep of an iteration of a loop without a limit, into nowhere."""
    expr = stm.expr
    assert isinstance(expr, For)
    b = Builder()
    start = [fresh("start", param.type) for param in expr.body.params]
    rows = recalled(b)
    inner, block = sweep.inner(Scope(b, set(), set()), b, expr.body, start, stm.vars, Plan(), rows)
    scope = Scope(b, inner.varied, set())
    backs = inner.run(block)
    for var, result in zip(stm.vars, block.results, strict=True):
        if var.name in sweep.varied:
            scope.add(result, fresh("x_adj", result.type))
    back_through(backs, scope)
    found = dce.run(Function("trial", (), b.block(scope.adjoints.values())), Notes())
    return Trial(found.body, tuple(start[1:]))
