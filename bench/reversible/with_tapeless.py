"""The programs under `tp.value_and_grad`; `TAPELESS_BENCH_VARIANT` says what the return sweep may keep."""

from __future__ import annotations

import os

import bench.with_tapeless as forward
import numpy as np
from bench.grad.adbench.with_tapeless import _posterior, _sparse_jacobian
from bench.grad.harness import Calls, as_arrays
from bench.reversible import programs
from bench.reversible.problems import STATES, along

import tapeless as tp

MEMORY = {"plain": None, "reversible": "reversible", "states": tp.States(STATES)}[os.environ["TAPELESS_BENCH_VARIANT"]]


def _calls(program, argnums, arguments, arrays=None) -> Calls:
    """Value and gradient; the result as one flat list of arrays."""
    derivative, primal = tp.value_and_grad(program, argnums, memory=MEMORY), tp.jit(program)
    return Calls(
        lambda: derivative(*arguments),
        lambda: primal(*arguments),
        arrays or (lambda result: as_arrays([result[0], *_tuple(result[1])])),
        _backwards(derivative, arguments),
    )


def _tuple(gradient) -> tuple:
    return gradient if isinstance(gradient, tuple) else (gradient,)


def _backwards(derivative, arguments) -> str:
    """What became of the loops that were to run backwards."""
    if MEMORY != "reversible":
        return ""
    text = derivative.explain(*arguments)
    if "carries its derivatives" in text:
        return "carries derivatives"
    if "does not run backwards" in text:
        return "keeps"
    return "backwards" if "runs backwards" in text else "nothing to keep"


def sparse_dot(*arguments) -> Calls:
    return _calls(programs.sparse_dot, (0, 3), arguments)


def matvec(*arguments) -> Calls:
    return _calls(programs.matvec, (0, 1, 2), arguments)


def embedding(*arguments) -> Calls:
    return _calls(programs.embedding, 0, arguments)


def embedding_hessian(*arguments) -> Calls:
    hessian, primal = tp.hessian(programs.embedding), tp.jit(programs.embedding)
    return Calls(lambda: hessian(*arguments), lambda: primal(*arguments))


def mixture(*arguments) -> Calls:
    derivative = tp.grad(_posterior, (0, 1, 2), memory=MEMORY)
    return Calls(lambda: derivative(*arguments), lambda: _posterior(*arguments), note=_backwards(derivative, arguments))


def bundle(*arguments) -> Calls:
    """The arrays of a sparse matrix; what is compared are the blocks of the observations."""
    n = len(arguments[2])
    return Calls(
        lambda: _sparse_jacobian(*arguments),
        lambda: forward.bundle(*arguments),
        lambda result: [result[0][: 30 * n].reshape(n, 2, 15)],
    )


def bessel(*arguments) -> Calls:
    return _calls(programs.bessel, 0, arguments)


def additions(*arguments) -> Calls:
    """As a loop, like its peers: in closed form there would be nothing to measure."""
    return _calls(tp.jit(coarsen=False)(programs.additions), (0, 1), arguments)


def lorenz(*arguments) -> Calls:
    return _calls(programs.lorenz, (0, 1), arguments)


def acoustic(*arguments) -> Calls:
    return _calls(programs.acoustic, (0,), arguments, _along)


def flow(*arguments) -> Calls:
    return _calls(programs.flow, (0, 1, 2, 3), arguments)


def wave(u, v, courant, steps) -> Calls:
    """Few states are for loops that do not run backwards; this one would."""
    if isinstance(MEMORY, tp.States):
        return _calls(programs.damped_wave, (0, 2), (u, v, courant, 1.0, steps), _along)
    return _calls(programs.wave, (0, 2), (u, v, courant, steps), _along)


def _along(result) -> list[np.ndarray]:
    return along(*result)
