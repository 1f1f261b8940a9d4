"""How time and memory of a gradient grow with the size of the problem, over four decades.

    python bench/grad/scaling.py
    python bench/grad/scaling.py --programs loop --decades 3

Four programs: a loop over scalars, a loop nest that writes an array, a scan, and a stencil in time. Each size runs in
a process of its own. The exponents are least-squares slopes of the logarithms over the upper half of the sizes,
where constant costs no longer matter: 1 means linear. `n` counts elementary steps of the program. The last line is
a loop of a million steps under a memory limit of 64 MB.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITED_STEPS = 1_000_000


def loop(rate: float, steps: int) -> float:
    """A logistic map: one scalar carried through the loop."""
    x = 0.3
    for _ in range(steps):
        x = rate * x * (1 - x) + 0.01
    return x


def nest(x, rows: int) -> float:
    """Rows of an array filled one after the other in place, each element from two of the row before."""
    import numpy as np

    n = len(x)
    a = np.zeros((rows, n))
    a[0] = x
    for i in range(1, rows):
        for j in range(n):
            a[i, j] = 0.5 * a[i - 1, j] + 0.4 * np.sin(a[i - 1, (j + 1) % n])
    return np.sum(a * a)


def scan(x) -> float:
    """A linear recurrence with its own inputs as factors."""
    import numpy as np

    y = np.empty_like(x)
    carried = 1.0
    for i in range(len(x)):
        carried = 0.9 * carried * x[i] + x[i]
        y[i] = carried
    return np.sum(y * y)


def stencil(u, steps: int) -> float:
    """Diffusion with a nonlinear coefficient on a line."""
    import numpy as np

    for _ in range(steps):
        inner = u[1:-1] + 0.1 * u[1:-1] * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def arguments(program: str, n: int):
    """Inputs for about `n` elementary steps."""
    import numpy as np

    rng = np.random.default_rng(1)
    match program:
        case "loop":
            return 3.2, n
        case "nest":
            return rng.uniform(0.5, 1, 100), max(n // 100, 2)
        case "scan":
            return (rng.uniform(0.5, 1, n),)
        case _:
            return rng.uniform(0.5, 1, 1000), max(n // 1000, 1)


PROGRAMS = {f.__name__: f for f in (loop, nest, scan, stencil)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--decades", type=int, default=4)
    parser.add_argument("--first", type=int, default=1000, help="the smallest n")
    options = parser.parse_args()
    sizes = [round(options.first * 10 ** (k / 2)) for k in range(2 * options.decades + 1)]
    print("| program | n | gradient ms | primal ms | ratio | memory MB |\n|---|---|---|---|---|---|")
    exponents = []
    for program in options.programs.split(","):
        rows = [(n, measure(program, n)) for n in sizes]
        for n, row in rows:
            if "failed" in row:
                print(f"| {program} | {n} | failed: {row['failed']} | | | |")
                continue
            cells = f"{row['ms']:.3g} | {row['primal_ms']:.3g} | {row['ms'] / row['primal_ms']:.1f} | {row['mb']:.1f}"
            print(f"| {program} | {n} | {cells} |")
        upper = [(n, row) for n, row in rows[len(rows) // 2 :] if "ms" in row]
        growth = [(n, row["mb"]) for n, row in upper if row["mb"] > 0]
        exponents.append((program, slope([(n, row["ms"]) for n, row in upper]), slope(growth)))
    print("\n| program | exponent of time | exponent of memory |\n|---|---|---|")
    for program, by_time, by_memory in exponents:
        print(f"| {program} | {by_time:.2f} | {by_memory:.2f} |")
    print(f"\n{LIMITED_STEPS} steps of `loop` with memory='64MB': {measure('loop', LIMITED_STEPS, '64MB')}")


def slope(points: list[tuple[int, float]]) -> float:
    """The exponent of the power law through the points; NaN where there are fewer than two."""
    if len(points) < 2:
        return math.nan
    logs = [(math.log(n), math.log(value)) for n, value in points]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def measure(program: str, n: int, memory: str | None = None) -> dict:
    """One size in a process of its own."""
    environment = {**os.environ, "TAPELESS_THREADS": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
    command = [sys.executable, __file__, "--child", program, str(n), memory or ""]
    try:
        done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"failed": "over 300 s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:160]}
    return json.loads(done.stdout.splitlines()[-1])


def child(program: str, n: int, memory: str) -> None:
    """Print times, and by how much the first gradient raised the peak of memory after compiling at a small size."""
    import tapeless as tp

    function = tp.jit(PROGRAMS[program])
    gradient = tp.grad(PROGRAMS[program], memory=memory) if memory else tp.grad(PROGRAMS[program])
    gradient(*arguments(program, 1000))
    values = arguments(program, n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gradient(*values)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    function(*values)
    print(json.dumps({"ms": cpu_ms(gradient, values), "primal_ms": cpu_ms(function, values), "mb": grown}))


def cpu_ms(function, values) -> float:
    """The median over at least three calls and a fifth of a second."""
    times: list[float] = []
    until = time.perf_counter() + 0.2
    while len(times) < 3 or time.perf_counter() < until:
        start = time.process_time()
        function(*values)
        times.append(time.process_time() - start)
    return statistics.median(times) * 1e3


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main()
