"""The items of the multipole program for peers of whole-array operations: all (lookup, nuclide, pole) in one list."""

from __future__ import annotations

import numpy as np

BLOCKS = 64


def pole_items(
    angular, windows, starts, nuclides, concentrations, sizes, materials, energies
) -> tuple[list[np.ndarray], float]:
    """Energy, nuclide, pole, angular number and amount of each item, in blocks; what all items have in common is a sum.

    That sum is of total + absorption + fission + 2 (total - absorption) of the windows.
    """
    pairs = sizes[materials]
    lookup = np.repeat(np.arange(len(materials)), pairs)
    slot = np.arange(len(lookup)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    nuclide, amount = nuclides[materials[lookup], slot], concentrations[materials[lookup], slot]
    energy = energies[lookup]
    window = np.minimum((energy * windows.shape[1]).astype(np.int64), windows.shape[1] - 1)
    first, last = starts[nuclide, window], starts[nuclide, window + 1]
    count = last - first
    pair = np.repeat(np.arange(len(lookup)), count)
    pole = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count) + first[pair]
    items = (energy[pair], nuclide[pair], pole, angular[nuclide[pair], pole], amount[pair])
    padding = -len(pair) % BLOCKS
    background = float(np.sum(amount * energy * (windows[nuclide, window] @ [3.0, -1.0, 1.0])))
    return [np.pad(x, (0, padding)).reshape(BLOCKS, -1) for x in items], background
