"""Calls that choose elements: positions, distinct elements, orders, and the exact sum."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Iterator

import numpy as np

from .numpy_data import BOOLS, CUBE, EMPTY, INT_MATRIX, INTS, MATRIX, SMALL, SPECIAL, VECTOR, WITH_NAN, Case, case

REPEATED = np.array([3, 1, 3, 2, 1, 1])
ANGLES = np.array([0.0, 3.0, 6.0, 9.5, 1.0, 2.0, -5.0, np.pi, 2 * np.pi, np.pi])


def selection_cases() -> Iterator[Case]:
    """All of them."""
    yield from (*_positions(), *_distinct(), *_orders(), *_sums(), *_sequences())


def _positions() -> Iterator[Case]:
    for x in (VECTOR, INTS, BOOLS, SPECIAL, EMPTY, MATRIX > 0, INT_MATRIX, np.round(CUBE)):
        yield from (case(f, x) for f in (np.flatnonzero, np.nonzero, np.argwhere, np.where, "nonzero"))
    yield case(np.ix_, INTS, BOOLS, REPEATED)
    yield case(np.ix_, [0, 2])
    yield from (case(np.rot90, MATRIX, k) for k in range(-1, 5))
    yield case(np.rot90, CUBE, 1, axes=(1, 2))
    yield from (case(np.geomspace, a, b, n) for a, b in ((1, 1000), (-2.0, -0.5)) for n in (0, 1, 4))
    yield case(np.geomspace, 1.0, 2.0, 3, endpoint=False)
    yield from (case(np.unwrap, x) for x in (ANGLES, ANGLES.reshape(2, 5), ANGLES.astype(int), EMPTY))
    yield from (case(np.unwrap, ANGLES, **o) for o in ({"period": 4.0}, {"discont": 5.0}))
    yield case(np.unwrap, ANGLES.reshape(2, 5), axis=0)


def _distinct() -> Iterator[Case]:
    for x in (REPEATED, REPEATED.astype(np.float32), SMALL, BOOLS, EMPTY, WITH_NAN, INT_MATRIX):
        yield case(np.unique, x)
        yield case(np.unique, x, return_index=True, return_inverse=True, return_counts=True)


def _orders() -> Iterator[Case]:
    yield case(np.lexsort, (VECTOR, INTS))
    yield case(np.lexsort, (INTS, INTS // 3, BOOLS))
    yield case(np.lexsort, INT_MATRIX)
    yield case(np.lexsort, (EMPTY, EMPTY))


def _sums() -> Iterator[Case]:
    for numbers in (
        [1e100, 1.0, -1e100], [0.1] * 10, [1.0, 2.0**-53, 2.0**-106], [-1.0, -(2.0**-53), -(2.0**-106)], [],
        [np.inf, 1.0], [np.nan, 1.0], [1e308, -1e308, 1.0], [2.0**k * (-1) ** (k % 3) for k in range(-900, 900, 31)],
    ):  # fmt: skip
        yield case(math.fsum, np.array(numbers))
    yield case(math.fsum, INTS)
    yield case(math.fsum, (1.5, 2.25, 4.0))


def _sequences() -> Iterator[Case]:
    for f in (builtins.min, builtins.max):
        yield from (case(f, x) for x in (SPECIAL, SPECIAL[::-1].copy(), WITH_NAN[0], SPECIAL[3:]))
    for x in ((2.5, 1.5), (np.float64(2.0), np.float64(-1.0), np.float64(0.5)), [3, 1, 2], (), (np.nan, 1.0)):
        yield from (case(builtins.sorted, x, reverse=r) for r in (False, True))
    yield case(functools.reduce, np.maximum, (VECTOR, INTS, VECTOR[::-1]))
    yield case(functools.reduce, np.add, [np.float64(1.0), 2.0], 3.0)
