"""Parts of arrays whose sizes differ between iterations are not copied in lanes."""

import numpy as np

import tapeless as tp


@tp.jit
def upper(matrix):
    found = np.zeros_like(matrix)
    for i in range(matrix.shape[0]):
        row = np.zeros(matrix.shape[1])
        row[i:] = matrix[i, i:]
        found[i] = row
    return found


def test_rows_of_a_triangle():
    for n in (0, 1, 7, 13):
        matrix = np.random.default_rng(n).normal(size=(n, n))
        np.testing.assert_array_equal(upper(matrix), np.triu(matrix))
