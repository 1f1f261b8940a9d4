"""Functions from practice whose best elimination orders are proven: dynamics, sensors, chemistry, finance.

Plain functions of numbers, as a user writes them. `REAL` holds each with the number of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def lotka_volterra_rk4(x, y, a, b, c, d, h):
    """One step of Runge and Kutta's method for predators and prey."""

    def slope(x, y):
        return x * (a - b * y), y * (d * x - c)

    k1, l1 = slope(x, y)
    k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
    k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
    k4, l4 = slope(x + h * k3, y + h * l3)
    return x + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4), y + h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4)


def lorenz_heun(x, y, z, sigma, rho, beta, h):
    """One step of Heun's method for the Lorenz system."""

    def slope(x, y, z):
        return sigma * (y - x), x * (rho - z) - y, x * y - beta * z

    k = slope(x, y, z)
    m = slope(x + h * k[0], y + h * k[1], z + h * k[2])
    return tuple(v + 0.5 * h * (p + q) for v, p, q in zip((x, y, z), k, m, strict=True))


def double_pendulum(a, b, p, q, m, n, r, s):
    """The accelerations of a double pendulum of angles a and b, masses m and n, lengths r and s."""
    g = 9.81
    gap = a - b
    sine, cosine = np.sin(gap), np.cos(gap)
    total = m + n
    below = total - n * cosine * cosine
    first = -n * cosine * (r * p * p * sine - g * np.sin(b)) - n * s * q * q * sine - total * g * np.sin(a)
    second = cosine * (n * s * q * q * sine + total * g * np.sin(a)) + total * (r * p * p * sine - g * np.sin(b))
    return first / (r * below), second / (s * below)


def planar_arm(a, b, c, d, r, s, t, u):
    """The hand of an arm with four joints in a plane: its place, direction, and distance from the base."""
    angle1 = a
    angle2 = angle1 + b
    angle3 = angle2 + c
    angle4 = angle3 + d
    x = r * np.cos(angle1) + s * np.cos(angle2) + t * np.cos(angle3) + u * np.cos(angle4)
    y = r * np.sin(angle1) + s * np.sin(angle2) + t * np.sin(angle3) + u * np.sin(angle4)
    return x, y, np.arctan2(y, x), np.sqrt(x * x + y * y), np.sin(angle4) * x - np.cos(angle4) * y


def pinhole(px, py, pz, qw, qx, qy, qz, tx, ty, tz, focal, k1, k2):
    """A point seen by a camera: rotated by a quaternion, moved, projected, distorted."""
    ux, uy, uz = qy * pz - qz * py, qz * px - qx * pz, qx * py - qy * px
    vx, vy, vz = qy * uz - qz * uy, qz * ux - qx * uz, qx * uy - qy * ux
    x = px + 2.0 * (qw * ux + vx) + tx
    y = py + 2.0 * (qw * uy + vy) + ty
    z = pz + 2.0 * (qw * uz + vz) + tz
    u, v = x / z, y / z
    square = u * u + v * v
    scale = focal * (1.0 + square * (k1 + k2 * square))
    return scale * u, scale * v


def hodgkin_huxley(v, m, h, n, current, gna, gk, gl):
    """The right side of the Hodgkin-Huxley equations of a nerve cell."""
    alpha_m = 0.1 * (v + 40.0) / (1.0 - np.exp(-0.1 * (v + 40.0)))
    beta_m = 4.0 * np.exp((v + 65.0) / -18.0)
    alpha_h = 0.07 * np.exp((v + 65.0) / -20.0)
    beta_h = 1.0 / (1.0 + np.exp(-0.1 * (v + 35.0)))
    alpha_n = 0.01 * (v + 55.0) / (1.0 - np.exp(-0.1 * (v + 55.0)))
    beta_n = 0.125 * np.exp((v + 65.0) / -80.0)
    ionic = gna * m**3 * h * (v - 50.0) + gk * n**4 * (v + 77.0) + gl * (v + 54.4)
    return (
        current - ionic,
        alpha_m * (1.0 - m) - beta_m * m,
        alpha_h * (1.0 - h) - beta_h * h,
        alpha_n * (1.0 - n) - beta_n * n,
    )


def bicycle_rk2(x, y, heading, speed, steer, push, length, drag, h):
    """One step of a car's motion by the midpoint rule, slip and drag included."""

    def slope(heading, speed):
        slip = np.arctan(0.5 * np.tan(steer))
        turn = speed * np.sin(slip) / length
        return speed * np.cos(heading + slip), speed * np.sin(heading + slip), turn, push - drag * speed * speed

    k = slope(heading, speed)
    m = slope(heading + 0.5 * h * k[2], speed + 0.5 * h * k[3])
    return tuple(v + h * p for v, p in zip((x, y, heading, speed), m, strict=True))


def robertson(a, b, c, a0, b0, c0, k1, k2, k3, h):
    """The residual of a step of the trapezoidal rule for Robertson's reactions."""

    def rates(a, b, c):
        slow, fast, back = k1 * a, k2 * b * b, k3 * b * c
        return back - slow, slow - back - fast, fast

    new, old = rates(a, b, c), rates(a0, b0, c0)
    return tuple(x - x0 - 0.5 * h * (p + q) for x, x0, p, q in zip((a, b, c), (a0, b0, c0), new, old, strict=True))


def range_bearing(x, y, heading, lx, ly, mx, my, nx, ny):
    """What a robot sees of three landmarks: distance, direction and strength of echo of each."""
    seen = []
    for ex, ey in ((lx, ly), (mx, my), (nx, ny)):
        dx, dy = ex - x, ey - y
        square = dx * dx + dy * dy
        distance = np.sqrt(square)
        seen += [distance, np.arctan2(dy, dx) - heading, np.exp(-0.1 * distance) / square]
    return tuple(seen)


def orbit(x, y, z, u, v, w, mu):
    """Energy, momentum and eccentricity vector of an orbit from place and velocity."""
    hx, hy, hz = y * w - z * v, z * u - x * w, x * v - y * u
    distance = np.sqrt(x * x + y * y + z * z)
    energy = 0.5 * (u * u + v * v + w * w) - mu / distance
    ex = (v * hz - w * hy) / mu - x / distance
    ey = (w * hx - u * hz) / mu - y / distance
    ez = (u * hy - v * hx) / mu - z / distance
    return energy, np.sqrt(hx * hx + hy * hy + hz * hz), np.sqrt(ex * ex + ey * ey + ez * ez), -0.5 * mu / energy


REAL: dict[str, tuple[Callable[..., Any], int]] = {
    function.__name__: (function, function.__code__.co_argcount)
    for function in (
        lotka_volterra_rk4,
        lorenz_heun,
        double_pendulum,
        planar_arm,
        pinhole,
        hodgkin_huxley,
        bicycle_rk2,
        robertson,
        range_bearing,
        orbit,
    )
}
