"""The array-language set in eager PyTorch: whole-array operations, gathers and `index_add`, checkpoints over blocks and
steps. The item lists of the two lookup programs are those that the JAX versions are given.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from bench.grad.arrays.lattice import DIRECTIONS, LID, OMEGA, OPPOSITE, WEIGHTS
from bench.grad.arrays.lookups import pole_items
from bench.grad.harness import Calls
from torch.func import grad, jvp
from torch.utils.checkpoint import checkpoint

torch.set_num_threads(1)


def _tensors(arrays) -> list[torch.Tensor]:
    return [torch.as_tensor(np.ascontiguousarray(array)) for array in arrays]


def _gradient(function, leaves, rest=()) -> Calls:
    """The derivative of function(*leaves, *rest) by the leaves."""
    leaves, rest = _tensors(leaves), _tensors(rest)

    def derivative():
        fresh = [leaf.detach().requires_grad_() for leaf in leaves]
        return torch.autograd.grad(function(*fresh, *rest), fresh)

    def primal():
        with torch.no_grad():
            return function(*leaves, *rest)

    return Calls(derivative, primal)


def _newton(cost, centres) -> Calls:
    """The gradient, and the Hessian times ones."""
    (centres,) = _tensors([centres])
    return Calls(lambda: jvp(grad(cost), (centres,), (torch.ones_like(centres),)), lambda: cost(centres))


def kmeans(points, centres) -> Calls:
    (points,) = _tensors([points])

    def cost(centres):
        squares = (points**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * points @ centres.T
        return squares.amin(1).sum()

    return _newton(cost, centres)


def sparse_kmeans(start, column, values, centres) -> Calls:
    n = len(start) - 1
    row, column, values = _tensors([np.repeat(np.arange(n), np.diff(start)), column, values])

    def cost(centres):
        terms = (values - 2 * centres[:, column]) * values
        sums = torch.zeros(len(centres), n, dtype=terms.dtype).index_add(1, row, terms)
        return ((centres * centres).sum(1)[:, None] + sums).amin(0).sum()

    return _newton(cost, centres)


def rsbench(poles, angular, windows, starts, factors, *lookups) -> Calls:
    items, background = pole_items(angular, windows, starts, *lookups)
    blocks = list(zip(*_tensors(items), strict=True))

    (factors,) = _tensors([factors])

    def block(poles, energy, nuclide, pole, l, amount):
        data = poles[nuclide, pole]
        ea, rt, ra, rf = (torch.complex(data[:, k], data[:, k + 1]) for k in (0, 2, 4, 6))
        w = _faddeeva((energy - ea) * 0.5)
        values = w * (3 * rt * _phase(l, factors[nuclide, l] * torch.sqrt(energy)) - ra + rf)
        return (amount * values.real).sum()

    def total(poles):
        return background + sum(checkpoint(block, poles, *items, use_reentrant=False) for items in blocks)

    return _gradient(total, (poles,))


def _phase(l, phi):
    phi2 = phi * phi
    shifts = [torch.zeros_like(phi), -torch.atan(phi), torch.atan(3 * phi / (3 - phi2))]
    shifts.append(torch.atan(phi * (15 - phi2) / (15 - 6 * phi2)))
    turn = 2 * (phi - torch.stack(shifts).gather(0, l[None])[0])
    return torch.polar(torch.ones_like(turn), -turn)


def _faddeeva(z):
    near = z.abs() < 6
    inside, outside = torch.where(near, z, 1.0), torch.where(near, 10.0, z)
    n = torch.arange(1, 11, dtype=torch.float64)
    e = torch.exp(12j * inside)
    a = 2 * math.sqrt(math.pi) / 12 * torch.exp(-((n * math.pi / 12) ** 2))
    terms = a * ((-1.0) ** n * e[:, None] - 1) / ((n * math.pi) ** 2 - 144 * inside[:, None] ** 2)
    series = 1j * (1 - e) / (12 * inside) + 1j * 144 / math.sqrt(math.pi) * inside * terms.sum(1)
    z2 = outside * outside
    asymptotic = 1j * outside * (0.5124242248 / (z2 - 0.2752551286) + 0.05176535879 / (z2 - 2.724744871))
    return torch.where(near, series, asymptotic)


def xsbench(table, union, places, nuclides, concentrations, _sizes, materials, energies) -> Calls:
    union, places, nuclides, concentrations = _tensors([union, places, nuclides, concentrations])
    blocks = list(zip(*_tensors([materials.reshape(50, -1), energies.reshape(50, -1)]), strict=True))

    def block(table, material, energy):
        nuclide = nuclides[material]
        at = (torch.searchsorted(union, energy, right=True) - 1).clamp(min=0)
        low = places[at[:, None], nuclide]
        below, above = table[nuclide, low], table[nuclide, low + 1]
        f = (above[..., 0] - energy[:, None]) / (above[..., 0] - below[..., 0])
        values = above[..., 1:] - f[..., None] * (above[..., 1:] - below[..., 1:])
        return (concentrations[material][..., None] * values).sum()

    def total(table):
        return sum(checkpoint(block, table, *items, use_reentrant=False) for items in blocks)

    return _gradient(total, (table,))


def lbm(state, obstacle, moving, steps) -> Calls:
    lid, along_axes, weights = _tensors([np.array(x, np.float32) for x in (LID, DIRECTIONS, WEIGHTS)])
    obstacle, moving = _tensors([obstacle, moving])

    def step(f):
        f = torch.stack([torch.roll(f[q], (z, y, x), (0, 1, 2)) for q, (x, y, z) in enumerate(DIRECTIONS)])
        density = f.sum(0)
        u = torch.einsum("qd,qzyx->dzyx", along_axes, f) / density
        u = torch.where(moving, lid[:, None, None, None], u)
        along = torch.einsum("qd,dzyx->qzyx", along_axes, u)
        still = 1 - 1.5 * (u * u).sum(0)
        equal = weights[:, None, None, None] * density * (still + along * (4.5 * along + 3))
        return torch.where(obstacle, f[list(OPPOSITE)], (1 - OMEGA) * f + OMEGA * equal)

    def total(f):
        for _ in range(steps):
            f = checkpoint(step, f, use_reentrant=False)
        return 0.5 * (f**2).sum()

    return _gradient(total, (state,))


def lstm(sequence, target, *parameters) -> Calls:
    sequence, target = _tensors([sequence, target])

    def loss(w_in, w_state, b_in, b_state, w_out, b_out):
        size = w_state.shape[1]
        hidden = cell = torch.zeros(sequence.shape[1], size, dtype=sequence.dtype)
        total = 0.0
        for x, wanted in zip(sequence, target, strict=True):
            i, f, g, o = (x @ w_in.T + hidden @ w_state.T + (b_in + b_state)).split(size, dim=1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            total = total + ((hidden @ w_out.T + b_out - wanted) ** 2).sum()
        return total / target.numel()

    return _gradient(loss, parameters)
