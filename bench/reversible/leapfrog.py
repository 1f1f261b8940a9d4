"""How far a leapfrog of planets comes: errors forward, identity with the ordinary program, and what is left going back.

    python bench/reversible/leapfrog.py [--steps 4,64,1024,4096] [--long]

The Sun and nine planets, 0.01 years a step; the published table is that of arXiv 2003.04617. Errors are mean distances
to a run in long double. "Same": does the reversible function give the bits of the ordinary one? "Back": the largest
distance to the start after running backwards; for integers (multiples of 2^-40, to which rounded forces are added) it
is in units of the grid, and must be zero.
"""

from __future__ import annotations

import argparse

import numpy as np

import tapeless as tp

DT = 0.01
GRID = 2.0**40
PUBLISHED = {4: (6.10e-7, 6.79e-16), 4096: (4.4e-4, 8.6e-13), 2**20: (0.57, 4.35e-9)}
# Masses (of the Sun), semi-major axes (AU), eccentricities, inclinations (degrees); Mercury to Pluto.
PLANETS = np.array([
    (1.66e-7, 0.3871, 0.2056, 7.00), (2.448e-6, 0.7233, 0.0068, 3.39), (3.003e-6, 1.0000, 0.0167, 0.00),
    (3.227e-7, 1.5237, 0.0934, 1.85), (9.548e-4, 5.2028, 0.0484, 1.30), (2.859e-4, 9.5388, 0.0542, 2.49),
    (4.366e-5, 19.1914, 0.0472, 0.77), (5.151e-5, 30.0611, 0.0086, 1.77), (7.4e-9, 39.5294, 0.2488, 17.16),
])  # fmt: skip


def solar_system() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, velocities (AU, years) and masses times the constant of gravity; planets at their perihelia."""
    mass, axis, eccentricity, inclination = PLANETS.T
    sun = 4 * np.pi**2
    angle, tilt = 2.4 * np.arange(9), np.radians(inclination)
    distance = axis * (1 - eccentricity)
    speed = np.sqrt(sun / axis * (1 + eccentricity) / (1 - eccentricity))
    position = distance * np.array([np.cos(angle), np.sin(angle) * np.cos(tilt), np.sin(angle) * np.sin(tilt)])
    velocity = speed * np.array([-np.sin(angle), np.cos(angle) * np.cos(tilt), np.cos(angle) * np.sin(tilt)])
    heavy = sun * np.array([1.0, *mass])
    q, v = np.zeros((10, 3)), np.zeros((10, 3))
    q[1:], v[1:] = position.T, velocity.T
    v -= heavy @ v / heavy.sum()
    return q, v, heavy


def orbits(q, v, heavy, dt, steps):
    """Every body pulls every other one; velocities first, then positions."""
    for _ in range(steps):
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = q[j] - q[i]
                    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
                    v[i] += dt * heavy[j] / (square * np.sqrt(square)) * d
        q += dt * v


def orbits_on_grid(q, v, heavy, dt, steps):
    """The same with positions and velocities that are whole numbers: what is added is rounded first."""
    for _ in range(steps):
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = (q[j] - q[i]) / GRID
                    square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
                    v[i] += np.rint(GRID * dt * heavy[j] / (square * np.sqrt(square)) * d).astype(np.int64)
        q += np.rint(dt * v).astype(np.int64)


def long_double(q, v, heavy, steps):
    """The positions after the steps, by NumPy, all pairs at once."""
    q, v, heavy, dt = q.astype(np.longdouble), v.astype(np.longdouble), heavy.astype(np.longdouble), np.longdouble(DT)
    itself = np.eye(len(q), dtype=bool)
    for _ in range(steps):
        d = q[None] - q[:, None]
        square = np.sum(d * d, axis=2)
        square[itself] = 1
        v += dt * np.sum((heavy / (square * np.sqrt(square)))[:, :, None] * d, axis=1)
        q += dt * v
    return q


def measure(dtype: type, steps: int, exact: np.ndarray) -> tuple[float, bool, float]:
    """The error, whether reversible and ordinary program give the same bits, and the distance after going back."""
    q, v, heavy = (x.astype(dtype) for x in solar_system())
    dt = dtype(DT)
    start, plain_q, plain_v = q.copy(), q.copy(), v.copy()
    tp.jit(orbits)(plain_q, plain_v, heavy, dt, steps)
    reversible = tp.reversible(orbits)
    reversible(q, v, heavy, dt, steps)
    error = float(np.mean(np.sqrt(np.sum((q - exact) ** 2, axis=1))))
    same = bool(np.array_equal(q, plain_q) and np.array_equal(v, plain_v))
    (~reversible)(q, v, heavy, dt, steps)
    return error, same, float(np.max(np.abs(q - start)))


def measure_on_grid(steps: int, exact: np.ndarray) -> tuple[float, int]:
    """The error, and by how many grid points the start is missed after going back."""
    q, v, heavy = solar_system()
    q, v = (np.rint(GRID * x).astype(np.int64) for x in (q, v))
    start = q.copy(), v.copy()
    reversible = tp.reversible(orbits_on_grid)
    reversible(q, v, heavy, DT, steps)
    error = float(np.mean(np.sqrt(np.sum((q / GRID - exact) ** 2, axis=1))))
    (~reversible)(q, v, heavy, DT, steps)
    return error, int(max(np.max(np.abs(q - start[0])), np.max(np.abs(v - start[1]))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", default="4,64,1024,4096")
    parser.add_argument("--long", action="store_true", help="also 2^20 steps: minutes in long double")
    options = parser.parse_args()
    counts = [int(n) for n in options.steps.split(",")] + ([2**20] if options.long else [])
    print("| steps | f32 published | f32 | same | back | f64 published | f64 | same | back | integers | back |")
    print("| --- " * 11 + "|")
    for steps in counts:
        q, v, heavy = solar_system()
        exact = long_double(q, v, heavy, steps)
        cells = [str(steps)]
        for dtype, published in zip((np.float32, np.float64), PUBLISHED.get(steps, ("–", "–")), strict=True):
            error, same, back = measure(dtype, steps, exact)
            cells += [str(published), f"{error:.2e}", "yes" if same else "NO", f"{back:.2e}"]
        error, missed = measure_on_grid(steps, exact)
        print("| " + " | ".join([*cells, f"{error:.2e}", str(missed)]) + " |", flush=True)


if __name__ == "__main__":
    main()
