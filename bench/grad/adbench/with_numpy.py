"""The mixture model's gradient derived by hand, in NumPy over BLAS: the fastest known version of these rows."""

from __future__ import annotations

import numpy as np
from bench.grad.harness import Calls


def gmm(alphas, means, packed, points, gamma, wishart) -> Calls:
    (n, d), clusters = points.shape, len(alphas)
    column, row = np.triu_indices(d, 1)
    diagonal_at = np.arange(d)

    def factors():
        lower = np.zeros((clusters, d, d))
        lower[:, row, column] = packed[:, d:]
        lower[:, diagonal_at, diagonal_at] = np.exp(packed[:, :d])
        return lower

    def derivative():
        lower = factors()
        terms, entries = np.empty((n, clusters)), np.empty((clusters, n, d))
        offset = alphas + packed[:, :d].sum(1)
        for k in range(clusters):
            np.matmul(points - means[k], lower[k].T, out=entries[k])
            terms[:, k] = offset[k] - 0.5 * np.einsum("ij,ij->i", entries[k], entries[k])
        terms -= terms.max(1, keepdims=True)
        weights = np.exp(terms, out=terms)
        weights /= weights.sum(1, keepdims=True)
        counts, shares = weights.sum(0), np.exp(alphas - alphas.max())
        means_adj, packed_adj = np.empty_like(means), np.empty_like(packed)
        for k in range(clusters):
            pulled = weights[:, k, None] * entries[k]
            means_adj[k] = pulled.sum(0) @ lower[k]
            lower_adj = gamma**2 * lower[k] - pulled.T @ (points - means[k])
            packed_adj[k, :d] = (
                lower_adj[diagonal_at, diagonal_at] * lower[k, diagonal_at, diagonal_at] + counts[k] - wishart
            )
            packed_adj[k, d:] = lower_adj[row, column]
        return counts - n * shares / shares.sum(), means_adj, packed_adj

    return Calls(derivative)
