"""Planets run back to the start, bit for bit: whole numbers for places and velocities, floats for the forces."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp

GRID = 2.0**40  # units in an astronomical unit, and in one per year
SUN = 4 * np.pi**2  # its mass times the constant of gravity, in these units


@tp.reversible
def orbit(q: np.ndarray, v: np.ndarray, masses: np.ndarray, dt: float, steps: int) -> None:
    """Leapfrog steps; what is added is rounded to the grid, so that it can be taken away again exactly."""
    for _ in range(steps):
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = (q[j] - q[i]) / GRID
                    square = np.sum(d * d)
                    v[i] += np.rint(GRID * dt * masses[j] / (square * np.sqrt(square)) * d).astype(np.int64)
        q += np.rint(dt * v).astype(np.int64)


def start() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Sun, Venus, Earth, Mars and Jupiter on circles."""
    distances = np.array([0.72, 1.0, 1.52, 5.2])
    angles = np.array([0.3, 2.0, 4.1, 5.5])
    q, v = np.zeros((5, 2)), np.zeros((5, 2))
    q[1:] = (distances * np.array([np.cos(angles), np.sin(angles)])).T
    v[1:] = (np.sqrt(SUN / distances) * np.array([-np.sin(angles), np.cos(angles)])).T
    masses = SUN * np.array([1.0, 2.4e-6, 3.0e-6, 3.2e-7, 9.5e-4])
    v -= masses @ v / masses.sum()
    return np.rint(GRID * q).astype(np.int64), np.rint(GRID * v).astype(np.int64), masses


def main() -> None:
    q, v, masses = start()
    first = q.copy(), v.copy()
    path = []
    for _ in range(200):
        orbit(q, v, masses, 0.001, 500)
        path.append(q[4] / GRID)
    print(f"after a century the Earth is at {q[2] / GRID}, Jupiter at {path[-1]}")
    (~orbit)(q, v, masses, 0.001, 200 * 500)
    back = np.array_equal(q, first[0]) and np.array_equal(v, first[1])
    print(f"run backwards for a century: the same {q.nbytes + v.nbytes} bytes as at the start: {back}")
    jupiter = np.array(path)
    curves("planets_back", np.arange(200) / 2, jupiter_x=jupiter[:, 0], jupiter_y=jupiter[:, 1])
    assert back


if __name__ == "__main__":
    main()
