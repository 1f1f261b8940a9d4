"""Reverse rule of loops.

The forward sweep runs the loop and keeps what the return sweep needs to start each iteration again: something for
every iteration (`stacks`), or, where the plan does not allow that, states at some iterations from which others are
computed again (`checkpoints`). Where it is known only when the program runs whether it does, there are both versions,
and a branch between them (`either`). Where that is cheaper, derivatives of every iteration are kept (`accumulated`),
or tangents are carried along, and nothing is kept (`ahead`); nor is where the loop can run backwards, is asked to
(`uncompute`), and is long enough (`short`).

A `while` loop is run once to count its iterations, and then is a loop with a trip count; under a plan that allows for
many states it is run once and keeps states on its way (`online`). One that only adds something up keeps nothing
(`in_order`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import DerivativeError
from ..ir.build import Atoms, Builder, is_literal
from ..ir.core import For, Lambda, Stm, While
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import fresh, refresh
from ..records import dataclass, replace
from . import accumulated, checkpoints, drift, online, short, stacks, uncompute
from .adjoints import Scope
from .ahead import ahead
from .announce import announce_online, announce_some
from .bits import Backwards
from .checkpoints import Slots
from .custom import place
from .either import Everything, Way, either
from .handed_on import handed_on
from .in_order import in_order
from .kept import Kept
from .limits import Limits, limits, online_limits
from .planner import Plan
from .rebound import kept_apart
from .remembered import split
from .sweep import Back, Sweep, back_through, nothing
from .uncompute import Returning
from .values import mentions


def for_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a loop with a trip count."""
    expr = stm.expr
    assert isinstance(expr, For)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    if (rest := kept_apart(sweep, stm)) is not None:
        return _both(sweep, rest)
    _need_fixed_sizes(stm, expr.body)
    trips = _trips(sweep.b, expr.count)
    counted = Stm(stm.vars, For(trips, expr.init, expr.body), stm.pos)
    plan = sweep.plan.at(stm.pos)
    if (back := short.forward(sweep, stm, trips, plan)) is not None:
        return _back_of(counted, lambda scope, adjoints: _restore(scope, expr, back(scope, adjoints)))
    may_keep_few = _may_keep_few(plan, expr.body)
    if may_keep_few and (few := _few_states(sweep, stm, counted, plan)) is not None:
        return few
    few = drift.ROOM if may_keep_few else short.FEW if short.may_keep(plan, expr) else -1
    is_short = isinstance(trips, Lit) and int(trips.value) <= few
    if plan.backwards and not is_short and (inverse := uncompute.forward(sweep, stm, counted, plan)) is not None:
        return _back_of(counted, lambda scope, adjoints: _restore(
            scope, expr, drift.back(Returning(sweep, counted, inverse, adjoints, plan), scope)
        ))  # fmt: skip
    if (back := ahead(sweep, counted)) is not None:
        return back
    if (body := accumulated.accumulated(sweep, counted)) is not None:
        return accumulated.back_of(sweep, counted, body)
    writes = stacks.writes_of(expr)
    found = limits(sweep, counted, writes, sweep.plan)
    if is_literal(found.fits, True):
        whole = [k for k, journal in enumerate(writes) if journal is None]
        loop, made = split(For(trips, expr.init, expr.body), whole, sweep.before)
        loop, handed = handed_on(sweep, Stm(stm.vars, loop, stm.pos), whole)
        # Writes are told by their statements, which may be others now.
        kept = stacks.forward(sweep.b, stm.vars, loop, trips, stacks.writes_of(loop), made, handed)
        split_stm = Stm(stm.vars, loop, stm.pos)
        return _back_of(counted, lambda scope, adjoints: _restore(
            scope, expr, stacks.back(sweep, scope, split_stm, kept, adjoints, found.inner)
        ))  # fmt: skip
    announce_some(found.inner, stm.pos, trips, found.rows, found.states)
    inverse = uncompute.inverse_of(sweep, stm)
    if not is_literal(found.fits, False):
        return _either(sweep, counted, writes, found, inverse)
    slots = checkpoints.forward(sweep.b, stm.vars, For(trips, expr.init, expr.body), writes, found.slots)
    return _back_of(counted, lambda scope, adjoints: _restore(
        scope, expr, _from_some(sweep, scope, counted, slots, adjoints, found.inner, inverse)
    ))  # fmt: skip


