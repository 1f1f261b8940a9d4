"""A chain of springs that hangs from two nails: Newton's method without a matrix, by Hessian-vector products."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp


@tp.jit
def energy(heights: np.ndarray, stiffness: float) -> float:
    """Weight, and tension of links that pull when they are longer than their rest length."""
    n = len(heights) + 1
    total = 0.0
    for i in range(n):
        low = heights[i - 1] if i > 0 else 0.0
        high = heights[i] if i < n - 1 else 0.0
        length = np.sqrt((1.0 / n) ** 2 + (high - low) ** 2)
        total += 0.5 * (low + high) / n
        if length > 0.9 / n:
            total += 0.5 * stiffness * n * (length - 0.9 / n) ** 2
    return total


def conjugate_gradients(multiply, b: np.ndarray) -> np.ndarray:
    """The x with A x = b."""
    x, r, p = np.zeros_like(b), b, b
    for _ in range(2 * len(b)):
        q = multiply(p)
        a = (r @ r) / (p @ q)
        x, new = x + a * p, r - a * q
        if np.abs(new).max() < 1e-13:
            break
        p, r = new + (new @ new) / (r @ r) * p, new
    return x


def main() -> None:
    x, stiffness = np.linspace(0, 1, 51)[1:-1], 2.0
    heights, gradient = np.zeros(49), tp.grad(energy)
    for iteration in range(20):
        slope = gradient(heights, stiffness)
        print(f"iteration {iteration}: energy {energy(heights, stiffness):+.6f}, force {np.abs(slope).max():.1e}")
        if np.abs(slope).max() < 1e-10:
            break
        heights = heights - conjugate_gradients(
            lambda v, at=heights: tp.hvp(energy, (at, stiffness), (v, 0.0))[0], slope
        )
    curves("hanging_chain", x, height=heights)
    assert np.abs(slope).max() < 1e-10


if __name__ == "__main__":
    main()
