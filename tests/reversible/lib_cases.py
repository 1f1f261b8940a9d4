"""Every function of the library with arguments at which it has a derivative."""

import numpy as np
import scipy.sparse

from tapeless.reversible import lib

RNG = np.random.default_rng(6)


def normal(*shape):
    return RNG.normal(size=shape)


def random_matrix(rows, columns, density, seed):
    """A sparse matrix in compressed rows, with indices of 64 bits; most have empty rows."""
    found = scipy.sparse.random(rows, columns, density, format="csr", rng=np.random.default_rng(seed))
    found.sort_indices()
    return found


def parts(matrix):
    return matrix.data.copy(), matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)


A, B = random_matrix(6, 5, 0.3, 1), random_matrix(6, 5, 0.4, 2)

CASES = [
    (lib.csr_matvec, normal(6), *parts(A), normal(5)),
    (lib.csc_matvec, normal(5), *parts(A), normal(6)),
    (lib.csr_matmat, normal(6, 3), *parts(A), normal(5, 3)),
    (lib.csc_matmat, normal(5, 3), *parts(A), normal(6, 3)),
    (lib.sparse_dot, 0.5, *parts(A), *parts(B)),
    (lib.dot, 0.5, normal(5), normal(5)),
    (lib.squared_norm, 0.5, normal(5)),
    (lib.norm, 0.5, normal(5)),
    (lib.norm1, 0.5, normal(5)),
    (lib.norm_max, 0.5, normal(5)),
    (lib.logsumexp, 0.5, normal(5)),
    (lib.cross_entropy, 0.5, normal(5), np.array([0.1, 0.2, 0.3, 0.4, 0.0])),
    (lib.lower_matvec, normal(4), normal(4, 4), normal(4)),
    (lib.upper_matvec, normal(4), normal(4, 4), normal(4)),
    (lib.unit_lower_product, normal(4, 4), normal(4)),
    (lib.unit_upper_product, normal(4, 4), normal(4)),
    (lib.rotate, 0.3, -0.4, 2.5),
    (lib.qr, normal(5, 3), normal(3, 3), normal(5, 3)),
    (lib.fft, normal(8), normal(8)),
    (lib.bessel_j, 0.5, 2, 1.0),
    (lib.cumulative_sum, normal(4, 2)),
    (lib.cumulative_max, normal(5), normal(5)),
    (lib.sort, normal(5), np.zeros(5, np.int64), normal(5)),
    (lib.ranks, np.zeros(5, np.int64), normal(5)),
    (lib.permute, normal(5), np.array([3, 1, 1, 0, 2]), normal(5)),
]
