"""The published benchmarks of reversible automatic differentiation: inputs as defined, published times beside them.

| family | program | derivative | form |
|---|---|---|---|
| sparse_dot | sum of products of two sparse 1000 x 1000 matrices | value, gradient | both lists of values |
| matvec | complex sparse matrix times vector, density 0.05 | value, gradient | values, vector, factor as pairs |
| embedding, embedding_hessian | Petersen graph in k dimensions | gradient, Hessian | (10, k), (10, k, 10, k) |
| mixture | ADBench's mixture model, its own formula, 10000 points | gradient | as in `bench/grad/adbench` |
| bundle | ADBench's bundle adjustment | Jacobian | blocks (p, 2, 15) |
| bessel | J_2(1), for 4000 arguments | value, gradient | (4000,) |
| additions | 2^20 additions in a loop | value, gradient | two numbers |
| lorenz | Lorenz system, RK4, 10^4 steps | value, gradient | start, parameters |
| acoustic | sound with absorbing layers | value, gradient by squared speeds | along DIRECTIONS |
| flow | NICE with four coupling layers | value, gradient | four arrays of parameters |
| wave | wave equation | value, gradient by start and speeds | along DIRECTIONS |

The gradients of the last grids are compared along random directions only: that is what complex steps can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from bench.grad.adbench.problems import ba, gmm
from bench.grad.harness import Arguments, Problem

PEERS = ("c", "tapeless", "tapeless reversible", "tapeless states", "jax", "jax checkpoint")
REFERENCE = "numpy"
DIRECTIONS = 2
# States that may be kept at a time ("tapeless states").
STATES = 20

Seconds = float


@dataclass(frozen=True, slots=True)
class Measured(Problem):
    """A problem with the published times of an ordinary objective and of the reversible derivative.

    `items`: in how many equal parts the work may be divided, where times of one are published.
    """

    times: tuple[Seconds, Seconds] | None = None
    items: int = 1


def _compressed(rng: np.random.Generator, entries: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, rows and starts of a matrix in compressed columns, the places drawn without preference."""
    columns, rows = np.divmod(np.sort(rng.choice(size * size, entries, replace=False)), size)
    return rng.normal(size=entries), rows, np.searchsorted(columns, np.arange(size + 1))


def sparse_dot() -> Arguments:
    rng = np.random.default_rng(1)
    return *_compressed(rng, 50_000, 1000), *_compressed(rng, 50_000, 1000)


def matvec() -> Arguments:
    """Values, vector, factor and seed as pairs of numbers; rows and starts."""
    rng = np.random.default_rng(2)
    data, rows, starts = _compressed(rng, 50_000, 1000)
    pairs = (rng.normal(size=shape) for shape in ((len(data), 2), (1000, 2), 2, (1000, 2)))
    return *pairs, rows, starts


def embedding(dimensions: int) -> Arguments:
    """Ten points, the edges of the Petersen graph and all other pairs."""
    ring = np.arange(5)
    edges = np.stack([ring, ring + 5, ring, (ring + 1) % 5, ring + 5, (ring + 2) % 5 + 5]).reshape(3, 2, 5)
    edges = np.sort(edges.transpose(0, 2, 1).reshape(15, 2), axis=1)
    known = {(a, b) for a, b in edges.tolist()}
    others = np.array([(a, b) for a in range(10) for b in range(a + 1, 10) if (a, b) not in known])
    return np.random.default_rng(dimensions).normal(size=(10, dimensions)), edges, others


def bessel() -> Arguments:
    return (np.ones(4000),)


def additions() -> Arguments:
    return 1.0, 1.5, 2**20


def lorenz() -> Arguments:
    return np.array([1.0, 0.0, 0.0]), np.array([10.0, 27.0, 8.0 / 3.0]), 3e-3, 10_000


def acoustic(cells: int, steps: int) -> Arguments:
    """Squared speeds, damping along x and y, source, and the sizes of a cell and of a step."""
    h, layer, reflected, reference_speed = 20.0, 12 * 20.0, 0.2, 1000.0
    x = h * np.arange(cells + 2)
    depth = np.maximum(np.maximum(layer - x, x - (x[-1] - layer)), 0.0) / layer
    damping = reference_speed / layer * np.log(1 / reflected) * (depth - np.sin(2 * np.pi * depth) / (2 * np.pi))
    sigma = np.tile(damping[:, None], (1, cells + 2))
    # The published program counts the two states at rest among its steps.
    return np.full_like(sigma, 1000.0), sigma, sigma.T.copy(), ricker(100.0, 500.0, steps)[:-1], h, 0.05


def ricker(width: float, centre: float, steps: int) -> np.ndarray:
    """A wavelet, the first step being number 1."""
    t = (np.arange(1, steps + 1) - centre) / width
    return 2 / (np.sqrt(3 * width) * np.pi**0.25) * (1 - t * t) * np.exp(-t * t / 2)


def flow(points: int) -> Arguments:
    """Weights, offsets and output weights of four layers of ten, four offsets of outputs; points of a crescent."""
    rng = np.random.default_rng(4)
    layers = [0.3 * rng.normal(size=(4, 10)) for _ in range(3)]
    x = rng.normal(size=points)
    return *layers, 0.1 * rng.normal(size=4), np.stack([x, x * x + 0.3 * rng.normal(size=points)], axis=1)


