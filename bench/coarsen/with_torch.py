"""The programs in PyTorch; `TAPELESS_BENCH_VARIANT` chooses eager or `compile`. Time is a loop in Python."""

from __future__ import annotations

import numpy as np
import torch
from bench.grad.eight.with_torch import _maybe_compiled
from bench.grad.harness import Calls, as_arrays


def _calls(program, arguments, by=None) -> Calls:
    """The derivative by the first `by` arguments."""
    run = _maybe_compiled(program)
    tensors = [torch.as_tensor(a, dtype=torch.float64) for a in arguments]
    by = len(tensors) if by is None else by

    def derivative():
        leaves = [t.detach().requires_grad_() for t in tensors[:by]]
        return torch.autograd.grad(run(*leaves, *tensors[by:]), leaves)

    return Calls(derivative, lambda: run(*tensors), lambda gradient: as_arrays([run(*tensors).detach(), *gradient]))


def bgd(rate, x, y, steps) -> Calls:
    m = len(x)

    @_maybe_compiled
    def step(w, rate, x, y):
        d = (2.0 * x * (y - x * w)).sum() / m
        return w + rate * d, d

    x, y, at = torch.as_tensor(x), torch.as_tensor(y), torch.tensor(rate)

    def error(rate):
        w = torch.zeros(())
        for _ in range(steps):
            new, d = step(w, rate, x, y)
            if d < 0.001:
                break
            w = new
        return torch.sqrt(((y - x * w) ** 2).sum()) / m

    def derivative():
        leaf = at.detach().requires_grad_()
        return torch.autograd.grad(error(leaf), leaf)

    return Calls(derivative, lambda: error(at), lambda gradient: as_arrays([error(at).detach(), *gradient]))


def brachistochrone(heights, dx) -> Calls:
    def time(heights):
        y = torch.cat([torch.ones(1), heights, torch.zeros(1)])
        v = torch.cat([torch.zeros(1), torch.sqrt(2.0 * 9.8 * (1.0 - y[1:]))])
        return (torch.sqrt(dx * dx + torch.diff(y) ** 2) / ((v[1:] + v[:-1]) / 2.0)).sum()

    return _calls(time, (heights,))


def spring(points, edges, lengths, stiffness) -> Calls:
    first, second, rest = (torch.as_tensor(a) for a in (edges[:, 0].copy(), edges[:, 1].copy(), lengths))

    def energy(points):
        way = points[first] - points[second]
        return 0.5 * stiffness * ((torch.sqrt((way * way).sum(1) + 1e-6) - rest) ** 2).sum()

    return _calls(energy, (points,))


def hmc(beta, x, y) -> Calls:
    def posterior(beta, x, y):
        z = x @ beta
        large = z < -80.0
        soft = torch.where(large, -z, torch.log(1.0 + torch.exp(-torch.where(large, torch.zeros(()), z))))
        return (z * (y - 1.0) - soft).sum() - beta @ beta / 2000.0

    return _calls(posterior, (beta, x, y), 1)


def _cart_step(x, v, angle, turn, action):
    r = 9.09 * action + 0.045 * turn * turn * torch.sin(angle)
    q = (9.8 * torch.sin(angle) - r * torch.cos(angle)) / (0.667 - 0.045 * torch.cos(angle) ** 2)
    x, v, angle, turn = (
        x + 0.02 * v,
        v + 0.02 * (r - 0.045 * q * torch.cos(angle)),
        angle + 0.02 * turn,
        turn + 0.02 * q,
    )
    inside = torch.relu((2.4 - torch.abs(x)) * (0.21 - torch.abs(angle)))
    return (x, v, angle, turn), (0.5 - inside) ** 2


def cart_environment(state, actions) -> Calls:
    def loss(state, actions):
        now, total = tuple(state.unbind()), 0.0
        for action in actions.unbind():
            now, lost = _cart_step(*now, action)
            total = total + lost
        return total

    return _calls(loss, (state, actions))


def cart_policy(w1, w2, w3, state, steps) -> Calls:
    def loss(w1, w2, w3, state):
        now, total = tuple(state.unbind()), 0.0
        for _ in range(steps):
            out = torch.tanh(torch.relu(torch.relu(torch.stack(now) @ w1) @ w2) @ w3)
            now, lost = _cart_step(*now, out + (torch.sign(out) - out).detach())
            total = total + lost
        return total

    return _calls(loss, (w1, w2, w3, state), 3)


def ragdoll(amplitudes, points, bones, lengths, muscles, rests, steps) -> Calls:
    start, lengths, rests = (torch.as_tensor(a) for a in (points, lengths, rests))
    pairs = {name: (torch.as_tensor(p[:, 0].copy()), torch.as_tensor(p[:, 1].copy())) for name, p in
             (("bones", bones), ("muscles", muscles))}  # fmt: skip
    parity = torch.as_tensor(np.arange(len(muscles)) % 2 == 0)

    def ways(p, name):
        first, second = pairs[name]
        way = p[second] - p[first]
        return way, torch.sqrt((way * way).sum(1) + 1e-9)

    def pulled(force, name, strength, way):
        first, second = pairs[name]
        pull = strength[:, None] * way
        return force.index_add(0, first, pull).index_add(0, second, -pull)

    def distance(amplitudes):
        p, v, nothing = start, torch.zeros_like(start), torch.zeros(())
        for k in range(steps):
            low, slow = p[:, 1] < 0.0, torch.abs(v[:, 0]) <= 0.05
            along = torch.where(low, torch.where(slow, -30.0, -3.0) * v[:, 0], nothing)
            up = -9.8 - torch.where(low, 400.0 * p[:, 1] + 4.0 * v[:, 1], nothing)
            way, length = ways(p, "bones")
            stretch = length / lengths - 1.0
            beyond = torch.where(torch.abs(stretch) > 0.1, stretch - 0.1 * torch.sign(stretch), nothing)
            force = pulled(torch.stack([along, up], 1), "bones", (300.0 * stretch + 900.0 * beyond) / length, way)
            way, length = ways(p, "muscles")
            sign = torch.where(parity == (k // 8 % 2 == 0), 1.0, -1.0)
            force = pulled(force, "muscles", 60.0 * (length - rests * (1.0 + sign * amplitudes)) / length, way)
            v = 0.999 * v + 0.01 * force
            p = p + 0.01 * v
        return (p[:, 0] - start[:, 0]).sum() / len(points)

    return _calls(distance, (amplitudes,))
