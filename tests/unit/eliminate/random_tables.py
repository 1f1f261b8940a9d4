"""Random graphs of scalars, as the `work` model sees them: edges are constant (kind 1) or vary (kind 2)."""

from __future__ import annotations

import numpy as np

from tapeless.eliminate.tables import FREE, Tables

PRODUCT = np.array([[0, 0, 0], [0, 1, 2], [0, 2, 2]], np.int16)
PLUS = np.array([[0, 1, 2], [1, 1, 2], [2, 2, 2]], np.int16)
FLAGS = np.array([[FREE] * 3, [FREE] * 3, [FREE, FREE, 0]], np.int16)


def random_tables(seed: int, most: int = 6) -> Tables:
    """A graph of at most so many intermediates."""
    dice = np.random.default_rng(seed)
    inputs, inner, outputs = (int(n) for n in (dice.integers(1, 4), dice.integers(1, most + 1), dice.integers(1, 4)))
    count = inputs + inner + outputs
    kind = np.zeros((count, count), np.int16)
    constant = dice.random() * 0.6
    for target in range(inputs, count):
        sources = min(target, inputs + inner)
        for source in dice.choice(sources, min(sources, int(dice.integers(1, 4))), replace=False):
            kind[source, target] = 1 if dice.random() < constant else 2
    extents = np.ones((count, 1), np.int64)
    return Tables(kind, PRODUCT, PLUS, FLAGS, extents, inputs, tuple(range(inputs + inner, count)))
