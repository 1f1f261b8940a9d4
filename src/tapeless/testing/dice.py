"""Random choices that are the same on every platform and in every version of NumPy.

Only the raw 64-bit stream of PCG64 is promised never to change, so every draw is made from it by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Dice:
    """A stream of choices determined by its seed."""

    def __init__(self, seed: int) -> None:
        self._stream = np.random.PCG64(seed)

    def raw(self) -> int:
        """Sixty-four random bits."""
        return int(self._stream.random_raw())

    def below(self, bound: int) -> int:
        """An integer of [0, bound)."""
        return self.raw() % bound

    def between(self, low: int, high: int) -> int:
        """An integer of [low, high]."""
        return low + self.below(high - low + 1)

    def unit(self) -> float:
        """A float of [0, 1) with 53 random bits."""
        return (self.raw() >> 11) * 2.0**-53

    def uniform(self, low: float, high: float) -> float:
        """A float of [low, high); its digits are random, so nothing computed is likely to equal it."""
        return low + (high - low) * self.unit()

    def chance(self, probability: float) -> bool:
        return self.unit() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """An item, each as likely as its weight; one weight must be positive."""
        left = self.unit() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return next(item for item, weight in zip(items, weights, strict=True) if weight > 0)

    def recent(self, items: Sequence[T]) -> T:
        """An item, later ones more likely: chains of dependent values rather than flat programs."""
        return items[max(self.below(len(items)), self.below(len(items)))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(len(rest))]
