"""The gradient of a Kalman filter by its four matrices, with small sizes known to the compiler and open.

    python bench/small_sizes.py

CPU seconds to the first gradient in a fresh process (the compiler is loaded, the cache is off), and microseconds for a
gradient of 40 steps, the least of many.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np

import tapeless as tp

SIZES = ((2, 1), (4, 2), (6, 3), (8, 8))
STEPS, REPEATS = 40, 300


def likelihood(a, h, q, r, measured):
    x, p, total = np.zeros(len(a)), np.eye(len(a)), 0.0
    for z in measured:
        x = a @ x
        p = a @ p @ a.T + q
        s = h @ p @ h.T + r
        y = z - h @ x
        gain = p @ h.T @ np.linalg.inv(s)
        total -= 0.5 * (y @ np.linalg.solve(s, y) + np.log(np.linalg.det(s)))
        x = x + gain @ y
        p = (np.eye(len(a)) - gain @ h) @ p
    return total


def measure(states: int, measurements: int) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    arguments = (
        np.eye(states) + 0.1 * rng.normal(size=(states, states)), rng.normal(size=(measurements, states)),
        0.1 * np.eye(states), 0.5 * np.eye(measurements), rng.normal(size=(STEPS, measurements)),
    )  # fmt: skip
    tp.grad(lambda x: x * x)(1.0)
    start = time.process_time()
    gradient = tp.grad(likelihood, (0, 1, 2, 3))
    gradient(*arguments)
    first, times = time.process_time() - start, list[float]()
    for _ in range(REPEATS):
        start = time.perf_counter()
        gradient(*arguments)
        times.append(time.perf_counter() - start)
    return first, min(times) * 1e6


def main() -> None:
    if sys.argv[1:]:
        way, states, measurements = sys.argv[1:]
        if way == "open":
            from tapeless.front import shared_sizes

            shared_sizes.SMALL = 0
        first, each = measure(int(states), int(measurements))
        print(f"| {states}, {measurements} | {way} | {first:.2f} | {each:.1f} |", flush=True)
        return
    print("| states, measurements | sizes | first gradient, s | gradient, us |\n|---|---|---|---|", flush=True)
    for sizes in SIZES:
        for way in ("open", "known"):
            command = [sys.executable, __file__, way, *map(str, sizes)]
            subprocess.run(command, env={**os.environ, "TAPELESS_CACHE": "off"}, check=True)


if __name__ == "__main__":
    main()
