"""The eight programs in Numba: plain loops, fastmath everywhere, prange over the outer loop for two threads.

`TAPELESS_BENCH_THREADS` decides at import whether loops are parallel, since prange costs time on one thread.
"""

from __future__ import annotations

import math
import os

import numba
import numpy as np

PARALLEL = os.environ.get("TAPELESS_BENCH_THREADS", "1") != "1"
jit = numba.njit(fastmath=True, parallel=PARALLEL)
inner = numba.njit(fastmath=True, inline="always")
serial = numba.njit(fastmath=True)
prange = numba.prange if PARALLEL else range


@inner
def _mixture_point(x, offset, means, diagonal, packed):
    clusters, d = means.shape
    terms, centred, entries = np.empty(clusters), np.empty(d), np.empty(d)
    for k in range(clusters):
        for j in range(d):
            centred[j] = x[j] - means[k, j]
            entries[j] = diagonal[k, j] * centred[j]
        p = d
        for c in range(d):
            factor = centred[c]
            for r in range(c + 1, d):
                entries[r] += packed[k, p + r - c - 1] * factor
            p += d - c - 1
        square = 0.0
        for j in range(d):
            square += entries[j] * entries[j]
        terms[k] = offset[k] - 0.5 * square
    largest = terms.max()
    total = 0.0
    for k in range(clusters):
        total += math.exp(terms[k] - largest)
    return largest + math.log(total)


@jit
def mixture(alphas, means, packed, points, gamma):
    n, d = points.shape
    diagonal = np.exp(packed[:, :d])
    offset = alphas + packed[:, :d].sum(axis=1)
    total = 0.0
    for i in prange(n):
        total += _mixture_point(points[i], offset, means, diagonal, packed)
    largest = alphas.max()
    normaliser = largest + math.log(np.exp(alphas - largest).sum())
    prior = (diagonal**2).sum() + (packed[:, d:] ** 2).sum()
    return total - n * normaliser - 0.5 * gamma**2 * prior - 0.5 * n * d * math.log(2 * math.pi)


@jit
def bundle(cameras, points, weights, features, camera_of, point_of):
    errors = np.empty((len(weights), 2))
    for i in prange(len(weights)):
        c, p = cameras[camera_of[i]], points[point_of[i]]
        x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
        angle2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
        if angle2 > 0:
            angle = math.sqrt(angle2)
            cos, sin, inverse = math.cos(angle), math.sin(angle), 1 / angle
            a, b, e = c[0] * inverse, c[1] * inverse, c[2] * inverse
            along = (a * x + b * y + e * z) * (1 - cos)
            u = x * cos + (b * z - e * y) * sin + a * along
            v = y * cos + (e * x - a * z) * sin + b * along
            w = z * cos + (a * y - b * x) * sin + e * along
        else:
            u, v, w = x + c[1] * z - c[2] * y, y + c[2] * x - c[0] * z, z + c[0] * y - c[1] * x
        u, v = u / w, v / w
        r2 = u * u + v * v
        scale = c[6] * (1 + c[9] * r2 + c[10] * r2 * r2)
        errors[i, 0] = weights[i] * (scale * u + c[7] - features[i, 0])
        errors[i, 1] = weights[i] * (scale * v + c[8] - features[i, 1])
    return errors


@serial  # 1000 cells are too few for threads: prange makes it slower
def burgers(start, target, courant, steps):
    u, half = start.copy(), np.empty_like(start)
    n = len(u)
    for _ in range(steps):
        for i in range(n - 1):
            half[i] = 0.5 * (u[i] + u[i + 1]) - 0.25 * courant * (u[i + 1] * u[i + 1] - u[i] * u[i])
        half[n - 1] = 0.5 * (u[n - 1] + u[0]) - 0.25 * courant * (u[0] * u[0] - u[n - 1] * u[n - 1])
        u[0] -= 0.5 * courant * (half[0] * half[0] - half[n - 1] * half[n - 1])
        for i in range(1, n):
            u[i] -= 0.5 * courant * (half[i] * half[i] - half[i - 1] * half[i - 1])
    return 0.5 * ((u - target) ** 2).sum()


