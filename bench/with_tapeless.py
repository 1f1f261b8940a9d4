"""The eight programs as a Tapeless user writes them: plain Python and NumPy under `@tp.jit`.

Deleting the decorator leaves ordinary Python with the same results. Annotations fix the small
dimensions that a user knows (32 features, 6 joints), as a C programmer would with constants.
"""

from __future__ import annotations

import math

import numpy as np

import tapeless as tp


@tp.jit
def mixture(
    alphas: tp.f64[25], means: tp.f64[25, 32], packed: tp.f64[25, 528], points: tp.f64[:, 32], gamma: float
) -> float:
    n, d = points.shape
    clusters = len(alphas)
    diagonal = np.exp(packed[:, :d])
    lower = np.zeros((clusters, d, d))
    for k in range(clusters):
        for c in range(d):
            for r in range(c + 1, d):
                lower[k, r, c] = packed[k, d + c * d - c * (c + 1) // 2 + r - c - 1]
    offset = alphas + np.sum(packed[:, :d], axis=1)
    total = 0.0
    for i in range(n):
        x = points[i]
        terms = np.empty(clusters)
        for k in range(clusters):
            centred = x - means[k]
            square = 0.0
            for r in range(d):
                entry = diagonal[k, r] * centred[r]
                for c in range(r):
                    entry += lower[k, r, c] * centred[c]
                square += entry * entry
            terms[k] = offset[k] - 0.5 * square
        largest = np.max(terms)
        total += largest + np.log(np.sum(np.exp(terms - largest)))
    largest = np.max(alphas)
    normaliser = largest + np.log(np.sum(np.exp(alphas - largest)))
    prior = np.sum(diagonal**2) + np.sum(packed[:, d:] ** 2)
    return total - n * normaliser - 0.5 * gamma**2 * prior - 0.5 * n * d * math.log(2 * math.pi)


@tp.jit
def bundle(
    cameras: tp.f64[:, 11], points: tp.f64[:, 3], weights: tp.f64[:], features: tp.f64[:, 2],
    camera_of: tp.i64[:], point_of: tp.i64[:],
) -> np.ndarray:  # fmt: skip
    errors = np.empty((len(weights), 2))
    for i in range(len(weights)):
        c = cameras[camera_of[i]]
        p = points[point_of[i]]
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        if angle2 > 0:
            angle = np.sqrt(angle2)
            cos, sin = np.cos(angle), np.sin(angle)
            a, b, e = c[0] / angle, c[1] / angle, c[2] / angle
            along = (a * x + b * y + e * z) * (1 - cos)
            u = x * cos + (b * z - e * y) * sin + a * along
            v = y * cos + (e * x - a * z) * sin + b * along
            w = z * cos + (a * y - b * x) * sin + e * along
        else:
            u = x + c[1] * z - c[2] * y
            v = y + c[2] * x - c[0] * z
            w = z + c[0] * y - c[1] * x
        u, v = u / w, v / w
        r2 = u * u + v * v
        scale = c[6] * (1 + c[9] * r2 + c[10] * r2 * r2)
        errors[i, 0] = weights[i] * (scale * u + c[7] - features[i, 0])
        errors[i, 1] = weights[i] * (scale * v + c[8] - features[i, 1])
    return errors


@tp.jit
def burgers(start: np.ndarray, target: np.ndarray, courant: float, steps: int) -> float:
    u = start.copy()
    n = len(u)
    half = np.empty(n)
    for _ in range(steps):
        for i in range(n - 1):
            half[i] = 0.5 * (u[i] + u[i + 1]) - 0.25 * courant * (u[i + 1] ** 2 - u[i] ** 2)
        half[n - 1] = 0.5 * (u[n - 1] + u[0]) - 0.25 * courant * (u[0] ** 2 - u[n - 1] ** 2)
        u[0] -= 0.5 * courant * (half[0] ** 2 - half[n - 1] ** 2)
        for i in range(1, n):
            u[i] -= 0.5 * courant * (half[i] ** 2 - half[i - 1] ** 2)
    return 0.5 * np.sum((u - target) ** 2)


def _rates(a: float, b: float, d: float, c: float, x: float, y: float) -> tuple[float, float]:
    return a * x - b * x * y, d * x * y - c * y


@tp.jit
def lotka_volterra(rates: np.ndarray, h: float, steps: int) -> float:
    a, b, d, c = rates
    x, y = 1.0, 1.0
    for _ in range(steps):
        k1, l1 = _rates(a, b, d, c, x, y)
        k2, l2 = _rates(a, b, d, c, x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = _rates(a, b, d, c, x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = _rates(a, b, d, c, x + h * k3, y + h * l3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * x + y


@tp.jit
def csr(start: np.ndarray, column: np.ndarray, value: np.ndarray, x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        row = 0.0
        for k in range(start[i], start[i + 1]):
            row += value[k] * x[column[k]]
        total += x[i] * row
    return 0.5 * total


@tp.jit
def kmeans(points: tp.f64[:, 8], centres: tp.f64[10, 8]) -> float:
    return tp.reduce(np.add, 0.0, tp.map(lambda p: np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres)), points))


@tp.jit
def arm(angles: tp.f64[:, 6], table: tp.f64[6, 4]) -> np.ndarray:
    tool = np.empty((len(angles), 6))
    for b in range(len(angles)):
        frame = np.eye(3, 4)
        for j in range(6):
            cos, sin = np.cos(angles[b, j]), np.sin(angles[b, j])
            length, offset, cos_twist, sin_twist = table[j]
            for r in range(3):
                x, y, z = frame[r, 0], frame[r, 1], frame[r, 2]
                forward, side = cos * x + sin * y, cos * y - sin * x
                frame[r, 0] = forward
                frame[r, 1] = cos_twist * side + sin_twist * z
                frame[r, 2] = cos_twist * z - sin_twist * side
                frame[r, 3] += length * forward + offset * z
        for r in range(3):
            tool[b, r] = frame[r, 3]
            tool[b, 3 + r] = frame[r, 0]
    return tool


def _side(state: np.ndarray, gamma: float) -> tuple[float, float, float]:
    speed = state[1] / state[0]
    pressure = (gamma - 1) * (state[2] - 0.5 * state[1] * speed)
    return speed, pressure, (state[2] + pressure) / state[0]


def _fixed_abs(wave: float, width: float) -> float:
    if abs(wave) < width:
        return (wave * wave + width * width) / (2 * width)
    return abs(wave)


@tp.jit(fastmath=True)  # as C and Numba are compiled here; the other programs need no such licence
def roe(left: tp.f64[:, 3], right: tp.f64[:, 3], gamma: float, width: float) -> np.ndarray:
    flux = np.empty_like(left)
    for i in range(len(left)):
        p, q = left[i], right[i]
        (ul, pl, hl), (ur, pr, hr) = _side(p, gamma), _side(q, gamma)
        root_l, root_r = np.sqrt(p[0]), np.sqrt(q[0])
        total = root_l + root_r
        u, h = (root_l * ul + root_r * ur) / total, (root_l * hl + root_r * hr) / total
        a2 = (gamma - 1) * (h - 0.5 * u * u)
        a, density = np.sqrt(a2), root_l * root_r
        jump_density, jump_speed, jump_pressure = q[0] - p[0], ur - ul, pr - pl
        w1 = _fixed_abs(u - a, width) * 0.5 * (jump_pressure - density * a * jump_speed) / a2
        w2 = _fixed_abs(u, width) * (jump_density - jump_pressure / a2)
        w3 = _fixed_abs(u + a, width) * 0.5 * (jump_pressure + density * a * jump_speed) / a2
        flux[i, 0] = 0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3)
        flux[i, 1] = 0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
        flux[i, 2] = 0.5 * (p[1] * hl + q[1] * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a))
    return flux
