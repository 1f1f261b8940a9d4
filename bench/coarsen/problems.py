"""Inputs of the coarsening benchmarks, three sizes each, and the published speed-ups beside them.

| family | program | gradient by | sizes |
|---|---|---|---|
| bgd | BGDHyperOpt | the learning rate | 200, 1000, 2000 records, 1000 rounds; 1000 records, 100 and 10000 rounds |
| brachistochrone | Brachistochrone | heights | 200, 400, 1000 points |
| spring | HookeanSpring | positions | 10, 20, 40 points: a strip of squares with both diagonals |
| hmc | HMC | coefficients | 100 x 1, 1000 x 2, 800 x 3 |
| cart_environment | CartPole, environment alone | state and actions | 6, 8, 10 steps |
| cart_policy | CartPole with policy 4-24-48-1 | three matrices | 6, 8, 10 steps |
| ragdoll | in the place of QWOP | amplitudes of muscles | 5, 9, 13 joints; 30, 60, 90 steps |

The paper gives neither data nor rates, meshes nor widths; these are ours. Every gradient comes with the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from bench.grad.harness import Arguments, Problem

PEERS = (
    "tapeless", "tapeless uncoarsened", "tapeless statements", "jax", "jax forward", "torch", "torch compile", "casadi",
    "casadi c",
)  # fmt: skip
REFERENCE = "numpy"
RATE, FAST = 1e-3, 0.1

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Measured(Problem):
    """A problem with the least and the most of the published speed-ups of differentiation by coarsening."""

    speedup: Span = (1.0, 1.0)


def bgd(records: int, steps: int, rate: float = RATE) -> Arguments:
    """A line through noise. The slow rate never ends early in 10000 rounds, the fast one after a hundred."""
    rng = np.random.default_rng(records)
    x = rng.uniform(0.0, 1.0, records)
    return rate, x, 3.0 * x + 0.1 * rng.normal(size=records), steps


def brachistochrone(points: int) -> Arguments:
    """The straight line; the two ends are fixed."""
    return np.linspace(1.0, 0.0, points)[1:-1].copy(), 4.0 / (points - 1)


def spring(points: int) -> Arguments:
    """Two rows of points, squares of side 0.5 with both diagonals, out of rest by some noise."""
    columns = points // 2
    index = np.arange(points).reshape(2, columns)
    pairs = [(index[r, c], index[r, c + 1]) for r in range(2) for c in range(columns - 1)]
    pairs += [(index[0, c], index[1, c]) for c in range(columns)]
    pairs += [(index[r, c], index[1 - r, c + 1]) for r in range(2) for c in range(columns - 1)]
    edges = np.array(pairs)
    rest = 0.5 * np.stack(np.meshgrid(np.arange(columns), np.arange(2)), axis=-1).reshape(points, 2)
    lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    return rest + 0.05 * np.random.default_rng(points).normal(size=rest.shape), edges, lengths, 600.0


def hmc(records: int, features: int) -> Arguments:
    rng = np.random.default_rng(records)
    x = rng.normal(size=(records, features))
    x[0] *= 60.0  # one record for the other branch
    true = np.linspace(1.0, -1.0, features) if features > 1 else np.ones(1)
    y = (rng.uniform(size=records) < 1 / (1 + np.exp(-x @ true))).astype(float)
    beta = true + 0.1 * rng.normal(size=features)
    x[0] *= -np.sign(x[0] @ beta) * max(1.0, 100.0 / abs(x[0] @ beta))
    return beta, x, y


def cart_environment(steps: int) -> Arguments:
    rng = np.random.default_rng(steps)
    return np.array([0.02, -0.03, 0.04, 0.05]), np.sign(rng.normal(size=steps))


def cart_policy(steps: int) -> Arguments:
    """Three matrices and the state to start from."""
    rng = np.random.default_rng(steps)
    layers = [rng.normal(size=shape) / np.sqrt(shape[0]) for shape in ((4, 24), (24, 48), (48,))]
    return *layers, np.array([0.02, -0.03, 0.04, 0.05]), steps


def ragdoll(joints: int, steps: int) -> Arguments:
    """Amplitudes, joints, bones with lengths, muscles with lengths: a trunk and limbs of two bones each."""
    rng = np.random.default_rng(joints)
    limbs = (joints - 1) // 2
    points, bones, muscles = [(0.0, 0.9)], [], []
    for limb in range(limbs):
        side = 0.35 * (limb - (limbs - 1) / 2)
        points += [(side, 0.5), (1.3 * side + 0.05, 0.01)]
        knee, foot = 2 * limb + 1, 2 * limb + 2
        bones += [(0, knee), (knee, foot)]
        muscles += [(0, foot), (knee, 2 * ((limb + 1) % limbs) + 1)]
    places = np.array(points) + 0.01 * rng.normal(size=(len(points), 2))
    bones, muscles = np.array(bones), np.array(muscles)
    lengths, rests = (np.linalg.norm(places[p[:, 0]] - places[p[:, 1]], axis=1) for p in (bones, muscles))
    return 0.1 * rng.uniform(0.5, 1.5, len(muscles)), places, bones, lengths, muscles, rests, steps


def _table() -> dict[str, Measured]:
    rows: dict[str, Measured] = {}

    def add(family: str, label: str, make, speedup: Span, tolerance: float = 1e-9) -> None:
        rows[f"{family}_{label}"] = Measured(family, make, tolerance, speedup=speedup)

    for records, steps in ((200, 1000), (1000, 1000), (2000, 1000), (1000, 100), (1000, 10_000)):
        add("bgd", f"{records}x{steps}", partial(bgd, records, steps), (23.0, 27.0), 1e-8)
    add("bgd", "1000x1000_ends", partial(bgd, 1000, 1000, FAST), (23.0, 27.0), 1e-8)
    for points in (200, 400, 1000):
        add("brachistochrone", f"{points}", partial(brachistochrone, points), (1.0, 1.4))
    for points in (10, 20, 40):
        add("spring", f"{points}", partial(spring, points), (2.5, 6.6))
    for records, features in ((100, 1), (1000, 2), (800, 3)):
        add("hmc", f"{records}x{features}", partial(hmc, records, features), (2.5, 4.4))
    for steps in (6, 8, 10):
        add("cart_environment", f"{steps}", partial(cart_environment, steps), (2.6, 3.2))
    for steps in (6, 8, 10):
        add("cart_policy", f"{steps}", partial(cart_policy, steps), (1.1, 1.1))
    for label, joints, steps in (("light", 5, 30), ("medium", 9, 60), ("heavy", 13, 90)):
        add("ragdoll", label, partial(ragdoll, joints, steps), (1.4, 1.5), 1e-8)
    return rows


PROBLEMS = _table()
# The derivative by one number is one forward sweep: only there is that mode worth a column.
SKIPPED = {("jax forward", name) for name in PROBLEMS if not name.startswith("bgd")}
# Graphs of many operations take minutes to compile, and a tape of a million entries as long to fill.
_LONG = {name for name in PROBLEMS if name.startswith(("ragdoll_medium", "ragdoll_heavy", "bgd_1000x10000"))}
_COMPILED = ("bgd_200x1000", "spring_10", "hmc_100x1", "cart_environment_6", "cart_policy_6")
SLOW = {(peer, name) for peer in ("torch", "casadi c") for name in _LONG}
SLOW |= {("torch compile", name) for name in PROBLEMS if name not in _COMPILED}
# Millions of rounds of the inner loop, which the interpreter takes minutes for.
UNCOUNTED = {name for name in PROBLEMS if name.startswith("bgd")} - {"bgd_200x1000", "bgd_1000x100"}
