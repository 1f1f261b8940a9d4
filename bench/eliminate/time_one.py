"""Time one peer on one task in this process; every finding is printed at once, as one JSON line.

    python time_one.py PEER TASK f64|f32 --batches 1,512 --seconds 0.5 --threads 1 --reference FILE [--write]

First the time from nothing to the Jacobian at one point (the same was done with another function before, so that
libraries are loaded). Then for each batch: the result is compared with the reference, and calls are repeated; the
figure is the median of wall time, and the best beside it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from setting import TOLERANCES, Call, error, points
from tasks import TASKS, Counts, Task

SAMPLE = 1e-3  # seconds: shorter calls are timed several at once
FEWEST = 3  # samples


def main() -> None:
    options = _options()
    tool, _, variant = options.peer.partition(" ")
    peer = importlib.import_module(f"with_{tool}")
    task = TASKS[options.task]
    print(json.dumps(first(lambda t, p: peer.one(t, p, variant), task, options.dtype)), flush=True)
    for batch in map(int, options.batches.split(",")):
        arguments = points(task.name, batch, options.dtype)
        call: Call = peer.many(task, arguments, variant, options.threads)
        found = call.array(call.run())
        if options.write and not options.reference.exists():
            np.save(options.reference, peer.many(task, points(task.name, 512, "f64"), variant, 1).run())
        wrong = error(found, np.load(options.reference))
        del found
        result = {"error": wrong} if wrong > TOLERANCES[options.dtype] else repeated(call.run, options.seconds)
        print(json.dumps({str(batch): {"error": wrong} | result}), flush=True)


def first(one: Callable[[Task, Any], Any], task: Task, dtype: str) -> dict[str, float]:
    """Milliseconds of wall and CPU time from nothing to the Jacobian at one point."""
    one(Task("small", _small, ((), ()), Counts(0, 0, 0, 0, 0)), points(task.name, 1, dtype)[0, :2])
    point = points(task.name, 1, dtype)[0]
    wall, cpu = time.perf_counter(), time.process_time()
    one(task, point)
    return {
        "first_ms": round(1e3 * (time.perf_counter() - wall), 2),
        "first_cpu_ms": round(1e3 * (time.process_time() - cpu), 2),
    }


def repeated(run: Callable[[], Any], seconds: float) -> dict[str, float]:
    """The time of one run, in milliseconds."""
    begin = time.perf_counter()
    run()
    count = max(1, round(SAMPLE / max(time.perf_counter() - begin, 1e-7)))
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < FEWEST or time.perf_counter() < end:
        begin = time.perf_counter()
        for _ in range(count):
            run()
        samples.append((time.perf_counter() - begin) / count)
    return {"ms": 1e3 * statistics.median(samples), "best_ms": 1e3 * min(samples)}


def _small(x: Any, y: Any) -> Any:
    return x * y, x + y


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("peer")
    parser.add_argument("task")
    parser.add_argument("dtype", choices=TOLERANCES)
    parser.add_argument("--batches", default="512")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="make the reference if there is none")
    return parser.parse_args()


if __name__ == "__main__":
    main()
