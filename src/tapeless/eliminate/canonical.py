"""A numbering of the vertices of a graph that does not depend on how they were numbered, and a name for the graph.

Inputs and outputs have their places. Every other vertex is told from the rest by what surrounds it: its colour starts
as its size and place, and is refined by the colours of its neighbours until nothing changes (Weisfeiler, Leman). What
is left alike, such as twins, is numbered as it comes. Should two vertices of one colour differ after all, then an
order that was kept for the graph may not fit another numbering of it: whoever reads one counts it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from ..records import dataclass
from .tables import Tables


@dataclass(frozen=True, slots=True)
class Canonical:
    """`name` is the same for all numberings of a graph; `vertices` are its vertices in the canonical order."""

    name: str
    vertices: tuple[int, ...]

    def outwards(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """An order of vertices as one of canonical numbers."""
        place = {vertex: number for number, vertex in enumerate(self.vertices)}
        return tuple(place[vertex] for vertex in order)

    def inwards(self, order: tuple[int, ...]) -> tuple[int, ...]:
        """An order of canonical numbers as one of vertices; numbers that do not exist are left out."""
        return tuple(self.vertices[number] for number in order if 0 <= number < len(self.vertices))


def canonical(tables: Tables, model: str) -> Canonical:
    """The canonical numbering of a graph as a model sees it."""
    colours = _colours(tables)
    vertices = tuple(sorted(range(len(colours)), key=lambda v: (colours[v], v)))
    place = {vertex: number for number, vertex in enumerate(vertices)}
    kind: list[list[int]] = tables.kind.tolist()
    edges = sorted((place[i], place[j], k) for i, row in enumerate(kind) for j, k in enumerate(row) if k)
    extents: list[list[int]] = tables.extents.tolist()
    said = (
        model, tables.inputs, [place[v] for v in tables.outputs], [extents[v] for v in vertices], edges,
        tables.product.tolist(), tables.plus.tolist(), tables.flags.tolist(),
    )  # fmt: skip
    return Canonical(_digest(said), vertices)


def _colours(tables: Tables) -> list[int]:
    kind: list[list[int]] = tables.kind.tolist()
    extents: list[list[int]] = tables.extents.tolist()
    count = len(kind)
    after = [[(j, k) for j, k in enumerate(row) if k] for row in kind]
    before: list[list[tuple[int, int]]] = [[] for _ in kind]
    for i, row in enumerate(after):
        for j, k in row:
            before[j].append((i, k))
    places = {vertex: number + 1 for number, vertex in enumerate(tables.outputs)}
    places |= {vertex: ~vertex for vertex in range(tables.inputs)}
    colours = _numbered([(places.get(v, 0), *extents[v]) for v in range(count)])
    while True:
        finer = _numbered([(colours[v], _seen(colours, before[v]), _seen(colours, after[v])) for v in range(count)])
        if max(finer, default=0) == max(colours, default=0):
            return finer
        colours = finer


def _seen(colours: list[int], edges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted([(colours[vertex], kind) for vertex, kind in edges]))


def _numbered(seen: Sequence[tuple[Any, ...]]) -> list[int]:
    """A number for each description, by their order: it does not depend on that of the vertices."""
    numbers = {description: number for number, description in enumerate(sorted(set(seen)))}
    return [numbers[description] for description in seen]


def _digest(said: object) -> str:
    return blake2b(repr(said).encode(), digest_size=20).hexdigest()
