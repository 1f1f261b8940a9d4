"""Colourings: right for every matrix, and few colours for patterns whose best is known."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from tapeless.ad.colouring import (
    colour_columns,
    colour_symmetric,
    fewest_columns,
    pattern_of,
    recover,
    recover_symmetric,
)
from tapeless.ad.recovery import plan_for


def pattern_from(dense):
    rows, columns = np.nonzero(dense)
    return pattern_of(rows, columns, dense.shape)


def banded(n, width):
    return pattern_from(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width)


def arrow(n):
    dense = np.eye(n, dtype=bool)
    dense[0] = dense[:, 0] = True
    return pattern_from(dense)


def grid(m):
    """Each cell and its four neighbours."""
    line = np.eye(m, k=1) + np.eye(m, k=-1)
    return pattern_from(np.kron(np.eye(m), line + np.eye(m)) + np.kron(line, np.eye(m)) != 0)


@pytest.mark.parametrize("width", [1, 2, 5])
def test_bands_need_as_many_colours_as_they_are_wide(width):
    assert colour_columns(banded(60, width)).count == 2 * width + 1


def test_an_arrow_needs_all_columns_but_two_colours_by_symmetry():
    assert colour_columns(arrow(30)).count == 30
    assert colour_symmetric(arrow(30)).count == 2


def test_a_grid():
    assert 5 <= colour_columns(grid(12)).count <= 8
    assert colour_symmetric(grid(12)).count <= 6


def test_a_dense_row_makes_rows_the_direction():
    dense = np.eye(20, dtype=bool)
    dense[3] = True
    plan = plan_for(pattern_from(dense), [20], [20], "auto")
    assert (plan.forward, plan.colouring.count) == (False, 2)


def test_the_direction_with_fewer_colours_is_taken():
    plan = plan_for(pattern_from(np.eye(20, dtype=bool) | (np.arange(20) == 4)), [20], [20], "auto")
    assert (plan.forward, plan.colouring.count) == (True, 2)


@pytest.mark.parametrize("seed", range(12))
def test_entries_are_recovered_by_columns(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 30, 2)
    dense = rng.normal(size=shape) * (rng.random(shape) < rng.choice([0.0, 0.1, 0.4, 1.0]))
    pattern = pattern_from(dense)
    colouring = colour_columns(pattern)
    assert colouring.count >= fewest_columns(pattern)
    assert np.array_equal(sweeps(dense, colouring).reshape(-1)[recover(pattern, colouring)], csr_array(dense).data)


@pytest.mark.parametrize("seed", range(12))
def test_entries_of_symmetric_matrices_are_recovered_by_stars(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    dense = rng.integers(1, 99, (n, n)) * (rng.random((n, n)) < rng.choice([0.02, 0.1, 0.5]))
    dense = (dense + dense.T).astype(float)
    pattern = pattern_from(dense)
    colouring = colour_symmetric(pattern)
    found = sweeps(dense, colouring).reshape(-1)[recover_symmetric(pattern, colouring)]
    assert np.array_equal(found, csr_array(dense).data)


@pytest.mark.parametrize("method", ["auto", "forward", "reverse"])
def test_blocks_of_several_leaves(method):
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(9, 7)) * (rng.random((9, 7)) < 0.3)
    plan = plan_for(pattern_from(dense), [4, 5], [1, 6], method)
    answer = sweeps(dense if plan.forward else dense.T, plan.colouring).reshape(-1)
    blocks = [
        [csr_array((answer[m.places], m.columns, m.starts), shape=m.shape).toarray() for m in r] for r in plan.blocks
    ]
    assert np.array_equal(np.block(blocks), dense)


def sweeps(dense, colouring):
    """What the sweeps along the colours answer."""
    return np.stack([dense @ (colouring.colours == colour) for colour in range(colouring.count)] or [[]])
