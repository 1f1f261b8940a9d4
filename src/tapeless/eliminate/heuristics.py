"""Orders found without search: forward, reverse, and the greedy rules of the literature.

A greedy rule eliminates the vertex of the lowest score until none is left. Of several the one of the lowest number is
taken, or with a seed a random one. The scores, with cost the multiplications that the model counts now:

    markowitz   predecessors times successors (Griewank, Reese 1991)
    relative    cost less what the vertex contributes to the finished Jacobian: inputs before it times outputs behind it
    damage      cost + weight * growth of the costs of the neighbours: LMMD (Albrecht, Gottschling, Naumann 2003);
                with weight 0 simply the cheapest first
    reduction   growth of the costs of the neighbours less cost: the greatest fall of all costs together (MOMR)
    fill        new edges, then cost

A score depends on the edges at the vertex alone, or at its neighbours too (it is *wide*), so that only those near the
last elimination are computed again.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random

from .tables import Elimination, Tables

Score = Callable[[Elimination, int], float]


def forward(tables: Tables) -> list[int]:
    """From the inputs to the outputs."""
    return list(tables.intermediates)


def reverse(tables: Tables) -> list[int]:
    """From the outputs to the inputs."""
    return list(reversed(tables.intermediates))


def markowitz(tables: Tables, seed: int | None = None) -> list[int]:
    """The lowest Markowitz degree first."""
    return greedy(tables, lambda state, vertex: len(state.before[vertex]) * len(state.after[vertex]), seed)


def relative_markowitz(tables: Tables, seed: int | None = None) -> list[int]:
    """The lowest cost relative to the part of the Jacobian behind the vertex first."""
    contribution = _contributions(tables)
    return greedy(tables, lambda state, vertex: state.price(vertex) - contribution[vertex], seed)


def minimal_damage(tables: Tables, weight: float = 1.0, seed: int | None = None) -> list[int]:
    """The lowest cost and weighted damage first (LMMD)."""
    if weight == 0:
        return greedy(tables, Elimination.price, seed)
    return greedy(tables, lambda state, vertex: state.price(vertex) + weight * state.damage(vertex), seed, wide=True)


def maximal_reduction(tables: Tables, seed: int | None = None) -> list[int]:
    """The greatest reduction of the sum of all costs first (MOMR)."""
    return greedy(tables, lambda state, vertex: state.damage(vertex) - state.price(vertex), seed, wide=True)


def minimal_fill(tables: Tables, seed: int | None = None) -> list[int]:
    """The fewest new edges first, then the lowest cost."""
    return greedy(tables, _fill, seed, wide=True)


def greedy(tables: Tables, score: Score, seed: int | None = None, *, wide: bool = False) -> list[int]:
    """The vertex of the lowest score first; see the top of the file for what a score may depend on."""
    random = None if seed is None else Random(seed)
    state = Elimination(tables)
    scores = {vertex: score(state, vertex) for vertex in tables.intermediates}
    order: list[int] = []
    while scores:
        lowest = min(scores.values())
        ties = [vertex for vertex, value in scores.items() if value == lowest]
        vertex = random.choice(ties) if random else ties[0]
        order.append(vertex)
        sources, targets = set(state.before[vertex]), set(state.after[vertex])
        state.eliminate(vertex)
        del scores[vertex]
        changed = _around(state, sources, targets) if wide else sources | targets
        for other in changed & scores.keys():
            scores[other] = score(state, other)
    return order


def _around(state: Elimination, sources: set[int], targets: set[int]) -> set[int]:
    """Who has one of these as a neighbour whose other edges have changed, or stands between a source and a target."""
    behind = set[int]().union(*(state.after[source] for source in sources))
    before = set[int]().union(*(state.before[target] for target in targets))
    outside = (*(state.before[source] for source in sources), *(state.after[target] for target in targets))
    return sources.union(targets, behind & before, *outside)


def _fill(state: Elimination, vertex: int) -> float:
    before, after = state.before[vertex], state.after[vertex]
    new = sum(target not in state.after[source] for source in before for target in after)
    price = state.price(vertex)
    return new + price / (1 + price)


def _contributions(tables: Tables) -> list[int]:
    """Of each vertex, the numbers in all inputs before it times the numbers in all outputs behind it."""
    state = Elimination(tables)
    sizes = [prod(extents) for extents in tables.extents.tolist()]
    count = len(sizes)
    inputs = [{vertex} if vertex < tables.inputs else set[int]() for vertex in range(count)]
    outputs = [{vertex} if vertex in tables.outputs else set[int]() for vertex in range(count)]
    for vertex in range(count):
        inputs[vertex].update(*(inputs[source] for source in state.before[vertex]))
    for vertex in reversed(range(count)):
        outputs[vertex].update(*(outputs[target] for target in state.after[vertex]))
    return [
        sum(sizes[one] for one in inputs[vertex]) * sum(sizes[one] for one in outputs[vertex])
        for vertex in range(count)
    ]


RULES = {"forward": forward, "reverse": reverse, "markowitz": markowitz}  # the plain ones, by the names users give them
