"""Loops that are run backwards: the return sweep keeps nothing, and brings back each state from the one after it.

    forward:  for i < n:  y = body(i, y)
    return:   for i = n-1 ... 0:  y = inverse(i, y);  run body(i, y) again;  y_adj, free_adj = back through it

The memory does not depend on the number of iterations. In floats a state that is brought back differs from what it was
by rounding, as `inversion.undo` says, and what the inverse does to small differences it does to these: `drift` sees to
it that they stay small. A loop whose places depend on such numbers (`inexact`) is not run backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..inversion.inverse import inverse_step
from ..inversion.solving import CannotInvert
from ..ir.build import Builder
from ..ir.core import For, Stm
from ..ir.types import Atom, Var, i64
from ..ir.walk import inline, substitute
from ..records import dataclass, replace
from .adjoints import Scope
from .announce import announce_backwards, announce_irreversible
from .bits import Backwards, keeping_bits
from .inexact import Inexact, inexact_backwards, inexact_in
from .iteration import run_back
from .near import is_near
from .noted import noting
from .planner import Plan
from .sweep import Sweep
from .trial import trial
from .witness import Witness

UNSAFE = "an index depends on a float that comes back only to within rounding"


def inverse_of(sweep: Sweep, stm: Stm) -> Backwards | None:
    """One iteration backwards; None when it cannot be found, or is not safe."""
    try:
        return _inverse(sweep, stm)
    except CannotInvert:
        return None


def forward(sweep: Sweep, stm: Stm, counted: Stm, plan: Plan) -> Backwards | None:
    """Emit a loop that is to run backwards, if it can; one iteration of it backwards.

    Unless that is forbidden, it keeps a bit of each iteration for a branch of which nothing tells which way was taken.
    """
    try:
        found = _inverse(sweep, stm)
    except CannotInvert as problem:
        kept = None if plan.strict or problem.what == UNSAFE else keeping_bits(sweep, counted)
        if kept is None:
            announce_irreversible(plan, stm.pos, problem.what)
        return kept and _witnessed(sweep, stm, kept)
    sweep.emit(counted)
    return _witnessed(sweep, stm, found)


def _witnessed(sweep: Sweep, stm: Stm, found: Backwards) -> Backwards:
    return replace(found, witness=witness_of(sweep.b, stm))


def witness_of(b: Builder, stm: Stm) -> Witness:
    """Let a loop that was emitted note something of its states on the way, where they come back inexactly."""
    expr = stm.expr
    assert isinstance(expr, For)
    inexact, params = inexact_in(expr.body), expr.body.params[1:]
    loop = next(made for made in reversed(b.stms) if stm.vars[0] in made.vars)
    return noting(b, loop, [k for k, param in enumerate(params) if inexact.has(param)])


def _inverse(sweep: Sweep, stm: Stm) -> Backwards:
    """One iteration backwards, in which no place and no number of rounds depends on numbers that may be anything."""
    expr = stm.expr
    assert isinstance(expr, For)
    inexact = inexact_in(expr.body)
    if inexact.reaches_place:
        raise CannotInvert(UNSAFE)
    inverse = inverse_step(expr, sweep.before)
    back = inexact_backwards(inverse, [inexact.has(param) for param in expr.body.params[1:]])
    if back.reaches_place or back.reaches_rounds:
        raise CannotInvert(UNSAFE)
    return Backwards(inverse)


class Found(NamedTuple):
    """The carried values as running backwards finds them before a loop, and how many states it found wrong."""

    firsts: tuple[Var, ...]
    wrong: Var


@dataclass(frozen=True, slots=True)
class Returning:
    """A loop that has run, one iteration of it backwards, and the adjoints of its results."""

    sweep: Sweep
    stm: Stm
    found: Backwards
    adjoints: Sequence[Atom | None]
    plan: Plan

    @property
    def loop(self) -> For:
        assert isinstance(self.stm.expr, For)
        return self.stm.expr

    def inexact(self) -> Inexact | None:
        """What is inexact in an iteration; None where no such value is read in the return sweep."""
        found, params = inexact_in(self.loop.body), self.loop.body.params[1:]
        read = trial(self.sweep, self.stm).read
        return found if found.has(*(params[k] for k in read)) else None

    def run(self, scope: Scope, check: str) -> Found:
        """Emit the return sweep. `check` is for `explain`."""

        finals, witness = self._finals(scope), self.found.witness
        width, dust = len(finals), witness.dust(scope.b, finals)

        def begin(b: Builder, i: Var, carried: Sequence[Var]) -> tuple[list[Var], Callable[[Scope], Sequence[Atom]]]:
            start = [_named(b, atom) for atom in self._step(b, scope, i, carried[:width])]

            def after(child: Scope) -> Sequence[Atom]:
                # Compared at last, so that nothing stands between what finds the state and what goes back through it.
                found = [child.primal(x) for x in start]
                return [*found, *witness.compared(child.b, i, found, tuple(carried[width:]), dust)]

            return start[: len(self.stm.vars)], after

        memory = (*finals, *witness.start())
        run = run_back(self.sweep, scope, self.stm, self.adjoints, self.plan, memory, begin)
        announce_backwards(self.plan, self.stm.pos, self.loop.count, [var.type for var in self.stm.vars], check)
        return Found(run.memory[: len(self.stm.vars)], run.memory[width])

    def comes_back(self, scope: Scope) -> Atom:
        """Run the loop backwards without adjoints: is its first state found again?"""

        finals, witness = self._finals(scope), self.found.witness
        width, dust = len(finals), witness.dust(scope.b, finals)

        def step(b: Builder, turn: Var, *carried: Var) -> Sequence[Atom]:
            i = b.apply("sub", b.apply("sub", self.loop.count, i64(1)), turn, hint="i")
            start = self._step(b, scope, i, carried[:width])
            return [*start, *witness.compared(b, i, start, carried[width:], dust)]

        ends = scope.b.for_(self.loop.count, (*finals, *witness.start()), step)
        return self.is_found(scope, Found(ends[: len(self.stm.vars)], ends[width]))

    def is_found(self, scope: Scope, found: Found) -> Atom:
        """Was each state that was compared the right one, the first state of the loop among them?"""
        whole: Atom = scope.b.apply("eq", found.wrong, i64(0))
        for first, start, last in zip(found.firsts, self.loop.init, self.stm.vars, strict=True):
            near = is_near(scope.b, first, scope.primal(start), scope.primal(last))
            whole = scope.b.apply("and", whole, near)
        return whole

    def _finals(self, scope: Scope) -> tuple[Atom, ...]:
        return (*(scope.primal(var) for var in self.stm.vars), *self.found.places)

    def _step(self, b: Builder, scope: Scope, i: Var, carried: Sequence[Var]) -> Sequence[Atom]:
        return b.splice(substitute(inline(self.found.inverse, (i, *carried)), scope.restorations()))


def _named(b: Builder, atom: Atom) -> Var:
    """The value by a name of its own, which its adjoint goes by."""
    if atom.type.shape:
        return b.apply("reshape", atom, *atom.type.shape)
    return b.apply("convert", atom, attrs=(atom.type.dtype,))
