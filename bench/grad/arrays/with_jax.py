"""The array-language set in JAX: whole-array operations, gathers and segment sums, remat over steps."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from bench.grad.arrays.lattice import DIRECTIONS, LID, OMEGA, OPPOSITE, WEIGHTS
from bench.grad.arrays.lookups import pole_items
from bench.grad.harness import Calls

jax.config.update("jax_enable_x64", True)


def _calls(derivative, primal, arguments) -> Calls:
    placed = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    derived, run = jax.jit(derivative), jax.jit(primal)
    return Calls(lambda: jax.block_until_ready(derived(*placed)), lambda: jax.block_until_ready(run(*placed)))


def _newton(cost):
    """The gradient by the last argument, and the Hessian times ones."""

    def both(*arguments):
        *rest, centres = arguments
        return jax.jvp(jax.grad(lambda c: cost(*rest, c)), (centres,), (jnp.ones_like(centres),))

    return both


def kmeans(points, centres) -> Calls:
    def cost(points, centres):
        squares = (points**2).sum(1)[:, None] + (centres**2).sum(1) - 2 * points @ centres.T
        return squares.min(1).sum()

    return _calls(_newton(cost), cost, (points, centres))


def sparse_kmeans(start, column, values, centres) -> Calls:
    n = len(start) - 1
    row = np.repeat(np.arange(n), np.diff(start))

    def cost(row, column, values, centres):
        def distances(centre):
            terms = (values - 2 * centre[column]) * values
            return centre @ centre + jax.ops.segment_sum(terms, row, n, indices_are_sorted=True)

        return jax.vmap(distances)(centres).min(0).sum()

    return _calls(_newton(cost), cost, (row, column, values, centres))


def rsbench(poles, angular, windows, starts, factors, *lookups) -> Calls:
    items, background = pole_items(angular, windows, starts, *lookups)

    def total(poles, factors, *blocks_of):
        @jax.checkpoint
        def block(carried, items):
            energy, nuclide, pole, l, amount = items
            data = poles[nuclide, pole]
            ea, rt, ra, rf = (data[:, k] + 1j * data[:, k + 1] for k in (0, 2, 4, 6))
            w = _faddeeva((energy - ea) * 0.5)
            values = w * (3 * rt * _phase(l, factors[nuclide, l] * jnp.sqrt(energy)) - ra + rf)
            return carried + jnp.sum(amount * values.real), None

        return background + jax.lax.scan(block, 0.0, blocks_of)[0]

    return _calls(jax.grad(total), total, (poles, factors, *items))


def _phase(l, phi):
    phi2 = phi * phi
    shifts = [jnp.zeros_like(phi), -jnp.arctan(phi), jnp.arctan(3 * phi / (3 - phi2))]
    shifts.append(jnp.arctan(phi * (15 - phi2) / (15 - 6 * phi2)))
    turn = 2 * (phi - jnp.choose(l, shifts, mode="clip"))
    return jnp.cos(turn) - 1j * jnp.sin(turn)


def _faddeeva(z):
    near = jnp.abs(z) < 6
    inside, outside = jnp.where(near, z, 1.0), jnp.where(near, 10.0, z)
    n = jnp.arange(1, 11)
    e = jnp.exp(12j * inside)
    a = 2 * np.sqrt(np.pi) / 12 * jnp.exp(-((n * np.pi / 12) ** 2))
    terms = a * ((-1.0) ** n * e[:, None] - 1) / ((n * np.pi) ** 2 - 144 * inside[:, None] ** 2)
    series = 1j * (1 - e) / (12 * inside) + 1j * 144 / np.sqrt(np.pi) * inside * terms.sum(1)
    z2 = outside * outside
    asymptotic = 1j * outside * (0.5124242248 / (z2 - 0.2752551286) + 0.05176535879 / (z2 - 2.724744871))
    return jnp.where(near, series, asymptotic)


def xsbench(table, union, places, nuclides, concentrations, _sizes, materials, energies) -> Calls:
    """Padded to 34 nuclides; blocks of lookups keep the temporaries small."""

    def total(table, union, places, nuclides, concentrations, materials, energies):
        @jax.checkpoint
        def block(carried, items):
            material, energy = items
            nuclide = nuclides[material]
            at = jnp.maximum(jnp.searchsorted(union, energy, side="right") - 1, 0)
            low = places[at[:, None], nuclide]
            below, above = table[nuclide, low], table[nuclide, low + 1]
            f = (above[..., 0] - energy[:, None]) / (above[..., 0] - below[..., 0])
            values = above[..., 1:] - f[..., None] * (above[..., 1:] - below[..., 1:])
            return carried + jnp.sum(concentrations[material][..., None] * values), None

        return jax.lax.scan(block, 0.0, (materials.reshape(50, -1), energies.reshape(50, -1)))[0]

    return _calls(jax.grad(total), total, (table, union, places, nuclides, concentrations, materials, energies))


def lbm(state, obstacle, moving, steps) -> Calls:
    lid, along_axes = np.array(LID, np.float32), np.array(DIRECTIONS, np.float32)
    weights = np.array(WEIGHTS, np.float32)[:, None, None, None]

    def last(state, obstacle, moving):
        @jax.checkpoint
        def step(f, _):
            f = jnp.stack([jnp.roll(f[q], (z, y, x), (0, 1, 2)) for q, (x, y, z) in enumerate(DIRECTIONS)])
            density = f.sum(0)
            u = jnp.where(moving, lid[:, None, None, None], jnp.einsum("qd,qzyx->dzyx", along_axes, f) / density)
            along = jnp.einsum("qd,dzyx->qzyx", along_axes, u)
            equal = weights * density * (1 + along * (4.5 * along + 3) - 1.5 * (u * u).sum(0))
            omega = np.float32(OMEGA)
            return jnp.where(obstacle, f[np.array(OPPOSITE)], (1 - omega) * f + omega * equal), None

        return jax.lax.scan(step, state, None, length=steps)[0]

    total = lambda *arguments: 0.5 * (last(*arguments) ** 2).sum()  # noqa: E731
    return _calls(jax.grad(total), total, (state, obstacle, moving))


def lstm(sequence, target, *parameters) -> Calls:
    def loss(sequence, target, w_in, w_state, b_in, b_state, w_out, b_out):
        size = w_state.shape[1]

        def step(state, both):
            hidden, cell = state
            x, wanted = both
            gates = x @ w_in.T + hidden @ w_state.T + (b_in + b_state)
            i, f, g, o = (gates[:, k * size : (k + 1) * size] for k in range(4))
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), jnp.sum((hidden @ w_out.T + b_out - wanted) ** 2)

        zero = jnp.zeros((sequence.shape[1], size), sequence.dtype)
        _, squares = jax.lax.scan(step, (zero, zero), (sequence, target))
        return squares.sum() / target.size

    return _calls(jax.grad(loss, tuple(range(2, 8))), loss, (sequence, target, *parameters))
