"""Derivatives written by hand in Numba, which has none of its own: the ceiling of loops in Python through LLVM."""

from __future__ import annotations

import math

import bench.with_numba as forward
import numba
import numpy as np
from bench.grad.harness import Calls

jit = numba.njit(fastmath=True)
inner = numba.njit(fastmath=True, inline="always")


def _calls(derivative, arguments, primal=None) -> Calls:
    return Calls(lambda: derivative(*arguments), None if primal is None else lambda: primal(*arguments))


@jit
def _mixture(alphas, means, packed, points, gamma):
    (n, d), clusters = points.shape, len(alphas)
    diagonal, offset = np.exp(packed[:, :d]), alphas + packed[:, :d].sum(axis=1)
    terms, centred, entries = np.empty(clusters), np.empty((clusters, d)), np.empty((clusters, d))
    alphas_adj, packed_adj, pulled = np.zeros(clusters), np.zeros_like(packed), np.zeros((clusters, d))
    means_adj, e_adj = np.empty((clusters, d)), np.empty(d)
    for i in range(n):
        for k in range(clusters):
            x, e = centred[k], entries[k]
            for j in range(d):
                x[j] = points[i, j] - means[k, j]
                e[j] = diagonal[k, j] * x[j]
            at = d
            for c in range(d):
                for r in range(c + 1, d):
                    e[r] += packed[k, at + r - c - 1] * x[c]
                at += d - c - 1
            square = 0.0
            for j in range(d):
                square += e[j] * e[j]
            terms[k] = offset[k] - 0.5 * square
        weights = np.exp(terms - terms.max())
        weights /= weights.sum()
        for k in range(clusters):
            x, e = centred[k], entries[k]
            alphas_adj[k] += weights[k]
            for j in range(d):
                e_adj[j] = -weights[k] * e[j]
                pulled[k, j] += e_adj[j]
                packed_adj[k, j] += e_adj[j] * x[j]
            at = d
            for c in range(d):
                for r in range(c + 1, d):
                    packed_adj[k, at + r - c - 1] += e_adj[r] * x[c]
                at += d - c - 1
    for k in range(clusters):
        at = d
        for c in range(d):
            along = diagonal[k, c] * pulled[k, c]
            for r in range(c + 1, d):
                along += packed[k, at + r - c - 1] * pulled[k, r]
            at += d - c - 1
            means_adj[k, c] = -along
            packed_adj[k, c] = packed_adj[k, c] * diagonal[k, c] + alphas_adj[k] - (gamma * diagonal[k, c]) ** 2
        packed_adj[k, d:] -= gamma**2 * packed[k, d:]
    shares = np.exp(alphas - alphas.max())
    return alphas_adj - n * shares / shares.sum(), means_adj, packed_adj


@jit
def _bundle(cameras, points, weights, features, camera_of, point_of):
    jacobian = np.empty((len(weights), 2, 15))
    rotation, by_axis, by_vector = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    x, w, across, turned, by_angle = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(weights)):
        c, p, weight = cameras[camera_of[i]], points[point_of[i]], weights[i]
        angle = math.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        cos, sin, dot = math.cos(angle), math.sin(angle), 0.0
        for j in range(3):
            x[j], w[j] = p[j] - c[3 + j], c[j] / angle
            dot += x[j] * w[j]
        for j in range(3):
            k, l = (j + 1) % 3, (j + 2) % 3
            across[j] = w[k] * x[l] - w[l] * x[k]
            turned[j] = x[j] * cos + across[j] * sin + w[j] * dot * (1 - cos)
            by_angle[j] = across[j] * cos - x[j] * sin + w[j] * dot * sin
            for m in range(3):
                rotation[j, m] = (1 - cos) * w[j] * w[m]
                by_axis[j, m] = (1 - cos) * w[j] * x[m]
            rotation[j, j] += cos
            rotation[j, k] -= sin * w[l]
            rotation[j, l] += sin * w[k]
            by_axis[j, j] += (1 - cos) * dot
            by_axis[j, k] += sin * x[l]
            by_axis[j, l] -= sin * x[k]
            along = by_axis[j, 0] * w[0] + by_axis[j, 1] * w[1] + by_axis[j, 2] * w[2]
            for m in range(3):
                by_vector[j, m] = by_angle[j] * w[m] + (by_axis[j, m] - along * w[m]) / angle
        depth = 1 / turned[2]
        u, v = turned[0] * depth, turned[1] * depth
        r2 = u * u + v * v
        stretch, slope, wf = 1 + c[9] * r2 + c[10] * r2 * r2, 2 * (c[9] + 2 * c[10] * r2), weight * c[6]
        uu, uv, vv = wf * (stretch + slope * u * u), wf * slope * u * v, wf * (stretch + slope * v * v)
        for row in range(2):
            g, image = jacobian[i, row], v if row else u
            q0, q1 = (uv, vv) if row else (uu, uv)
            q2 = -(q0 * u + q1 * v) * depth
            q0, q1 = q0 * depth, q1 * depth
            for j in range(3):
                g[j] = q0 * by_vector[0, j] + q1 * by_vector[1, j] + q2 * by_vector[2, j]
                g[11 + j] = q0 * rotation[0, j] + q1 * rotation[1, j] + q2 * rotation[2, j]
                g[3 + j] = -g[11 + j]
            g[6], g[7], g[8] = weight * stretch * image, weight * (1 - row), weight * row
            g[9], g[10] = wf * r2 * image, wf * r2 * r2 * image
            g[14] = c[6] * stretch * image + c[7 + row] - features[i, row]
    return jacobian


