"""Derivatives in PyTorch; `TAPELESS_BENCH_VARIANT` chooses eager or `compile`.

Gradients by the tape of torch.autograd (under compile: the compiled forward and backward graphs), Jacobians of items
by torch.func. Time steps are a Python loop over a (compiled) step, the only form both modes accept.
"""

from __future__ import annotations

import os

import numpy as np
import torch
from bench.grad.harness import Calls
from torch.func import grad, jacfwd, jacrev, jvp, vmap

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
COMPILE = os.environ.get("TAPELESS_BENCH_VARIANT") == "compile"
# jacfwd is the better one in eager mode for wide outputs, and an internal error under compile.
BY_ITEM = jacrev if COMPILE else jacfwd


def _maybe_compiled(function):
    return torch.compile(function) if COMPILE else function


def _gradient(function, arguments) -> Calls:
    """The derivative of a scalar function by all its arguments."""
    run = _maybe_compiled(function)
    tensors = [torch.as_tensor(a) for a in arguments]

    def derivative():
        leaves = [t.detach().requires_grad_() for t in tensors]
        return torch.autograd.grad(run(*leaves), leaves)

    return Calls(derivative, lambda: run(*tensors))


def _jacobians(function, jacobian, arguments) -> Calls:
    primal, derivative = _maybe_compiled(function), _maybe_compiled(jacobian)
    tensors = [torch.as_tensor(a) for a in arguments]
    return Calls(lambda: derivative(*tensors), lambda: primal(*tensors))


def mixture(alphas, means, packed, points, gamma) -> Calls:
    (n, d), clusters, x = points.shape, len(alphas), torch.as_tensor(points)
    column, row = (torch.as_tensor(i) for i in np.triu_indices(d, 1))
    cluster, constant = torch.arange(clusters)[:, None], 0.5 * n * d * float(np.log(2 * np.pi))

    def likelihood(alphas, means, packed):
        diagonal, below = torch.exp(packed[:, :d]), packed[:, d:]
        lower = torch.zeros(clusters, d, d).index_put((cluster, row[None], column[None]), below)
        centred = x[:, None, :] - means[None]
        entries = diagonal[None] * centred + torch.einsum("krc,nkc->nkr", lower, centred)
        terms = alphas + packed[:, :d].sum(1) - 0.5 * (entries * entries).sum(-1)
        prior = 0.5 * gamma**2 * ((diagonal**2).sum() + (below**2).sum())
        return torch.logsumexp(terms, 1).sum() - n * torch.logsumexp(alphas, 0) - prior - constant

    return _gradient(likelihood, (alphas, means, packed))


def _project(c, point, weight, feature):
    rotation, x = c[:3], point - c[3:6]
    angle2 = rotation @ rotation
    angle = torch.sqrt(angle2)
    cos, sin, axis = torch.cos(angle), torch.sin(angle), rotation / angle
    turned = x * cos + torch.linalg.cross(axis, x) * sin + axis * (axis @ x) * (1 - cos)
    turned = torch.where(angle2 > 0, turned, x + torch.linalg.cross(rotation, x))
    uv = turned[:2] / turned[2]
    r2 = uv @ uv
    return weight * (c[6] * (1 + c[9] * r2 + c[10] * r2 * r2) * uv + c[7:9] - feature)


def bundle(*arguments) -> Calls:
    item = jacrev(_project, (0, 1, 2))  # two outputs, fifteen inputs

    def errors(cameras, points, weights, features, camera_of, point_of):
        return vmap(_project)(cameras[camera_of], points[point_of], weights, features)

    def jacobian(cameras, points, weights, features, camera_of, point_of):
        camera, point, weight = vmap(item)(cameras[camera_of], points[point_of], weights, features)
        return torch.cat([camera, point, weight[..., None]], -1)

    return _jacobians(errors, jacobian, arguments)


def burgers(start, target, courant, steps) -> Calls:
    @_maybe_compiled
    def step(u):
        right = torch.roll(u, -1)
        half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
        return u - 0.5 * courant * (half * half - torch.roll(half, 1) ** 2)

    begin, end = torch.as_tensor(start), torch.as_tensor(target)

    def loss(u):
        for _ in range(steps):
            u = step(u)
        return 0.5 * ((u - end) ** 2).sum()

    def derivative():
        leaf = begin.detach().requires_grad_()
        return torch.autograd.grad(loss(leaf), leaf)

    return Calls(derivative, lambda: loss(begin))


