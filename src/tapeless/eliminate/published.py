"""The `published` model: multiplications as counted by the environment of the AlphaGrad paper (Lohoff, Neftci 2024).

Of a graph of scalars every edge is a number and every product costs one: eliminating a vertex costs its predecessors
times its successors. Graphs of arrays have the type codes of codes.py. An original graph is given by its codes
(`coded`); one of ours gets the nearest code of each edge: partials of plus or minus one count like any other, as there,
unless they move elements from axis to axis.

`published_markowitz` is the paper's baseline. What an edge adds to the degree depends on its code in a way that is a
fact about the original, not a rule: it is what makes the baseline poor on graphs of arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from .codes import CODES, FLAGS, KIND, PLUS, PRODUCT
from .graph import Graph, Shape
from .structure import Edge, Values
from .tables import FREE, Elimination, Tables, kind_matrix

_ONE_LINK = {(0, 0): 2, (1, 1): 3, (0, 1): 4, (1, 0): 5}


def published(graph: Graph) -> Tables:
    """The tables of the `published` model of a graph whose vertices have at most two axes."""
    if graph.is_scalar:
        return _scalar(graph)
    if any(len(shape) > 2 for shape in graph.shapes):
        raise ValueError("the published model takes vertices of at most two axes")
    shapes = graph.shapes
    codes = {(s, t): _code(edge, shapes[t]) for (s, t), edge in graph.edges.items()}
    return coded(graph.inputs, shapes, graph.outputs, codes)


def coded(
    inputs: int, shapes: Sequence[Shape], outputs: tuple[int, ...], codes: Mapping[tuple[int, int], int]
) -> Tables:
    """The tables of a graph given by the type codes of its edges, by (source, target)."""
    kinds = kind_matrix(len(shapes), [(ends, KIND[code]) for ends, code in codes.items()])
    return Tables(kinds, PRODUCT, PLUS, FLAGS, _extents(shapes), inputs, outputs)


def published_markowitz(tables: Tables) -> list[int]:
    """The paper's baseline: the vertex of lowest degree first, of several the one of the lowest number."""
    state = Elimination(tables)
    left = list(tables.intermediates)
    order: list[int] = []
    while left:
        lowest = min(left, key=lambda vertex: _degree(state, vertex))
        left.remove(lowest)
        state.eliminate(lowest)
        order.append(lowest)
    return order


def _scalar(graph: Graph) -> Tables:
    count = len(graph.shapes)
    return Tables(
        kind=kind_matrix(count, [(ends, 1) for ends in graph.edges]),
        product=np.array([[0, 0], [0, 1]], np.int16),
        plus=np.array([[0, 1], [1, 1]], np.int16),
        flags=np.array([[FREE, FREE], [FREE, 0]], np.int16),
        extents=np.ones((count, 1), np.int64),
        inputs=graph.inputs,
        outputs=graph.outputs,
    )


def _extents(shapes: Sequence[Shape]) -> NDArray[np.int64]:
    return np.array([shape + (1,) * (2 - len(shape)) for shape in shapes], np.int64)


def _code(edge: Edge, target: Shape) -> int:
    if not edge.links:
        moved = edge.values == Values.ONE and len(edge.along_target) == len(target) > 0
        return 11 if moved else 1
    crossed = any(t != s for t, s in edge.links)
    if edge.values in (Values.ONE, Values.MINUS) and not crossed:
        stored = {t for t, _ in edge.links}
    else:
        stored = set(edge.along_target)
    if len(edge.links) == 1:
        (link,) = edge.links
        return _ONE_LINK[link] if link[0] in stored else -_ONE_LINK[link]
    match len(stored):
        case 2:
            return 7 if crossed else 6
        case 0 if edge.values == Values.ONE:
            return -7
        case 0:
            return -10 if crossed else 10
        case _:
            return (9 if crossed else 8) * (1 if 1 in stored else -1)


def _degree(state: Elimination, vertex: int) -> int:
    extents: list[list[int]] = state.tables.extents.tolist()
    size = prod(extents[vertex])
    after = sum(_weight(CODES[kind], size, extents[target]) for target, kind in state.after[vertex].items())
    before = sum(_weight(CODES[kind], size, extents[vertex]) for kind in state.before[vertex].values())
    return after * before


def _weight(code: int, size: int, target: list[int]) -> int:
    """What an edge of this code counts at a vertex of this size, when its target has these extents."""
    match code:
        case 1:
            return size
        case 6 | 7 | 8:
            return 1
        case 3 | 4 | -1:
            return target[0]
        case _:
            return target[-1]
