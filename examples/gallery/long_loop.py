"""A gradient through a million steps in little memory: states are computed again instead of being kept."""

from __future__ import annotations

import time

import numpy as np

import tapeless as tp


def drift(x: np.ndarray, steps: int) -> float:
    """A state of three numbers through many steps."""
    a, b, c = x[0], x[1], x[2]
    for _ in range(steps):
        a, b, c = a + 1e-6 * np.sin(b), b + 1e-6 * (c - a), c - 1e-6 * a * b
    return a * a + b * c


def main() -> None:
    x, steps = np.array([0.5, -0.3, 0.8]), 1_000_000
    answers = []
    for memory in (None, "1MB", tp.States(30)):
        gradient = tp.grad(drift, memory=memory)
        gradient(x, 10)
        begin = time.perf_counter()
        answers.append(gradient(x, steps))
        print(f"memory={memory}: {answers[-1]} in {(time.perf_counter() - begin) * 1e3:.0f} ms")
    print(gradient.explain())
    assert all(np.array_equal(answer, answers[0]) for answer in answers)


if __name__ == "__main__":
    main()
