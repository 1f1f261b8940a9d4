"""Time one peer on one problem in this process, and print one JSON line.

    python -m bench.grad.worker SUITE PEER PROBLEM REFERENCE [--write]

The derivative is computed once and compared with the reference before anything is timed; a peer that disagrees is
reported, not timed. The first call is timed apart, since it compiles. Figures are medians of the process's own CPU
time: the runner pins it to one core, and other work on the machine must not count.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench.grad.harness import Calls, disagreement

SECONDS = float(os.environ.get("TAPELESS_BENCH_SECONDS", "1.5"))


def main(suite: str, peer: str, name: str, reference: Path, write: bool) -> None:
    problem = importlib.import_module(f"bench.grad.{suite}.problems").PROBLEMS[name]
    module = importlib.import_module(f"bench.grad.{suite}.with_{peer}")
    family = getattr(module, problem.family, None)
    if family is None:
        print(json.dumps({"absent": True}))
        return
    before = cpu_seconds()
    calls: Calls = family(*problem.make())
    value = calls.derivative()
    first = cpu_seconds() - before
    arrays = calls.arrays(value)
    if write:
        np.savez(reference, *arrays)
    with np.load(reference) as stored:
        error = disagreement(arrays, [stored[key] for key in stored.files])
    if error > problem.tolerance:
        print(json.dumps({"wrong": error}))
        return
    result = {"first_ms": first * 1e3, "error": error, **timing(calls.derivative, first)}
    if calls.primal is not None:
        calls.primal()
        result["primal_ms"] = timing(calls.primal, first)["ms"]
    result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def timing(call: Callable[[], Any], first: float) -> dict[str, float]:
    """The median CPU time of many calls; few calls of what already took long."""
    least = 1 if first > 20 else 5
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    while len(times) < least or (time.perf_counter() < until and len(times) < 2000):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return {"ms": statistics.median(times) * 1e3, "runs": len(times)}


def cpu_seconds() -> float:
    """CPU time of this process and of the compilers that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), "--write" in sys.argv)
