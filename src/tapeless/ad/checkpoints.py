"""Loops that keep their state at some iterations, and run others again.

There is room for a number of states, in arrays with one row per state (`slots`), with the iterations they belong to.
The forward sweep fills it on its way; before each iteration that it runs back, the return sweep takes the last state
kept, goes forward from there to the iteration, and keeps states on the way as far as there is room. A state is given
up when its own iteration is run back.

    forward:  at = 0;  while at < n:  keep (at, y);  go on by split(n + 1 - at, room left) iterations
    return:   for i = n-1 ... 0:  (at, y) = last kept;  while at < i:  go on by split(i + 1 - at, room left), keep;
              run iteration i forward and back;  if its state was kept, give that up

The rest of the program is the last step of the chain, hence the n + 1. `split` is that of `treeverse`, computed when
the program runs. So the body runs forward `forward_steps(n + 1, room)` times, and once more for each iteration that
is run back. An array whose final value holds all that is read (`settled`) belongs to no state: writing it again
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import For, Lambda, Stm, While
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh, inline, substitute_lambda
from ..records import dataclass
from .adjoints import Scope
from .iteration import run_back
from .planner import Plan
from .stacks import Writes, undone
from .sweep import Sweep
from .values import rerun, zeros


@dataclass(frozen=True, slots=True)
class Slots:
    """The states that a loop kept: `arrays` are how many there are, where, and each value that belongs to them."""

    writes: Writes
    room: Atom
    arrays: Atoms


def state(writes: Writes) -> list[int]:
    """The carried values that belong to a state: all but settled arrays."""
    return [k for k, found in enumerate(writes) if found != []]


def slot_types(expr: For, writes: Writes, room: Atom) -> list[Type]:
    """The types of `Slots.arrays`."""
    return [Type(I64), Type(I64, (room,)), *(expr.init[k].type.stacked(room) for k in state(writes))]


def forward(b: Builder, vars: Sequence[Var], expr: For, writes: Writes, room: Atom) -> Slots:
    """Emit the loop, binding its results to `vars`. Its trip count is not negative; `room` is at least one."""
    count, kept = len(expr.init), state(writes)
    types = slot_types(expr, writes, room)
    start = (i64(0), *(zeros(b, type) for type in types), *expr.init)

    def goes_on(b: Builder, at: Var, *_rest: Var) -> Atoms:
        return (b.apply("lt", at, expr.count),)

    def segment(b: Builder, at: Var, used: Var, *rest: Var) -> Atoms:
        arrays, values = rest[:-count], rest[-count:]
        arrays = pushed(b, arrays, used, at, [values[k] for k in kept])
        length = b.apply("sub", b.apply("add", expr.count, i64(1)), at)
        far = split(b, length, b.apply("sub", room, used))
        values = _advanced(b, expr.body, at, far, values)
        return (b.apply("add", at, far), b.apply("add", used, i64(1)), *arrays, *values)

    carried = tuple(atom.type for atom in start)
    loop = While(start, b.lam(carried, goes_on), b.lam(carried, segment))
    arrays = tuple(fresh("slots", type) for type in types)
    b.stms.append(Stm((fresh("at", Type(I64)), *arrays, *vars), loop, b.pos))
    return Slots(writes, room, arrays)


def back(
    sweep: Sweep, scope: Scope, stm: Stm, slots: Slots, adjoints: Sequence[Atom | None], plan: Plan
) -> dict[int, Var]:
    """Emit the return sweep of a loop; the arrays it wrote in place, as they were before the loop."""
    expr = stm.expr
    assert isinstance(expr, For)
    kept = state(slots.writes)
    settled = [k for k in range(len(stm.vars)) if k not in kept]
    body = substitute_lambda(expr.body, scope.restorations())
    body = Lambda(body.params, rerun(body.body))

    def begin(b: Builder, i: Var, carried: Sequence[Var]) -> tuple[Sequence[Var], Callable[[Scope], Sequence[Atom]]]:
        arrays, finals = carried[: len(kept) + 2], dict(zip(settled, carried[len(kept) + 2 :], strict=True))
        arrays, values = _brought_to(b, body, slots, i, arrays, finals)
        last = b.apply("sub", arrays[0], i64(1))
        done = b.apply("eq", b.apply("index", arrays[1], last), i)
        used = b.apply("select", done, last, arrays[0])
        start = [x if k in kept else b.apply("reshape", x, *x.type.shape) for k, x in enumerate(values)]
        return start, lambda _child: [used, *arrays[1:], *(values[k] for k in settled)]

    memory = (*slots.arrays, *(scope.primal(stm.vars[k]) for k in settled))
    run = run_back(sweep, scope, stm, adjoints, plan, memory, begin)
    first = dict(zip(kept, run.memory[2:], strict=False))
    return {k: _first(scope, expr.count, first[k], stm.vars[k]) for k in undone(slots.writes)}


def split(b: Builder, length: Atom, slots: Atom) -> Var:
    """How far to go before the next state is kept (`treeverse.split`), for a chain of at least two steps.

    Capacities are computed one from another: beta(s, r+1) = beta(s, r) (s+r+1) / (r+1), and
    beta(s-1, r) = beta(s, r) s / (s+r).
    """
    slots = b.apply("min", slots, length)  # more change nothing, and could make the products overflow

    def too_short(b: Builder, _count: Var, _low: Var, high: Var) -> Atoms:
        return (b.apply("lt", high, length),)

    def more(b: Builder, count: Var, _low: Var, high: Var) -> Atoms:
        count = b.apply("add", count, i64(1))
        product = b.apply("mul", high, b.apply("add", slots, count))
        return (count, high, b.apply("floordiv", product, count))

    count, low, _ = b.while_((i64(0), i64(0), i64(1)), too_short, more)
    total = b.apply("sub", b.apply("add", slots, count), i64(1))
    behind = b.apply("floordiv", b.apply("mul", low, slots), total)
    return b.apply("min", low, b.apply("sub", length, behind), hint="far")


def pushed(b: Builder, arrays: Sequence[Var], row: Atom, at: Atom, values: Sequence[Atom]) -> Atoms:
    """Keep a state in a row of the slots: where it is, and its values."""
    return tuple(b.apply("update", array, x, row) for array, x in zip(arrays, (at, *values), strict=True))


def _brought_to(
    b: Builder, body: Lambda, slots: Slots, i: Var, arrays: Sequence[Var], finals: dict[int, Var]
) -> tuple[Sequence[Var], Sequence[Var]]:
    """Go from the last state kept to iteration i: what is kept then, and the carried values there."""
    kept, count, width = state(slots.writes), len(slots.writes), len(arrays)
    last = b.apply("sub", arrays[0], i64(1))
    values = [finals[k] if k in finals else b.apply("index", arrays[2 + kept.index(k)], last) for k in range(count)]
    at = b.apply("index", arrays[1], last)

    def before(b: Builder, at: Var, *_rest: Var) -> Atoms:
        return (b.apply("lt", at, i),)

    def segment(b: Builder, at: Var, *rest: Var) -> Atoms:
        used, arrays, values = rest[0], rest[:width], rest[width:]
        free = b.apply("add", b.apply("sub", slots.room, used), i64(1))
        far = split(b, b.apply("sub", b.apply("add", i, i64(1)), at), free)
        values = _advanced(b, body, at, far, values)
        at = b.apply("add", at, far)

        def keep(b: Builder) -> Atoms:
            more = pushed(b, arrays[1:], used, at, [values[k] for k in kept])
            return (b.apply("add", used, i64(1)), *more)

        arrays = b.if_(b.apply("lt", at, i), keep, lambda _b: arrays)
        return (at, *arrays, *values)

    made = b.while_((at, *arrays, *values), before, segment)
    return made[1 : 1 + width], made[1 + width :]


def _advanced(b: Builder, body: Lambda, at: Atom, steps: Atom, values: Sequence[Atom]) -> tuple[Var, ...]:
    """Run some iterations from `at` on."""

    def step(b: Builder, i: Var, *values: Var) -> Atoms:
        return b.splice(inline(body, (b.apply("add", at, i), *values)))

    return b.for_(steps, values, step)


def _first(scope: Scope, trips: Atom, states: Var, final: Var) -> Var:
    """A carried array before the loop, which is in the first slot unless there was no iteration."""
    some = scope.b.apply("gt", trips, i64(0))
    unchanged = scope.primal(final)
    return scope.b.if_(some, lambda b: (b.apply("index", states, i64(0)),), lambda _b: (unchanged,))[0]