@jit
def _burgers(start, target, courant, steps):
    n = len(start)
    states, half, half_adj = np.empty((steps + 1, n)), np.empty(n), np.empty(n)
    states[0] = start
    quarter = 0.25 * courant
    for t in range(steps):
        u, after = states[t], states[t + 1]
        for i in range(n - 1):
            half[i] = 0.5 * (u[i] + u[i + 1]) - quarter * (u[i + 1] * u[i + 1] - u[i] * u[i])
        half[n - 1] = 0.5 * (u[n - 1] + u[0]) - quarter * (u[0] * u[0] - u[n - 1] * u[n - 1])
        after[0] = u[0] - 0.5 * courant * (half[0] * half[0] - half[n - 1] * half[n - 1])
        for i in range(1, n):
            after[i] = u[i] - 0.5 * courant * (half[i] * half[i] - half[i - 1] * half[i - 1])
    u_adj, slope = states[steps] - target, 2 * quarter
    for t in range(steps - 1, -1, -1):
        u = states[t]
        for i in range(n - 1):
            value = 0.5 * (u[i] + u[i + 1]) - quarter * (u[i + 1] * u[i + 1] - u[i] * u[i])
            half_adj[i] = courant * value * (u_adj[i + 1] - u_adj[i])
        value = 0.5 * (u[n - 1] + u[0]) - quarter * (u[0] * u[0] - u[n - 1] * u[n - 1])
        half_adj[n - 1] = courant * value * (u_adj[0] - u_adj[n - 1])
        u_adj[0] += half_adj[0] * (0.5 + slope * u[0]) + half_adj[n - 1] * (0.5 - slope * u[0])
        for i in range(1, n):
            u_adj[i] += half_adj[i] * (0.5 + slope * u[i]) + half_adj[i - 1] * (0.5 - slope * u[i])
    return u_adj


@inner
def _slope(a, b, d, c, x, y):
    return a * x - b * x * y, d * x * y - c * y


@inner
def _pull(a, b, d, c, x, y, p, q):
    """The adjoint of `_slope`: rates, then state."""
    return p * x, -p * x * y, q * x * y, -q * y, p * (a - b * y) + q * d * y, q * (d * x - c) - p * b * x


