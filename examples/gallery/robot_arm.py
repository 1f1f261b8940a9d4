"""Inverse kinematics of an arm with many joints: damped least squares with the Jacobian of a loop over the joints."""

from __future__ import annotations

import numpy as np

import tapeless as tp


@tp.jit
def hand(angles: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Where the hand is."""
    x = y = direction = 0.0
    for i in range(len(angles)):
        direction += angles[i]
        x += lengths[i] * np.cos(direction)
        y += lengths[i] * np.sin(direction)
    return np.array([x, y])


def main() -> None:
    lengths = np.array([1.0, 0.8, 0.6, 0.4, 0.2])
    jacobian = tp.jacobian(hand)  # 5 inputs, 2 results: reverse mode
    angles = np.full(5, 0.1)
    for target in (np.array([1.5, 1.5]), np.array([-1.0, 1.2]), np.array([0.3, -2.0])):
        for _ in range(100):
            miss = target - hand(angles, lengths)
            if np.hypot(*miss) < 1e-10:
                break
            j = jacobian(angles, lengths)
            angles = angles + j.T @ np.linalg.solve(j @ j.T + 0.01 * np.hypot(*miss) * np.eye(2), miss)
        print(f"{target}: angles {np.round(np.degrees(angles) % 360.0)}")
        assert np.hypot(*miss) < 1e-10


if __name__ == "__main__":
    main()
