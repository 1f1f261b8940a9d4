"""Fit the damping and length of a pendulum to measurements: a gradient through a simulation with in-place writes."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp


@tp.jit
def swing(params: np.ndarray, steps: int, dt: float) -> np.ndarray:
    """Angles over time, by the midpoint rule."""
    damping, length = params[0], params[1]
    angles = np.empty(steps)
    angle, speed = 1.0, 0.0
    for i in range(steps):
        angles[i] = angle
        middle_angle = angle + 0.5 * dt * speed
        middle_speed = speed + 0.5 * dt * (-damping * speed - 9.81 / length * np.sin(angle))
        angle += dt * middle_speed
        speed += dt * (-damping * middle_speed - 9.81 / length * np.sin(middle_angle))
    return angles


def main() -> None:
    steps, dt, truth = 400, 0.01, np.array([0.3, 1.2])
    measured = swing(truth, steps, dt) + 0.01 * np.random.default_rng(0).normal(size=steps)

    def misfit(params):
        return swing(params, steps, dt) - measured

    jacobian = tp.jacobian(misfit)  # 2 inputs, 400 results: forward mode
    params = np.array([0.1, 1.0])
    for _ in range(12):  # Gauss-Newton
        residual, slope = misfit(params), jacobian(params)
        params = params - np.linalg.solve(slope.T @ slope, slope.T @ residual)
    print(f"damping {params[0]:.3f} (true {truth[0]}), length {params[1]:.3f} (true {truth[1]})")
    curves("pendulum_fit", np.arange(steps) * dt, measured=measured, fitted=swing(params, steps, dt))
    assert np.abs(params - truth).max() < 0.02


if __name__ == "__main__":
    main()
