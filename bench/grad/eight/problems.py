"""The eight programs of the forward benchmark, as derivatives: what is differentiated, and in which form.

| name | derivative | form |
|---|---|---|
| mixture | gradient | alphas (25), means (25, 32), packed factors (25, 528) |
| bundle | Jacobian of each observation | (n, 2, 15): camera 11, point 3, weight 1 |
| burgers | gradient | initial state |
| lotka_volterra | gradient | four rates |
| csr | gradient | values, vector |
| kmeans | gradient | centres |
| kmeans_hvp | Hessian-vector product | centres |
| arm | Jacobian of each pose | (n, 6, 6) |
| roe | Jacobian of each face | (n, 3, 6): left state, right state |
"""

from __future__ import annotations

import numpy as np
from bench import problems as forward
from bench.grad.harness import Arguments, Problem

PEERS = ("c plain", "c vector", "tapeless", "jax", "torch", "torch compile", "casadi", "casadi c", "autograd", "numba")
REFERENCE = "c plain"
# More than a minute for each gradient: measured only with --slow.
SLOW = {("torch", "lotka_volterra"), ("torch compile", "lotka_volterra"), ("autograd", "lotka_volterra")}
# Nothing to gain over plain C by hand-made lanes.
SKIPPED = {("c vector", name) for name in ("burgers", "lotka_volterra", "csr")}


def kmeans_hvp() -> Arguments:
    """As kmeans, and a direction."""
    points, centres = forward.kmeans()
    return points, centres, np.random.default_rng(9).normal(size=(10, 8))


PROBLEMS = {name: Problem(name, make) for name, make in forward.PROBLEMS.items()}
PROBLEMS["kmeans_hvp"] = Problem("kmeans_hvp", kmeans_hvp)
