"""Objectives in plain C through ctypes, as the published tools compute them; derivatives by hand where there are any.

What a derivative costs in units of an objective depends on whose objective it is: ours runs in vector lanes, and that
of hand tracking moves only the vertices that are looked at. The published ratios are to programs of this kind. The
mixture model and bundle adjustment are those of the other suites, with their gradients by hand.
"""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
from bench.grad.harness import Calls
from bench.reversible import with_c as reversible

FLAGS = ["-O3", "-march=native", "-shared", "-fPIC"]


def _build() -> ctypes.CDLL:
    here = Path(__file__).parent
    library = here.parents[1] / "out" / "libadbench.so"
    library.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", *FLAGS, "-o", library, here / "c" / "objectives.c", "-lm"], check=True)
    return ctypes.CDLL(str(library))


_library = _build()
ba = reversible.bundle


def gmm(alphas, means, packed, points, gamma, wishart) -> Calls:
    return reversible.mixture(alphas, means, packed, points, gamma, wishart)


def lstm(main, extra, state, sequence) -> Calls:
    return _objective("lstm", (len(main), len(sequence)), (main, extra, state, sequence), None)


def hand_simple(*arguments) -> Calls:
    return _hand("hand_simple", arguments)


def hand_full(*arguments) -> Calls:
    return _hand("hand_full", arguments)


def _hand(name: str, arguments: tuple) -> Calls:
    positions, points = arguments[5:7]
    return _objective(name, (len(positions), len(points)), arguments, np.empty_like(points))


def _objective(name: str, sizes: tuple[int, ...], arguments: tuple, result: np.ndarray | None) -> Calls:
    """The C function `name` of sizes and arrays, which fills `result` or returns a number."""
    function = getattr(_library, name)
    function.restype = ctypes.c_double if result is None else None
    arrays = (*arguments, *(() if result is None else (result,)))
    given = [*map(ctypes.c_long, sizes), *(ctypes.c_void_p(x.ctypes.data) for x in arrays)]

    def objective():
        value = function(*given)
        return value if result is None else result

    objective.keep_alive = arguments  # C sees only their addresses
    return Calls(None, objective)
