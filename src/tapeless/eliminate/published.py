"""The `published` model: multiplications as counted by the environment of the AlphaGrad paper (Lohoff, Neftci 2024).

Of a graph of scalars every edge is a number and every product costs one: eliminating a vertex costs its predecessors
times its successors.
"""

from __future__ import annotations

import numpy as np

from tapeless.eliminate.graph import Graph
from tapeless.eliminate.tables import FREE, Tables, kind_matrix


def published(graph: Graph) -> Tables:
    """The tables of the `published` model of a graph."""
    if not graph.is_scalar:
        raise ValueError("a graph of scalars is needed")
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
