"""Where was the heat? The initial temperature of a rod, found from a later one by gradients through a simulation."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp


@tp.jit
def spread(u: np.ndarray, steps: int) -> np.ndarray:
    """Explicit steps of the heat equation, ends kept cold."""
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.4 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = new
    return u


def main() -> None:
    x = np.linspace(0.0, 1.0, 41)
    truth = np.exp(-((x - 0.3) ** 2) / 0.005)
    truth[0] = truth[-1] = 0.0
    measured = spread(truth, 60)

    def misfit(u):
        d = spread(u, 60) - measured
        return 0.5 * np.sum(d * d) + 1e-7 * np.sum((u[1:] - u[:-1]) ** 2)

    value_and_grad = tp.value_and_grad(misfit)
    guess, momentum = np.zeros(41), np.zeros(41)
    for _ in range(3000):
        value, slope = value_and_grad(guess)
        momentum = 0.9 * momentum - 0.5 * slope
        guess = guess + momentum
    print(f"misfit {value:.1e}; hottest at {x[guess.argmax()]:.2f}, truly at {x[truth.argmax()]:.2f}")
    curves("heat_source", x, truth=truth, measured=measured, found=guess)
    assert abs(x[guess.argmax()] - x[truth.argmax()]) < 0.03


if __name__ == "__main__":
    main()