@inner
def _slope(a, b, d, c, x, y):
    return a * x - b * x * y, d * x * y - c * y


@serial
def lotka_volterra(rates, h, steps):
    a, b, d, c = rates[0], rates[1], rates[2], rates[3]
    x, y = 1.0, 1.0
    for _ in range(steps):
        k1, l1 = _slope(a, b, d, c, x, y)
        k2, l2 = _slope(a, b, d, c, x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = _slope(a, b, d, c, x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = _slope(a, b, d, c, x + h * k3, y + h * l3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x * x + y


@jit
def csr(start, column, value, x):
    total = 0.0
    for i in prange(len(x)):
        row = 0.0
        for k in range(start[i], start[i + 1]):
            row += value[k] * x[column[k]]
        total += x[i] * row
    return 0.5 * total


@jit
def kmeans(points, centres):
    total = 0.0
    for i in prange(len(points)):
        best = np.inf
        for k in range(len(centres)):
            square = 0.0
            for j in range(centres.shape[1]):
                difference = points[i, j] - centres[k, j]
                square += difference * difference
            best = min(best, square)
        total += best
    return total


@jit
def arm(angles, table):
    tool = np.empty((len(angles), 6))
    for b in prange(len(angles)):
        frame = np.zeros((3, 4))
        for r in range(3):
            frame[r, r] = 1.0
        for j in range(6):
            cos, sin = math.cos(angles[b, j]), math.sin(angles[b, j])
            for r in range(3):
                x, y, z = frame[r, 0], frame[r, 1], frame[r, 2]
                forward, side = cos * x + sin * y, cos * y - sin * x
                frame[r, 0] = forward
                frame[r, 1] = table[j, 2] * side + table[j, 3] * z
                frame[r, 2] = table[j, 2] * z - table[j, 3] * side
                frame[r, 3] += table[j, 0] * forward + table[j, 1] * z
        for r in range(3):
            tool[b, r] = frame[r, 3]
            tool[b, 3 + r] = frame[r, 0]
    return tool


@inner
def _fixed_abs(wave, width):
    size = abs(wave)
    return (wave * wave + width * width) / (2 * width) if size < width else size


@jit
def roe(left, right, gamma, width):
    flux = np.empty_like(left)
    for i in prange(len(left)):
        p0, p1, p2 = left[i, 0], left[i, 1], left[i, 2]
        q0, q1, q2 = right[i, 0], right[i, 1], right[i, 2]
        ul, ur = p1 / p0, q1 / q0
        pl, pr = (gamma - 1) * (p2 - 0.5 * p1 * ul), (gamma - 1) * (q2 - 0.5 * q1 * ur)
        hl, hr = (p2 + pl) / p0, (q2 + pr) / q0
        root_l, root_r = math.sqrt(p0), math.sqrt(q0)
        total = 1 / (root_l + root_r)
        u, h = (root_l * ul + root_r * ur) * total, (root_l * hl + root_r * hr) * total
        a2 = (gamma - 1) * (h - 0.5 * u * u)
        a, density, inverse = math.sqrt(a2), root_l * root_r, 1 / a2
        w1 = _fixed_abs(u - a, width) * 0.5 * (pr - pl - density * a * (ur - ul)) * inverse
        w2 = _fixed_abs(u, width) * (q0 - p0 - (pr - pl) * inverse)
        w3 = _fixed_abs(u + a, width) * 0.5 * (pr - pl + density * a * (ur - ul)) * inverse
        flux[i, 0] = 0.5 * (p1 + q1) - 0.5 * (w1 + w2 + w3)
        flux[i, 1] = 0.5 * (p1 * ul + pl + q1 * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
        flux[i, 2] = 0.5 * (p1 * hl + q1 * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a))
    return flux
