"""What is timed: Jacobians of the tasks at many points at once, one stacked array [point, result, argument].

A peer is a module `with_PEER.py` with two functions:

    many(task, points, variant, threads)    everything prepared but the call: a `Call`
    one(task, point, variant)               trace, compile and run the Jacobian at one point, from nothing

For Black-Scholes the task is the Hessian of the price. A point of an array task is a row of all numbers in its
arguments; it is taken apart before the function is called, so that everybody differentiates by the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tasks import TASKS, Task

SCALARS = ("roe_flux_1d", "robot_arm_6dof", "human_heart_dipole", "propane_combustion", "g", "black_scholes")
ARRAYS = ("roe_flux_3d", "perceptron", "encoder")
TIMED = SCALARS + ARRAYS
BATCHES = (1, 512, 100_000)
MOST = 512  # points of an array task, each of which has a hundred numbers
DIFFERENT = 512  # larger batches repeat these points, so that one small reference checks them all
TOLERANCES = {"f64": 1e-9, "f32": 1e-3}
TYPES = {"f64": np.float64, "f32": np.float32}


@dataclass(frozen=True, slots=True)
class Call:
    """A Jacobian at prepared points: complete when `run` returns; `array` makes a NumPy array of what it returned."""

    run: Callable[[], Any]
    array: Callable[[Any], NDArray[Any]] = np.asarray


def is_hessian(task: Task) -> bool:
    """Is it the Hessian of the function that is wanted, not the Jacobian?"""
    return task.name == "black_scholes"


def points(name: str, batch: int, dtype: str) -> NDArray[Any]:
    """Arguments of a task, a row for each point; the same numbers in both types."""
    draws = (TASKS[name].arguments(seed) for seed in range(min(batch, DIFFERENT)))
    few = np.array([np.concatenate([np.ravel(value) for value in draw]) for draw in draws], np.float32)
    return np.resize(few, (batch, few.shape[1])).astype(TYPES[dtype])


def error(found: NDArray[Any], reference: NDArray[np.float64]) -> float:
    """The largest error by the largest entry of the reference; infinite where something is not finite."""
    if found.shape[1:] != reference.shape[1:]:
        return float("inf")
    scale, worst = np.max(np.abs(reference)), 0.0
    for begin in range(0, len(found), len(reference)):
        part = found[begin : begin + len(reference)]
        worst = max(worst, float(np.max(np.abs(part - reference[: len(part)])) / scale))
        if not np.isfinite(part).all():
            return float("inf")
    return worst
