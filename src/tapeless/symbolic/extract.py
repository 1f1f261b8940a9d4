"""Which ways to compute values need the fewest operations in all.

Values are chosen from the last to the first: each takes the way whose operands cost least beyond those that are needed
anyway. What a value would cost is only estimated, so that it is done several times with the estimates disturbed, from
the best choice so far on.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence

from ..records import dataclass

ROUNDS, TURNS = 2000, 12  # values chosen in all, about; and how often all of them at most


@dataclass(frozen=True, slots=True)
class Way:
    """How a class of values is computed from others: up to signs a product, a sum or the operation itself.

    `mul` and `div`: sign * left * right; `add`: sign * (left + second * right); `own`: the operation on operands with
    `signs`, which gives the value with `sign`.
    """

    op: str
    args: tuple[int, ...]
    sign: int
    second: int = 1
    signs: tuple[int, ...] = ()
    cost: float = 1.0


def cheapest(ways: Sequence[Sequence[Way]], places: Sequence[float], outputs: Sequence[int]) -> dict[int, Way]:
    """A way for every class that is needed for the outputs; classes at place -1 are there."""
    order = sorted((k for k in range(len(ways)) if places[k] > -1 and ways[k]), key=lambda k: places[k])
    dice = random.Random(7)
    best = _choose([own[:1] for own in ways], places, outputs, [0.0] * len(ways))
    least = sum(way.cost for way in best.values())
    guesses = [_estimates(ways, order, share) for share in (0.2, 0.5, 0.8)]
    for turn in range(max(4, min(TURNS, ROUNDS // max(1, len(order))))):
        guess = guesses[turn % 3]
        if turn >= 3:
            guess = [x * dice.uniform(0.4, 1.6) * (0.3 if k in best else 1.0) for k, x in enumerate(guess)]
        chosen = _choose(ways, places, outputs, guess)
        cost = sum(way.cost for way in chosen.values())
        if cost < least:
            best, least = chosen, cost
    return best


def _estimates(ways: Sequence[Sequence[Way]], order: Sequence[int], share: float) -> list[float]:
    """What a class costs, when a share of the cost of its operands is its own."""
    guess = [0.0] * len(ways)
    for k in order:
        guess[k] = min(way.cost + share * sum(guess[a] for a in way.args) for way in ways[k])
    return guess


def _choose(
    ways: Sequence[Sequence[Way]], places: Sequence[float], outputs: Sequence[int], guess: Sequence[float]
) -> dict[int, Way]:
    needed = {k for k in outputs if places[k] > -1}
    todo = [(-places[k], k) for k in needed]
    heapq.heapify(todo)
    chosen: dict[int, Way] = {}
    while todo:
        _, k = heapq.heappop(todo)
        best, least = ways[k][0], float("inf")
        for way in ways[k]:
            cost = way.cost + sum(guess[a] for a in way.args if a not in needed)
            if cost < least:
                best, least = way, cost
        chosen[k] = best
        for a in best.args:
            if places[a] > -1 and a not in needed:
                needed.add(a)
                heapq.heappush(todo, (-places[a], a))
    return chosen
