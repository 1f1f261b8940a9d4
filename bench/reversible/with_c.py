"""Objectives and gradients by hand in C, through ctypes.

Output arrays are allocated once, which favours C; a call through ctypes takes about a microsecond, which does not.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
from bench.grad.eight.with_c import bundle as _bundle
from bench.grad.harness import Calls, as_arrays
from bench.reversible.problems import along


def _build() -> ctypes.CDLL:
    here = Path(__file__).parent
    library = here.parent / "out" / "reversible" / "libplain.so"
    library.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, here / "c" / "plain.c", "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


_library = _build()


def _calls(name: str, inputs: tuple, results: list[np.ndarray], arrays=as_arrays, last: tuple = ()) -> Calls:
    """The C functions `name` (inputs, `last`) and `name`_gradient (inputs, results)."""
    primal, gradient = getattr(_library, name), getattr(_library, f"{name}_gradient")
    primal.restype = gradient.restype = ctypes.c_double
    given, filled = [_as_c(x) for x in (*inputs, *last)], [_as_c(x) for x in (*inputs, *results)]
    calls = Calls(lambda: (gradient(*filled), *results), lambda: primal(*given), arrays)
    calls.derivative.keep_alive = inputs  # C sees only their addresses
    return calls


def _as_c(x):
    if x is None or isinstance(x, np.ndarray):
        return ctypes.c_void_p(None if x is None else x.ctypes.data)
    return ctypes.c_double(x) if isinstance(x, float) else ctypes.c_long(x)


def sparse_dot(a, a_rows, a_starts, b, b_rows, b_starts) -> Calls:
    inputs = (len(a_starts) - 1, a, a_rows, a_starts, b, b_rows, b_starts)
    return _calls("sparse_dot", inputs, [np.empty_like(a), np.empty_like(b)])


def matvec(data, vector, alpha, *rest) -> Calls:
    results = [np.empty_like(x) for x in (data, vector, alpha)]
    return _calls("matvec", (len(vector), data, vector, alpha, *rest), results)


def embedding(points, edges, others) -> Calls:
    sizes = (len(edges), len(others), points.shape[1])
    return _calls("embedding", (*sizes, points, edges, others), [np.empty_like(points)])


def mixture(alphas, means, packed, points, gamma, wishart) -> Calls:
    inputs = (*points.shape, len(alphas), alphas, means, packed, points, float(gamma), int(wishart))
    results = [np.empty_like(x) for x in (alphas, means, packed)]
    return _calls("mixture", inputs, results, lambda found: as_arrays(found[1:]))


def bundle(*arguments) -> Calls:
    """The blocks of the observations, not packed into a sparse matrix."""
    return _bundle(*arguments)


def bessel(z) -> Calls:
    return _calls("bessel", (len(z), z), [np.empty_like(z)])


def additions(*arguments) -> Calls:
    return _calls("additions", arguments, [np.empty(()), np.empty(())])


def lorenz(*arguments) -> Calls:
    return _calls("lorenz", arguments, [np.empty(3), np.empty(3)], last=(None,))


def acoustic(speed, sigma, tau, source, h, dt) -> Calls:
    inputs = (len(speed), len(source), speed, sigma, tau, source, h, dt)
    return _calls("acoustic", inputs, [np.empty_like(speed)], lambda found: along(found[0], tuple(found[1:])))


def flow(*arguments) -> Calls:
    *parameters, points = arguments
    return _calls("flow", (len(points), *parameters[0].shape, *arguments), [np.empty_like(p) for p in parameters])


def wave(u, *rest) -> Calls:
    results = [np.empty_like(u), np.empty_like(u)]
    return _calls("wave", (len(u), u, *rest), results, lambda found: along(found[0], tuple(found[1:])))
