"""Maps whose results are joined to other arrays are built where they will stand."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

IN_PLACE = "writes its results into place"


def pairs(x, y):
    """Two results of one loop, each in rows of another length, before and behind others."""
    n = len(x)
    rows, flags = np.empty((2 * n, 3)), np.empty((2 * n, 2), dtype=np.int64)
    for i in range(n):
        for k in range(2):
            rows[2 * i + k, 0] = x[i] * y[i]
            rows[2 * i + k, 1] = x[i] + k
            rows[2 * i + k, 2] = y[i]
            flags[2 * i + k, 0] = i
            flags[2 * i + k, 1] = k
    return np.concatenate((rows.reshape(6 * n), -y)), np.concatenate((np.arange(3), flags.reshape(4 * n), np.arange(n)))


def twice(x):
    """A part that is read elsewhere, too, and one that is joined to itself."""
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    z = np.concatenate((y, x))
    return np.concatenate((z, z)), y


def rows(x):
    """Whole rows, in two dimensions."""
    y = np.empty((len(x), 4))
    for i in range(len(x)):
        for j in range(4):
            y[i, j] = x[i] * j
    return np.concatenate((np.ones((2, 4)), y, y * 2.0))


def columns(x):
    y = np.empty((len(x), 2))
    for i in range(len(x)):
        y[i, 0] = x[i]
        y[i, 1] = -x[i]
    return np.concatenate((y, y), axis=1), np.concatenate((y.reshape(2 * len(x)), x))


def in_loops(x, steps):
    for _ in range(steps):
        y = np.empty(len(x))
        for i in range(len(x)):
            y[i] = 0.5 * x[i]
        x = np.concatenate((y[:2], x))[: len(x)]
    return x


def narrow(x):
    y = np.empty(2 * len(x), dtype=np.float32)
    for i in range(len(x)):
        y[2 * i] = x[i]
        y[2 * i + 1] = 2.0 * x[i]
    return np.concatenate((y, np.ones(1, dtype=np.float32)))


PROGRAMS = {
    pairs: lambda x: (x, x[::-1].copy()), twice: lambda x: (x,), rows: lambda x: (x,), columns: lambda x: (x,),
    in_loops: lambda x: (np.concatenate((x, np.ones(2))), 3), narrow: lambda x: (x,),
}  # fmt: skip


@pytest.mark.parametrize("size", [0, 1, 7, 8, 33, 5000])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function, size):
    arguments = PROGRAMS[function](np.random.default_rng(size).normal(size=size))
    compiled = tp.jit(function)
    for _ in range(2):  # what an earlier call left in memory does not matter
        found, expected = compiled(*arguments), function(*arguments)
        for x, y in zip(*((a if isinstance(a, tuple) else (a,)) for a in (found, expected)), strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, rtol=1e-6 if x.dtype == np.float32 else 1e-14)


@pytest.mark.parametrize(("function", "maps"), [(pairs, 1), (narrow, 1), (twice, 0)], ids=["pairs", "narrow", "twice"])
def test_what_is_built_in_place(function, maps):
    arguments = PROGRAMS[function](np.ones(40))
    assert tp.jit(function).explain(*arguments).count(IN_PLACE) == maps
