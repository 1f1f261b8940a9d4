"""Arrays are built where they will be written or joined, unless it is not yet known that they fit there."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def joined_with_zeros(x, count):
    a = np.sin(x)
    return np.concatenate((a, np.zeros(count)))


def joined_with_either(x, count, *, ones=False):
    a = np.sin(x)
    if ones:
        b = np.ones(count)
    else:
        b = np.zeros(count)
    return np.concatenate((a, b))


def below_a_matrix(x, matrix):
    return np.concatenate((matrix, np.outer(x, x)))


def into_the_rest(x, out):
    out[1:] = np.sin(x)
    return out


def pairs_and_more(x):
    pairs, more = np.empty((len(x), 2)), np.empty(len(x))
    for i in range(len(x)):
        pairs[i, 0], pairs[i, 1] = np.sin(x[i]), x[i]
        more[i] = 1.0 - x[i]
    return np.concatenate((pairs.reshape(-1), more))


X = np.linspace(0.0, 1.0, 300)


def test_what_is_joined_is_built_in_place():
    compiled = tp.jit(pairs_and_more)
    np.testing.assert_allclose(compiled(X), pairs_and_more(X), rtol=1e-14)
    assert "into place" in compiled.explain(X)


@pytest.mark.parametrize("count", [0, 5])
def test_sizes_that_are_checked_in_between(count):
    np.testing.assert_allclose(tp.jit(joined_with_zeros)(X, count), joined_with_zeros(X, count), rtol=1e-14)


@pytest.mark.parametrize("joined", [joined_with_zeros, joined_with_either])
@pytest.mark.parametrize("count", [-1, -299, -301, -(10**6)])
def test_a_size_that_is_wrong_is_told_before_anything_is_written(joined, count):
    with pytest.raises(ValueError, match="negative"):
        tp.jit(joined)(X, count)


@pytest.mark.parametrize("columns", [1, 3, 301])
def test_sizes_that_do_not_agree(columns):
    with pytest.raises(ValueError, match=r"agree|match|broadcast"):
        tp.jit(below_a_matrix)(X, np.ones((2, columns)))


@pytest.mark.parametrize("size", [2, 100, 302])
def test_nothing_is_written_beyond_a_part(size):
    around = np.zeros(2000)
    with pytest.raises(ValueError, match=r"agree|match|broadcast"):
        tp.jit(into_the_rest)(1.0 + X, around[500 : 500 + size])
    assert not around.any()
