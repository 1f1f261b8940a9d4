"""Hand-derived derivatives in C through ctypes; `TAPELESS_BENCH_VARIANT` chooses `plain` or `vector`.

Output arrays and trajectories are allocated once, which favours C. Primal times are those of the forward benchmark.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
from pathlib import Path

import numpy as np
from bench.grad.harness import Calls

VARIANT = os.environ.get("TAPELESS_BENCH_VARIANT", "plain")
os.environ["TAPELESS_BENCH_C"] = VARIANT
forward = importlib.import_module("bench.with_c")  # reads the variable
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-mprefer-vector-width=512", "-shared", "-fPIC"]


def _build() -> ctypes.CDLL:
    here = Path(__file__).parent
    library = here.parents[1] / "out" / f"libgrad_{VARIANT}.so"
    library.parent.mkdir(exist_ok=True)
    source = here / "c" / f"{VARIANT}.c"
    subprocess.run(["gcc", *FLAGS, "-o", library, source, "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(library))


_library = _build()


def _calls(name: str, sizes: tuple[int, ...], arguments: tuple, results: list[np.ndarray]) -> Calls:
    """The C function `name` on sizes, inputs and outputs, in that order."""
    function = getattr(_library, name)
    function.restype = None
    converted = [_as_c(x) for x in (*sizes, *arguments, *results)]

    def derivative() -> list[np.ndarray]:
        function(*converted)
        return results

    derivative.keep_alive = arguments  # C sees only their addresses
    return Calls(derivative, forward.prepare(name, arguments) if name != "kmeans_hvp" else None)


def _as_c(x):
    if isinstance(x, np.ndarray):
        return ctypes.c_void_p(x.ctypes.data)
    return ctypes.c_double(x) if isinstance(x, float) else ctypes.c_long(x)


def _sizes(plain: tuple[int, ...], vector: tuple[int, ...]) -> tuple[int, ...]:
    """The vector versions know the small dimensions."""
    return plain if VARIANT == "plain" else vector


def mixture(alphas, means, packed, points, gamma) -> Calls:
    results = [np.empty_like(alphas), np.empty_like(means), np.empty_like(packed)]
    sizes = _sizes((*points.shape, len(alphas)), (len(points),))
    return _calls("mixture", sizes, (alphas, means, packed, points, gamma), results)


def bundle(*arguments) -> Calls:
    count = len(arguments[2])
    return _calls("bundle", (count,), arguments, [np.empty((count, 2, 15))])


def burgers(start, *rest) -> Calls:
    return _calls("burgers", (len(start),), (start, *rest), [np.empty_like(start)])


def lotka_volterra(rates, *rest) -> Calls:
    return _calls("lotka_volterra", (), (rates, *rest), [np.empty(4)])


def csr(start, column, value, x) -> Calls:
    return _calls("csr", (len(x),), (start, column, value, x), [np.empty_like(value), np.empty_like(x)])


def kmeans(points, centres) -> Calls:
    sizes = _sizes((len(points), *centres.shape), (len(points),))
    return _calls("kmeans", sizes, (points, centres), [np.empty_like(centres)])


def kmeans_hvp(points, centres, direction) -> Calls:
    sizes = _sizes((len(points), *centres.shape), (len(points),))
    return _calls("kmeans_hvp", sizes, (points, centres, direction), [np.empty_like(centres)])


def arm(angles, table) -> Calls:
    return _calls("arm", (len(angles),), (angles, table), [np.empty((len(angles), 6, 6))])


def roe(left, *rest) -> Calls:
    return _calls("roe", (len(left),), (left, *rest), [np.empty((len(left), 3, 6))])
