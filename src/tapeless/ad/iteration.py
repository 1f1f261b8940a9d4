"""The loop of the return sweep: one iteration of a loop after another, the last one first.

What comes in is how to find the carried values at the start of an iteration (`Begin`), which differs with what was
kept; what comes out is the adjoint of the loop. The adjoints of the carried values go from iteration to iteration,
and so do those of variables from outside to which the body contributes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Check, For, Function, Lambda, Stm
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh
from ..passes import dce
from ..passes.notes import Notes
from ..passes.uses import mentioned
from ..records import dataclass
from .adjoints import LoopScope, Scope, base_name
from .planner import Plan
from .sweep import Sweep, back_through
from .values import zeros

# From an iteration and what the loop of the return sweep carries besides adjoints to the carried values at its start,
# and what to carry on, known when the iteration is done.
Begin: TypeAlias = "Callable[[Builder, Var, Sequence[Var]], tuple[Sequence[Var], Callable[[Scope], Sequence[Atom]]]]"

# More iterations than can have been run.
_LONGEST = 1 << 48

# From an iteration to variables of the body's own block that need not be computed, and what they are instead.
Recalled: TypeAlias = Callable[[Builder, Var], Mapping[Var, Apply]]


@dataclass(frozen=True, slots=True)
class Run:
    """A loop of the return sweep, and the final values of its memory."""

    loop: Stm
    memory: tuple[Var, ...]

    def reads(self) -> set[str]:
        """The names of the variables from outside that the adjoints are made of."""
        wanted = [var for var in self.loop.vars if var not in self.memory]
        return mentioned(dce.run(Function("loop", (), Block((self.loop,), tuple(wanted))), Notes()).body)


def run_back(
    sweep: Sweep,
    scope: Scope,
    stm: Stm,
    adjoints: Sequence[Atom | None],
    plan: Plan,
    memory: Atoms,
    begin: Begin,
    recalled: Recalled = lambda _b, _i: {},
) -> Run:
    """Emit the loop that runs the iterations of `stm` back, given the adjoints of its results.

    `memory` are the values that `begin` wants carried.
    """
    expr = stm.expr
    assert isinstance(expr, For)
    active = [k for k, var in enumerate(stm.vars) if var.name in sweep.varied]
    turn = fresh("turn", Type(I64))
    adj_params = {k: fresh(f"{base_name(stm.vars[k])}_adj", stm.vars[k].type) for k in active}
    carried = [fresh(base_name(x) if isinstance(x, Var) else "kept", x.type) for x in memory]

    b = scope.b.child()
    i = b.apply("sub", b.apply("sub", expr.count, i64(1)), turn, hint="i")
    start, after = begin(b, i, carried)
    rows = recalled(b, i)
    inner, block = sweep.inner(scope, b, expr.body, (i, *start), stm.vars, plan, rows)
    inner.bound |= {x.name for x in start}
    inner.held = (*inner.held, *_counters_in_range(expr.count, (turn, i), b))
    child = LoopScope(b, inner.varied, inner.bound, scope)
    backs = inner.run(block)
    for k, param in adj_params.items():
        child.add(block.results[k], param)
    back_through(backs, child)

    results = [_or_zeros(b, child.adjoints.get(start[k].name), start[k].type) for k in active]
    results += after(child)
    results += [child.adjoints[var.name] for var in child.carried]
    initial = [_or_zeros(scope.b, adjoints[k], stm.vars[k].type) for k in active]
    params = (turn, *adj_params.values(), *carried, *child.carried.values())
    loop = run_carried(scope, child, expr.count, params, (*initial, *memory), b.block(results))
    for k, final in zip(active, loop.vars, strict=False):
        scope.add(expr.init[k], final)
    return Run(loop, loop.vars[len(active) : len(active) + len(memory)])


def _counters_in_range(count: Atom, counters: Sequence[Var], b: Builder) -> list[Stm]:
    """What holds in a loop that has run before: loops inside that run backwards read arrays at places made of this."""
    facts = [Check("bounds", (count, i64(_LONGEST))), *(Check("bounds", (k, count)) for k in counters)]
    return [Stm((), fact, b.pos) for fact in facts]


def run_carried(
    scope: Scope, child: LoopScope, trips: Atom, params: Sequence[Var], initial: Sequence[Atom], body: Block
) -> Stm:
    """Emit a loop of the return sweep; the adjoints that it carries for the outside are the last of `params`."""
    starts = carried_starts(scope, child)
    finals = tuple(fresh(param.name, param.type) for param in params[1:])
    loop = Stm(finals, For(trips, (*initial, *starts), Lambda(tuple(params), body)), scope.b.pos)
    scope.b.stms.append(loop)
    hand_over(scope, child, finals[len(initial) :])
    return loop


def carried_starts(scope: Scope, child: LoopScope) -> list[Atom]:
    """The adjoints from outside that a loop of the return sweep carries, as they are before it."""
    starts: list[Atom] = []
    for var in child.carried:
        start = None if scope.records(var) else scope.begin(var)
        starts.append(_or_zeros(scope.b, start, var.type))
    return starts


def hand_over(scope: Scope, child: LoopScope, finals: Sequence[Var]) -> None:
    """The adjoints from outside that a loop of the return sweep carried, as they are behind it."""
    for var, final in zip(child.carried, finals, strict=True):
        if scope.records(var):
            scope.add(var, final)
        else:
            scope.set(var, final)


def _or_zeros(b: Builder, adjoint: Atom | None, type: Type) -> Atom:
    return zeros(b, type) if adjoint is None else adjoint