def wave(cells: int, steps: int) -> Arguments:
    """A bump at rest, and squared Courant numbers that vary over the grid."""
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, cells)])
    courant = 0.25 + 0.1 * np.sin(3 * x) * np.cos(2 * y)
    return np.exp(-40 * (x * x + y * y)), np.zeros((cells, cells)), courant, steps


def directions(*arrays: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """The same random directions for every peer: one array for each that is differentiated by."""
    rng = np.random.default_rng(7)
    return [tuple(rng.normal(size=a.shape) for a in arrays) for _ in range(DIRECTIONS)]


def along(value: float, gradient: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """A value and the derivatives along `directions`."""
    found = [
        sum(float(np.sum(np.asarray(g) * d)) for g, d in zip(gradient, way, strict=True))
        for way in directions(*gradient)
    ]
    return [np.asarray(value, dtype=float), np.array(found)]


MICRO, MILLI = 1e-6, 1e-3
EMBEDDING = {  # dimensions: objective, gradient, Hessian
    2: (4.477, 15.09, 452.8), 4: (4.729, 16.90, 1025.0), 6: (4.959, 18.72, 1740.0),
    8: (5.196, 20.76, 2577.0), 10: (5.567, 22.66, 3558.0),
}  # fmt: skip
MIXTURE = {  # dimensions, clusters: objective, gradient
    (2, 5): (3.838e-3, 8.193e-3), (10, 5): (5.320e-3, 3.267e-2), (2, 200): (1.320e-1, 2.655e-1),
    (10, 50): (5.246e-2, 3.121e-1), (64, 5): (2.248e-2, 5.982e-1), (64, 10): (4.567e-2, 1.189),
    (64, 25): (1.132e-1, 3.094), (64, 200): (2.837, 27.41),
}  # fmt: skip
BUNDLE = {  # number: cameras, points, observations, objective, Jacobian
    1: (49, 7776, 31_843, 2.022e-3, 1.670e-2), 4: (372, 47_423, 204_472, 1.296e-2, 1.092e-1),
    7: (93, 61_203, 287_451, 1.817e-2, 1.548e-1), 10: (1197, 126_327, 563_734, 3.577e-2, 3.154e-1),
    13: (245, 198_739, 1_091_386, 6.955e-2, 6.483e-1),
}  # fmt: skip
# Cells along a side, steps. Two steps tell what the process needs anyway.
WAVES = ((300, 2), (300, 100), (1000, 2), (1000, 20), (1000, 100))


def _table() -> dict[str, Measured]:
    rows = {
        "sparse_dot": Measured("sparse_dot", sparse_dot, times=(3.493e-4, 4.675e-4 + 5.821e-4)),
        "matvec": Measured("matvec", matvec, times=(8.005e-5, 9.332e-5 + 2.214e-4)),
    }
    for k, (objective, gradient, hessian) in EMBEDDING.items():
        make, unit = partial(embedding, k), objective * MICRO
        rows[f"embedding_k{k}"] = Measured("embedding", make, times=(unit, gradient * MICRO))
        rows[f"embedding_hessian_k{k}"] = Measured("embedding_hessian", make, times=(unit, hessian * MICRO))
    for (d, k), times in MIXTURE.items():
        rows[f"mixture_d{d}_K{k}"] = Measured("mixture", partial(gmm, 10_000, d, k), times=times)
    for number, (*sizes, objective, jacobian) in BUNDLE.items():
        rows[f"bundle_{number}"] = Measured(
            "bundle", partial(ba, *sizes), times=(objective, jacobian), items=sizes[2], tolerance=1e-7
        )
    rows["bessel"] = Measured("bessel", bessel, times=(17.2e-9, 201e-9), items=4000)
    rows["additions"] = Measured("additions", additions, times=(0.953 * MILLI, 1.910 * MILLI))
    # Rounding grows a million times along this trajectory.
    rows["lorenz"] = Measured("lorenz", lorenz, times=(1.90 * MILLI, 6.70 * MILLI), tolerance=1e-7)
    # A single step of 1000 x 1000 cells.
    rows["acoustic"] = Measured("acoustic", partial(acoustic, 100, 2000), times=(47.9 * MILLI, 174.5 * MILLI))
    rows["flow"] = Measured("flow", partial(flow, 1000))
    for cells, steps in WAVES:
        rows[f"wave_{cells}x{steps}"] = Measured("wave", partial(wave, cells, steps))
    return rows


PROBLEMS = _table()
IN_TIME = {name for name, problem in PROBLEMS.items() if problem.family in ("acoustic", "wave")}
SKIPPED = {(peer, name) for peer in ("tapeless states", "jax checkpoint") for name in PROBLEMS if name not in IN_TIME}
# Their loops carry nothing from one round to the next: there is nothing to run backwards.
SKIPPED |= {("tapeless reversible", name) for name in PROBLEMS if name.startswith(("bundle", "embedding_hessian"))}
# Several gigabytes, or seconds for one gradient.
SLOW = {(peer, "mixture_d64_K200") for peer in PEERS} | {(peer, f"bundle_{n}") for peer in PEERS for n in (10, 13)}
