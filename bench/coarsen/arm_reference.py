"""Derivatives of the arm without any compiler: complex steps, and extrapolated differences of these for the Hessian."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from bench.coarsen import arm_program
from bench.reversible.with_numpy import TINY

STEPS = tuple(2e-2 / 2**k for k in range(6))


def reference(kernel: str, points: np.ndarray) -> np.ndarray:
    """The derivative at each point, a row of `points`."""
    match kernel:
        case "cost gradient":
            return _first("cost", points)[:, 0]
        case "cost Hessian":
            return np.stack([_along(points, direction) for direction in np.eye(6)], axis=-1)
        case _:
            return _first(arm_program.KERNELS[kernel], points)


def _first(name: str, points: np.ndarray) -> np.ndarray:
    """[point, result, argument]: one complex step for each argument."""
    steps = np.moveaxis(points[:, None, :] + 1j * TINY * np.eye(6), -1, 0)
    found = getattr(arm_program, name)(*steps)
    results = found if isinstance(found, tuple) else (found,)
    return np.stack([np.broadcast_to(np.imag(r), steps.shape[1:]) / TINY for r in results], axis=1)


def _along(points: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """How the gradient changes along a direction, to twelve digits: Richardson's extrapolation."""
    gradient = [(_first("cost", points + h * direction) - _first("cost", points - h * direction))[:, 0] for h in STEPS]
    found = [difference / (2 * h) for difference, h in zip(gradient, STEPS, strict=True)]
    for order in range(1, len(STEPS)):
        found = [(4**order * fine - coarse) / (4**order - 1) for coarse, fine in pairwise(found)]
    return found[0]
