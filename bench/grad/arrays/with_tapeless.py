"""The array-language set as a Tapeless user writes it."""

from __future__ import annotations

import math

import numpy as np
from bench.grad.arrays.lattice import DIRECTIONS, LID, OMEGA, OPPOSITE, WEIGHTS
from bench.grad.harness import Calls

import tapeless as tp


def _calls(derivative, primal, arguments) -> Calls:
    return Calls(lambda: derivative(*arguments), lambda: primal(*arguments))


@tp.jit
def _distances(points: tp.f32[:, :], centres: tp.f32[:, :]) -> float:
    return np.sum(tp.map(lambda p: np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres)), points))


@tp.jit
def _newton(points: tp.f32[:, :], centres: tp.f32[:, :]) -> tuple[np.ndarray, np.ndarray]:
    """The gradient and the Hessian times ones, whose quotient is a Newton step."""
    return tp.jvp(tp.grad(lambda c: _distances(points, c)), (centres,), (np.ones_like(centres),))


def kmeans(*arguments) -> Calls:
    return _calls(_newton, _distances, arguments)


@tp.jit
def _sparse_distances(start: tp.i64[:], column: tp.i64[:], values: tp.f32[:], centres: tp.f32[10, :]) -> float:
    norms = np.sum(centres * centres, axis=1)
    nearest = np.empty(len(start) - 1, dtype=np.float32)
    for i in range(len(start) - 1):
        squares = norms.copy()
        for k in range(start[i], start[i + 1]):
            for c in range(10):
                squares[c] += (values[k] - 2 * centres[c, column[k]]) * values[k]
        nearest[i] = np.min(squares)
    return np.sum(nearest)


@tp.jit
def _sparse_newton(
    start: tp.i64[:], column: tp.i64[:], values: tp.f32[:], centres: tp.f32[10, :]
) -> tuple[np.ndarray, np.ndarray]:
    gradient = tp.grad(lambda c: _sparse_distances(start, column, values, c))
    return tp.jvp(gradient, (centres,), (np.ones_like(centres),))


def sparse_kmeans(*arguments) -> Calls:
    return _calls(_sparse_newton, _sparse_distances, arguments)


def _faddeeva(x: float, y: float) -> tuple[float, float]:
    """w(x + iy): a series of ten terms near the origin, two poles elsewhere."""
    re2, im2 = x * x - y * y, 2 * x * y
    if x * x + y * y < 36:
        size = math.exp(-12 * y)
        er, ei = size * math.cos(12 * x), size * math.sin(12 * x)
        sr, si = 0.0, 0.0
        sign = 1.0
        for n in range(1, 11):
            sign = -sign
            a = 2 * math.sqrt(math.pi) / 12 * math.exp(-((n * math.pi / 12) ** 2))
            br, bi = (n * math.pi) ** 2 - 144 * re2, -144 * im2
            tr, ti, norm = sign * er - 1, sign * ei, br * br + bi * bi
            sr += a * (tr * br + ti * bi) / norm
            si += a * (ti * br - tr * bi) / norm
        norm = 12 * (x * x + y * y)
        fr, fi = ((1 - er) * x - ei * y) / norm, (-ei * x - (1 - er) * y) / norm
        scale = 144 / math.sqrt(math.pi)
        return -fi - scale * (x * si + y * sr), fr + scale * (x * sr - y * si)
    ar, br = re2 - 0.2752551286, re2 - 2.724744871
    an, bn = 0.5124242248 / (ar * ar + im2 * im2), 0.05176535879 / (br * br + im2 * im2)
    sr, si = an * ar + bn * br, -(an + bn) * im2
    return -(x * si + y * sr), x * sr - y * si


def _phase(l: int, phi: float) -> tuple[float, float]:
    shift = 0.0
    if l == 1:
        shift = -math.atan(phi)
    elif l == 2:
        shift = math.atan(3 * phi / (3 - phi * phi))
    elif l == 3:
        shift = math.atan(phi * (15 - phi * phi) / (15 - 6 * phi * phi))
    return math.cos(2 * (phi - shift)), -math.sin(2 * (phi - shift))


@tp.jit
def _multipole(
    poles: tp.f64[:, :, 8], angular: tp.i64[:, :], windows: tp.f64[:, :, 3], starts: tp.i64[:, :],
    factors: tp.f64[:, 4], nuclides: tp.i64[:, :], concentrations: tp.f64[:, :], sizes: tp.i64[:],
    materials: tp.i64[:], energies: tp.f64[:],
) -> float:  # fmt: skip
    """The sum over all lookups of total, absorption, fission and twice the elastic cross sections."""
    result = 0.0
    for i in range(len(energies)):
        e, m = energies[i], materials[i]
        cos, sin = np.empty(4), np.empty(4)
        macro = 0.0
        for k in range(sizes[m]):
            nuclide = nuclides[m, k]
            window = min(int(e * windows.shape[1]), windows.shape[1] - 1)
            for l in range(4):
                cos[l], sin[l] = _phase(l, factors[nuclide, l] * math.sqrt(e))
            total, absorption, fission = e * windows[nuclide, window]
            for j in range(starts[nuclide, window], starts[nuclide, window + 1]):
                p, l = poles[nuclide, j], angular[nuclide, j]
                wr, wi = _faddeeva((e - p[0]) * 0.5, -p[1] * 0.5)
                tr, ti = p[2] * wr - p[3] * wi, p[2] * wi + p[3] * wr
                total += tr * cos[l] - ti * sin[l]
                absorption += p[4] * wr - p[5] * wi
                fission += p[6] * wr - p[7] * wi
            macro += concentrations[m, k] * (total + absorption + fission + 2 * (total - absorption))
        result += macro
    return result


