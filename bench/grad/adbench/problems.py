"""ADBench's four problems at its own sizes, with inputs drawn from the same distributions.

| family | function | derivative | form |
|---|---|---|---|
| gmm | log-posterior of a Gaussian mixture | gradient | alphas (K), means (K, d), packed factors (K, d (d + 1) / 2) |
| ba | reprojection errors of bundle adjustment | sparse Jacobian | blocks (p, 2, 15); Tapeless fills the CSR arrays |
| lstm | loss of a diagonal LSTM | gradient | main (l, 2, 4, 14), extra (3, 14) |
| hand_simple | distances of hand vertices to points | Jacobian | (n, 3, 26) |
| hand_full | the same, to points on triangles ("complicated") | Jacobian | (n, 3, 2) by own coordinates, (n, 3, 26) |

The mixture model is ADBench's own formula, known mistakes of its prior's sign included, so that the published rows
are times of the same function; the corrected one costs the same.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from bench.grad.adbench.published import published
from bench.grad.harness import Arguments, Problem

PEERS = ("c", "jax", "tapeless", "numpy", "torch")
REFERENCE = "jax"
SKIPPED: set[tuple[str, str]] = set()

BONES, JOINT_ANGLES, BITS = 22, 26, 14


def gmm(n: int, d: int, clusters: int) -> Arguments:
    """Alphas, means, packed inverse covariance factors, points, and the prior's gamma and m."""
    rng = np.random.default_rng(d + clusters)
    factors = rng.normal(size=(clusters, d * (d + 1) // 2))
    return rng.normal(size=clusters), rng.uniform(size=(clusters, d)), factors, rng.normal(size=(n, d)), 1.0, 0


def ba(cameras: int, points: int, observations: int) -> Arguments:
    """Cameras, points, weights, features; observation i sees camera i mod n and point i mod m."""
    rng = np.random.default_rng(observations)
    poses = [0.5 * rng.normal(size=(cameras, 3)), 0.3 * rng.normal(size=(cameras, 3))]
    lenses = [500 + 100 * rng.uniform(size=(cameras, 1)), 10 * rng.normal(size=(cameras, 2))]
    camera = np.concatenate([*poses, *lenses, 0.05 * rng.normal(size=(cameras, 2))], axis=1)
    index = np.arange(observations)
    return (
        camera,
        rng.normal(size=(points, 3)) + np.array([0, 0, 6.0]),
        rng.uniform(0.5, 1.5, size=observations),
        100 * rng.normal(size=(observations, 2)),
        index % cameras,
        index % points,
    )


def lstm(layers: int, characters: int) -> Arguments:
    """Main parameters (layer, weight or bias, gate, bit), extra parameters, initial state, sequence of bits."""
    rng = np.random.default_rng(layers * characters)
    sequence = rng.integers(0, 2, size=(characters, BITS)).astype(np.float64)
    main, extra = rng.uniform(-1, 1, size=(layers, 2, 4, BITS)), rng.uniform(-1, 1, size=(3, BITS))
    return main, extra, rng.uniform(-1, 1, size=(layers, 2, BITS)), sequence


def hand(vertices: int, count: int, with_triangles: bool) -> Arguments:
    """Angles; per bone parent, base and inverse transforms; per vertex weights and position; correspondences.

    Correspondences are a vertex for each point, or coordinates (n, 2) and the triangle's three vertices.
    """
    rng = np.random.default_rng(vertices + count)
    parents = np.array([-1, *(0 if bone % 4 == 1 else bone - 1 for bone in range(1, BONES))])
    base = np.tile(np.eye(4)[:3], (BONES, 1, 1))
    base[:, :, 3] = 0.3 * rng.normal(size=(BONES, 3))
    inverse = np.tile(np.eye(4)[:3], (BONES, 1, 1))
    inverse[:, :, 3] = 0.3 * rng.normal(size=(BONES, 3))
    weights = rng.uniform(size=(vertices, BONES)) * (rng.uniform(size=(vertices, BONES)) < 0.2)
    weights[:, 0] += 0.01
    weights /= weights.sum(1, keepdims=True)
    angles = 0.3 * rng.normal(size=JOINT_ANGLES)
    model = (angles, parents, base, inverse, weights, rng.normal(size=(vertices, 3)), rng.normal(size=(count, 3)))
    if with_triangles:
        return *model, rng.integers(0, vertices, size=(count, 3)), rng.uniform(0, 0.5, size=(count, 2))
    return *model, rng.integers(0, vertices, size=count)


def _table() -> dict[str, Problem]:
    rows = {}
    sizes = [(1, 10, 25), (1, 32, 50), (1, 64, 25), (1, 64, 200), (1, 128, 25), (1, 128, 200)]
    for thousands, d, k in [*sizes, (10, 10, 25), (10, 32, 200), (10, 64, 25), (10, 64, 200)]:
        rows[f"gmm_{thousands}k_d{d}_K{k}"] = ("gmm", partial(gmm, 1000 * thousands, d, k))
    rows["ba_1"] = ("ba", partial(ba, 49, 7776, 31843))
    rows["ba_5"] = ("ba", partial(ba, 257, 65132, 225911))
    for layers, characters in product((2, 4), (1024, 4096)):
        rows[f"lstm_l{layers}_c{characters}"] = ("lstm", partial(lstm, layers, characters))
    for kind, (size, vertices), count in product(("simple", "full"), (("small", 544), ("big", 10_000)), (100, 800)):
        rows[f"hand_{kind}_{size}_c{count}"] = (f"hand_{kind}", partial(hand, vertices, count, kind == "full"))
    return {name: Problem(family, make, published=published(name)) for name, (family, make) in rows.items()}


PROBLEMS = _table()
# A Python loop over characters on a tape.
SLOW = {("torch", name) for name in PROBLEMS if name.startswith("lstm") and name != "lstm_l2_c1024"}
