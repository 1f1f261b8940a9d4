"""Edge elimination as vertex elimination: a vertex that is split into two.

Back elimination of the edge j -> k multiplies it with every edge into j, and leaves the other edges out of j alone.
That is the elimination of a vertex of its own, with the edges into j and the one edge to k, which j loses. Front
elimination of i -> j is the same upside down: the new vertex has the edge from i, which j loses, and the edges out of
j. Either split leaves all products along paths as they are. So an order of the vertices of a graph that was split
before is an order of edges of the graph, costs what it costs, and is written out like any other.

`improved` looks for splits that pay, by hill climbing: each with the new vertex at every place of the order next to
one of its neighbours. Where edges are no better than vertices it finds nothing and answers the order that it was
given. What comes out depends on that order, so `best_apart` tries several.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

import numpy as np

from ..records import dataclass, replace
from .graph import Graph
from .linear import Linear
from .tables import Elimination, Tables, cost

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Split:
    """The edge between a vertex and another one, before or behind it, gets a vertex of its own, the next number.

    The vertices behind count on from there; `vertex` and `other` are numbers of before.
    """

    vertex: int
    other: int

    @property
    def new(self) -> int:
        return self.vertex + 1

    def number(self, vertex: int) -> int:
        """What a vertex is called afterwards."""
        return vertex + (vertex > self.vertex)


@dataclass(frozen=True, slots=True)
class Apart:
    """Splits, one after the other, and an order of the vertices that there are then, with its cost."""

    splits: tuple[Split, ...]
    order: tuple[int, ...]
    cost: int


def best_apart(tables: Tables, orders: Iterable[Sequence[int]], seconds: float) -> Apart:
    """The best that `improved` makes of some orders, of which the best gets half of the time."""
    ranked = sorted({tuple(order) for order in orders}, key=lambda order: (cost(tables, order), order))
    shares = [seconds / 2, *(seconds / 2 / (len(ranked) - 1) for _ in ranked[1:])]
    found = (improved(tables, order, share) for order, share in zip(ranked, shares, strict=True))
    return min(found, key=lambda apart: (apart.cost, len(apart.splits)))


def improved(tables: Tables, order: Sequence[int], seconds: float, seed: int = 0) -> Apart:
    """The order, with vertices split where that makes it cheaper; for at most about so many seconds."""
    dice, end = Random(seed), time.monotonic() + seconds
    best = Apart((), tuple(order), cost(tables, order))
    while (better := _better(tables, best, dice, end)) is not None:
        tables, best = tables_apart(tables, better.splits[-1]), better
    return best


def _better(tables: Tables, best: Apart, dice: Random, end: float) -> Apart | None:
    """One more split that pays, if there is one and time for it."""
    candidates = list(_candidates(tables))
    dice.shuffle(candidates)
    for split in candidates:
        if time.monotonic() > end:
            return None
        wider, rest = tables_apart(tables, split), [split.number(vertex) for vertex in best.order]
        for order in _placed(wider, rest, split.new):
            if (price := cost(wider, order)) < best.cost:
                return Apart((*best.splits, split), tuple(order), price)
    return None


def _candidates(tables: Tables) -> Iterator[Split]:
    """Edges of vertices that have others on the same side."""
    state = Elimination(tables)
    for vertex in tables.intermediates:
        for side in (state.before[vertex], state.after[vertex]):
            if len(side) > 1:
                yield from (Split(vertex, other) for other in side)


def _placed(tables: Tables, order: Sequence[int], new: int) -> Iterator[list[int]]:
    """The order with a new vertex in it, first and next to each of its neighbours."""
    state = Elimination(tables)
    near = {new - 1, *state.before[new], *state.after[new]}
    places = {0} | {place + after for place, vertex in enumerate(order) if vertex in near for after in (0, 1)}
    for place in sorted(places):
        yield [*order[:place], new, *order[place:]]


# -- what is split ----------------------------------------------------------------------------------


def edges_apart(edges: Mapping[tuple[int, int], V], split: Split) -> dict[tuple[int, int], V]:
    """The edges of a graph after a split."""
    taken = min(split.vertex, split.other), max(split.vertex, split.other)
    back = split.other > split.vertex
    found: dict[tuple[int, int], V] = {}
    for (source, target), edge in edges.items():
        here = split.number(source), split.number(target)
        there = (split.new, here[1]) if source == split.vertex else (here[0], split.new)
        is_copied = split.vertex == (target if back else source)
        if (source, target) == taken or is_copied:
            found[there] = edge
        if (source, target) != taken:
            found[here] = edge
    return found


def graph_apart(graph: Graph, split: Split) -> Graph:
    """A graph after a split."""
    shapes = (*graph.shapes[: split.new], graph.shapes[split.vertex], *graph.shapes[split.new :])
    return Graph(graph.inputs, shapes, tuple(map(split.number, graph.outputs)), edges_apart(graph.edges, split))


def linear_apart(linear: Linear, splits: Sequence[Split]) -> Linear:
    """A linearised block after some splits: the new edges hold what the old ones held."""
    for split in splits:
        rows = tuple(tuple(None if x is None else split.number(x) for x in row) for row in linear.rows)
        labels = (*linear.labels[: split.new], linear.labels[split.vertex], *linear.labels[split.new :])
        linear = replace(
            linear,
            graph=graph_apart(linear.graph, split),
            factors=edges_apart(linear.factors, split),
            rows=rows,
            labels=labels,
        )
    return linear


def tables_apart(tables: Tables, split: Split) -> Tables:
    """The model of a graph after a split: that of the graph that was split."""
    ends = [tuple(pair) for pair in np.argwhere(tables.kind).tolist()]
    edges = edges_apart({(s, t): int(tables.kind[s, t]) for s, t in ends}, split)
    kind = np.zeros((len(tables.kind) + 1,) * 2, tables.kind.dtype)
    for pair, number in edges.items():
        kind[pair] = number
    extents = np.insert(tables.extents, split.new, tables.extents[split.vertex], axis=0)
    return replace(tables, kind=kind, extents=extents, outputs=tuple(map(split.number, tables.outputs)))
