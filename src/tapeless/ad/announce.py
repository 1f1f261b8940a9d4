"""What `explain()` says about the return sweep of a loop: what it keeps, what it runs again, and what else there
was.

Costs are counted: bytes that are kept, and iterations that run forward besides those of the program itself. The one
run of each iteration that its own return sweep begins with is counted too. Where it is not known, the trip count is a
word. The same is told to programs in numbers (`planner.Rerun`): the law of counts allows for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from ..errors import NotReversibleError, Place
from ..ir.build import is_literal
from ..ir.core import Pos
from ..ir.types import Atom, Lit, Type
from . import bennett
from .planner import Plan
from .treeverse import forward_steps

# Bennett's schedules are compared up to so many parts: more parts take fewer steps, and more states.
MOST_PARTS = 256
# Of one operation in double precision.
ROUNDING = 2.0**-53


def announce_all(plan: Plan, pos: Pos | None, count: Atom, rows: Sequence[Type]) -> None:
    """Every iteration keeps values of the types `rows`."""
    if not rows:
        plan.note(pos, "keeps nothing", f"{_trips(count)} iterations run again", back=1)
        return
    plan.note(
        pos,
        f"keeps {_size(rows)} bytes of every iteration",
        f"{_times(rows, count)} bytes, {_trips(count)} iterations run again; "
        "with memory=: s states and the fewest repetitions that s allows",
        back=1,
    )


def announce_some(plan: Plan, pos: Pos | None, count: Atom, rows: Sequence[Type], states: Sequence[Type]) -> None:
    """Every iteration keeps `rows` where that fits, else some keep `states`."""
    if not plan.wants_notes:
        return
    limit = f"{plan.states} iterations" if plan.states is not None else f"{plan.bytes} bytes"
    some = f"{plan.states}" if plan.states is not None else f"s = {plan.bytes} // ({_size(states)})"
    plan.note(
        pos,
        f"keeps {_size(rows)} bytes of every iteration within {limit}, else {some} states of {_size(states)} bytes",
        "; ".join(_alternatives(plan, count, rows, states)),
        back=None,
    )


def announce_online(plan: Plan, pos: Pos | None, states: Sequence[Type], most: Atom) -> None:
    """A loop of unknown length keeps `states` on its way, at most so many."""
    plan.note(
        pos,
        f"keeps up to {most} states of {_size(states)} bytes, placed while it runs",
        "no run to count iterations first; then the fewest repetitions between the states kept",
        back=None,
    )


def announce_backwards(plan: Plan, pos: Pos | None, count: Atom, states: Sequence[Type], check: str) -> None:
    """A loop is run backwards from its last state; `check` says how it is seen that it comes back to its first one."""
    what = f"runs backwards from its last state of {_size(states)} bytes"
    kept = "" if plan.is_limited else f"; to keep every state: {_times(states, count)} bytes"
    why = f"{_trips(count)} iterations run backwards and again; {check}{kept}"
    if not plan.is_limited:
        plan.note(pos, what, why, back=2)
    elif plan.notes is not None:
        plan.notes.add(pos, "reversible", what, why)


def announce_few(plan: Plan, pos: Pos | None, few: int, states: Sequence[Type]) -> None:
    """A loop that runs backwards keeps its states if there are few."""
    if plan.notes is not None:
        why = "running backwards holds as many: the first one and the last one"
        plan.notes.add(pos, "reversible", f"keeps up to {few} states of {_size(states)} bytes if it has no more", why)


def expected_error(count: Atom, drift: float) -> str:
    """How far states that are brought back are off."""
    known = f"{max(1, int(count.value)) * ROUNDING:.1g}" if isinstance(count, Lit) else f"trips * {ROUNDING:.1g}"
    checked = f"checked: the first state, and some on the way, are found again to {drift:g}"
    return f"error about {known} unless differences grow; {checked}"


def announce_irreversible(plan: Plan, pos: Pos | None, reason: str) -> None:
    """A loop that was to run backwards cannot."""
    if plan.strict:
        raise NotReversibleError(
            f"the loop cannot be run backwards: {reason}",
            place=Place(pos.file, pos.line, pos.col, pos.end_col) if pos else None,
            why="a strictly reversible function keeps nothing of its loops",
            fix="change variables by +=, -=, ^=, swaps and negation, or leave out strict=True",
        )
    if plan.notes is not None:
        plan.notes.add(pos, "reversible", "does not run backwards", reason)


def _alternatives(plan: Plan, count: Atom, rows: Sequence[Type], states: Sequence[Type]) -> list[str]:
    """Ways to run the loop back, with bytes and iterations that run again."""
    one = _size(states)
    if not isinstance(count, Lit):
        return [
            f"all: {_times(rows, count)} bytes, trips iterations again",
            f"binomial: s * ({one}) bytes, r (trips+1) - C(s+r, r-1) again, r the least with C(s+r, s) > trips",
            f"Bennett in k parts, trips = k^m: (m (k-1) + 2) * ({one}) bytes, 2 k (2k-1)^(m-1) again",
            f"strips: 2 sqrt(trips) * ({one}) bytes, 2 trips again",
            f"from the start: {one} bytes, trips (trips+1) / 2 again",
        ]
    trips = max(0, int(count.value))
    strip = isqrt(trips) + 1
    found = [f"all: {_times(rows, count)} bytes, {trips} iterations again"]
    if (slots := _slots(plan, states)) is not None:
        again = forward_steps(trips + 1, min(slots, trips + 1))
        found.append(f"binomial: {min(slots, trips + 1)} states, {again} again")
        if (parts := bennett.best_sectors(trips, min(slots, trips + 1, MOST_PARTS))) is not None:
            there_and_back = 2 * bennett.calls(trips, parts, undo=False)
            most = bennett.places(trips, parts, undo=False)
            found.append(f"Bennett in {parts} parts: {most} states, {there_and_back} again")
    found.append(f"strips of {strip}: {2 * strip} states, {2 * trips} again")
    found.append(f"from the start: 1 state, {trips * (trips + 1) // 2} again")
    return found


def _slots(plan: Plan, states: Sequence[Type]) -> int | None:
    """How many states fit, where their size is known."""
    if plan.states is not None:
        return plan.states
    known, symbols = _terms(states)
    return None if symbols or plan.bytes is None else max(1, plan.bytes // max(1, known))


def _trips(count: Atom) -> str:
    return str(max(0, int(count.value))) if isinstance(count, Lit) else "trips"


def _times(types: Sequence[Type], count: Atom) -> str:
    known, symbols = _terms(types)
    if not symbols and isinstance(count, Lit):
        return str(known * max(0, int(count.value)))
    return f"{_trips(count)} * ({_size(types)})" if symbols else f"{_trips(count)} * {known}"


def _size(types: Sequence[Type]) -> str:
    """The bytes of some values as a formula in their sizes, or a number where these are known."""
    known, symbols = _terms(types)
    return " + ".join([*symbols, *([str(known)] if known or not symbols else [])])


def _terms(types: Sequence[Type]) -> tuple[int, list[str]]:
    """Bytes of known sizes added up, and a product for all values of each other size."""
    known, unknown = 0, dict[tuple[str, ...], int]()
    for type in types:
        literal, names = type.dtype.itemsize, list[str]()
        for size in type.shape:
            if isinstance(size, Lit):
                literal *= int(size.value)
            else:
                names.append(repr(size))
        if names and not any(is_literal(size, 0) for size in type.shape):
            unknown[tuple(names)] = unknown.get(tuple(names), 0) + literal
        else:
            known += literal
    return known, ["*".join([str(n), *(name.split(".", 1)[0] for name in names)]) for names, n in unknown.items()]
