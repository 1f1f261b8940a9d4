"""The programs in JAX: lax.scan for steps in time, gathers and segments for sparse matrices.

The variant `checkpoint` keeps every sqrt(n)-th state and runs the steps between again (`jax.checkpoint` of an inner
scan inside an outer one).
"""

from __future__ import annotations

import math
import os

import jax
import jax.numpy as jnp
import numpy as np
from bench.grad.adbench.with_jax import ba as bundle  # noqa: F401
from bench.grad.adbench.with_jax import gmm as mixture  # noqa: F401
from bench.grad.harness import Calls, as_arrays
from bench.reversible.problems import along

jax.config.update("jax_enable_x64", True)
CHECKPOINT = os.environ["TAPELESS_BENCH_VARIANT"] == "checkpoint"


def _calls(program, arguments, argnums, arrays=None) -> Calls:
    """Value and gradient, compiled, on arguments that are already on the device."""
    placed = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    derivative, primal = jax.jit(jax.value_and_grad(program, argnums)), jax.jit(program)
    return Calls(
        lambda: jax.block_until_ready(derivative(*placed)),
        lambda: jax.block_until_ready(primal(*placed)),
        arrays or (lambda result: as_arrays([result[0], *result[1]])),
    )


def _scan(step, state, inputs):
    """The last state; with checkpoints, in about sqrt(n) blocks, and the steps that are left over."""
    n = len(inputs)
    block = math.isqrt(n)
    if not CHECKPOINT or block < 2:
        return jax.lax.scan(step, state, inputs)[0]
    inner = jax.checkpoint(lambda state, some: (jax.lax.scan(step, state, some)[0], None))
    whole = n - n % block
    state = jax.lax.scan(inner, state, inputs[:whole].reshape(-1, block))[0]
    return jax.lax.scan(step, state, inputs[whole:])[0]


def sparse_dot(a, a_rows, a_starts, b, b_rows, b_starts) -> Calls:
    """The common places are found once, before anything is timed; what is left are two gathers."""
    size = len(a_starts) - 1
    places = [np.repeat(np.arange(size), np.diff(s)) * size + r for s, r in ((a_starts, a_rows), (b_starts, b_rows))]
    _, left, right = np.intersect1d(*places, assume_unique=True, return_indices=True)
    return _calls(lambda a, b: jnp.sum(a[left] * b[right]), (a, b), (0, 1))


def matvec(data, vector, alpha, seed, rows, starts) -> Calls:
    columns = np.repeat(np.arange(len(vector)), np.diff(starts))

    def program(data, vector, alpha, seed):
        scaled = jax.lax.complex(alpha[0], alpha[1]) * jax.lax.complex(vector[:, 0], vector[:, 1])
        products = jax.lax.complex(data[:, 0], data[:, 1]) * scaled[columns]
        result = jax.ops.segment_sum(products, rows, len(seed))
        return jnp.sum(result.real * seed[:, 0] + result.imag * seed[:, 1])

    return _calls(program, (data, vector, alpha, seed), (0, 1, 2))


def _embedding(points, edges, others):
    near, far = (jnp.sqrt(jnp.sum((points[p[:, 0]] - points[p[:, 1]]) ** 2, axis=1)) for p in (edges, others))
    gap = near.mean() - far.mean() + 0.1
    return near.var(ddof=1) + far.var(ddof=1) + jnp.exp(jnp.maximum(gap, 0.0)) - 1.0


def embedding(*arguments) -> Calls:
    return _calls(_embedding, arguments, (0,))


def embedding_hessian(*arguments) -> Calls:
    placed = [jnp.asarray(a) for a in arguments]
    hessian, primal = jax.jit(jax.hessian(_embedding)), jax.jit(_embedding)
    return Calls(
        lambda: jax.block_until_ready(hessian(*placed)),
        lambda: jax.block_until_ready(primal(*placed)),
    )


def bessel(z) -> Calls:
    """Reverse mode refuses while loops, so the number of terms is fixed: the five that are needed at 1."""

    def program(z):
        square = z * z / 4.0
        term = square / 2.0
        total = term
        for k in range(1, 6):
            term = term * -square / (k * (k + 2.0))
            total = total + term
        return jnp.sum(total)

    return _calls(program, (z,), (0,))


def additions(x, one, steps) -> Calls:
    program = lambda x, one: jax.lax.fori_loop(0, steps, lambda _, x: x + one, x)  # noqa: E731
    return _calls(program, (x, one), (0, 1))


def lorenz(start, parameters, dt, steps) -> Calls:
    def program(start, parameters):
        def slope(state):
            (x, y, z), (sigma, rho, beta) = state, parameters
            return jnp.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

        def step(state, _):
            k1 = slope(state)
            k2 = slope(state + 0.5 * dt * k1)
            k3 = slope(state + 0.5 * dt * k2)
            k4 = slope(state + dt * k3)
            return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        return _scan(step, start, jnp.arange(steps))[0]

    return _calls(program, (start, parameters), (0, 1))


def acoustic(speed, sigma, tau, source, h, dt) -> Calls:
    at = speed.shape[0] // 2 - 2, speed.shape[1] // 2 - 2

    def program(speed, s, t):
        c, s, t = speed[1:-1, 1:-1], s[1:-1, 1:-1], t[1:-1, 1:-1]
        courant, turned = c * (dt / h) ** 2, dt * c * (t - s) / (2.0 * h)

        def step(state, strength):
            old, now, phi, psi, total = state
            inner = (
                (2.0 - s * t * dt * dt - 4.0 * courant) * now[1:-1, 1:-1]
                + courant * (now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2])
                + dt * dt / (2.0 * h) * (phi[2:, 1:-1] - phi[:-2, 1:-1] + psi[1:-1, 2:] - psi[1:-1, :-2])
                - (1.0 - 0.5 * (s + t) * dt) * old[1:-1, 1:-1]
            ) / (1.0 + 0.5 * (s + t) * dt)
            new = jnp.pad(inner, 1)
            phi = jnp.pad((1.0 - dt * s) * phi[1:-1, 1:-1] + turned * (new[2:, 1:-1] - new[:-2, 1:-1]), 1)
            psi = jnp.pad((1.0 - dt * t) * psi[1:-1, 1:-1] - turned * (new[1:-1, 2:] - new[1:-1, :-2]), 1)
            new = new.at[at].add(strength * dt * dt)
            return (now, new, phi, psi, total + jnp.sum(new * new)), None

        rest = jnp.zeros_like(speed)
        return _scan(step, (rest, rest, rest, rest, jnp.float64(0.0)), jnp.asarray(source))[-1]

    return _calls(program, (speed, sigma, tau), (0,), lambda result: along(*result))


def flow(*arguments) -> Calls:
    def program(w, b, v, d, points):
        x, y = points[:, 0], points[:, 1]
        for layer in range(len(w)):
            hidden = jnp.maximum(w[layer] * x[:, None] + b[layer], 0.0)
            x, y = y + d[layer] + hidden @ v[layer], x
        return jnp.mean(0.5 * (x * x + y * y))

    return _calls(program, arguments, (0, 1, 2, 3))


def wave(u, v, courant, steps) -> Calls:
    def program(u, courant, v):
        def step(state, _):
            u, v = state
            force = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
            v = v.at[1:-1, 1:-1].add(courant[1:-1, 1:-1] * force)
            return (u + v, v), None

        return jnp.sum(_scan(step, (u, v), jnp.arange(steps))[0] ** 2)

    return _calls(program, (u, courant, v), (0, 1), lambda result: along(*result))
