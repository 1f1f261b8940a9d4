"""Elements that are changed by those before them, or after, as they were: `x[1:] -= x[:-1].copy()`.

A loop side by side makes each new element of the old one and of its neighbours: y[i] = x[i + 1] - x[i]. Where the array
is known but for the elements that it tells, the first of them tells the first one, that one the next: one by one, what
is read is known already. So does the last one, from the other end, where neighbours after it are read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Map, Stm
from ..ir.types import Atom, Var, i64
from ..passes.affine import Affine, variable
from ..records import replace
from .apart import Span
from .parts import Gap, Hole, whole_direction
from .solving import CannotInvert, Solving


def undo_in_order(s: Solving, stm: Stm) -> None:
    """Learn the elements of an array that the body of a map tells one after the other."""
    expr = stm.expr
    assert isinstance(expr, Map)
    results = [s.at_hand(var) for var in stm.vars]
    for hole in list(s.holes.values()):
        for ahead in (True, False):
            if (filled := _filled(s, expr, results, hole, ahead=ahead)) is not None:
                s.learn(hole.array, filled)
                return


def _filled(s: Solving, expr: Map, results: Sequence[Atom | None], hole: Hole, *, ahead: bool) -> Atom | None:
    """The array with its one gap filled from the first place to the last, or from the last to the first."""
    match hole.gaps:
        case (Gap(((start, size, Affine(1)), *others), (first, *_)),):
            pass
        case _:
            return None
    if not (size == expr.size or s.facts().decide("eq", size, expr.size)) or not _is_whole(s, others, hole.array):
        return None
    counter = expr.body.params[0]
    place = start.plus(variable(counter.name))
    count = s.value(expr.size)

    def step(b: Builder, turn: Var, array: Var) -> list[Atom]:
        i = turn if ahead else b.apply("sub", b.apply("sub", count, i64(1)), turn)
        # The places that are not known yet; no harm if there seem to be more of them beyond.
        open_ones = (place, expr.size, Affine(1 if ahead else -1, {}))
        s.holes[hole.array.name] = replace(hole, rest=array, gaps=(Gap((open_ones, *others), ()),))
        inner = Solving(expr.body.body, b, s.rules, set(), s)
        inner.known[counter.name] = i
        inner.counters[counter] = expr.size
        inner.run([None if result is None else b.apply("index", result, i) for result in results])
        for told in inner.learned.get(hole.array, ()):
            if told.place[:1] == (place,) and _is_whole(s, told.place[1:], hole.array):
                return [b.apply("update", array, told.value, b.apply("add", first, i))]
        raise CannotInvert("the next element is not told")

    try:
        return s.b.for_(count, (hole.rest,), step)[0]
    except CannotInvert:
        return None
    finally:
        s.holes[hole.array.name] = hole


def _is_whole(s: Solving, parts: Sequence[Affine | Span], array: Var) -> bool:
    """Are these all places, in order, of the dimensions after the first one?"""
    rest = zip(parts, array.type.shape[1:], strict=False)
    return all(whole_direction(s, part, size) == 1 for part, size in rest)
