"""What a plan means for one loop: whether all its states fit, and how many do if not.

Trip counts and sizes are values of the program, so the answers are too; they are literals where the sizes are.
Counted is what the return sweep reads: it is built once on trial, without a limit, to see which carried values that
is. A state that is to be computed again from an earlier one also needs what the values it is made of were made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.build import Builder
from ..ir.core import For, Lambda, Stm
from ..ir.types import I64, Atom, Lit, Type, boolean, i64
from ..passes.uses import mentioned, slice_for
from ..records import dataclass
from .online import FEWEST, MOST
from .planner import Plan
from .stacks import Writes, row_types
from .sweep import Sweep
from .trial import trial


@dataclass(frozen=True, slots=True)
class Limits:
    """Does it `fit` to keep values of the types `rows` of every iteration? Else `slots` times those of `states` do.

    `inner` is the plan of the body.
    """

    inner: Plan
    fits: Atom
    slots: Atom
    rows: tuple[Type, ...] = ()
    states: tuple[Type, ...] = ()


def limits(sweep: Sweep, stm: Stm, writes: Writes, plan: Plan) -> Limits:
    """The limits of a loop, computed before it."""
    expr, b = stm.expr, sweep.b
    assert isinstance(expr, For)
    plan = plan.halved(expr.body.body)
    if not plan.is_limited:
        return _unlimited(plan)
    read = trial(sweep, stm).read
    rows = tuple(t for (kind, k, _), t in row_types(expr, writes).items() if kind != "value" or k in read)
    if not rows:
        return _unlimited(plan)
    states = _states(expr, writes, read | {k for k, found in enumerate(writes) if found})
    most = _room(b, plan, rows)
    if isinstance(expr.count, Lit) and isinstance(most, Lit):
        if int(expr.count.value) <= int(most.value):
            return _unlimited(plan)
        fits: Atom = boolean(False)
    else:
        fits = b.apply("le", expr.count, most, hint="fits")
    slots = b.apply("max", _room(b, plan, states), i64(1))
    return Limits(plan, fits, b.apply("min", slots, b.apply("add", expr.count, i64(1))), rows, states)


def online_limits(sweep: Sweep, stm: Stm) -> Limits | None:
    """The limits of a loop of unknown length that carries no array written in place; None unless many states fit."""
    expr = stm.expr
    assert isinstance(expr, For)
    plan = sweep.plan.halved(expr.body.body)
    if not plan.is_limited:
        return None
    states = _states(expr, (None,) * len(expr.init), trial(sweep, stm).read)
    room = _room(Builder(), plan, states)
    if not isinstance(room, Lit) or int(room.value) < FEWEST:
        return None
    return Limits(plan, boolean(False), i64(min(int(room.value), MOST)), (), states)


def _unlimited(plan: Plan) -> Limits:
    return Limits(plan, boolean(True), i64(1))


def _states(expr: For, writes: Writes, read: Iterable[int]) -> tuple[Type, ...]:
    """The types of the values of a state."""
    needed = _needed(expr.body, read)
    return tuple(expr.init[k].type for k in sorted(needed) if writes[k] != [])


def _room(b: Builder, plan: Plan, types: Sequence[Type]) -> Atom:
    """How often values of these types may be kept."""
    if plan.states is not None:
        return i64(plan.states)
    assert plan.bytes is not None
    return _quotient(b, plan.bytes, types)


def _needed(body: Lambda, read: Iterable[int]) -> set[int]:
    """The carried values from which those of `read` are computed, iteration after iteration."""
    needed = set(read)
    while True:
        names = mentioned(slice_for(body.body, [body.body.results[k] for k in needed], checks=False))
        more = {k for k, param in enumerate(body.params[1:]) if param.name in names}
        if more <= needed:
            return needed
        needed |= more


def _quotient(b: Builder, budget: int, types: Sequence[Type]) -> Atom:
    """How often the values of these types fit into a budget."""
    total: Atom = i64(0)
    for type in types:
        total = _folded(b, "add", total, _bytes(b, type))
    if isinstance(total, Lit):
        return i64(budget // max(1, int(total.value)))
    return b.apply("floordiv", i64(budget), b.apply("max", total, i64(1)))


def _bytes(b: Builder, type: Type) -> Atom:
    total: Atom = i64(type.dtype.itemsize)
    for size in type.shape:
        total = _folded(b, "mul", total, size)
    return total


def _folded(b: Builder, op: str, x: Atom, y: Atom) -> Atom:
    if isinstance(x, Lit) and isinstance(y, Lit):
        return Lit(int(x.value) + int(y.value) if op == "add" else int(x.value) * int(y.value), I64)
    return b.apply(op, x, y)
