"""Graphs of scalar functions from a run on recording numbers: one vertex per operation, in the order of the run.

`shared` gives an operation that was done before, on the same operands in any order where that does not matter, the
vertex it has already (common sub-expressions); otherwise each has its own, as in a jaxpr.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tapeless.eliminate.graph import Graph
from tapeless.eliminate.structure import CONST, MINUS, ONE, VAR, Edge, plus

_COMMUTES = {"add", "multiply"}


def trace(function: Callable[..., Sequence[Number]], inputs: int, *, shared: bool = False) -> Graph:
    """The graph of a function of so many numbers."""
    tape = Tape(inputs, shared)
    results = function(*(Number(tape, vertex) for vertex in range(inputs)))
    outputs: list[int] = []
    used = {source for source, _ in tape.edges}
    for result in results:
        vertex = result.vertex
        if vertex in used or vertex < inputs or vertex in outputs:
            vertex = tape.vertex({vertex: ONE})
        outputs.append(vertex)
    return Graph(inputs, ((),) * tape.count, tuple(outputs), tape.edges)


@dataclass(slots=True)
class Tape:
    """What was done so far."""

    inputs: int
    shared: bool
    edges: dict[tuple[int, int], Edge] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    known: dict[object, int] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.count = self.inputs

    def vertex(self, partials: dict[int, Edge]) -> int:
        self.edges.update({(source, self.count): edge for source, edge in partials.items()})
        self.count += 1
        return self.count - 1

    def operation(self, name: str, operands: Sequence[object]) -> Number:
        names = [operand.vertex if isinstance(operand, Number) else ("constant", operand) for operand in operands]
        key = (name, *(sorted(names, key=str) if name in _COMMUTES else names))
        if self.shared and key in self.known:
            return Number(self, self.known[key])
        partials: dict[int, Edge] = {}
        for place, operand in enumerate(operands):
            if isinstance(operand, Number):
                edge = _partial(name, place, all(isinstance(other, Number) for other in operands))
                old = partials.get(operand.vertex)
                partials[operand.vertex] = edge if old is None else plus(old, edge)
        self.known[key] = self.vertex(partials)
        self.names[self.known[key]] = name
        return Number(self, self.known[key])


def _partial(name: str, place: int, all_vary: bool) -> Edge:
    match name, place:
        case ("add", _) | ("subtract", 0):
            return ONE
        case ("subtract", 1) | ("negative", 0):
            return MINUS
        case ("multiply", _) | ("divide", 0) if not all_vary:
            return CONST
        case _:
            return VAR


@dataclass(frozen=True, slots=True)
class Number(np.lib.mixins.NDArrayOperatorsMixin):
    """A number that records what is done with it, by operators or by functions of NumPy."""

    tape: Tape
    vertex: int

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: object, **_: object) -> Number:
        if method != "__call__":
            raise TypeError(f"{ufunc.__name__}.{method} of recording numbers")
        return self.tape.operation(ufunc.__name__, operands)
