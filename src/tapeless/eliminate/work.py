"""The `work` model: the multiplications a program has to do, when it is told what is known of the partials.

A product with a factor of one, minus one or a constant, with a pure delta or with a copy is free; any other costs the
sizes of the index variables its factors are stored along (see structure.py). That constants are free assumes that they
are carried beside the values and folded; without `free_constants` one costs a multiplication where it meets a value
that only the run knows. Kinds are the structures that can arise,
numbered as they are met: of a graph of scalars always the four classes of values. Sub-expressions and constants should
have been shared and folded before: the graph is taken as it is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .graph import Graph
from .structure import Axis, Edge, Values, plus, product, without_units
from .tables import FREE, Tables, kind_matrix

MOST_AXES = 5  # a mask of three times as many bits is a positive int16

_Kind = tuple[Edge, int, int]  # with the number of axes of target and source: only kinds that fit are multiplied


def work(graph: Graph, *, free_constants: bool = True) -> Tables:
    """The tables of the `work` model of a graph."""
    shapes = graph.shapes
    rank = max(1, *map(len, shapes))
    if rank > MOST_AXES:
        raise ValueError(f"a vertex of {rank} axes; the model takes at most {MOST_AXES}")
    kinds = _Kinds(rank, free_constants)
    numbers = [(ends, kinds.number(_kind(graph, ends))) for ends in graph.edges]
    kinds.close()
    return Tables(
        kind_matrix(len(shapes), numbers),
        kinds.table(kinds.products, 0),
        kinds.table(kinds.sums, 0),
        kinds.table(kinds.masks, FREE),
        np.array([shape + (1,) * (rank - len(shape)) for shape in shapes], np.int64),
        graph.inputs,
        graph.outputs,
    )


def _kind(graph: Graph, ends: tuple[int, int]) -> _Kind:
    source, target = graph.shapes[ends[0]], graph.shapes[ends[1]]
    return without_units(graph.edges[ends], target, source), len(target), len(source)


class _Kinds:
    """Numbers for kinds as they are met, from 1, and what is known of pairs of them."""

    def __init__(self, rank: int, free_constants: bool) -> None:
        self._rank = rank
        self._free = {Values.ONE, Values.MINUS, Values.CONST if free_constants else Values.ONE}
        self._known: list[_Kind] = []
        self._numbers: dict[_Kind, int] = {}
        self.products: dict[tuple[int, int], int] = {}
        self.sums: dict[tuple[int, int], int] = {}
        self.masks: dict[tuple[int, int], int] = {}

    def number(self, kind: _Kind) -> int:
        if kind not in self._numbers:
            self._known.append(kind)
            self._numbers[kind] = len(self._known)
        return self._numbers[kind]

    def close(self) -> None:
        """Number all products and sums of kinds that fit each other, and theirs."""
        newest = 0
        while newest < len(self._known):
            newest += 1
            self.sums[0, newest] = self.sums[newest, 0] = newest
            for other in range(1, newest + 1):
                for first, second in {(newest, other), (other, newest)}:
                    self._multiply(first, second)
                    self._add(first, second)

    def _multiply(self, first: int, second: int) -> None:
        post, target, middle = self._known[first - 1]
        pre, other, source = self._known[second - 1]
        if middle == other:
            found = product(post, pre, middle)
            self.products[first, second] = self.number((found.edge, target, source))
            known = {post.values, pre.values} & self._free or Values.VAR not in (post.values, pre.values)
            self.masks[first, second] = FREE if known else self._mask(found.axes)

    def _add(self, first: int, second: int) -> None:
        a, *axes = self._known[first - 1]
        b, *others = self._known[second - 1]
        if axes == others:
            self.sums[first, second] = self.number((plus(a, b), *self._known[first - 1][1:]))

    def _mask(self, axes: frozenset[Axis]) -> int:
        offset = {"target": 0, "middle": self._rank, "source": 2 * self._rank}
        return sum(1 << offset[side] + axis for side, axis in axes)

    def table(self, entries: Mapping[tuple[int, int], int], default: int) -> NDArray[np.int16]:
        size = len(self._known) + 1
        result = np.full((size, size), default, np.int16)
        for pair, value in entries.items():
            result[pair] = value
        return result
