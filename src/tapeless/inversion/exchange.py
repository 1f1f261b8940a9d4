"""Parts of an array that change places: `x[i], x[j] = x[j], x[i]`, `a[:, [i, j]] = a[:, [j, i]]`.

Elements, rows and columns are written with what stood in others before. If what is written and what is read are the
same parts, each comes back from where it went. Two parts may be one; of more it must be known that they differ, or be
checked. Other changes of two elements are told write by write, for which their places must be apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ..ir.build import is_literal
from ..ir.core import Apply, Lambda, Scatter, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import inline
from ..passes.affine import ZERO, Affine
from ..passes.uses import slice_for
from ..records import dataclass
from .apart import are_apart
from .solving import Solving
from .tracing import Indices, Trace, is_spread, position

MOST_MOVES = 16


@dataclass(frozen=True, slots=True)
class _Move:
    """A part is written with what stood at another one; `access` and `here` are how the inverse reads it."""

    place: tuple[Var, Indices]
    source: tuple[Var, Indices]
    shape: tuple[Atom, ...]
    access: str
    here: tuple[Atom, ...]


def undo_exchange(s: Solving, expr: Apply, var: Var) -> None:
    """Learn an array from what it became, if this is the second write of an exchange."""
    array = expr.args[0]
    before = s.definition(array) if isinstance(array, Var) else None
    if not isinstance(before, Apply) or before.op != expr.op or not isinstance(origin := before.args[0], Var):
        return
    if (result := s.at_hand(var)) is None or s.try_value(origin) is not None:
        return
    moves = [_written(s, origin, write) for write in (before, expr)]
    _take_back(s, origin, result, [move for move in moves if move is not None], len(moves))


def undo_scatter(s: Solving, stm: Stm) -> None:
    """Learn an array some parts of which were written at once, each with what stood in another one."""
    expr = stm.expr
    assert isinstance(expr, Scatter)
    result, origin = s.at_hand(stm.vars[0]), expr.dest
    if result is None or not isinstance(origin, Var) or s.try_value(origin) is not None:
        return
    count = s.extent(expr.size) or 0
    if expr.keys != 1 or not 1 < count <= MOST_MOVES:
        return
    moves = [_scattered(s, origin, expr, k) for k in range(count)]
    _take_back(s, origin, result, [move for move in moves if move is not None], count)


def _take_back(s: Solving, origin: Var, result: Atom, moves: Sequence[_Move], count: int) -> None:
    """Put each part back to where it came from."""
    to = [next((k for k, other in enumerate(moves) if other.place == move.source), None) for move in moves]
    if len(moves) != count or sorted(k for k in to if k is not None) != list(range(count)):
        return
    if not all(_are_alike(one, other) for one, other in combinations(moves, 2)):
        return
    if count > 2 and not _are_different(s, moves):
        return
    array = result
    for move, k in zip(moves, to, strict=True):
        assert k is not None
        array = _with(s, array, moves[k], s.b.apply(move.access, result, *move.here))
    s.learn(origin, array)


def _with(s: Solving, array: Atom, move: _Move, part: Atom) -> Atom:
    if move.access == "index":
        return s.b.apply("update", array, part, *move.here)
    pairs = [x for k in range(0, len(move.here), 3) for x in (move.here[k], move.here[k + 2])]
    return s.b.apply("update_slice", array, part, *pairs)


def _are_alike(one: _Move, other: _Move) -> bool:
    """Are these one part, or two that have nothing in common? As two rows are, but not two slices of one row."""
    pairs = zip(one.place[1], other.place[1], strict=True)
    return one.shape == other.shape and all(x == y or not (is_spread(x) or is_spread(y)) for x, y in pairs)


def _are_different(s: Solving, moves: Sequence[_Move]) -> bool:
    """Is each part another one? It may be left to a check."""
    pairs = [pair for pair in combinations(moves, 2) if not are_apart(s.facts(), pair[0].place[1], pair[1].place[1])]
    if pairs and not s.assumes:
        return False
    for one, other in pairs:
        s.check_apart(one.here, other.here)
    return True


def _scattered(s: Solving, origin: Var, expr: Scatter, number: int) -> _Move | None:
    """What a scatter writes at one of its keys."""
    trace, (counter,), (key, value) = Trace(s), expr.body.params, expr.body.body.results
    trace.enter(expr.body.body)
    scope = {counter.name: Affine(number, {})}
    free = _positions(value.type.shape)
    place = trace.read(origin, (trace.form(key, scope), *free), {})
    source = trace.part(value, free, scope)
    if place is None or source is None:
        return None
    made = inline(Lambda((counter,), slice_for(expr.body.body, (key,), checks=False)), (i64(number),))
    (here,) = s.computed(made)
    if s.checks:
        s.b.check("bounds", here, s.value(origin.type.shape[0]))
    return _Move(place, source, value.type.shape, "index", (here,))


def _written(s: Solving, origin: Var, write: Apply) -> _Move | None:
    """What an `update` or an `update_slice` writes."""
    trace, (_, value, *at) = Trace(s), write.args
    sizes, here, access = value.type.shape, at, "index"
    free = _positions(sizes)
    if write.op == "update":
        at_any = (*(trace.form(i, {}) for i in at), *free)
    else:
        starts, steps = at[::2], at[1::2]
        here, access = [x for part in zip(starts, sizes, steps, strict=False) for x in part], "slice"
        if any(not isinstance(step, Lit) for step in steps):
            return None
        moved = [
            trace.form(i, {}).plus(x, int(n.value))
            for i, x, n in zip(starts, free, steps, strict=False)
            if isinstance(n, Lit)
        ]
        at_any = (*moved, *free[len(moved) :])
    place, source = trace.read(origin, at_any, {}), trace.part(value, free, {})
    if place is None or source is None:
        return None
    return _Move(place, source, sizes, access, tuple(s.value(x) for x in here))


def _positions(sizes: Sequence[Atom]) -> Indices:
    """Any position in a part of these sizes."""
    return tuple(ZERO if is_literal(size, 1) else position(k) for k, size in enumerate(sizes))
