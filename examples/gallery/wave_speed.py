"""How fast is sound in there? Layers found from what is heard outside, by gradients through a wave run backwards."""

from __future__ import annotations

import numpy as np
from picture import curves

import tapeless as tp

CELLS, LAYERS, STEPS = 120, 6, 300


@tp.reversible
def wave(u: np.ndarray, v: np.ndarray, courant: np.ndarray, heard: np.ndarray) -> None:
    """Leapfrog steps of the wave equation between fixed ends, listened to at two places.

    Everything is added, and what was added can be taken away again: the gradient keeps none of the states.
    """
    for n in range(len(heard)):
        v[1:-1] += courant[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += v
        heard[n, 0] += u[10]
        heard[n, 1] += u[-10]


def listen(layers: np.ndarray) -> np.ndarray:
    """A bump near the left end is let go; `layers` are squares of speeds in cells a step."""
    u = np.exp(-((np.arange(CELLS) - 25.0) ** 2) / 50.0)
    heard = np.zeros((STEPS, 2))
    wave(u, np.zeros(CELLS), np.repeat(layers, CELLS // LAYERS), heard)
    return heard


def misfit(layers: np.ndarray, heard: np.ndarray) -> float:
    return np.sum((listen(layers) - heard) ** 2)


def main() -> None:
    truth = np.array([0.5, 0.55, 0.62, 0.45, 0.48, 0.4])
    heard = listen(truth)
    gradient = tp.value_and_grad(misfit, memory="reversible")
    print(next(line for line in gradient.explain(truth, heard).splitlines() if "backwards" in line))
    layers, first, second = np.full(LAYERS, 0.5), np.zeros(LAYERS), np.zeros(LAYERS)
    for n in range(1, 601):  # Adam
        value, slope = gradient(layers, heard)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        layers = layers - 0.003 * first / (1 - 0.9**n) / np.sqrt(second / (1 - 0.99**n))
    print(f"misfit {value:.1e}; layers {layers.round(4)}, truly {truth}")
    x, wide = np.arange(CELLS), CELLS // LAYERS
    curves("wave_speed", x, truth=np.repeat(truth, wide), found=np.repeat(layers, wide))
    assert np.max(np.abs(layers - truth)) < 1e-3


if __name__ == "__main__":
    main()
