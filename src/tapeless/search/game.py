"""Eliminating vertices as a game for one player, in JAX, on many boards at once.

A board is a graph as a cost model sees it (`eliminate.tables`). A move is a vertex that is still there; its price is
the multiplications of eliminating it. Boards of different graphs are padded to one size, so that an agent can learn
on several graphs together. The rules are those of `eliminate.tables.Elimination`, which the tests hold them to.
"""

# pyright: basic
# JAX is annotated in part only.
from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ..eliminate.tables import FREE, Tables


class Rules(NamedTuple):
    """What does not change during a game. `sizes[v, mask]` is the product of the extents of v in the mask; `unit` is a
    cost to measure others by."""

    product: Any
    plus: Any
    flags: Any
    sizes: Any
    outputs: Any
    inputs: Any
    unit: Any


class Board(NamedTuple):
    """The kinds of all edges, and which vertices are still to be eliminated."""

    kind: Any
    left: Any


def boards(graphs: Sequence[Tables], units: Sequence[float]) -> tuple[Rules, Board]:
    """The rules and first boards of these graphs, stacked."""
    count = max(len(graph.kind) for graph in graphs)
    kinds = max(len(graph.product) for graph in graphs)
    rank = max(graph.extents.shape[1] for graph in graphs)
    made = [_padded(graph, unit, count, kinds, rank) for graph, unit in zip(graphs, units, strict=True)]
    rules, first = zip(*made, strict=True)
    return jax.tree.map(lambda *x: jnp.stack(x), *rules), jax.tree.map(lambda *x: jnp.stack(x), *first)


def play(rules: Rules, board: Board, vertex: Any) -> tuple[Board, Any]:
    """The board after a move, and its price. A vertex that is not there changes nothing and costs nothing."""
    there = board.left[vertex]
    before, after = board.kind[:, vertex], board.kind[vertex, :]
    post, pre = after[None, :], before[:, None]
    radix = rules.sizes.shape[1]
    mask = rules.flags[post, pre].astype(jnp.int32)
    price = (
        rules.sizes[jnp.arange(len(before))[None, :], mask % radix]
        * rules.sizes[vertex, mask // radix % radix]
        * rules.sizes[jnp.arange(len(before))[:, None], mask // (radix * radix)]
    )
    cost = jnp.sum(jnp.where(mask >= 0, price, 0.0))
    kind = rules.plus[board.kind, rules.product[post, pre]]
    kind = kind.at[vertex, :].set(0).at[:, vertex].set(0)
    return (
        Board(jnp.where(there, kind, board.kind), board.left.at[vertex].set(False)),
        jnp.where(there, cost, 0.0),
    )


def _padded(graph: Tables, unit: float, count: int, kinds: int, rank: int) -> tuple[Rules, Board]:
    old, known = len(graph.kind), len(graph.product)
    extents = np.pad(graph.extents, ((0, count - old), (0, rank - graph.extents.shape[1])), constant_values=1)
    flags = np.pad(_wider(graph.flags, graph.extents.shape[1], rank), (0, kinds - known), constant_values=FREE)
    number = np.int8 if kinds <= np.iinfo(np.int8).max + 1 else np.int16
    left, outputs = np.zeros(count, bool), np.zeros(count, bool)
    left[list(graph.intermediates)] = outputs[list(graph.outputs)] = True
    rules = Rules(
        np.pad(graph.product, (0, kinds - known)).astype(number),
        np.pad(graph.plus, (0, kinds - known)).astype(number),
        flags,
        _sizes(extents).astype(np.float32),
        outputs,
        np.arange(count) < graph.inputs,
        np.float32(unit),
    )
    return rules, Board(np.pad(graph.kind, (0, count - old)).astype(number), left)


def _wider(flags: np.ndarray[Any, Any], rank: int, new: int) -> np.ndarray[Any, Any]:
    """Masks of three groups of `rank` bits as masks of groups of `new` bits."""
    low = (1 << rank) - 1
    groups = [(flags >> (g * rank)) & low for g in range(3)]
    return np.where(flags == FREE, FREE, sum(group << (g * new) for g, group in enumerate(groups))).astype(np.int16)


def _sizes(extents: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    masks = [tuple(reversed(mask)) for mask in product((False, True), repeat=extents.shape[1])]
    rows: list[list[int]] = extents.tolist()
    return np.array([[prod(n for n, on in zip(row, mask, strict=True) if on) for mask in masks] for row in rows])
