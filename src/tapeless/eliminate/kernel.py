"""The inner loop of the search for orders, in the plain Python that Tapeless compiles.

`sweep` walks once along an order and, before it eliminates the vertex at a place, tries other arrangements of a window
that begins there. What a vertex costs depends on which vertices went before, not on their order, so that an arrangement
is judged by the window alone: eliminate its vertices, sum up, take everything back by the trail of changed edges. It is
given up as soon as it costs more than its limit, which annealing draws beforehand.

Lists of neighbours only grow, at their ends: vertices that are gone stay in them and are skipped, and taking back a
change shortens them. In tensor graphs the kind of an edge may depend on the order of what went before; the cost that
`sweep` answers is always that of its last walk over the whole order.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Graph: TypeAlias = tuple[Ints, Ints, Ints, Ints, Ints, NDArray[np.bool_]]
Model: TypeAlias = tuple[Ints, Ints, Ints, Ints]
Moves: TypeAlias = tuple[Ints, Ints, Ints]
Space: TypeAlias = tuple[Ints, Ints, Ints, Ints, Ints]

# The arrangements of a window: its last vertex goes first, its first one last, or both change places.
RAISE, LOWER, SWAP = 0, 1, 2


def sweep(graph: Graph, model: Model, order: Ints, costs: Ints, moves: Moves, space: Space) -> tuple[int, int]:
    """Improve `order` in place, and `costs` with it; the cost of the order, and how many vertices were eliminated.

    `moves` are, for each place and try, how far the window reaches, its arrangement, and by how much it may be dearer.
    The last try of each place is the step forward. The graph is used up.
    """
    (alive, trail, window) = graph[5], space[2], space[3]
    (reach, shape, slack), fresh = moves, space[4]
    places, tries = reach.shape
    total = 0
    eliminated = 0
    for place in range(places):
        for t in range(tries + 1):
            step = t == tries
            last = place if step else min(place + reach[place, t], places - 1)
            length = last - place + 1
            if length == 1 and not step:
                continue
            limit = arrange(order, costs, place, length, 0 if step else shape[place, t], window)
            if not step:
                limit += slack[place, t]
            cost = 0
            changes = 0
            done = 0
            while done < length and (cost <= limit or step):
                fresh[done], changes = eliminate(graph, model, window[done], changes, space)
                cost += fresh[done]
                done += 1
            eliminated += done
            if step:
                costs[place] = cost
                total += cost
                continue
            take_back(graph, trail, changes)
            for s in range(done):
                alive[window[s]] = True
            if done == length and cost <= limit:
                for s in range(length):
                    order[place + s] = window[s]
                    costs[place + s] = fresh[s]
    return total, eliminated


def arrange(order: Ints, costs: Ints, place: int, length: int, shape: int, window: Ints) -> int:
    """Copy the vertices from `place` on in another arrangement into `window`; the cost of the one they have."""
    cost = 0
    last = place + length - 1
    for s in range(length):
        cost += costs[place + s]
        window[s] = order[place + s]
    if shape == RAISE:
        for s in range(1, length):
            window[s] = order[place + s - 1]
        window[0] = order[last]
    elif shape == LOWER:
        for s in range(length - 1):
            window[s] = order[place + s + 1]
        window[length - 1] = order[place]
    else:
        window[0] = order[last]
        window[length - 1] = order[place]
    return cost


def eliminate(graph: Graph, model: Model, vertex: int, changes: int, space: Space) -> tuple[int, int]:
    """Eliminate a vertex; its cost, and the length of the trail."""
    kind, before, befores, after, afters, alive = graph
    product, plus, flags, sizes = model
    sources, targets, trail, _, _ = space
    count = 0
    for p in range(befores[vertex]):
        if alive[before[vertex, p]]:
            sources[count] = before[vertex, p]
            count += 1
    several = 0
    for p in range(afters[vertex]):
        if alive[after[vertex, p]]:
            targets[several] = after[vertex, p]
            several += 1
    radix = sizes.shape[1]
    cost = 0
    for p in range(count):
        source = sources[p]
        pre = kind[source, vertex]
        for q in range(several):
            target = targets[q]
            post = kind[vertex, target]
            mask = flags[post, pre]
            if mask >= 0:
                cost += (
                    sizes[target, mask % radix]
                    * sizes[vertex, mask // radix % radix]
                    * sizes[source, mask // (radix * radix)]
                )
            old = kind[source, target]
            new = plus[old, product[post, pre]]
            if new != old:
                trail[changes, 0], trail[changes, 1], trail[changes, 2] = source, target, old
                changes += 1
                kind[source, target] = new
                if old == 0:
                    after[source, afters[source]] = target
                    afters[source] += 1
                    before[target, befores[target]] = source
                    befores[target] += 1
    alive[vertex] = False
    return cost, changes


def take_back(graph: Graph, trail: Ints, changes: int) -> None:
    """Undo the changes of a trail, the last one first."""
    kind, _, befores, _, afters, _ = graph
    for c in range(changes - 1, -1, -1):
        source, target, old = trail[c, 0], trail[c, 1], trail[c, 2]
        kind[source, target] = old
        if old == 0:
            afters[source] -= 1
            befores[target] -= 1
