"""The linearised graph of straight-line code: a vertex for every value, an edge for every local partial derivative.

Vertices are numbered in topological order, the inputs first. Outputs are distinct sinks: a value that is an output and
is used later, or an input that is returned, has a copy of itself as the output (edge ONE). An order of elimination is
a permutation of the *intermediates*, the vertices that are neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from ..records import dataclass
from .structure import Edge

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """`shapes` has one entry per vertex (() for a scalar); `edges` has the partial of target by source at
    (source, target), source < target, uses of one operand in several places summed."""

    inputs: int
    shapes: tuple[Shape, ...]
    outputs: tuple[int, ...]
    edges: Mapping[tuple[int, int], Edge]

    def __post_init__(self) -> None:
        if len(set(self.outputs)) < len(self.outputs) or any(not self._is_computed(v) for v in self.outputs):
            raise ValueError(f"outputs must be distinct and computed: {self.outputs}")
        sinks = set(self.outputs)
        for (source, target), edge in self.edges.items():
            if not (0 <= source < target and self._is_computed(target)) or source in sinks:
                raise ValueError(f"no edge may go from {source} to {target}")
            _check_axes(edge, self.shapes[target], self.shapes[source])

    def _is_computed(self, vertex: int) -> bool:
        return self.inputs <= vertex < len(self.shapes)

    @property
    def intermediates(self) -> tuple[int, ...]:
        """The vertices to eliminate, ascending."""
        return intermediates(self.inputs, len(self.shapes), self.outputs)

    @property
    def is_scalar(self) -> bool:
        """Whether every vertex holds one number."""
        return all(prod(shape) == 1 for shape in self.shapes)


def intermediates(inputs: int, vertices: int, outputs: tuple[int, ...]) -> tuple[int, ...]:
    """The vertices of such a graph that are neither inputs nor outputs, ascending."""
    sinks = set(outputs)
    return tuple(vertex for vertex in range(inputs, vertices) if vertex not in sinks)


def _check_axes(edge: Edge, target: Shape, source: Shape) -> None:
    if any(t >= len(target) or s >= len(source) or target[t] != source[s] for t, s in edge.links):
        raise ValueError(f"links between axes of different sizes: {edge.links} of {target} and {source}")
    if any(t >= len(target) for t in edge.along_target) or any(s >= len(source) for s in edge.along_source):
        raise ValueError(f"stored along axes that do not exist: {edge} of {target} and {source}")
