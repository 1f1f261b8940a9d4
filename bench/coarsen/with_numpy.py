"""The derivatives without any compiler: by hand, or by complex steps (`bench.reversible.with_numpy`). Not timed.

Programs are written once more, for complex numbers: conditions ask for real parts.
"""

from __future__ import annotations

import numpy as np
from bench.coarsen.programs import GRAVITY
from bench.grad.harness import Calls

TINY = 1e-40


def _gradient(function, *points) -> Calls:
    """The value and the derivatives by each number of some arrays."""

    def derivative():
        gradients = [np.zeros(np.shape(p)) for p in points]
        for k, p in enumerate(points):
            for place in np.ndindex(np.shape(p)):
                moved = [np.array(q, dtype=complex) for q in points]
                moved[k][place] += 1j * TINY
                gradients[k][place] = np.imag(function(*moved)) / TINY
        return np.real(function(*points)), *gradients

    return Calls(derivative)


def _magnitude(x):
    return x * np.sign(np.real(x))


def bgd(rate, x, y, steps) -> Calls:
    """By hand: how w moves with the rate, round by round."""

    def derivative():
        m, w, slope = len(x), 0.0, 0.0
        for _ in range(steps):
            d = np.sum(2.0 * x * (y - x * w)) / m
            if d < 0.001:
                break
            slope += d - rate * np.sum(2.0 * x * x) / m * slope
            w += rate * d
        root = np.sqrt(np.sum((y - x * w) ** 2))
        return root / m, -np.sum((y - x * w) * x) * slope / (root * m)

    return Calls(derivative)


def brachistochrone(heights, dx) -> Calls:
    def time(heights):
        y = np.concatenate([[1.0], heights, [0.0]])
        v = np.sqrt(2.0 * GRAVITY * (1.0 - y))
        return np.sum(np.sqrt(dx * dx + np.diff(y) ** 2) / ((v[1:] + v[:-1]) / 2.0))

    return _gradient(time, heights)


def spring(points, edges, lengths, stiffness) -> Calls:
    def energy(points):
        way = points[edges[:, 0]] - points[edges[:, 1]]
        return 0.5 * stiffness * np.sum((np.sqrt(np.sum(way * way, axis=1) + 1e-6) - lengths) ** 2)

    return _gradient(energy, points)


def hmc(beta, x, y) -> Calls:
    def posterior(beta):
        z = x @ beta
        safe = np.where(z.real < -80.0, 0.0, z)
        return np.sum(z * (y - 1.0) - np.where(z.real < -80.0, -z, np.log(1.0 + np.exp(-safe)))) - beta @ beta / 2000.0

    return _gradient(posterior, beta)


def _cart_step(x, v, angle, turn, action):
    r = 9.09 * action + 0.045 * turn * turn * np.sin(angle)
    q = (9.8 * np.sin(angle) - r * np.cos(angle)) / (0.667 - 0.045 * np.cos(angle) ** 2)
    return x + 0.02 * v, v + 0.02 * (r - 0.045 * q * np.cos(angle)), angle + 0.02 * turn, turn + 0.02 * q


def _cart_loss(x, angle):
    inside = (2.4 - _magnitude(x)) * (0.21 - _magnitude(angle))
    return (0.5 - inside * (np.real(inside) > 0.0)) ** 2


def cart_environment(state, actions) -> Calls:
    def loss(state, actions):
        now, total = tuple(state), 0.0
        for action in actions:
            now = _cart_step(*now, action)
            total = total + _cart_loss(now[0], now[2])
        return total

    return _gradient(loss, state, actions)


def cart_policy(w1, w2, w3, state, steps) -> Calls:
    def relu(x):
        return x * (np.real(x) > 0.0)

    def loss(w1, w2, w3):
        now, total = tuple(state), 0.0
        for _ in range(steps):
            out = np.tanh(relu(relu(np.array(now) @ w1) @ w2) @ w3)
            now = _cart_step(*now, out + np.sign(np.real(out)) - np.real(out))
            total = total + _cart_loss(now[0], now[2])
        return total

    return _gradient(loss, w1, w2, w3)


def ragdoll(amplitudes, points, bones, lengths, muscles, rests, steps) -> Calls:
    def distance(amplitudes):
        p, v = points.astype(amplitudes.dtype), np.zeros(points.shape, amplitudes.dtype)
        for step in range(steps):
            force = np.zeros_like(p)
            low, slow = p[:, 1].real < 0.0, np.abs(v[:, 0].real) <= 0.05
            force[:, 0] = low * np.where(slow, -30.0, -3.0) * v[:, 0]
            force[:, 1] = -9.8 - low * (400.0 * p[:, 1] + 4.0 * v[:, 1])
            way, length = _ways(p, bones)
            stretch = length / lengths - 1.0
            beyond = np.where(np.abs(stretch.real) > 0.1, stretch - 0.1 * np.sign(stretch.real), 0.0)
            _pull(force, bones, (300.0 * stretch + 900.0 * beyond) / length, way)
            way, length = _ways(p, muscles)
            sign = np.where((step // 8 + np.arange(len(muscles))) % 2 == 0, 1.0, -1.0)
            _pull(force, muscles, 60.0 * (length - rests * (1.0 + sign * amplitudes)) / length, way)
            v = 0.999 * v + 0.01 * force
            p = p + 0.01 * v
        return np.sum(p[:, 0] - points[:, 0]) / len(points)

    return _gradient(distance, amplitudes)


def _ways(p, pairs):
    way = p[pairs[:, 1]] - p[pairs[:, 0]]
    return way, np.sqrt(np.sum(way * way, axis=1) + 1e-9)


def _pull(force, pairs, strength, way) -> None:
    np.add.at(force, pairs[:, 0], strength[:, None] * way)
    np.add.at(force, pairs[:, 1], -strength[:, None] * way)