def _may_keep_few(plan: Plan, body: Lambda) -> bool:
    """Is it a loop of numbers that is to run backwards, one of many side by side?"""
    return plan.backwards and plan.parallel and not plan.strict and not any(x.type.shape for x in body.params)


def _few_states(sweep: Sweep, stm: Stm, counted: Stm, plan: Plan) -> Back | None:
    """Keep all states if there are no more than are noted anyway to see whether a loop comes back (`drift`).

    Else that many, and the loop runs backwards between them; None if it cannot. Short loops are then as fast as those
    that keep everything, and long ones need no more memory than before.
    """
    expr, room = counted.expr, replace(plan, states=drift.ROOM)
    assert isinstance(expr, For)
    if isinstance(expr.count, Lit) or (inverse := uncompute.inverse_of(sweep, stm)) is None:
        return None
    writes = stacks.writes_of(expr)
    found = limits(sweep, counted, writes, room)
    if is_literal(found.fits, True):  # nothing is kept
        return None
    announce_some(room, stm.pos, expr.count, found.rows, found.states)
    return _either(sweep, counted, writes, found, inverse)


def _from_some(
    sweep: Sweep,
    scope: Scope,
    stm: Stm,
    slots: Slots,
    adjoints: Sequence[Atom | None],
    plan: Plan,
    inverse: Backwards | None,
) -> dict[int, Var]:
    """The return sweep of a loop that kept some states: backwards from the last one if that can be, and is exact."""

    def again(scope: Scope) -> dict[int, Var]:
        return checkpoints.back(sweep, scope, stm, slots, adjoints, plan)

    if inverse is None:
        return again(scope)
    returning = Returning(sweep, stm, replace(inverse, witness=Kept(slots)), adjoints, plan)
    return drift.back_unless_it_drifts(returning, scope, again, "the states that were kept")


def _is_to_run_backwards(sweep: Sweep, stm: Stm, init: tuple[Atom, ...], body: Lambda) -> bool:
    """Is a loop with a condition asked to run backwards, and can it once its iterations are counted?"""
    if not sweep.plan.at(stm.pos).backwards:
        return False
    counted = Stm(stm.vars, For(fresh("trips", Type(I64)), init, body), stm.pos)
    return uncompute.inverse_of(sweep, counted) is not None


def while_rule(sweep: Sweep, stm: Stm) -> Back:
    """The rule of a loop with a condition."""
    expr = stm.expr
    assert isinstance(expr, While)
    if not sweep.varies(stm):
        sweep.emit(stm)
        return nothing
    if (rest := kept_apart(sweep, stm)) is not None:
        return _both(sweep, rest)
    _need_fixed_sizes(stm, expr.body)
    if (back := in_order(sweep, stm)) is not None:
        return back
    body = Lambda((fresh("i", Type(I64)), *expr.body.params), expr.body.body)
    if not _is_to_run_backwards(sweep, stm, expr.init, body) and (back := ahead(sweep, stm)) is not None:
        return back
    uncounted = For(i64(0), expr.init, body)
    if not any(stacks.writes_of(uncounted)):
        found = online_limits(sweep, Stm(stm.vars, uncounted, stm.pos))
        if found is not None:
            return _online(sweep, stm, body, found)
    count = _count(sweep.b, expr)
    sweep.plan.note_counting(stm.pos)
    return for_rule(sweep, Stm(stm.vars, For(count, expr.init, body), stm.pos))


def _both(sweep: Sweep, stms: Sequence[Stm]) -> Back:
    backs = [sweep.rules[type(stm.expr)](sweep, stm) for stm in stms]
    return lambda scope: back_through(backs, scope)


