"""Logistic regression: the gradient has the structure of the parameters."""

from __future__ import annotations

import numpy as np

import tapeless as tp


def loss(params: dict, points: np.ndarray, labels: np.ndarray) -> float:
    """The mean negative log-likelihood; softplus(z) - y z does not overflow."""
    z = points @ params["weights"] + params["offset"]
    return np.mean(np.logaddexp(0.0, z) - labels * z) + 1e-3 * np.sum(params["weights"] ** 2)


def main() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(500, 3))
    truth = np.array([1.5, -2.0, 0.5])
    labels = (rng.random(500) < 1.0 / (1.0 + np.exp(-(points @ truth - 0.3)))).astype(float)
    params = {"weights": np.zeros(3), "offset": 0.0}
    value_and_grad = tp.value_and_grad(loss)
    for _ in range(300):
        value, slope = value_and_grad(params, points, labels)
        params = {name: params[name] - 2.0 * slope[name] for name in params}
    print(f"loss {value:.4f}, weights {np.round(params['weights'], 2)}, offset {params['offset']:.2f}")
    assert max(np.abs(slope["weights"]).max(), abs(slope["offset"])) < 1e-6
    assert np.all(np.sign(params["weights"]) == np.sign(truth))


if __name__ == "__main__":
    main()