def rsbench(*arguments) -> Calls:
    return _calls(tp.grad(_multipole), _multipole, arguments)


@tp.jit
def _tabulated(
    table: tp.f64[:, :, 6], union: tp.f64[:], places: tp.i32[:, :], nuclides: tp.i64[:, :],
    concentrations: tp.f64[:, :], sizes: tp.i64[:], materials: tp.i64[:], energies: tp.f64[:],
) -> float:  # fmt: skip
    """The sum over all lookups of five interpolated cross sections."""
    result = 0.0
    for i in range(len(energies)):
        e, m = energies[i], materials[i]
        row = max(np.searchsorted(union, e, side="right") - 1, 0)
        macro = np.zeros(5)
        for k in range(sizes[m]):
            nuclide = nuclides[m, k]
            low = places[row, nuclide]
            below, above = table[nuclide, low], table[nuclide, low + 1]
            f = (above[0] - e) / (above[0] - below[0])
            macro += concentrations[m, k] * (above[1:] - f * (above[1:] - below[1:]))
        result += np.sum(macro)
    return result


def xsbench(*arguments) -> Calls:
    return _calls(tp.grad(_tabulated), _tabulated, arguments)


def _collide(f: np.ndarray, is_moving: bool) -> np.ndarray:
    """The nineteen distributions of one cell after relaxation towards equilibrium."""
    density, ux, uy, uz = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    for q, (x, y, z) in enumerate(DIRECTIONS):
        density += f[q]
        ux += x * f[q]
        uy += y * f[q]
        uz += z * f[q]
    ux, uy, uz = ux / density, uy / density, uz / density
    if is_moving:
        ux, uy, uz = np.float32(LID[0]), np.float32(LID[1]), np.float32(LID[2])
    still = 1 - 1.5 * (ux * ux + uy * uy + uz * uz)
    after = np.empty(19, dtype=np.float32)
    for q, (x, y, z) in enumerate(DIRECTIONS):
        along = x * ux + y * uy + z * uz
        after[q] = (1 - OMEGA) * f[q] + OMEGA * WEIGHTS[q] * density * (still + along * (4.5 * along + 3))
    return after


@tp.jit
def _lattice(state: tp.f32[19, :, :, :], obstacle: np.ndarray, moving: np.ndarray, steps: int) -> float:
    """Each cell gathers from the nineteen it is reached from, then collides, or reflects where it is an obstacle."""
    depth, height, width = obstacle.shape
    f = state.copy()
    for _ in range(steps):
        after = np.empty_like(f)
        for z in range(depth):
            for y in range(height):
                for x in range(width):
                    cell = np.empty(19, dtype=np.float32)
                    for q, (dx, dy, dz) in enumerate(DIRECTIONS):
                        cell[q] = f[q, (z - dz) % depth, (y - dy) % height, (x - dx) % width]
                    if obstacle[z, y, x]:
                        for q in range(19):
                            after[q, z, y, x] = cell[OPPOSITE[q]]
                    else:
                        after[:, z, y, x] = _collide(cell, moving[z, y, x])
        f = after
    return 0.5 * np.sum(f * f)


def lbm(*arguments) -> Calls:
    return _calls(tp.grad(_lattice), _lattice, arguments)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@tp.jit
def _recurrent(
    sequence: tp.f32[:, :, :], target: tp.f32[:, :, :], w_in: tp.f32[:, :], w_state: tp.f32[:, :], b_in: tp.f32[:],
    b_state: tp.f32[:], w_out: tp.f32[:, :], b_out: tp.f32[:],
) -> float:  # fmt: skip
    length, batch, _ = sequence.shape
    size = w_state.shape[1]
    hidden, cell = np.zeros((batch, size), dtype=np.float32), np.zeros((batch, size), dtype=np.float32)
    total = np.float32(0)
    for t in range(length):
        gates = sequence[t] @ w_in.T + hidden @ w_state.T + (b_in + b_state)
        change = _sigmoid(gates[:, :size]) * np.tanh(gates[:, 2 * size : 3 * size])
        cell = _sigmoid(gates[:, size : 2 * size]) * cell + change
        hidden = _sigmoid(gates[:, 3 * size :]) * np.tanh(cell)
        total += np.sum((hidden @ w_out.T + b_out - target[t]) ** 2)
    return total / target.size


def lstm(*arguments) -> Calls:
    return _calls(tp.grad(_recurrent, (2, 3, 4, 5, 6, 7)), _recurrent, arguments)
