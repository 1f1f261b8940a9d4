"""Spots that grow and divide: the Gray-Scott reaction, as plain loops under one decorator.

Run it with `make demo`. It prints the pattern, and the time of one step in plain Python, in NumPy and compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import tapeless as tp

FEED, KILL, SPREAD_U, SPREAD_V = 0.035, 0.065, 0.16, 0.08


def react(u: np.ndarray, v: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """`steps` explicit Euler steps on a torus, written as one would on paper."""
    rows, columns = u.shape
    for _ in range(steps):
        next_u, next_v = np.empty_like(u), np.empty_like(v)
        for i in range(rows):
            up, down = (i - 1) % rows, (i + 1) % rows
            for j in range(columns):
                left, right = (j - 1) % columns, (j + 1) % columns
                spread_u = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4.0 * u[i, j]
                spread_v = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4.0 * v[i, j]
                reaction = u[i, j] * v[i, j] ** 2
                next_u[i, j] = u[i, j] + SPREAD_U * spread_u - reaction + FEED * (1.0 - u[i, j])
                next_v[i, j] = v[i, j] + SPREAD_V * spread_v + reaction - (FEED + KILL) * v[i, j]
        u, v = next_u, next_v
    return u, v


def react_numpy(u: np.ndarray, v: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The same in vectorised NumPy."""

    def spread(a: np.ndarray) -> np.ndarray:
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4.0 * a

    for _ in range(steps):
        reaction = u * v**2
        u, v = (
            u + SPREAD_U * spread(u) - reaction + FEED * (1.0 - u),
            v + SPREAD_V * spread(v) + reaction - (FEED + KILL) * v,
        )
    return u, v


def start(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Quiet water with a few drops."""
    u, v = np.ones((rows, columns)), np.zeros((rows, columns))
    for i, j in ((rows // 2, columns // 2), (rows // 3, columns // 4), (2 * rows // 3, 3 * columns // 4)):
        u[i - 3 : i + 3, j - 3 : j + 3] = 0.5
        v[i - 3 : i + 3, j - 3 : j + 3] = 0.25
    return u, v


def picture(v: np.ndarray) -> str:
    """One character for two rows: dark water, bright spots."""
    shades = " .:-=+*#%@"
    levels = np.minimum((v[::2] / v.max() * len(shades)).astype(int), len(shades) - 1)
    return "\n".join("".join(shades[level] for level in row) for row in levels)


def seconds_a_step(function: Callable[..., object], steps: int, *fields: np.ndarray) -> float:
    begin = time.perf_counter()
    function(*fields, steps)
    return (time.perf_counter() - begin) / steps


def main() -> None:
    u, v = start(64, 120)
    compiled = tp.jit(react)
    begin = time.perf_counter()
    compiled(u, v, 0)
    first_call = time.perf_counter() - begin
    final_u, final_v = compiled(u, v, 4000)
    print(picture(final_v))
    python = seconds_a_step(react, 2, u, v)
    numpy = seconds_a_step(react_numpy, 400, u, v)
    ours = seconds_a_step(compiled, 4000, u, v)
    expected = react_numpy(u, v, 4000)
    error = max(np.max(np.abs(final_u - expected[0])), np.max(np.abs(final_v - expected[1])))
    print(f"\nGray-Scott on {u.shape[0]} x {u.shape[1]} cells, microseconds a step (first call {first_call:.2f} s):")
    for name, value in (("plain Python", python), ("NumPy", numpy), ("Tapeless", ours)):
        print(f"  {name:13s}{value * 1e6:12.1f}   {python / value:8.0f} x")
    print(f"largest difference from NumPy after 4000 steps: {error:.1e}")


if __name__ == "__main__":
    main()
