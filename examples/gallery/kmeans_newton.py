"""k-means by Newton's method: its cost is written with nested parallel operators, its Hessian is diagonal."""

from __future__ import annotations

import numpy as np

import tapeless as tp


@tp.jit
def cost(centres: np.ndarray, points: np.ndarray) -> float:
    """The sum over the points of the squared distance to the nearest centre."""

    def nearest(p):
        return np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres))

    return tp.reduce(np.add, 0.0, tp.map(nearest, points))


def main() -> None:
    rng = np.random.default_rng(1)
    true = np.array([[0.0, 0.0], [5.0, 1.0], [1.0, 6.0], [6.0, 6.0]])
    points = (true[:, None, :] + rng.normal(scale=0.5, size=(4, 200, 2))).reshape(-1, 2)
    centres = points[rng.choice(len(points), 4, replace=False)]
    value_and_grad = tp.value_and_grad(cost)
    for _ in range(50):
        value, slope = value_and_grad(centres, points)
        # The Hessian is diagonal, so its product with ones is its diagonal.
        diagonal = tp.hvp(cost, (centres, points), (np.ones_like(centres), np.zeros_like(points)))[0]
        centres = centres - slope / np.maximum(diagonal, 1e-12)
        if np.abs(slope).max() < 1e-9:
            break
    print(f"cost {value:.2f}; centres\n{np.round(centres, 2)}")
    assert np.abs(slope).max() < 1e-9


if __name__ == "__main__":
    main()
