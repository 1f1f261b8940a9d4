"""The cheapest vertex elimination order of a scalar graph, with a proof that none is cheaper.

What vertex v costs depends only on the set S of vertices that went before: the sources from which, and the targets to
which, there is a path through S, multiplied. So ask which vertex of a connected set C of intermediates goes *last*. It
then stands between vertices outside of C only, and the rest falls apart into connected sets that know nothing of one
another:

    f(C) = min over v in C of  cost(v | C - v) + sum of f(K) over the components K of C - v

Sets are solved once. They are cut off by a bound: whatever goes before v, its sources separate it from everything
outside of C, so there are at least as many of them as vertices in the smallest such cut; the same for its targets.

A vertex whose only source is outside of C, and which will never be cheaper, may go *first* if none of its targets in C
gets a dearer edge: nobody in C has it as a target, and its targets get one source for another. The same with both
exchanged. Where the sum of two free paths is a constant that costs something, nobody may have one to each of the two.
What is left when all these are gone falls apart again (`reach` says what edges there are between it then). Of vertices
with the same edges, one is tried as the last: exchanging them changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from sys import maxsize

from ..records import dataclass
from .reach import Reach, bits, classes, reaches
from .tables import Tables


@dataclass(frozen=True, slots=True)
class Certificate:
    """The best order known, its cost, and a bound below which no order is: where both meet, it is the best there is."""

    order: tuple[int, ...]
    cost: int
    bound: int
    sets: int

    @property
    def proven(self) -> bool:
        return self.cost == self.bound


def exact(tables: Tables, start: Sequence[int], seconds: float = inf, steps: int = maxsize) -> Certificate:
    """Search for a cheaper order than `start` until there is none, time is up, or so many vertices were judged."""
    solver, whole = Solver(seconds, steps), _whole(tables)
    order: list[int] = []
    cost = bound = 0
    # What a component costs in the given order is what it must beat.
    for part in whole.components():
        own = tuple(v for v in start if part.chosen >> v & 1)
        most = part.cost_of(own)
        found = max(solver.bound(part), solver.solve(part, most + 1))
        if solver.is_exact(part) and found <= most:
            order += solver.order(part)
            cost, bound = cost + found, bound + found
        else:
            order += own
            cost, bound = cost + most, bound + min(found, most)
    return Certificate(tuple(order), cost, bound, len(solver.solved))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known without search: a cost below which no order is, and how many vertices are left to order at once."""

    bound: int
    largest: int


def outlook(tables: Tables) -> Outlook:
    """How difficult a proof will be."""
    solver, bound, largest = Solver(), 0, 0
    for part in _whole(tables).components():
        rest = part.after(part.first()).components()
        bound += max(solver.bound(part), part.cost_of(part.first()) + sum(map(solver.bound, rest)))
        largest = max([largest, *(piece.chosen.bit_count() for piece in rest)])
    return Outlook(bound, largest)


def is_provable(tables: Tables) -> bool:
    """Can the search be used?"""
    return classes(tables) is not None


def _whole(tables: Tables) -> Piece:
    return Piece(sum(1 << vertex for vertex in tables.intermediates), *reaches(tables))


class Piece:
    """A set of vertices to eliminate, a bit mask, with the edges between them and to the outside."""

    __slots__ = ("_first", "chosen", "key", "sources", "targets")

    def __init__(self, chosen: int, sources: Reach, targets: Reach) -> None:
        self.chosen, self.sources, self.targets = chosen, sources, targets
        self.key = (chosen, sources.edges(chosen), targets.edges(chosen))
        self._first: list[int] | None = None

    def cost(self, vertex: int, gone: int) -> int:
        """What a vertex costs after these."""
        before, after = self.sources.outside(vertex, gone), self.targets.outside(vertex, gone)
        constant = before.other.bit_count() * after.varying.bit_count()
        return before.varying.bit_count() * after.costly.bit_count() + constant

    def cost_of(self, order: Iterable[int]) -> int:
        """What vertices cost, one after the other."""
        gone = total = 0
        for vertex in order:
            total += self.cost(vertex, gone)
            gone |= 1 << vertex
        return total

    def components(self, without: int = 0) -> list[Piece]:
        """The connected parts of the rest."""
        left, parts = self.chosen & ~without, list[Piece]()
        while left:
            part = todo = left & -left
            while todo:
                vertex = todo.bit_length() - 1
                fresh = (self.sources.of(vertex).all | self.targets.of(vertex).all) & left & ~part
                part |= fresh
                todo = (todo ^ (1 << vertex)) | fresh
            parts.append(Piece(part, self.sources, self.targets))
            left &= ~part
        return parts

    def after(self, first: Sequence[int]) -> Piece:
        """What is left when these vertices are gone."""
        gone = sum(1 << vertex for vertex in first)
        left = self.chosen & ~gone
        return Piece(left, self.sources.without(gone, left), self.targets.without(gone, left))

    def first(self) -> list[int]:
        """Vertices that may go before all others, in this order."""
        if self._first is None:
            self._first = list(self._going_first())
        return self._first

    def _going_first(self) -> Iterator[int]:
        gone, found = 0, True
        while found:
            found = False
            for vertex in bits(self.chosen & ~gone):
                if self._may_go(vertex, gone):
                    yield vertex
                    gone |= 1 << vertex
                    found = True

    def _may_go(self, vertex: int, gone: int) -> bool:
        for near, far in ((self.sources, self.targets), (self.targets, self.sources)):
            one, others = near.outside(vertex, gone), far.outside(vertex, gone)
            if one.all & (one.all - 1) or one.all & self.chosen:
                continue
            # Those that would get a dearer edge from there.
            dearer = others.all & ~(others.varying if one.varying else others.costly if one.costly else -1)
            if far.counts_sums and not one.costly and self._adds_up(vertex, one.all, near, far, gone):
                continue
            price = (others.costly if one.varying else others.varying if one.costly else 0).bit_count()
            if not dearer & self.chosen and (price == 0 or price == far.cut(vertex, self.chosen)):
                return True
        return False

    def _adds_up(self, vertex: int, one: int, near: Reach, far: Reach, gone: int) -> bool:
        """Has somebody a free path to this vertex, and another to `one`? Their sum would cost something."""
        left = self.chosen & ~gone
        mine = self._over_free_paths(vertex, far, gone)
        free = ((v, near.outside(v, gone)) for v in bits(left & ~(1 << vertex)))
        ends = [v for v, met in free if met.all & ~met.costly & one]
        return any(self._over_free_paths(v, far, gone) & mine for v in ends)

    def _over_free_paths(self, vertex: int, far: Reach, gone: int) -> int:
        """A vertex, and who is left of this piece and can reach it over edges that are free."""
        found = todo = 1 << vertex
        while todo:
            met = far.outside(todo.bit_length() - 1, gone)
            fresh = met.all & ~met.costly & self.chosen & ~gone & ~found
            found |= fresh
            todo = (todo ^ (1 << todo.bit_length() - 1)) | fresh
        return found

    def candidates(self) -> Iterator[int]:
        """Who may go last: of vertices with the same edges, one."""
        seen: set[object] = set()
        for vertex in bits(self.chosen):
            edges = (*self.sources.edges(1 << vertex), *self.targets.edges(1 << vertex))
            if edges not in seen:
                seen.add(edges)
                yield vertex


