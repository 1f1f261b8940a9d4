"""Simulated annealing over elimination orders.

A sweep (`kernel.sweep`) tries a few rearrangements at each place of the order. An arrangement that costs `d` more is
taken with probability exp(-d / T); the temperature T falls from about the mean cost of a vertex to a tenth of it. One
fall from hot to cold is a cycle. `anneal` is one cycle; `search` repeats it, each time twice as long, until time is up.

Whoever has a compiler installs `sweep` compiled (`engine`): it is a few hundred times faster than Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass
from . import kernel
from .tables import Tables

TRIES = 4  # rearrangements at each place, in each sweep
NEARNESS = 0.1  # one in the mean length of windows
HOT, COLD = 1.0, 0.1  # temperatures in the mean cost of a vertex

Sweep = Callable[..., tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Found:
    """An order, what it costs, and how many vertices were eliminated to find it."""

    order: tuple[int, ...]
    cost: int
    eliminated: int = 0


class Annealer:
    """The search on one graph: its arrays, made once."""

    def __init__(self, tables: Tables, sweep: Sweep = kernel.sweep, seed: int = 0) -> None:
        self._sweep, self._dice = sweep, np.random.default_rng(seed)
        vertices = len(tables.kind)
        self._kind = tables.kind.astype(np.int64)
        self._before, self._befores = _neighbours(self._kind.T)
        self._after, self._afters = _neighbours(self._kind)
        wide = (tables.product, tables.plus, tables.flags)
        self._model = (*(table.astype(np.int64) for table in wide), _sizes(tables.extents))
        count = len(tables.intermediates)
        self._space = (
            np.empty(vertices, np.int64), np.empty(vertices, np.int64), np.empty((vertices * vertices, 3), np.int64),
            np.empty(max(count, 1), np.int64), np.empty(max(count, 1), np.int64),
        )  # fmt: skip

    def anneal(self, start: Sequence[int], sweeps: int) -> Found:
        """One cycle of so many sweeps; the best order met, or the start."""
        order, costs = np.array(start, np.int64), np.zeros(len(start), np.int64)
        cost, eliminated = self._walk(order, costs, 0.0, 0)
        best = Found(tuple(start), cost, eliminated)
        unit = max(cost / max(len(start), 1), 0.1)
        for number in range(sweeps):
            heat = unit * HOT * (COLD / HOT) ** (number / max(sweeps - 1, 1))
            cost, more = self._walk(order, costs, heat, TRIES)
            eliminated += more
            if cost < best.cost:
                best = Found(tuple(order.tolist()), cost)
        return Found(best.order, best.cost, eliminated)

    def search(self, start: Sequence[int], seconds: float) -> Found:
        """Cycles, each twice as long as the one before, until so many seconds have passed."""
        begin = time.monotonic()
        best, sweeps, passed = self.anneal(start, 0), 16, 0.0
        while passed < seconds:
            before = passed
            found = self.anneal(best.order, sweeps)
            passed = time.monotonic() - begin
            total = best.eliminated + found.eliminated
            better = found if found.cost < best.cost else best
            best = Found(better.order, better.cost, total)
            # The next cycle is cut to the time that is left; a short rest is not worth one.
            left = (seconds - passed) / max(passed - before, 1e-9)
            if left < 0.25:
                break
            sweeps = max(1, round(sweeps * min(2.0, left)))
        return best

    def _walk(self, order: NDArray[np.int64], costs: NDArray[np.int64], heat: float, tries: int) -> tuple[int, int]:
        count = len(order)
        if count == 0:
            return 0, 0
        shape = (count, tries)
        moves = (
            np.minimum(self._dice.geometric(NEARNESS, shape), count),
            self._dice.integers(0, 3, shape),
            np.floor(heat * self._dice.exponential(size=shape)).astype(np.int64),
        )
        fresh = (
            self._kind.copy(), self._before.copy(), self._befores.copy(), self._after.copy(), self._afters.copy(),
            np.ones(len(self._kind), np.bool_),
        )  # fmt: skip
        cost, eliminated = self._sweep(fresh, self._model, order, costs, moves, self._space)
        return int(cost), int(eliminated)


def _neighbours(kind: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns in which each row of `kind` has an edge, and how many; there is room for all others."""
    vertices = len(kind)
    found, counts = np.zeros((vertices, vertices), np.int64), np.count_nonzero(kind, axis=1)
    for vertex in range(vertices):
        found[vertex, : counts[vertex]] = np.flatnonzero(kind[vertex])
    return found, counts.astype(np.int64)


def _sizes(extents: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each vertex and each set of its axes, given as a mask, the product of their extents."""
    masks = [tuple(reversed(mask)) for mask in product((False, True), repeat=extents.shape[1])]
    rows: list[list[int]] = extents.tolist()
    return np.array([[prod(n for n, on in zip(row, mask, strict=True) if on) for mask in masks] for row in rows])
