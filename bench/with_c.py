"""The eight programs in C through ctypes; `TAPELESS_BENCH_C` chooses `plain` or `vector` (vector where it exists).

Output arrays are allocated once, which favours C. One thread only.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
OUT = HERE / "out"
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-shared", "-fPIC"]


def _build(name: str, *extra: str) -> ctypes.CDLL:
    OUT.mkdir(exist_ok=True)
    library = OUT / f"lib{name}.so"
    links = ["-lmvec", "-lm"] if name == "vector" else ["-lm"]
    subprocess.run(["gcc", *FLAGS, *extra, "-o", library, HERE / "c" / f"{name}.c", *links], check=True)
    return ctypes.CDLL(str(library))


_plain = _build("plain")
_vector = _build("vector", "-mprefer-vector-width=512") if os.environ.get("TAPELESS_BENCH_C") == "vector" else None
HAS_VECTOR = ("mixture", "bundle", "kmeans", "arm", "roe")


def _number(x):
    if isinstance(x, np.ndarray):
        return ctypes.c_void_p(x.ctypes.data)
    return ctypes.c_double(x) if isinstance(x, float) else ctypes.c_long(x)


def _call(name, plain_sizes, vector_sizes, arguments, result=None):
    """A function of no arguments that runs the C code; it returns a float, or fills `result`."""
    if _vector is not None and name in HAS_VECTOR:
        function, sizes = getattr(_vector, name + "_vector"), vector_sizes
    else:
        function, sizes = getattr(_plain, name), plain_sizes
    function.restype = ctypes.c_double if result is None else None
    converted = [_number(x) for x in (*sizes, *arguments)]
    if result is not None:
        converted.append(_number(result))

    def run():
        value = function(*converted)
        return value if result is None else result

    run.keep_alive = arguments  # C sees only their addresses

    return run


def prepare(problem, arguments):
    """The call as a function of no arguments."""
    first = arguments[0]
    n = len(first)
    match problem:
        case "mixture":
            points = arguments[3]
            return _call(problem, (*points.shape, n), (len(points),), arguments)
        case "bundle":
            count = len(arguments[2])
            return _call(problem, (count,), (count,), arguments, np.empty((count, 2)))
        case "burgers":
            return _call(problem, (n,), (), arguments)
        case "lotka_volterra":
            return _call(problem, (), (), arguments)
        case "csr":
            return _call(problem, (n - 1,), (), arguments)
        case "kmeans":
            return _call(problem, (n, *arguments[1].shape), (n,), arguments)
        case _:
            return _call(problem, (n,), (n,), arguments, np.empty_like(first))
