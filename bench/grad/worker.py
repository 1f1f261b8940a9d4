"""Prepare one peer on one problem, then time it whenever a line is read; every answer is a line of JSON.

    python -m bench.grad.worker SUITE PEER PROBLEM REFERENCE [--write]      SUITE is a package, such as bench.grad.eight

The derivative, or the primal program of a peer that has no derivative, is run once and compared with the reference
before anything is timed; a peer that disagrees is reported, not timed. The first call is timed apart, since it
compiles. Figures are medians of the process's own CPU time: the runner pins it to one core, and other work on the
machine must not count.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.grad.harness import Calls, as_arrays, disagreement

# For the calls of one kind in one turn.
SECONDS = float(os.environ.get("TAPELESS_BENCH_SECONDS", "0.3"))
# Reading the clock takes part of a microsecond, so short calls are timed together, for at least this long.
SHORTEST = 2e-4


def main(suite: str, peer: str, name: str, reference: Path, write: bool) -> None:
    problem = importlib.import_module(f"{suite}.problems").PROBLEMS[name]
    module = importlib.import_module(f"{suite}.with_{peer}")
    family = getattr(module, problem.family, None)
    if family is None:
        answer({"absent": True})
        return
    before = cpu_seconds()
    calls: Calls = family(*problem.make())
    kind, value = ("primal", calls.primal()) if calls.derivative is None else ("derivative", calls.derivative())
    first = cpu_seconds() - before
    arrays = as_arrays(value) if calls.derivative is None else calls.arrays(value)
    if write:
        save(reference, arrays, calls)
    with np.load(reference) as stored:
        error = disagreement(arrays, [stored[key] for key in stored.files if key.startswith(kind)])
    if error > problem.tolerance:
        answer({"wrong": error})
        return
    if calls.primal is not None:
        calls.primal()
    answer({"first_ms": first * 1e3, "error": error, **({"note": calls.note} if calls.note else {})})
    for _ in sys.stdin:
        figures = {} if calls.derivative is None else {"ms": median_ms(calls.derivative)}
        if calls.primal is not None:
            figures["primal_ms"] = median_ms(calls.primal)
        answer({**figures, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024})


def save(reference: Path, derivative: Sequence[np.ndarray], calls: Calls) -> None:
    """What the other peers must agree with."""
    primal = [] if calls.primal is None else as_arrays(calls.primal())
    kinds = (("derivative", derivative), ("primal", primal))
    np.savez(reference, **{f"{kind}_{k:03}": array for kind, arrays in kinds for k, array in enumerate(arrays)})


def answer(figures: dict[str, Any]) -> None:
    print(json.dumps(figures), flush=True)


def median_ms(call: Callable[[], Any]) -> float:
    """The median CPU time of as many calls as there is time for, at least one."""
    together = max(1, round(SHORTEST / max(seconds_of(call, 1), 1e-7)))
    times: list[float] = []
    until = time.perf_counter() + SECONDS
    while not times or time.perf_counter() < until:
        times.append(seconds_of(call, together) / together)
    return statistics.median(times) * 1e3


def seconds_of(call: Callable[[], Any], repeated: int) -> float:
    start = time.process_time()
    for _ in range(repeated):
        call()
    return time.process_time() - start


def cpu_seconds() -> float:
    """CPU time of this process and of the compilers that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), "--write" in sys.argv)
