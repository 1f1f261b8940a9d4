"""Bennett's schedule: a chain of steps none of which has an inverse, run so that all that was computed is undone.

States are numbered from 0, the first one, to the number of steps. A step makes state i+1 in a free place from state i,
or clears it again by taking away what the same step makes. To go n steps: divide them into `sectors` parts, go through
all of them one after the other, then undo all but the last in reverse order; each part is done likewise. With n = k^m
that takes (2k-1)^m steps and m (k-1) + 2 places (Bennett, SIAM J. Comput. 18, 1989). Where what is left over does not
matter, as before a return sweep, the outermost parts need not be undone.

For the return sweep of a derivative `treeverse` takes fewer steps with as many places: it may forget a state without
computing it again. `announce` shows both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple


class Step(NamedTuple):
    """Make the state after `before`, or clear it."""

    before: int
    clears: bool


def schedule(steps: int, sectors: int, *, undo: bool = True) -> Iterator[Step]:
    """The steps in order; without `undo` the outermost parts stay."""
    if steps <= 0:
        return
    parts = _parts(0, steps, sectors)
    for start, end in parts:
        yield from _through(start, end, sectors, clears=False)
    if undo:
        for start, end in reversed(parts[:-1]):
            yield from _through(start, end, sectors, clears=True)


def _through(start: int, end: int, sectors: int, *, clears: bool) -> Iterator[Step]:
    """Make state `end` from state `start`, or clear it; everything between is cleared."""
    if end - start == 1:
        yield Step(start, clears)
        return
    parts = _parts(start, end, sectors)
    for a, b in parts[:-1]:
        yield from _through(a, b, sectors, clears=False)
    yield from _through(*parts[-1], sectors, clears=clears)
    for a, b in reversed(parts[:-1]):
        yield from _through(a, b, sectors, clears=True)


def _parts(start: int, end: int, sectors: int) -> list[tuple[int, int]]:
    size = -(-(end - start) // sectors)
    cuts = [*range(start, end, size), end]
    return list(pairwise(cuts))


@cache
def calls(steps: int, sectors: int, *, undo: bool = True) -> int:
    """How many steps the schedule takes."""
    if steps <= 1:
        return steps
    each = [calls(length, sectors) for length in _lengths(steps, sectors)]
    return sum(each) + (sum(each[:-1]) if undo else 0)


@cache
def places(steps: int, sectors: int, *, undo: bool = True) -> int:
    """How many states there are at most at a time, the first one included.

    Besides that: those at the ends of the parts before, and those of the part in work; and the last one while the
    others are undone.
    """
    if steps <= 1:
        return 1 + steps
    each = [places(length, sectors) for length in _lengths(steps, sectors)]
    undoing = [k + 1 + most for k, most in enumerate(each[:-1])] if undo else []
    return max(*(k + most for k, most in enumerate(each)), *undoing)


def _lengths(steps: int, sectors: int) -> Sequence[int]:
    return [end - start for start, end in _parts(0, steps, sectors)]


def best_sectors(steps: int, most: int) -> int | None:
    """The number of parts that takes the fewest steps within so many places; None where none does."""
    possible = [k for k in range(2, max(2, most) + 1) if places(steps, k, undo=False) <= most]
    return min(possible, key=lambda k: calls(steps, k, undo=False)) if possible else None
