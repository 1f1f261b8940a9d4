"""The cheapest vertex elimination order of a scalar graph, with a proof that none is cheaper.

What vertex v costs depends only on the set S of vertices that went before: the sources from which, and the targets to
which, there is a path through S, multiplied. So ask which vertex of a connected set C of intermediates goes *last*. It
then stands between vertices outside of C only, and the rest falls apart into connected sets that know nothing of one
another:

    f(C) = min over v in C of  cost(v | C - v) + sum of f(K) over the components K of C - v

Sets are solved once. They are cut off by a bound: whatever goes before v, its sources separate it from everything
outside of C, so there are at least as many of them as vertices in the smallest such cut; the same for its targets.

A vertex whose only source is outside of C, and whose targets are as few as they can ever be, may go first: nobody in C
has it as a target, its targets get one source for another, and it will never be cheaper. The same with both exchanged.
It need not be tried as the last one.

Free products are those with a constant factor. A source is counted when some path from it holds a factor that varies.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from sys import maxsize

import numpy as np

from .tables import FREE, Tables


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


def exact(tables: Tables, start: tuple[int, ...], seconds: float = inf, steps: int = maxsize) -> Certificate:
    """Search for a cheaper order than `start` until there is none, time is up, or so many vertices were judged."""
    solver = Solver(tables, seconds, steps)
    components = solver.components(solver.mask(tables.intermediates))
    order: list[int] = []
    cost = bound = 0
    # What a component costs in the given order is what it must beat.
    for component in components:
        own = tuple(v for v in start if component >> v & 1)
        most = solver.cost_of(own)
        least = solver.bound(component)
        found = max(least, solver.solve(component, most + 1))
        if solver.is_exact(component) and found <= most:
            order += solver.order(component)
            cost, bound = cost + found, bound + found
        else:
            order += own
            cost, bound = cost + most, bound + found
    return Certificate(tuple(order), cost, bound, len(solver.solved))


def least(tables: Tables) -> int:
    """A bound below which no order is, found without search."""
    solver = Solver(tables)
    return sum(map(solver.bound, solver.components(solver.mask(tables.intermediates))))


@dataclass(frozen=True, slots=True)
class Solved:
    """What is known of a set: the value when `last` is given, else a bound."""

    value: int
    last: int | None


class Solver:
    """The recursion over connected sets, which are bit masks of vertices."""

    def __init__(self, tables: Tables, seconds: float = inf, steps: int = maxsize) -> None:
        if not is_scalar(tables):
            raise ValueError("exact search is for graphs of scalars")
        self._deadline, self._steps = time.monotonic() + seconds, steps
        varying = [bool(row.any()) for row in tables.flags != FREE]
        count = len(tables.kind)
        self.sources, self.targets = Reach(count), Reach(count)
        for i, j in np.argwhere(tables.kind).tolist():
            varies = varying[int(tables.kind[i, j])]
            self.sources.add(j, i, varies)
            self.targets.add(i, j, varies)
        self.near = [a | b for a, b in zip(self.sources.all, self.targets.all, strict=True)]
        self.solved: dict[int, Solved] = {}
        self._bounds: dict[int, int] = {}

    @staticmethod
    def mask(vertices: Iterable[int]) -> int:
        return sum(1 << v for v in vertices)

    def cost(self, vertex: int, gone: int) -> int:
        """What a vertex costs after these."""
        return self.sources.outside(vertex, gone).bit_count() * self.targets.outside(vertex, gone).bit_count()

    def cost_of(self, order: Iterable[int]) -> int:
        """What an order costs, that of a component or of all."""
        gone = total = 0
        for vertex in order:
            total += self.cost(vertex, gone)
            gone |= 1 << vertex
        return total

    def is_exact(self, chosen: int) -> bool:
        """Is the value of this set known?"""
        return (known := self.solved.get(chosen)) is not None and known.last is not None

    def order(self, chosen: int) -> list[int]:
        """The best order of a solved set."""
        last = self.solved[chosen].last
        assert last is not None
        rest = self.components(chosen & ~(1 << last))
        return [vertex for part in rest for vertex in self.order(part)] + [last]

    def solve(self, chosen: int, limit: int) -> int:
        """The value of a connected set if that is below the limit; else some bound of it, the limit at least."""
        known = self.solved.get(chosen)
        if known is not None and (known.last is not None or known.value >= limit):
            return known.value
        best, last = limit, None
        for least, vertex in self._choices(chosen):
            if least >= best or self._is_over():
                break
            total = self._with_last(vertex, chosen, best)
            if total < best:
                best, last = total, vertex
        if self._is_over():
            return self.bound(chosen)
        self.solved[chosen] = Solved(best, last)
        return best

    def _is_over(self) -> bool:
        return self._steps <= 0 or time.monotonic() > self._deadline

    def _with_last(self, vertex: int, chosen: int, limit: int) -> int:
        """The value of a set with this vertex last, if that is below the limit; else some bound of it."""
        rest = chosen & ~(1 << vertex)
        parts = self.components(rest)
        bounds = [self.bound(part) for part in parts]
        total = self.cost(vertex, rest) + sum(bounds)
        for part, bound in zip(parts, bounds, strict=True):
            if total >= limit:
                break
            total += self.solve(part, limit - total + bound) - bound
        return total

    def _choices(self, chosen: int) -> list[tuple[int, int]]:
        """Who may go last, with a bound of what that costs altogether, the most promising ones first."""
        first = self._first(chosen)
        candidates = list(bits(chosen & ~self.mask(first))) or first[-1:]
        return sorted((self._least_with_last(vertex, chosen), vertex) for vertex in candidates)

    def _least_with_last(self, vertex: int, chosen: int) -> int:
        rest = chosen & ~(1 << vertex)
        return self.cost(vertex, rest) + sum(map(self.bound, self.components(rest)))

    def _first(self, chosen: int) -> list[int]:
        """Vertices that may go before all others, in this order."""
        first: list[int] = []
        gone, found = 0, True
        while found:
            found = False
            for vertex in bits(chosen & ~gone):
                if self._may_go(vertex, chosen, gone):
                    first.append(vertex)
                    gone |= 1 << vertex
                    found = True
        return first

    def _may_go(self, vertex: int, chosen: int, gone: int) -> bool:
        for near, far in ((self.sources, self.targets), (self.targets, self.sources)):
            one = near.all_outside(vertex, gone)
            if one & (one - 1) or one & chosen:
                continue
            others, varying = far.all_outside(vertex, gone) & chosen, far.outside(vertex, gone)
            if near.outside(vertex, gone) and others & ~varying:
                continue  # a neighbour over a constant edge would get one that varies
            if varying.bit_count() == far.cut(vertex, chosen):
                return True
        return False

    def bound(self, chosen: int) -> int:
        """No order of this set costs less."""
        known = self.solved.get(chosen)
        if known is not None:
            return known.value
        if chosen not in self._bounds:
            if self._is_over():
                return 0
            self._steps -= chosen.bit_count()
            cuts = ((self.sources.cut(v, chosen), self.targets.cut(v, chosen)) for v in bits(chosen))
            self._bounds[chosen] = sum(a * b for a, b in cuts)
        return self._bounds[chosen]

    def components(self, chosen: int) -> list[int]:
        """The connected parts of a set."""
        parts: list[int] = []
        while chosen:
            part = todo = chosen & -chosen
            while todo:
                vertex = todo.bit_length() - 1
                fresh = self.near[vertex] & chosen & ~part
                part |= fresh
                todo = (todo ^ (1 << vertex)) | fresh
            parts.append(part)
            chosen &= ~part
        return parts


class Reach:
    """The edges in one direction: neighbours of each vertex, and those over an edge that varies, as bit masks."""

    def __init__(self, count: int) -> None:
        self.all, self.varying = [0] * count, [0] * count

    def add(self, vertex: int, neighbour: int, varies: bool) -> None:
        self.all[vertex] |= 1 << neighbour
        self.varying[vertex] |= varies << neighbour

    def all_outside(self, vertex: int, gone: int) -> int:
        """Who is met first outside of `gone`."""
        seen, done = self.all[vertex], 0
        while todo := seen & gone & ~done:
            inner = todo.bit_length() - 1
            done |= 1 << inner
            seen |= self.all[inner]
        return seen & ~gone

    def outside(self, vertex: int, gone: int) -> int:
        """The same, over paths with an edge that varies."""
        seen, varying, done, done_varying = self.all[vertex], self.varying[vertex], 0, 0
        while True:
            if todo := seen & gone & ~done:
                inner = todo.bit_length() - 1
                done |= 1 << inner
                seen |= self.all[inner]
                varying |= self.varying[inner]
            elif todo := varying & gone & ~done_varying:
                inner = todo.bit_length() - 1
                done_varying |= 1 << inner
                varying |= self.all[inner]
            else:
                return varying & ~gone

    def cut(self, vertex: int, chosen: int) -> int:
        """At least so many vertices stand between this one and everything outside: a bound of `outside` for all `gone`.

        Paths that share no vertex are taken one after the other, each of which must be cut. They begin with an edge
        that varies, so that whoever cuts them is counted.
        """
        free = ~0
        count = 0
        for start in bits(self.varying[vertex]):
            left = self._path(start, chosen, free)
            count += left is not None
            free = free if left is None else left
        return count

    def _path(self, at: int, chosen: int, free: int) -> int | None:
        """The free vertices without those of a path from `at` to the outside, if there is one."""
        if not free >> at & 1:
            return None
        free &= ~(1 << at)
        if not chosen >> at & 1:
            return free
        # The outside first: short paths leave more to the others.
        for group in (self.all[at] & ~chosen, self.all[at] & chosen):
            for neighbour in bits(group):
                if (left := self._path(neighbour, chosen, free)) is not None:
                    return left
        return None


def is_scalar(tables: Tables) -> bool:
    """Are all vertices scalars?"""
    return bool((tables.extents == 1).all())


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
