"""A normalising flow: a crescent is turned into a round cloud; backwards, round clouds become crescents."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp


@tp.reversible
def flow(x: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    """Coupling layers in pairs: what is added to one coordinate is a function of the other (NICE, volumes stay)."""
    for layer in range(len(w)):
        for i in range(len(x)):
            y[i] += np.sum(c[layer, 0] * np.maximum(w[layer, 0] * x[i] + b[layer, 0], 0.0))
        for i in range(len(x)):
            x[i] += np.sum(c[layer, 1] * np.maximum(w[layer, 1] * y[i] + b[layer, 1], 0.0))


def surprise(w: np.ndarray, b: np.ndarray, c: np.ndarray, width: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """Minus the mean logarithm of the density, that of a round cloud of the given (logarithms of) widths."""
    flow(x, y, w, b, c)
    return np.mean(0.5 * (x * np.exp(-width[0])) ** 2 + 0.5 * (y * np.exp(-width[1])) ** 2) + np.sum(width)


def crescent(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=count)
    return x, x * x - 1.0 + 0.3 * rng.normal(size=count)


def main() -> None:
    rng = np.random.default_rng(0)
    x, y = crescent(rng, 500)
    weights = [rng.normal(size=(2, 2, 10)), rng.normal(size=(2, 2, 10)), 0.1 * rng.normal(size=(2, 2, 10)), np.zeros(2)]
    first, second = ([np.zeros_like(p) for p in weights] for _ in range(2))
    gradient = tp.value_and_grad(surprise, (0, 1, 2, 3), memory="reversible")
    for n in range(1, 801):  # Adam
        value, slopes = gradient(*weights, x, y)
        for k, slope in enumerate(slopes):
            first[k] = 0.9 * first[k] + 0.1 * slope
            second[k] = 0.999 * second[k] + 0.001 * slope**2
            weights[k] = weights[k] - 0.01 * first[k] / (1 - 0.9**n) / (np.sqrt(second[k] / (1 - 0.999**n)) + 1e-8)
        if n % 200 == 0:
            print(f"epoch {n}: surprise {value:.3f}")
    *layers, width = weights
    u, v = np.exp(width)[:, None] * rng.normal(size=(2, 5000))
    (~flow)(u, v, *layers)
    at = np.linspace(-1.5, 1.5, 13)
    made = np.array([np.mean(v[abs(u - place) < 0.15]) for place in at])
    print(f"the crescent that was learned is off by {np.max(abs(made - at**2 + 1)):.2f} at most")
    curves("normalising_flow", at, crescent=at**2 - 1, made=made)
    assert value < -0.2
    assert np.max(abs(made - at**2 + 1)) < 0.25


if __name__ == "__main__":
    main()
