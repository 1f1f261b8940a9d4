"""A block with its linearised graph: what is known of every edge, and how the program computes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..ir.core import Stm
from ..ir.types import Atom, DType
from ..records import dataclass
from .factors import Factor
from .graph import Graph
from .structure import CONST, MINUS, ONE, VAR, Edge

Ends: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Linear:
    """A block with its partial derivatives: `stms` compute both.

    `factors` holds the value of each edge of `graph`, all of type `dtype`. `rows` says for each element of each result
    which output it is, None where it does not depend on the inputs. `labels` say in words what the vertices are;
    `inner` is how many multiplications there are inside branches.
    """

    stms: tuple[Stm, ...]
    results: tuple[Atom, ...]
    graph: Graph
    factors: Mapping[Ends, Factor]
    rows: tuple[tuple[int | None, ...], ...]
    labels: tuple[str, ...]
    dtype: DType
    inner: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """The graph of what the results depend on, with the values of its edges, the rows and the labels of `Linear`."""

    graph: Graph
    factors: Mapping[Ends, Factor]
    rows: tuple[tuple[int | None, ...], ...]
    labels: tuple[str, ...]


def pruned(
    inputs: int, labels: Sequence[str], factors: Mapping[Ends, Factor], rows: Sequence[Sequence[int | None]]
) -> Pruned:
    """The vertices, of which there is one for each label, that the rows depend on, renumbered.

    An output that is read by others too, or is an input, is a copy of its own; one that stands in several places is
    one output.
    """
    wanted = list(dict.fromkeys(vertex for row in rows for vertex in row if vertex is not None))
    needed = set(wanted)
    for source, target in sorted(factors, key=lambda ends: -ends[1]):
        if target in needed:
            needed.add(source)
    kept = [vertex for vertex in range(len(labels)) if vertex < inputs or vertex in needed]
    numbers = {vertex: k for k, vertex in enumerate(kept)}
    edges = {(numbers[i], numbers[j]): edge for (i, j), edge in factors.items() if j in needed}
    names = [labels[vertex] for vertex in kept]
    used = {source for source, _ in edges}
    outputs: dict[int, int] = {}
    for vertex in wanted:
        output = numbers[vertex]
        if output < inputs or output in used:
            edges[output, len(names)] = Factor()
            output = len(names)
            names.append("copy")
        outputs[vertex] = output
    kinds = {ends: _kind(edge) for ends, edge in edges.items()}
    graph = Graph(inputs, ((),) * len(names), tuple(sorted(outputs.values())), kinds)
    places = tuple(tuple(None if vertex is None else outputs[vertex] for vertex in row) for row in rows)
    return Pruned(graph, edges, places, tuple(names))


def _kind(edge: Factor) -> Edge:
    if not edge.is_literal:
        return VAR
    return {1.0: ONE, -1.0: MINUS}.get(edge.coefficient, CONST)
