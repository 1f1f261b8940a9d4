"""The eight programs of the benchmark: their inputs, the same for every peer.

Sizes and distributions follow the study of peers (docs/benchmarks.md). Each function returns the arguments in
the order in which every peer's version takes them. All numbers are float64 and indices int64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Arguments = tuple[np.ndarray | float | int, ...]


def mixture() -> Arguments:
    """Log-likelihood of a Gaussian mixture: alphas, means, packed inverse covariance factors, points, gamma."""
    rng = np.random.default_rng(1)
    points, dims, clusters = 1000, 32, 25
    diagonal = 0.3 * rng.normal(size=(clusters, dims))
    below = 0.1 * rng.normal(size=(clusters, dims * (dims - 1) // 2))
    return (
        rng.normal(size=clusters),
        rng.uniform(size=(clusters, dims)),
        np.concatenate([diagonal, below], axis=1),
        rng.uniform(size=(points, dims)),
        1.0,
    )


def bundle() -> Arguments:
    """Reprojection errors: cameras, points, weights, features, camera of each observation, point of each."""
    rng = np.random.default_rng(2)
    observations, cameras, points = 10_000, 50, 2000
    camera = np.concatenate(
        [
            0.5 * rng.normal(size=(cameras, 3)),  # rotation
            0.3 * rng.normal(size=(cameras, 3)),  # centre
            500 + 100 * rng.uniform(size=(cameras, 1)),  # focal length
            10 * rng.normal(size=(cameras, 2)),  # principal point
            0.05 * rng.normal(size=(cameras, 2)),  # radial distortion
        ],
        axis=1,
    )
    return (
        camera,
        rng.normal(size=(points, 3)) + np.array([0, 0, 6.0]),
        rng.uniform(0.5, 1.5, size=observations),
        100 * rng.normal(size=(observations, 2)),
        rng.integers(0, cameras, observations),
        rng.integers(0, points, observations),
    )


def burgers() -> Arguments:
    """Two-step Lax-Wendroff on a ring: initial state, target, Courant number, steps."""
    x = np.arange(1000) / 1000
    return 1 + 0.3 * np.sin(2 * np.pi * x), 1 + 0.2 * np.cos(2 * np.pi * x), 0.3, 1000


def lotka_volterra() -> Arguments:
    """Classical Runge-Kutta: four rates, step, number of steps."""
    return np.array([1.5, 1.0, 1.0, 3.0]), 1e-4, 100_000


def csr() -> Arguments:
    """Quadratic form of a sparse matrix: row starts, columns, values, vector."""
    rng = np.random.default_rng(5)
    rows = 100_000
    start = np.zeros(rows + 1, np.int64)
    start[1:] = np.cumsum(rng.integers(5, 16, rows))
    count = int(start[-1])
    return start, rng.integers(0, rows, count), rng.normal(size=count), rng.normal(size=rows)


def kmeans() -> Arguments:
    """Sum of squared distances to the nearest centre: points, centres."""
    rng = np.random.default_rng(6)
    return rng.normal(size=(100_000, 8)), rng.normal(size=(10, 8))


def arm() -> Arguments:
    """Tool position and axis of a six-joint arm: joint angles of many poses, link table (UR5)."""
    rng = np.random.default_rng(7)
    length = [0, -0.425, -0.39225, 0, 0, 0]
    offset = [0.089159, 0, 0, 0.10915, 0.09465, 0.0823]
    cos_twist, sin_twist = [0.0, 1, 1, 0, 0, 1], [1.0, 0, 0, 1, -1, 0]
    table = np.array([length, offset, cos_twist, sin_twist]).T.copy()
    return rng.uniform(-np.pi, np.pi, size=(100_000, 6)), table


def roe() -> Arguments:
    """Roe flux with entropy fix: left states, right states, ratio of specific heats, width of the fix."""
    rng = np.random.default_rng(8)
    count, gamma = 100_000, 1.4

    def states() -> np.ndarray:
        density, speed, pressure = rng.uniform(0.5, 2, count), 1.2 * rng.normal(size=count), rng.uniform(0.5, 2, count)
        return np.stack([density, density * speed, pressure / (gamma - 1) + 0.5 * density * speed**2], axis=1)

    return states(), states(), gamma, 0.2


PROBLEMS: dict[str, Callable[[], Arguments]] = {
    f.__name__: f for f in (mixture, bundle, burgers, lotka_volterra, csr, kmeans, arm, roe)
}