def lotka_volterra(rates, h, steps) -> Calls:
    @_maybe_compiled
    def step(rates, x, y):
        a, b, d, c = rates

        def slope(x, y):
            return a * x - b * x * y, d * x * y - c * y

        k1, l1 = slope(x, y)
        k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = slope(x + h * k3, y + h * l3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

    tensor = torch.as_tensor(rates)

    def loss(rates):
        x, y = torch.tensor(1.0), torch.tensor(1.0)
        for _ in range(steps):
            x, y = step(rates, x, y)
        return x * x + y

    def derivative():
        leaf = tensor.detach().requires_grad_()
        return torch.autograd.grad(loss(leaf), leaf)

    return Calls(derivative)


def csr(start, column, value, x) -> Calls:
    """Scattered additions; the sparse CSR tensor of PyTorch has no gradient for its values that fits in memory."""
    row = torch.as_tensor(np.repeat(np.arange(len(x)), np.diff(start)))
    columns, n = torch.as_tensor(column), len(x)
    return _gradient(lambda v, x: 0.5 * (x @ torch.zeros(n).index_add(0, row, v * x[columns])), (value, x))


def _distance(points, centres):
    difference = points[:, None, :] - centres[None]
    return (difference * difference).sum(-1).min(1).values.sum()


def kmeans(points, centres) -> Calls:
    p = torch.as_tensor(points)
    return _gradient(lambda c: _distance(p, c), (centres,))


def kmeans_hvp(points, centres, direction) -> Calls:
    p = torch.as_tensor(points)
    gradient = grad(lambda c: _distance(p, c))
    return _jacobians(lambda c, _: _distance(p, c), lambda c, v: jvp(gradient, (c,), (v,))[1], (centres, direction))


def arm(angles, table) -> Calls:
    links = [[float(v) for v in link] for link in table]
    unit, zero = torch.eye(3), torch.zeros(3)

    def pose(q):
        x, y, z, t = unit[0], unit[1], unit[2], zero
        for j, (length, offset, cos_twist, sin_twist) in enumerate(links):
            cos, sin = torch.cos(q[j]), torch.sin(q[j])
            ahead, side = cos * x + sin * y, cos * y - sin * x
            t = t + length * ahead + offset * z
            x, y, z = ahead, cos_twist * side + sin_twist * z, cos_twist * z - sin_twist * side
        return torch.cat([t, x])

    return _jacobians(vmap(pose), vmap(BY_ITEM(pose)), (angles,))


def roe(left, right, gamma, width) -> Calls:
    def side(state):
        speed = state[1] / state[0]
        pressure = (gamma - 1) * (state[2] - 0.5 * state[1] * speed)
        return speed, pressure, (state[2] + pressure) / state[0]

    def fixed_abs(wave):
        return torch.where(torch.abs(wave) < width, (wave * wave + width * width) / (2 * width), torch.abs(wave))

    def flux(p, q):
        (ul, pl, hl), (ur, pr, hr) = side(p), side(q)
        root_l, root_r = torch.sqrt(p[0]), torch.sqrt(q[0])
        total = 1 / (root_l + root_r)
        u, h = (root_l * ul + root_r * ur) * total, (root_l * hl + root_r * hr) * total
        a2 = (gamma - 1) * (h - 0.5 * u * u)
        a, density = torch.sqrt(a2), root_l * root_r
        w1 = fixed_abs(u - a) * 0.5 * (pr - pl - density * a * (ur - ul)) / a2
        w2 = fixed_abs(u) * (q[0] - p[0] - (pr - pl) / a2)
        w3 = fixed_abs(u + a) * 0.5 * (pr - pl + density * a * (ur - ul)) / a2
        mass = 0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3)
        momentum = 0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
        carried = w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)
        return torch.stack([mass, momentum, 0.5 * (p[1] * hl + q[1] * hr) - 0.5 * carried])

    item = jacrev(flux, (0, 1))  # three outputs, six inputs
    return _jacobians(vmap(flux), lambda p, q: torch.cat(vmap(item)(p, q), -1), (left, right))
