"""What a cost model makes of a graph: small tables that say what a product of two edges is, and what it costs.

Every edge has a *kind*, a small number; zero is no edge. Eliminating vertex j multiplies each edge j -> k with each
edge i -> j and adds the product to the edge i -> k:

    cost += 0 when flags[post, pre] is -1, else the product of the flagged extents of k, j and i
    kind[i, k] = plus[kind[i, k], product[post, pre]]

and removes j. One engine thus serves every model; here is the reference one, in plain Python, against which compiled
engines are tested. A mask flags axes 0..R-1 of k, then R of j, then R of i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass, replace
from .graph import intermediates

FREE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """`kind` is [vertices, vertices] by (source, target); `product`, `plus` and `flags` are [kinds, kinds], the
    product's by (post, pre); `extents` is [vertices, R], padded with ones."""

    kind: NDArray[np.int16]
    product: NDArray[np.int16]
    plus: NDArray[np.int16]
    flags: NDArray[np.int16]
    extents: NDArray[np.int64]
    inputs: int
    outputs: tuple[int, ...]

    @property
    def intermediates(self) -> tuple[int, ...]:
        """The vertices to eliminate, ascending."""
        return intermediates(self.inputs, len(self.kind), self.outputs)


def cost(tables: Tables, order: Sequence[int]) -> int:
    """The multiplications of eliminating all intermediates in this order."""
    if sorted(order) != list(tables.intermediates):
        raise ValueError("an order is a permutation of the intermediates")
    state = Elimination(tables)
    return sum(state.eliminate(vertex) for vertex in order)


def eliminate(tables: Tables, vertex: int) -> tuple[Tables, int]:
    """The graph without this vertex (which stays as a number without edges), and what removing it costs."""
    state = Elimination(tables)
    price = state.eliminate(vertex)
    return replace(tables, kind=state.kinds()), price


class Elimination:
    """A graph while it is eliminated: `before[v]` and `after[v]` hold the kinds of edges to and from v, by the vertex
    at their other end."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.before: list[dict[int, int]] = [{} for _ in tables.kind]
        self.after: list[dict[int, int]] = [{} for _ in tables.kind]
        # In graphs of scalars, what all products over a vertex cost together, by the kind of the edge that leads from
        # it, and of the one that leads to it, while the other edges stay.
        self._into_known: list[dict[int, int]] = [{} for _ in tables.kind]
        self._out_of_known: list[dict[int, int]] = [{} for _ in tables.kind]
        there = np.nonzero(tables.kind)
        for source, target, kind in zip(*map(np.ndarray.tolist, (*there, tables.kind[there])), strict=True):
            self.after[source][target] = self.before[target][source] = kind
        self._product: list[list[int]] = tables.product.tolist()
        self._plus: list[list[int]] = tables.plus.tolist()
        self._flags: list[list[int]] = tables.flags.tolist()
        self._extents: list[list[int]] = tables.extents.tolist()
        # Of graphs of scalars a product costs one or nothing, whatever it leads over.
        scalar = bool((tables.extents == 1).all())
        self._unit: list[list[int]] | None = (tables.flags != FREE).astype(int).tolist() if scalar else None

    def price(self, vertex: int) -> int:
        """What eliminating this vertex would cost now."""
        return sum(self._into(target, vertex, post) for target, post in self.after[vertex].items())

    def damage(self, vertex: int) -> int:
        """How much the prices of its neighbours would grow together were this vertex eliminated now."""
        total = 0
        for source, pre in self.before[vertex].items():
            total -= self._into(vertex, source, pre)
            for target, post in self.after[vertex].items():
                old = self.after[source].get(target, 0)
                new = self._plus[old][self._product[post][pre]]
                if new != old:
                    total += self._into(target, source, new) - self._into(target, source, old)
                    total += self._out_of(source, target, new) - self._out_of(source, target, old)
        for target, post in self.after[vertex].items():
            total -= self._out_of(vertex, target, post)
        return total

    def _into(self, target: int, middle: int, post: int) -> int:
        """The cost of all products that lead over middle and then along an edge of this kind to target."""
        if self._unit is not None:
            known = self._into_known[middle]
            if post not in known:
                unit = self._unit[post]
                known[post] = sum([unit[pre] for pre in self.before[middle].values()])
            return known[post]
        sources = self.before[middle].items()
        return sum(self.product_cost(post, pre, (source, middle, target)) for source, pre in sources)

    def _out_of(self, source: int, middle: int, pre: int) -> int:
        """The cost of all products that lead from source along an edge of this kind to middle and on."""
        if self._unit is not None:
            known = self._out_of_known[middle]
            if pre not in known:
                unit = self._unit
                known[pre] = sum([unit[post][pre] for post in self.after[middle].values()])
            return known[pre]
        targets = self.after[middle].items()
        return sum(self.product_cost(post, pre, (source, middle, target)) for target, post in targets)

    def product_cost(self, post: int, pre: int, path: tuple[int, int, int]) -> int:
        """The cost of a product of these two kinds along a path of source, middle and target."""
        mask = self._flags[post][pre]
        if mask == FREE:
            return 0
        result = 1
        for size in (size for vertex in reversed(path) for size in self._extents[vertex]):
            result *= size if mask & 1 else 1
            mask >>= 1
        return result

    def eliminate(self, vertex: int) -> int:
        """Remove this vertex; its cost."""
        price = self.price(vertex)
        before, after = self.before[vertex], self.after[vertex]
        self.before[vertex], self.after[vertex] = {}, {}
        for source, pre in before.items():
            leading = self.after[source]
            del leading[vertex]
            for target, post in after.items():
                kind = self._plus[leading.get(target, 0)][self._product[post][pre]]
                leading[target] = self.before[target][source] = kind
            self._out_of_known[source] = {}
        for target in after:
            del self.before[target][vertex]
            self._into_known[target] = {}
        return price

    def kinds(self) -> NDArray[np.int16]:
        """The kinds of the edges that are there now."""
        kind = np.zeros_like(self.tables.kind)
        for source, targets in enumerate(self.after):
            for target, edge in targets.items():
                kind[source, target] = edge
        return kind

    def copy(self) -> Elimination:
        """An independent copy: eliminating in one leaves the other as it is."""
        other = Elimination.__new__(Elimination)
        other.__dict__.update(self.__dict__)
        other.before = [dict(edges) for edges in self.before]
        other.after = [dict(edges) for edges in self.after]
        other._into_known, other._out_of_known = list(self._into_known), list(self._out_of_known)
        return other


def kind_matrix(vertices: int, kinds: Iterable[tuple[tuple[int, int], int]]) -> NDArray[np.int16]:
    """The matrix of kinds of these edges, given as ((source, target), kind)."""
    matrix = np.zeros((vertices, vertices), np.int16)
    for (source, target), kind in kinds:
        matrix[source, target] = kind
    return matrix
