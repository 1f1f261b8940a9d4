"""Nanoseconds per element of each elementary function: one thread, 4,096 elements, vectors as wide as the machine's.

    python tools/elementary_speed.py [name ...]

The best of many short samples of processor time, so that other jobs on the machine count little.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "unit" / "backend"))

from vector_jit import DTYPES, compiled

from tapeless.backend.elementary import FUNCTIONS
from tapeless.ir.types import F32, F64, DType

COUNT = 4096
ABOVE_ONE = ("acosh",)
WITHIN_ONE = ("asin", "acos", "atanh")
BINARY = ("pow", "atan2", "hypot", "floordiv", "mod")


def main(names: list[str]) -> None:
    print(f"{'function':10} {'f64 x 8':>8} {'f64 x 1':>8} {'f32 x 16':>8}   ns per element")
    for name in names or [name for name in FUNCTIONS if name != "ipow"]:
        figures = [measure(name, dtype, width) for dtype, width in ((F64, 8), (F64, 1), (F32, 16))]
        print(f"{name:10} {figures[0]:8.2f} {figures[1]:8.2f} {figures[2]:8.2f}", flush=True)


def measure(name: str, dtype: DType, width: int) -> float:
    """Nanoseconds per element."""
    inputs = [sample(name, k).astype(DTYPES[dtype.value]) for k in range(2 if name in BINARY else 1)]
    out = np.empty_like(inputs[0])
    kernel = compiled(name, (), (dtype,) * len(inputs), dtype, width)
    pointers = [array.ctypes.data for array in (out, *inputs)]
    return (best(kernel, pointers, COUNT) - best(kernel, pointers, width)) / (COUNT - width)


def best(kernel: Callable[..., None], pointers: list[int], count: int) -> float:
    """Nanoseconds of one call; the call itself is taken off by the difference of two counts."""
    found = float("inf")
    for _ in range(200):
        start = time.process_time_ns()
        for _ in range(4):
            kernel(*pointers, count)
        found = min(found, (time.process_time_ns() - start) / 4)
    return found


def sample(name: str, operand: int) -> np.ndarray:
    """Ordinary arguments of the function."""
    rng = np.random.default_rng(operand)
    if name in WITHIN_ONE:
        return rng.uniform(-0.99, 0.99, COUNT)
    if name in ABOVE_ONE:
        return rng.uniform(1.0, 20.0, COUNT)
    if name in ("sin", "cos", "tan", "tanh", "sinh", "cosh", "exp", "expm1", "exp2", "erf", "atan", "asinh"):
        return rng.uniform(-10.0, 10.0, COUNT)
    return rng.uniform(0.01, 10.0, COUNT)


if __name__ == "__main__":
    main(sys.argv[1:])
