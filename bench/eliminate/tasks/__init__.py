"""The ten published tasks: functions, their graphs in the published model, and the counts reported for them.

    task = TASKS["roe_flux_1d"]
    task.tables()                   what the search works on, in the published model
    task.graph(shared=True)         the graph of a scalar task, common sub-expressions shared (for the work model)
    task.function, task.arguments   for NumPy and Tapeless; `for_jax(task)` is the same function on jax.numpy

Graphs that no run of the function here gives (arrays; the tracing of another year) are stored in graphs/.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from sys import modules
from typing import Any

import numpy as np

from tapeless.eliminate.graph import Graph
from tapeless.eliminate.published import coded, published
from tapeless.eliminate.tables import Tables

from . import arrays, random_scalar, scalar
from .rebound import rebound
from .trace import trace

GRAPHS = Path(__file__).parent / "graphs"


@dataclass(frozen=True, slots=True)
class Counts:
    """Multiplications in the published model: of three orders, of the paper's best order, of the best known one.

    `forward`, `reverse` and `markowitz` are what the original code gives; for f, RoeFlux_3d and the encoder the paper's
    files state other numbers as well (12083 and 8859, 938, 51869).
    """

    forward: int
    reverse: int
    markowitz: int
    paper: int
    known: int


@dataclass(frozen=True, slots=True)
class Task:
    """A task; `function` is None where only the graph is known. `shapes` are those of the arguments, which are finite
    between 0.5 and 1, shifted by `offsets`."""

    name: str
    function: Callable[..., Any] | None
    shapes: tuple[tuple[int, ...], ...]
    counts: Counts
    stored: bool = False
    offsets: tuple[float, ...] = ()

    def arguments(self, seed: int = 0) -> list[Any]:
        """Arguments at which the function is finite."""
        draw = np.random.default_rng(seed)
        offsets = self.offsets or (0.0,) * len(self.shapes)
        draws = [draw.uniform(0.5, 1.0, shape) + offset for shape, offset in zip(self.shapes, offsets, strict=True)]
        return [value if shape else float(value) for value, shape in zip(draws, self.shapes, strict=True)]

    def graph(self, *, shared: bool = False) -> Graph:
        """The graph of a scalar task that is not stored."""
        if self.function is None or self.stored:
            raise ValueError(f"{self.name} has a stored graph: see tables()")
        return trace(self.function, len(self.shapes), shared=shared)

    def tables(self) -> Tables:
        """The published model of the task."""
        if not self.stored:
            return published(self.graph())
        graph = json.loads((GRAPHS / f"{self.name}.json").read_text())
        shapes = [tuple(shape) for shape in graph["shapes"]]
        codes = {(source, target): code for source, target, code in graph["codes"]}
        return coded(graph["inputs"], shapes, tuple(graph["outputs"]), codes)


def for_jax(task: Task) -> Callable[..., Any]:
    """The function of a task on jax.numpy."""
    from jax import numpy
    from jax.scipy.special import erf

    if task.function is None:
        raise ValueError(f"only the graph of {task.name} is known")
    return rebound(modules[task.function.__module__], np=numpy, erf=erf)[task.function.__name__]


_NUMBER = ((),)
_FLUX = ((1,), (3,), (1,)) * 2
_FAST = (0.0, 2.0, 0.0) * 2  # with their heat ratio the sound speed is real where the flow is fast
_ENCODER = ((4, 4), (2, 4), *((4, 4),) * 7, (2, 4), (4,), (2, 1), (), (), (), ())
_PERCEPTRON = ((4,), (4,), (8, 4), (8,), (4, 8), (4,), (), ())

TASKS = {
    task.name: task
    for task in (
        Task("roe_flux_1d", scalar.roe_flux_1d, _NUMBER * 6, Counts(620, 364, 407, 320, 295), offsets=_FAST),
        Task("robot_arm_6dof", scalar.robot_arm_6dof, _NUMBER * 6, Counts(397, 301, 288, 231, 221)),
        Task("human_heart_dipole", scalar.human_heart_dipole, _NUMBER * 8, Counts(240, 172, 194, 148, 148)),
        Task("propane_combustion", scalar.propane_combustion, _NUMBER * 11, Counts(151, 90, 111, 88, 88)),
        Task("g", random_scalar.random_scalar, _NUMBER * 15, Counts(632, 566, 451, 416, 409)),
        Task("black_scholes", scalar.black_scholes, _NUMBER * 5, Counts(545, 572, 350, 307, 297), stored=True),
        Task("roe_flux_3d", arrays.roe_flux_3d, _FLUX, Counts(1556, 979, 956, 784, 639), stored=True, offsets=_FAST),
        Task("f", None, ((4,), (2, 3), (4, 4), (4, 1)), Counts(17728, 9333, 12257, 5884, 4948), stored=True),
        Task("perceptron", arrays.perceptron, _PERCEPTRON, Counts(10930, 392, 4796, 389, 388), stored=True),
        Task("encoder", arrays.encoder, _ENCODER, Counts(135010, 4688, 51896, 4656, 4332), stored=True),
    )
}