def _online(sweep: Sweep, stm: Stm, body: Lambda, found: Limits) -> Back:
    """A loop with a condition that keeps states on its way."""
    expr = stm.expr
    assert isinstance(expr, While)
    trips, slots = online.forward(sweep.b, stm.vars, expr, found.slots)
    counted = Stm(stm.vars, For(trips, expr.init, body), stm.pos)
    announce_online(found.inner, stm.pos, found.states, found.slots)
    return _back_of(
        counted, lambda scope, adjoints: checkpoints.back(sweep, scope, counted, slots, adjoints, found.inner)
    )  # fmt: skip


def _need_fixed_sizes(stm: Stm, body: Lambda) -> None:
    """Stacks and slots have rows of one size."""
    names = {param.name for param in body.params}
    if any(mentions(param.type, names) for param in body.params):
        raise DerivativeError(
            "a loop whose arrays change their size cannot be differentiated in reverse mode",
            place=place(stm.pos),
            why="what it keeps of each iteration has one size",
            fix="give the array its final size before the loop, or use forward mode (tp.jvp, tp.jacfwd)",
        )


def _trips(b: Builder, count: Atom) -> Atom:
    if isinstance(count, Lit):
        return i64(max(0, int(count.value)))
    return b.apply("max", count, i64(0), hint="trips")


def _count(b: Builder, expr: While) -> Var:
    """Run the loop to see how often it runs."""
    cond, body = refresh(expr.cond), refresh(expr.body)
    old, ignored = fresh("trips", Type(I64)), fresh("trips", Type(I64))
    inner = b.child()
    inner.splice(body.body)
    new = inner.apply("add", old, i64(1))
    loop = While(
        (i64(0), *expr.init),
        Lambda((ignored, *cond.params), cond.body),
        Lambda((old, *body.params), inner.block((new, *body.body.results))),
    )
    return b.bind((Type(I64), *(x.type for x in expr.init)), loop, "trips")[0]


# -- both versions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Some(Way):
    """States are kept at some iterations, `room` of them, or 0 where the other way is taken."""

    sweep: Sweep
    stm: Stm
    writes: stacks.Writes
    room: Atom
    plan: Plan
    inverse: Backwards | None

    def forward(self, b: Builder, vars: Sequence[Var]) -> Atoms:
        """The loop with its slots."""
        expr = self.stm.expr
        assert isinstance(expr, For)
        again = For(expr.count, expr.init, refresh(expr.body))
        return checkpoints.forward(b, vars, again, self.writes, self.room).arrays

    def back(self, scope: Scope, kept: Sequence[Var], adjoints: Sequence[Atom | None]) -> dict[int, Var]:
        """From the slots."""
        slots = Slots(self.writes, self.room, tuple(kept))
        return _from_some(self.sweep, scope, self.stm, slots, adjoints, self.plan, self.inverse)


def _either(sweep: Sweep, stm: Stm, writes: stacks.Writes, found: Limits, inverse: Backwards | None) -> Back:
    """Keep something for every iteration if that fits, else states at some of them."""
    expr, b = stm.expr, sweep.b
    assert isinstance(expr, For)
    rows = b.apply("select", found.fits, expr.count, i64(0), hint="rows")
    room = b.apply("select", found.fits, i64(0), found.slots, hint="room")
    ways = (
        Everything(sweep, stm, writes, rows, found.inner),
        _Some(sweep, stm, writes, room, found.inner, inverse),
    )
    back = either(sweep, stm, found.fits, ways, stacks.undone(writes))
    return _back_of(stm, lambda scope, adjoints: _restore(scope, expr, back(scope, adjoints)))


def _back_of(stm: Stm, back: Callable[[Scope, Sequence[Atom | None]], object]) -> Back:
    """The return sweep of a loop that has an adjoint."""

    def run(scope: Scope) -> None:
        adjoints = [scope.take(var) for var in stm.vars]
        if any(adjoint is not None for adjoint in adjoints):
            back(scope, adjoints)

    return run


def _restore(scope: Scope, expr: For, arrays: dict[int, Var]) -> None:
    """The arrays whose writes were undone are what they were before the loop."""
    for k, array in arrays.items():
        if isinstance(source := expr.init[k], Var):
            scope.restore(source, array)
