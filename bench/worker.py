"""Time one peer on one problem in this process, and print one JSON line.

The first call is timed apart (it compiles). Then runs are repeated for about a second and a half; the figure is
the median of wall time. Called by `run.py` with the process pinned to as many cores as threads.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from problems import PROBLEMS

SECONDS = float(os.environ.get("TAPELESS_BENCH_SECONDS", "1.5"))


def call_of(peer: str, problem: str):
    """The peer's program on its arguments, as a function of no arguments; results complete on return."""
    arguments = PROBLEMS[problem]()
    module = importlib.import_module(f"with_{peer}")
    if peer == "c":
        return module.prepare(problem, arguments)
    function = getattr(module, problem)
    if peer == "jax":
        import jax

        arguments = module.prepare(problem, arguments)
        return lambda: jax.block_until_ready(function(*arguments))
    return lambda: function(*arguments)


def main(peer: str, problem: str, reference: Path) -> None:
    call = call_of(peer, problem)
    start = time.perf_counter()
    value = np.array(call(), dtype=np.float64)
    first = time.perf_counter() - start
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    while len(times) < 5 or (time.perf_counter() < until and len(times) < 2000):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    if not reference.exists():
        np.save(reference, value)
    expected = np.load(reference)
    error = float(np.max(np.abs(value - expected)) / np.max(np.abs(expected)))
    print(
        json.dumps({"ms": statistics.median(times) * 1e3, "first_ms": first * 1e3, "runs": len(times), "error": error})
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