@dataclass(frozen=True, slots=True)
class Solved:
    """What is known of a piece: the value when it is exact, else a bound; who goes last if nobody goes first."""

    value: int
    is_exact: bool
    last: int | None = None


class Solver:
    """The recursion over connected pieces."""

    def __init__(self, seconds: float = inf, steps: int = maxsize) -> None:
        self._deadline, self._steps = time.monotonic() + seconds, steps
        self.solved: dict[object, Solved] = {}
        self._bounds: dict[object, int] = {}

    def is_exact(self, piece: Piece) -> bool:
        """Is the value of this piece known?"""
        return (known := self.solved.get(piece.key)) is not None and known.is_exact

    def order(self, piece: Piece) -> list[int]:
        """The best order of a solved piece."""
        last, first = self.solved[piece.key].last, piece.first()
        rest = piece.after(first).components() if first else piece.components(0 if last is None else 1 << last)
        return [*first, *(vertex for part in rest for vertex in self.order(part)), *([] if last is None else [last])]

    def solve(self, piece: Piece, limit: int) -> int:
        """The value of a connected piece if that is below the limit; else some bound of it, the limit at least."""
        known = self.solved.get(piece.key)
        if known is not None and (known.is_exact or known.value >= limit):
            return known.value
        first = piece.first()
        if first:
            best = self._sum(piece.cost_of(first), piece.after(first).components(), limit)
            found = Solved(best, best < limit)
        else:
            found = self._with_the_best_last(piece, limit)
        if self._is_over():
            return self.bound(piece)
        self.solved[piece.key] = found
        return found.value

    def _is_over(self) -> bool:
        return self._steps <= 0 or time.monotonic() > self._deadline

    def _with_the_best_last(self, piece: Piece, limit: int) -> Solved:
        best, last = limit, None
        choices = sorted((self._least_with_last(vertex, piece), vertex) for vertex in piece.candidates())
        for least, vertex in choices:
            if least >= best or self._is_over():
                break
            rest = piece.chosen & ~(1 << vertex)
            total = self._sum(piece.cost(vertex, rest), piece.components(1 << vertex), best)
            if total < best:
                best, last = total, vertex
        return Solved(best, last is not None, last)

    def _sum(self, total: int, parts: Sequence[Piece], limit: int) -> int:
        """What pieces cost altogether, if that is below the limit; else some bound of it."""
        bounds = [self.bound(part) for part in parts]
        total += sum(bounds)
        for part, bound in zip(parts, bounds, strict=True):
            if total >= limit:
                break
            total += self.solve(part, limit - total + bound) - bound
        return total

    def _least_with_last(self, vertex: int, piece: Piece) -> int:
        rest = piece.chosen & ~(1 << vertex)
        return piece.cost(vertex, rest) + sum(map(self.bound, piece.components(1 << vertex)))

    def bound(self, piece: Piece) -> int:
        """No order of this piece costs less."""
        known = self.solved.get(piece.key)
        if known is not None:
            return known.value
        if piece.key not in self._bounds:
            if self._is_over():
                return 0
            self._steps -= piece.chosen.bit_count()
            self._bounds[piece.key] = sum(
                piece.sources.cut(v, piece.chosen) * piece.targets.cut(v, piece.chosen) for v in bits(piece.chosen)
            )
        return self._bounds[piece.key]