@jit
def _lotka_volterra(rates, h, steps):
    a, b, d, c = rates[0], rates[1], rates[2], rates[3]
    states, x, y = np.empty((steps, 2)), 1.0, 1.0
    for t in range(steps):
        states[t, 0], states[t, 1] = x, y
        k1, l1 = _slope(a, b, d, c, x, y)
        k2, l2 = _slope(a, b, d, c, x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = _slope(a, b, d, c, x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = _slope(a, b, d, c, x + h * k3, y + h * l3)
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    x_adj, y_adj = 2 * x, 1.0
    a_adj, b_adj, d_adj, c_adj = 0.0, 0.0, 0.0, 0.0
    for t in range(steps - 1, -1, -1):
        x, y = states[t, 0], states[t, 1]
        k1, l1 = _slope(a, b, d, c, x, y)
        x2, y2 = x + 0.5 * h * k1, y + 0.5 * h * l1
        k2, l2 = _slope(a, b, d, c, x2, y2)
        x3, y3 = x + 0.5 * h * k2, y + 0.5 * h * l2
        k3, l3 = _slope(a, b, d, c, x3, y3)
        p, q = h / 6 * x_adj, h / 6 * y_adj
        a4, b4, d4, c4, u4, v4 = _pull(a, b, d, c, x + h * k3, y + h * l3, p, q)
        a3, b3, d3, c3, u3, v3 = _pull(a, b, d, c, x3, y3, 2 * p + h * u4, 2 * q + h * v4)
        a2, b2, d2, c2, u2, v2 = _pull(a, b, d, c, x2, y2, 2 * p + 0.5 * h * u3, 2 * q + 0.5 * h * v3)
        a1, b1, d1, c1, u1, v1 = _pull(a, b, d, c, x, y, p + 0.5 * h * u2, q + 0.5 * h * v2)
        a_adj += a1 + a2 + a3 + a4
        b_adj += b1 + b2 + b3 + b4
        d_adj += d1 + d2 + d3 + d4
        c_adj += c1 + c2 + c3 + c4
        x_adj += u1 + u2 + u3 + u4
        y_adj += v1 + v2 + v3 + v4
    return np.array([a_adj, b_adj, d_adj, c_adj])


@jit
def _csr(start, column, value, x):
    value_adj, x_adj = np.empty_like(value), np.zeros_like(x)
    for i in range(len(x)):
        row, half = 0.0, 0.5 * x[i]
        for k in range(start[i], start[i + 1]):
            j = column[k]
            row += value[k] * x[j]
            value_adj[k] = half * x[j]
            x_adj[j] += half * value[k]
        x_adj[i] += 0.5 * row
    return value_adj, x_adj


@inner
def _nearest(point, centres):
    best, which = np.inf, 0
    for k in range(len(centres)):
        square = 0.0
        for j in range(centres.shape[1]):
            square += (point[j] - centres[k, j]) ** 2
        if square < best:
            best, which = square, k
    return which


@jit
def _kmeans(points, centres):
    centres_adj = np.zeros_like(centres)
    for i in range(len(points)):
        k = _nearest(points[i], centres)
        for j in range(centres.shape[1]):
            centres_adj[k, j] += 2 * (centres[k, j] - points[i, j])
    return centres_adj


@jit
def _kmeans_hvp(points, centres, direction):
    count = np.zeros((len(centres), 1))
    for i in range(len(points)):
        count[_nearest(points[i], centres), 0] += 1
    return 2 * count * direction


@jit
def _arm(angles, table):
    jacobian = np.empty((len(angles), 6, 6))
    frame, axis, origin = np.empty((3, 4)), np.empty((6, 3)), np.empty((6, 3))
    for b in range(len(angles)):
        for r in range(3):
            for k in range(4):
                frame[r, k] = 1.0 if r == k else 0.0
        for j in range(6):
            cos, sin = math.cos(angles[b, j]), math.sin(angles[b, j])
            for r in range(3):
                x, y, z = frame[r, 0], frame[r, 1], frame[r, 2]
                ahead, side = cos * x + sin * y, cos * y - sin * x
                axis[j, r], origin[j, r] = z, frame[r, 3]
                frame[r, 0] = ahead
                frame[r, 1] = table[j, 2] * side + table[j, 3] * z
                frame[r, 2] = table[j, 2] * z - table[j, 3] * side
                frame[r, 3] += table[j, 0] * ahead + table[j, 1] * z
        for j in range(6):
            for r in range(3):
                s, t = (r + 1) % 3, (r + 2) % 3
                reach_s, reach_t = frame[s, 3] - origin[j, s], frame[t, 3] - origin[j, t]
                jacobian[b, r, j] = axis[j, s] * reach_t - axis[j, t] * reach_s
                jacobian[b, 3 + r, j] = axis[j, s] * frame[t, 0] - axis[j, t] * frame[s, 0]
    return jacobian


def mixture(*arguments) -> Calls:
    return _calls(_mixture, arguments, forward.mixture)


def bundle(*arguments) -> Calls:
    return _calls(_bundle, arguments, forward.bundle)


def burgers(*arguments) -> Calls:
    return _calls(_burgers, arguments, forward.burgers)


def lotka_volterra(*arguments) -> Calls:
    return _calls(_lotka_volterra, arguments, forward.lotka_volterra)


def csr(*arguments) -> Calls:
    return _calls(_csr, arguments, forward.csr)


def kmeans(*arguments) -> Calls:
    return _calls(_kmeans, arguments, forward.kmeans)


def kmeans_hvp(*arguments) -> Calls:
    return _calls(_kmeans_hvp, arguments)


def arm(*arguments) -> Calls:
    return _calls(_arm, arguments, forward.arm)
