"""Derivatives in autograd (NumPy with a tape): Jacobians of items as batched pulls of unit vectors."""

from __future__ import annotations

import autograd.numpy as anp
import numpy as np
from autograd import grad, make_vjp
from autograd.extend import defvjp, primitive
from autograd.scipy.special import logsumexp
from bench.grad.harness import Calls


def _gradient(function, *arguments) -> Calls:
    """Of a scalar function of one argument, which may be a tuple."""
    derivative = grad(function)
    return Calls(lambda: derivative(*arguments), lambda: function(*arguments))


def _jacobians(function, inputs: np.ndarray, outputs: int) -> Calls:
    def derivative():
        pull, value = make_vjp(function)(inputs)
        rows = []
        for row in range(outputs):
            seed = np.zeros(value.shape)
            seed[:, row] = 1
            rows.append(pull(seed))
        return np.stack(rows, 1)

    return Calls(derivative, lambda: function(inputs))


def mixture(alphas, means, packed, points, gamma) -> Calls:
    n, d = points.shape
    column, row = np.triu_indices(d, 1)
    position, mask = np.zeros((d, d), int), np.tril(np.ones((d, d)), -1)
    position[row, column] = np.arange(len(row))

    def likelihood(parameters):
        alphas, means, packed = parameters
        diagonal, below = anp.exp(packed[:, :d]), packed[:, d:]
        centred = points[:, None, :] - means[None]
        entries = diagonal[None] * centred + anp.einsum("krc,nkc->nkr", below[:, position] * mask, centred)
        terms = alphas + anp.sum(packed[:, :d], 1) - 0.5 * anp.sum(entries * entries, -1)
        prior = 0.5 * gamma**2 * (anp.sum(diagonal**2) + anp.sum(below**2))
        return anp.sum(logsumexp(terms, axis=1)) - n * logsumexp(alphas) - prior - 0.5 * n * d * np.log(2 * np.pi)

    return _gradient(likelihood, (alphas, means, packed))


def _cross(a, b):
    x = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    y = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    return anp.stack([x, y, a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]], -1)


def bundle(cameras, points, weights, features, camera_of, point_of) -> Calls:
    def errors(items):
        c, rotation, x = items[:, :11], items[:, :3], items[:, 11:14] - items[:, 3:6]
        angle2 = anp.sum(rotation * rotation, 1, keepdims=True)
        angle = anp.sqrt(angle2)
        cos, sin, axis = anp.cos(angle), anp.sin(angle), rotation / angle
        along = axis * anp.sum(axis * x, 1, keepdims=True) * (1 - cos)
        turned = anp.where(angle2 > 0, x * cos + _cross(axis, x) * sin + along, x + _cross(rotation, x))
        uv = turned[:, :2] / turned[:, 2:3]
        r2 = anp.sum(uv * uv, 1, keepdims=True)
        stretch = 1 + c[:, 9:10] * r2 + c[:, 10:11] * r2 * r2
        return items[:, 14:15] * (c[:, 6:7] * stretch * uv + c[:, 7:9] - features)

    items = np.concatenate([cameras[camera_of], points[point_of], weights[:, None]], 1)
    return _jacobians(errors, items, 2)


def burgers(start, target, courant, steps) -> Calls:
    def loss(u):
        for _ in range(steps):
            right = anp.roll(u, -1)
            half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
            u = u - 0.5 * courant * (half * half - anp.roll(half, 1) ** 2)
        return 0.5 * anp.sum((u - target) ** 2)

    return _gradient(loss, start)


def lotka_volterra(rates, h, steps) -> Calls:
    def loss(rates):
        a, b, d, c = rates[0], rates[1], rates[2], rates[3]

        def slope(x, y):
            return a * x - b * x * y, d * x * y - c * y

        x, y = 1.0, 1.0
        for _ in range(steps):
            k1, l1 = slope(x, y)
            k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
            k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
            k4, l4 = slope(x + h * k3, y + h * l3)
            x, y = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        return x * x + y

    return _gradient(loss, rates)


def csr(start, column, value, x) -> Calls:
    """autograd cannot differentiate a scattered sum: the user must define the primitive."""
    row, n = np.repeat(np.arange(len(x)), np.diff(start)), len(x)
    row_sums = primitive(lambda terms: np.bincount(row, weights=terms, minlength=n))
    defvjp(row_sums, lambda _answer, _terms: lambda adjoint: adjoint[row])
    return _gradient(lambda both: 0.5 * anp.dot(both[1], row_sums(both[0] * both[1][column])), (value, x))


def _distance(points, centres):
    difference = points[:, None, :] - centres[None]
    return anp.sum(anp.min(anp.sum(difference * difference, -1), 1))


def kmeans(points, centres) -> Calls:
    return _gradient(lambda c: _distance(points, c), centres)


def kmeans_hvp(points, centres, direction) -> Calls:
    gradient = grad(lambda c: _distance(points, c))
    return Calls(lambda: grad(lambda c: anp.sum(gradient(c) * direction))(centres))


def arm(angles, table) -> Calls:
    def poses(q):
        ones = np.ones((len(q), 1))
        x, y, z, t = ones * [1.0, 0, 0], ones * [0, 1.0, 0], ones * [0, 0, 1.0], 0.0
        for j, (length, offset, cos_twist, sin_twist) in enumerate(table):
            cos, sin = anp.cos(q[:, j : j + 1]), anp.sin(q[:, j : j + 1])
            ahead, side = cos * x + sin * y, cos * y - sin * x
            t = t + length * ahead + offset * z
            x, y, z = ahead, cos_twist * side + sin_twist * z, cos_twist * z - sin_twist * side
        return anp.concatenate([t, x], 1)

    return _jacobians(poses, angles, 6)


def roe(left, right, gamma, width) -> Calls:
    def side(density, momentum, energy):
        speed = momentum / density
        pressure = (gamma - 1) * (energy - 0.5 * momentum * speed)
        return speed, pressure, (energy + pressure) / density

    def fixed_abs(wave):
        return anp.where(anp.abs(wave) < width, (wave * wave + width * width) / (2 * width), anp.abs(wave))

    def flux(states):
        p0, p1, p2, q0, q1, q2 = (states[:, i] for i in range(6))
        (ul, pl, hl), (ur, pr, hr) = side(p0, p1, p2), side(q0, q1, q2)
        root_l, root_r = anp.sqrt(p0), anp.sqrt(q0)
        total = 1 / (root_l + root_r)
        u, h = (root_l * ul + root_r * ur) * total, (root_l * hl + root_r * hr) * total
        a2 = (gamma - 1) * (h - 0.5 * u * u)
        a, density = anp.sqrt(a2), root_l * root_r
        w1 = fixed_abs(u - a) * 0.5 * (pr - pl - density * a * (ur - ul)) / a2
        w2 = fixed_abs(u) * (q0 - p0 - (pr - pl) / a2)
        w3 = fixed_abs(u + a) * 0.5 * (pr - pl + density * a * (ur - ul)) / a2
        mass = 0.5 * (p1 + q1) - 0.5 * (w1 + w2 + w3)
        momentum = 0.5 * (p1 * ul + pl + q1 * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
        carried = w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)
        return anp.stack([mass, momentum, 0.5 * (p1 * hl + q1 * hr) - 0.5 * carried], 1)

    return _jacobians(flux, np.concatenate([left, right], 1), 3)
