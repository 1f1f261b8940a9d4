"""A rule of your own: Kepler's equation is solved by iteration, and differentiated by the implicit function theorem."""

from __future__ import annotations

import numpy as np

import tapeless as tp


@tp.custom_jvp
def eccentric_anomaly(mean: float, e: float) -> float:
    """The E with E - e sin(E) = mean."""
    found = mean
    while abs(found - e * np.sin(found) - mean) > 1e-14:
        found -= (found - e * np.sin(found) - mean) / (1.0 - e * np.cos(found))
    return found


@eccentric_anomaly.defjvp
def _(primals, tangents):
    (mean, e), (mean_dot, e_dot) = primals, tangents
    found = eccentric_anomaly(mean, e)
    return found, (mean_dot + e_dot * np.sin(found)) / (1.0 - e * np.cos(found))


def radius(mean: float, e: float) -> float:
    return 1.0 - e * np.cos(eccentric_anomaly(mean, e))


def main() -> None:
    mean, e = 1.0, 0.3
    by_mean, by_e = tp.grad(radius, argnums=(0, 1))(mean, e)
    print(f"radius {tp.jit(radius)(mean, e):.12f}, slopes {by_mean:.12f}, {by_e:.12f}")
    print(f"curvature {tp.grad(tp.grad(radius))(mean, e):.12f}")
    h = 1e-5
    difference = (radius(mean + h, e) - radius(mean - h, e)) / (2.0 * h)
    print(f"a difference quotient gives {difference:.9f}")
    assert abs(difference - by_mean) < 1e-8


if __name__ == "__main__":
    main()
