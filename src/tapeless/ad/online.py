"""Loops of unknown length that keep states on their way.

States are kept at equal distances, the distance being one at first, in half of the room. When that is full, every
other state is given up and the distance doubles: so the loop runs once, and whenever it ends a quarter of the room at
least holds states at equal distances. From there the return sweep is that of `checkpoints`, which keeps further states
in the rest of the room. With little room, counting the iterations first and keeping states at the best places takes
fewer steps; with `FEWEST` states this takes at most 3/8 more than the optimum for a known length.

    at = used = 0, gap = 1;  while cond(y):  if at = used gap: make room, keep (at, y);  y = body(y);  at += 1
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import Stm, While
from ..ir.types import I64, Atom, Type, Var, i64
from ..ir.walk import fresh, inline
from .checkpoints import Slots, pushed
from .values import zeros

# Beyond this many states further ones save little: up to 22 million iterations none runs more than three times.
MOST = 512
FEWEST = 64


def forward(b: Builder, vars: Sequence[Var], expr: While, room: Atom) -> tuple[Var, Slots]:
    """Emit the loop, binding its results to `vars`: how often it ran, and the states it kept. `room` is two or more."""
    count = len(expr.init)
    types = [Type(I64), Type(I64, (room,)), *(x.type.stacked(room) for x in expr.init)]
    start = (i64(0), i64(1), *(zeros(b, type) for type in types), *expr.init)

    def goes_on(b: Builder, *carried: Var) -> Atoms:
        return b.splice(inline(expr.cond, carried[-count:]))

    def step(b: Builder, at: Var, gap: Var, *rest: Var) -> Atoms:
        values = rest[-count:]
        gap, *slots = _kept(b, room, at, gap, rest[:-count], values)
        return (b.apply("add", at, i64(1)), gap, *slots, *b.splice(inline(expr.body, values)))

    carried = tuple(atom.type for atom in start)
    loop = While(start, b.lam(carried, goes_on), b.lam(carried, step))
    trips, gap = fresh("trips", Type(I64)), fresh("gap", Type(I64))
    arrays = tuple(fresh("slots", type) for type in types)
    b.stms.append(Stm((trips, gap, *arrays, *vars), loop, b.pos))
    return trips, Slots((None,) * count, room, arrays)


def _kept(b: Builder, room: Atom, at: Var, gap: Var, slots: Sequence[Var], values: Sequence[Var]) -> tuple[Var, ...]:
    """The distance and the slots after an iteration had its turn to be kept."""
    half = b.apply("floordiv", room, i64(2))
    full = b.apply("and", _is_due(b, at, slots[0], gap), b.apply("eq", slots[0], half))
    gap, *slots = b.if_(full, lambda b: _thinned(b, gap, slots), lambda _b: (gap, *slots))

    def keep(b: Builder) -> Atoms:
        used, *arrays = slots
        return (b.apply("add", used, i64(1)), *pushed(b, arrays, used, at, values))

    return gap, *b.if_(_is_due(b, at, slots[0], gap), keep, lambda _b: slots)


def _is_due(b: Builder, at: Var, used: Var, gap: Var) -> Var:
    return b.apply("eq", at, b.apply("mul", used, gap))


def _thinned(b: Builder, gap: Var, slots: Sequence[Var]) -> Atoms:
    """Every other state, the first included."""
    used, *arrays = slots
    left = b.apply("floordiv", b.apply("add", used, i64(1)), i64(2))

    def move(b: Builder, j: Var, *arrays: Var) -> Atoms:
        old = b.apply("mul", j, i64(2))
        return tuple(b.apply("update", array, b.apply("index", array, old), j) for array in arrays)

    return (b.apply("mul", gap, i64(2)), left, *b.for_(left, arrays, move))
