"""The eight programs in vectorised NumPy; where NumPy has no vector form, a Python loop over steps."""

from __future__ import annotations

import numpy as np


def _logsumexp(terms, axis):
    largest = np.max(terms, axis=axis, keepdims=True)
    return np.squeeze(largest, axis) + np.log(np.sum(np.exp(terms - largest), axis=axis))


def mixture(alphas, means, packed, points, gamma):
    n, d = points.shape
    diagonal, below = np.exp(packed[:, :d]), packed[:, d:]
    column, row = np.triu_indices(d, 1)
    lower = np.zeros((len(alphas), d, d))
    lower[:, row, column] = below
    lower[:, np.arange(d), np.arange(d)] = diagonal
    entries = np.matmul(points[None] - means[:, None], lower.transpose(0, 2, 1))
    terms = (alphas + packed[:, :d].sum(1))[:, None] - 0.5 * np.sum(entries**2, axis=-1)
    prior = np.sum(diagonal**2) + np.sum(below**2)
    constant = 0.5 * n * d * np.log(2 * np.pi)
    return _logsumexp(terms, 0).sum() - n * _logsumexp(alphas, 0) - 0.5 * gamma**2 * prior - constant


def bundle(cameras, points, weights, features, camera_of, point_of):
    c = cameras[camera_of]
    rotation, x = c[:, :3], points[point_of] - c[:, 3:6]
    angle = np.sqrt(np.sum(rotation**2, axis=1))[:, None]
    cos, sin = np.cos(angle), np.sin(angle)
    axis = rotation / np.where(angle > 0, angle, 1)
    along = np.sum(axis * x, axis=1, keepdims=True) * (1 - cos)
    turned = np.where(angle > 0, x * cos + np.cross(axis, x) * sin + axis * along, x + np.cross(rotation, x))
    uv = turned[:, :2] / turned[:, 2:]
    r2 = np.sum(uv**2, axis=1)
    scale = c[:, 6] * (1 + c[:, 9] * r2 + c[:, 10] * r2**2)
    return weights[:, None] * (scale[:, None] * uv + c[:, 7:9] - features)


def burgers(start, target, courant, steps):
    u = start
    for _ in range(steps):
        right = np.roll(u, -1)
        half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
        flux = half * half
        u = u - 0.5 * courant * (flux - np.roll(flux, 1))
    return 0.5 * np.sum((u - target) ** 2)


def lotka_volterra(rates, h, steps):
    a, b, d, c = (float(rate) for rate in rates)  # Python floats are faster here than NumPy scalars

    def slope(x, y):
        return a * x - b * x * y, d * x * y - c * y

    x, y = 1.0, 1.0
    for _ in range(steps):
        k1, l1 = slope(x, y)
        k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = slope(x + h * k3, y + h * l3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * x + y


def csr(start, column, value, x):
    return 0.5 * (x @ np.add.reduceat(value * x[column], start[:-1]))


def kmeans(points, centres):
    best = np.full(len(points), np.inf)
    for centre in centres:
        np.minimum(best, np.sum((points - centre) ** 2, axis=1), out=best)
    return best.sum()


def arm(angles, table):
    ones, zeros = np.ones(len(angles)), np.zeros(len(angles))
    rows = [[ones, zeros, zeros, zeros], [zeros, ones, zeros, zeros], [zeros, zeros, ones, zeros]]
    for j in range(6):
        cos, sin = np.cos(angles[:, j]), np.sin(angles[:, j])
        length, offset, cos_twist, sin_twist = table[j]
        for r, (x, y, z, t) in enumerate(rows):
            forward, side = cos * x + sin * y, cos * y - sin * x
            rows[r] = [
                forward,
                cos_twist * side + sin_twist * z,
                cos_twist * z - sin_twist * side,
                t + length * forward + offset * z,
            ]
    return np.stack([row[3] for row in rows] + [row[0] for row in rows], axis=1)


def roe(left, right, gamma, width):
    def side(state):
        speed = state[1] / state[0]
        pressure = (gamma - 1) * (state[2] - 0.5 * state[1] * speed)
        return speed, pressure, (state[2] + pressure) / state[0]

    def fixed_abs(wave):
        return np.where(np.abs(wave) < width, (wave * wave + width * width) / (2 * width), np.abs(wave))

    p, q = left.T, right.T
    (ul, pl, hl), (ur, pr, hr) = side(p), side(q)
    root_l, root_r = np.sqrt(p[0]), np.sqrt(q[0])
    total = root_l + root_r
    u, h = (root_l * ul + root_r * ur) / total, (root_l * hl + root_r * hr) / total
    a2 = (gamma - 1) * (h - 0.5 * u * u)
    a, density = np.sqrt(a2), root_l * root_r
    w1 = fixed_abs(u - a) * 0.5 * (pr - pl - density * a * (ur - ul)) / a2
    w2 = fixed_abs(u) * (q[0] - p[0] - (pr - pl) / a2)
    w3 = fixed_abs(u + a) * 0.5 * (pr - pl + density * a * (ur - ul)) / a2
    return np.stack(
        [
            0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3),
            0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a)),
            0.5 * (p[1] * hl + q[1] * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)),
        ],
        axis=1,
    )
