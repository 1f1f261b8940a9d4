"""The array-language set: programs from the literature on derivatives of nested data parallelism, for one core.

| family | function | derivative | number type |
|---|---|---|---|
| kmeans | sum of squared distances to the nearest centre | gradient and Hessian times ones: a Newton step | f32 |
| sparse_kmeans | the same for sparse points (CSR) | gradient and Hessian times ones | f32 |
| rsbench | multipole cross-section lookups | gradient by all pole data of a sum of all results | f64 |
| xsbench | tabulated cross-section lookups | gradient by the tables of the sum of all results | f64 |
| lbm | lattice Boltzmann D3Q19, lid-driven cavity | gradient by the initial state | f32 |
| lstm | LSTM with a linear layer, mean squared error | gradient by six parameter arrays | f32 |

Inputs are drawn from the published distributions and shapes. Lookups are one per cent of the published number, the
lattice does 10 of 100 steps, the sparse points are a tenth of MovieLens' rows; the k-means row D2 is a tenth too.
The lattice's result is half the sum of squares: the plain sum is conserved, so its gradient is one everywhere.
RSBench counts elastic cross sections twice, else absorption would cancel; its complex exponentials are exact
instead of approximated by squarings.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from bench.grad.arrays.lattice import WEIGHTS
from bench.grad.harness import Arguments, Problem

PEERS = ("jax", "tapeless", "torch", "numpy")
REFERENCE = "jax"
SKIPPED: set[tuple[str, str]] = set()

MATERIAL_SIZES = (34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9)
MATERIAL_SHARES = (0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.013)
NUCLIDES = 68


def kmeans(clusters: int, n: int, d: int) -> Arguments:
    """Points, and the last points in reverse as centres."""
    points = np.random.default_rng(n).uniform(size=(n, d)).astype(np.float32)
    return points, points[: -clusters - 1 : -1].copy()


def sparse_kmeans(n: int, d: int, density: float) -> Arguments:
    """Row starts, columns, values, and ten dense centres.

    Half of a row's columns belong to its own cluster, so that in single precision no two centres are equally near.
    """
    rng = np.random.default_rng(n)
    lengths = rng.poisson(density * d, n) + 1
    start = np.concatenate([[0], np.cumsum(lengths)])
    count = int(start[-1])
    cluster = np.repeat(rng.integers(0, 10, n), lengths)
    anywhere = rng.integers(0, 10, count)
    column = rng.integers(0, d // 10, count) * 10 + np.where(rng.uniform(size=count) < 0.5, cluster, anywhere)
    centres = rng.uniform(0.9, 1.1, size=(10, d)) * density
    centres += 10 * density * (np.arange(d) % 10 == np.arange(10)[:, None])
    return start, column, rng.uniform(0.5, 5, size=count).astype(np.float32), centres.astype(np.float32)


def _materials(rng: np.random.Generator, lookups: int) -> Arguments:
    """Nuclides and concentrations of 12 materials (padded with concentration 0), their counts, sampled materials."""
    nuclides, concentrations = np.zeros((12, 34), np.int64), np.zeros((12, 34))
    for material, size in enumerate(MATERIAL_SIZES):
        nuclides[material, :size] = rng.permutation(NUCLIDES)[:size]
        concentrations[material, :size] = rng.uniform(size=size)
    sampled = rng.choice(12, size=lookups, p=np.array(MATERIAL_SHARES) / sum(MATERIAL_SHARES))
    return nuclides, concentrations, np.array(MATERIAL_SIZES), sampled


def rsbench(lookups: int, poles: int = 1000, windows: int = 100) -> Arguments:
    """Poles (68, 1000, 8: real and imaginary part of EA, RT, RA, RF), their angular numbers, windows (68, 100, 3),
    window starts (68, 101), phase factors (68, 4), then materials and energies.

    Poles lie below the real axis, so that no exponential overflows.
    """
    rng = np.random.default_rng(42)
    table = rng.uniform(size=(NUCLIDES, poles, 8))
    table[:, :, :2] *= 152.5
    table[:, :, 1] *= -1
    inner = np.sort(rng.integers(0, poles, size=(NUCLIDES, windows - 1)), axis=1)
    ends = np.zeros((NUCLIDES, 1), np.int64)
    starts = np.concatenate([ends, inner, ends + poles], axis=1)
    angular, factors = rng.integers(0, 4, size=(NUCLIDES, poles)), rng.uniform(size=(NUCLIDES, 4))
    window = rng.uniform(size=(NUCLIDES, windows, 3))
    return table, angular, window, starts, factors, *_materials(rng, lookups), rng.uniform(size=lookups)


def xsbench(lookups: int, points: int = 11_303) -> Arguments:
    """Tables (68, 11303, 6: energy, five cross sections), union of energies, place of each in every table, then
    materials and energies of the lookups.
    """
    rng = np.random.default_rng(42)
    table = rng.uniform(size=(NUCLIDES, points, 6))
    table[:, :, 0].sort(axis=1)
    energies = table[:, :, 0].reshape(-1)
    order = np.argsort(energies, kind="stable")
    owner = order // points
    places = np.empty((len(order), NUCLIDES), np.int32)
    for nuclide in range(NUCLIDES):
        places[:, nuclide] = np.clip(np.cumsum(owner == nuclide) - 1, 0, points - 2)
    return table, energies[order], places, *_materials(rng, lookups), rng.uniform(size=lookups)


def lbm(steps: int, shape: tuple[int, int, int] = (150, 120, 120)) -> Arguments:
    """State (19, z, y, x), obstacles, accelerated cells, steps. The boundary is an obstacle, the lids move."""
    state = np.tile(np.array(WEIGHTS, np.float32)[:, None, None, None], (1, *shape))
    state *= 1 + 0.01 * np.random.default_rng(3).uniform(size=state.shape).astype(np.float32)
    obstacle = np.ones(shape, np.bool_)
    obstacle[1:-1, 1:-1, 1:-1] = False
    moving = np.zeros(shape, np.bool_)
    moving[[1, -2], 1:-1, 1:-1] = True
    return state, obstacle, moving, steps


def lstm(batch: int, length: int, inputs: int, hidden: int) -> Arguments:
    """Sequence, target, then weights and biases of input, recurrence and output."""
    rng = np.random.default_rng(5)

    def draw(*shape: int) -> np.ndarray:
        return (rng.uniform(-1, 1, size=shape) / np.sqrt(hidden)).astype(np.float32)

    series = (draw(length, batch, inputs), draw(length, batch, inputs))
    gates = (draw(4 * hidden, inputs), draw(4 * hidden, hidden), draw(4 * hidden), draw(4 * hidden))
    return *series, *gates, draw(inputs, hidden), draw(inputs)


# In single precision a point halfway between two centres may go either way; sums over half a million points differ.
LOOSE = 1e-2
PROBLEMS = {
    "kmeans_D0": Problem(
        "kmeans", partial(kmeans, 5, 494_019, 35), LOOSE, {"Futhark": (36.5, 58.22), "JAX": (19.85, 25.21)}
    ),
    "kmeans_D1": Problem(
        "kmeans", partial(kmeans, 1024, 10_000, 256), LOOSE, {"Futhark": (1765, 1823), "JAX": (59.65, 185.5)}
    ),
    "kmeans_D2": Problem("kmeans", partial(kmeans, 1024, 200_000, 10), LOOSE, {"Futhark": (797.8, 998.9)}),
    "sparse_kmeans": Problem("sparse_kmeans", partial(sparse_kmeans, 13_900, 131_000, 0.0011), LOOSE),
    "rsbench": Problem("rsbench", partial(rsbench, 102_000), published={"Futhark": (374.3, 1103)}),
    "xsbench": Problem("xsbench", partial(xsbench, 170_000), published={"Futhark": (253.7, 382.2)}),
    "lbm": Problem("lbm", partial(lbm, 10), 1e-4, {"Futhark": (1659, 5951)}),
    "lstm_D0": Problem("lstm", partial(lstm, 1024, 20, 300, 192), 1e-3),
    "lstm_D1": Problem("lstm", partial(lstm, 1024, 300, 80, 256), 1e-3),
}
SLOW = {(peer, "lstm_D1") for peer in PEERS}
