"""Hit a target in orbit: the initial velocity by Newton's method on the Jacobian of a simulation."""

from __future__ import annotations

import numpy as np

import tapeless as tp


@tp.jit
def fly(velocity: np.ndarray, steps: int, time: float) -> np.ndarray:
    """Where a satellite starting at (1, 0) is after a time, by leapfrog steps around a unit mass."""
    dt = time / steps
    q, p = np.array([1.0, 0.0]), velocity
    for _ in range(steps):
        q = q + 0.5 * dt * p
        p = p - dt * q / np.sum(q * q) ** 1.5
        q = q + 0.5 * dt * p
    return q


def main() -> None:
    target, time, steps = np.array([-0.8, 0.9]), 2.5, 2000
    jacobian = tp.jacobian(fly)
    velocity = np.array([0.0, 1.0])
    for iteration in range(20):
        miss = fly(velocity, steps, time) - target
        print(f"iteration {iteration}: miss by {np.hypot(*miss):.2e}")
        if np.hypot(*miss) < 1e-12:
            break
        velocity = velocity - np.linalg.solve(jacobian(velocity, steps, time), miss)
    print(f"start with velocity {velocity}")
    assert np.hypot(*miss) < 1e-12


if __name__ == "__main__":
    main()
