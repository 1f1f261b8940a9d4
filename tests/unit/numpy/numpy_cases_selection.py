"""Calls that choose elements: positions, distinct elements, orders; exact sums, whole numbers, single precision."""

from __future__ import annotations

import builtins
import functools
import math
from collections.abc import Iterator

import numpy as np

from .numpy_data import (
    BOOLS,
    CUBE,
    EMPTY,
    INT_MATRIX,
    INTS,
    MATRIX,
    SINGLE,
    SMALL,
    SPECIAL,
    VECTOR,
    WITH_NAN,
    Case,
    case,
)
from .numpy_harness import Weak

REPEATED = np.array([3, 1, 3, 2, 1, 1])
ANGLES = np.array([0.0, 3.0, 6.0, 9.5, 1.0, 2.0, -5.0, np.pi, 2 * np.pi, np.pi])


def selection_cases() -> Iterator[Case]:
    """All of them."""
    yield from (
        *_positions(),
        *_sections(),
        *_distinct(),
        *_orders(),
        *_sums(),
        *_sequences(),
        *_whole_numbers(),
        *_single_precision(),
    )


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


def _sections() -> Iterator[Case]:
    rows, columns = MATRIX.shape
    yield case(np.split, MATRIX, rows)
    yield from (case(np.split, MATRIX, columns, axis=axis) for axis in (1, -1))
    yield from (case(np.split, CUBE, [1], axis=axis) for axis in (0, 1, 2, -3))
    yield from (case(np.split, VECTOR, places) for places in ((2, 3), [1, 40, 2], [-2]))
    yield from (case(np.array_split, VECTOR, parts) for parts in (1, 2, 3, 4, 30))
    yield from (case(np.array_split, MATRIX, 2, axis=axis) for axis in (0, 1))
    yield from (case(f, MATRIX, [1]) for f in (np.vsplit, np.hsplit))
    yield case(np.hsplit, VECTOR, 1)


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


def _whole_numbers() -> Iterator[Case]:
    for n, k in ((5, 2), (0, 0), (20, 10), (3, 5), (1, 1)):
        numbers = Weak(n), Weak(k)
        yield from (case(f, *numbers[:arity]) for f, arity in ((math.factorial, 1), (math.comb, 2), (math.perm, 2)))
    yield case(math.perm, Weak(5))
    yield from (case(math.comb, Weak(n), Weak(k)) for n, k in ((62, 31), (66, 33), (10**9, 2)))
    yield from (case(math.isqrt, Weak(n)) for n in (0, 1, 3, 4, 15, 16, 2**62, 2**63 - 1, 94906267**2 - 1))


def _single_precision() -> Iterator[Case]:
    """Where Python's numbers and counts could make wider or narrower what NumPy does not."""
    x, s, row = SINGLE[0], np.float32(0.7), np.array([0.5, np.nan, 2.0], np.float32)
    yield from (case(np.array, v) for v in ([s, 1.0], [s, 1], [s, True], [[s, 0.0], [1, 2]], [np.int32(3), 1], [s, s]))
    yield from (case(f, [s, 1.0]) for f in (np.max, np.sum, np.linalg.norm, np.mean))
    yield from (case(f, x, 2.0) for f in (np.dot, np.inner))
    yield from (case(np.arange, *v) for v in ((s,), (s, np.float32(3)), (0, s, 0.25), (np.int32(4),)))
    yield from (case(f, row) for f in (np.nanmean, np.nanvar, np.nanstd, np.nansum, np.nanmax))
    yield from (case(f, SINGLE) for f in (np.cov, np.corrcoef))
    yield from (case(f, VECTOR, INTS) for f in (np.cov, np.corrcoef))
    yield case(np.cov, VECTOR, SINGLE[0, :1].repeat(5), ddof=0)
    yield from (case(np.quantile, SINGLE, q) for q in (0.3, [0.1, 0.5], np.array([0.25])))
    yield from (case(np.percentile, MATRIX, [25, 50, 75], axis) for axis in (None, 0, 1))
    yield case(np.polyval, [1, 2.0], x)
    yield case(np.geomspace, s, 2, 3)
    yield from (case(f, x, [1.0, 2.0]) for f in (np.convolve, np.correlate))
    yield case(np.digitize, x, [0.2, 0.5])
    yield case(math.dist, (1.0, s), (2.0, 0.1))
    yield case(np.linalg.slogdet, MATRIX[:, :3])
    yield case(np.divide, VECTOR, INTS, out=np.zeros(5), where=INTS != 0)
    yield case(np.power, VECTOR, 2, out=np.ones(5), where=BOOLS)
