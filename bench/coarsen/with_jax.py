"""The programs in JAX: whole-array expressions where there is nothing in time, `lax.scan` where there is.

Reverse mode refuses loops that end early, so BGDHyperOpt masks the rounds after its end; the variant `forward` is
`jax.jvp` through `lax.while_loop`, which does end.
"""

from __future__ import annotations

import os

import jax
import jax.numpy as jnp
import numpy as np
from bench.grad.harness import Calls, as_arrays

jax.config.update("jax_enable_x64", True)
FORWARD = os.environ.get("TAPELESS_BENCH_VARIANT") == "forward"


def _calls(program, arguments, derivative=None) -> Calls:
    """The gradient by all arguments, compiled, on arguments that are already on the device."""
    placed = [jnp.asarray(a) for a in arguments]
    compiled = jax.jit(derivative or jax.grad(program, tuple(range(len(placed)))))
    primal = jax.jit(program)
    return Calls(
        lambda: jax.block_until_ready(compiled(*placed)),
        lambda: jax.block_until_ready(primal(*placed)),
        lambda gradient: as_arrays([primal(*placed), *(gradient if isinstance(gradient, tuple) else [gradient])]),
    )


def bgd(rate, x, y, steps) -> Calls:
    x, y, m = jnp.asarray(x), jnp.asarray(y), len(x)

    def slope(w, x, y):
        return jnp.sum(2.0 * x * (y - x * w)) / m

    def error(w, x, y):
        return jnp.sqrt(jnp.sum((y - x * w) ** 2)) / m

    def masked(rate, x, y):
        def step(state, _):
            w, going = state
            d = slope(w, x, y)
            going = going & (d >= 0.001)
            return (jnp.where(going, w + rate * d, w), going), None

        return error(jax.lax.scan(step, (0.0, True), None, length=steps)[0][0], x, y)

    def ending(rate, x, y):
        def goes_on(state):
            k, _, d = state
            return (k < steps) & (d >= 0.001)

        def step(state):
            k, w, d = state
            w = w + rate * d
            return k + 1, w, slope(w, x, y)

        return error(jax.lax.while_loop(goes_on, step, (0, 0.0, slope(0.0, x, y)))[1], x, y)

    program = ending if FORWARD else masked
    by_rate = jax.jacfwd(program) if FORWARD else jax.grad(program)
    return _calls(program, (rate, x, y), by_rate)


def brachistochrone(heights, dx) -> Calls:
    def time(heights):
        y = jnp.concatenate([jnp.ones(1), heights, jnp.zeros(1)])
        # The root of the first point is a constant: it has no derivative there.
        v = jnp.concatenate([jnp.zeros(1), jnp.sqrt(2.0 * 9.8 * (1.0 - y[1:]))])
        return jnp.sum(jnp.sqrt(dx * dx + jnp.diff(y) ** 2) / ((v[1:] + v[:-1]) / 2.0))

    return _calls(time, (heights,))


def spring(points, edges, lengths, stiffness) -> Calls:
    def energy(points):
        way = points[edges[:, 0]] - points[edges[:, 1]]
        return 0.5 * stiffness * jnp.sum((jnp.sqrt(jnp.sum(way * way, axis=1) + 1e-6) - lengths) ** 2)

    return _calls(energy, (points,))


def hmc(beta, x, y) -> Calls:
    def posterior(beta, x, y):
        z = x @ beta
        large = z < -80.0
        soft = jnp.where(large, -z, jnp.log(1.0 + jnp.exp(-jnp.where(large, 0.0, z))))
        return jnp.sum(z * (y - 1.0) - soft) - beta @ beta / 2000.0

    return _calls(posterior, (beta, x, y), jax.grad(posterior))


def _cart_step(state, action):
    x, v, angle, turn = state
    r = 9.09 * action + 0.045 * turn * turn * jnp.sin(angle)
    q = (9.8 * jnp.sin(angle) - r * jnp.cos(angle)) / (0.667 - 0.045 * jnp.cos(angle) ** 2)
    x, v, angle, turn = x + 0.02 * v, v + 0.02 * (r - 0.045 * q * jnp.cos(angle)), angle + 0.02 * turn, turn + 0.02 * q
    inside = jnp.maximum(0.0, (2.4 - jnp.abs(x)) * (0.21 - jnp.abs(angle)))
    return (x, v, angle, turn), (0.5 - inside) ** 2


def cart_environment(state, actions) -> Calls:
    def loss(state, actions):
        return jnp.sum(jax.lax.scan(_cart_step, tuple(state), actions)[1])

    return _calls(loss, (state, actions))


def cart_policy(w1, w2, w3, state, steps) -> Calls:
    def loss(w1, w2, w3):
        def step(state, _):
            out = jnp.tanh(jax.nn.relu(jax.nn.relu(jnp.stack(state) @ w1) @ w2) @ w3)
            return _cart_step(state, out + jax.lax.stop_gradient(jnp.sign(out) - out))

        return jnp.sum(jax.lax.scan(step, tuple(jnp.asarray(state)), None, length=steps)[1])

    return _calls(loss, (w1, w2, w3))


def ragdoll(amplitudes, points, bones, lengths, muscles, rests, steps) -> Calls:
    def ways(p, pairs):
        way = p[pairs[:, 1]] - p[pairs[:, 0]]
        return way, jnp.sqrt(jnp.sum(way * way, axis=1) + 1e-9)

    def pulled(force, pairs, strength, way):
        pull = strength[:, None] * way
        return force.at[pairs[:, 0]].add(pull).at[pairs[:, 1]].add(-pull)

    def distance(amplitudes):
        def step(state, k):
            p, v = state
            low, slow = p[:, 1] < 0.0, jnp.abs(v[:, 0]) <= 0.05
            along = jnp.where(low, jnp.where(slow, -30.0, -3.0) * v[:, 0], 0.0)
            up = -9.8 - jnp.where(low, 400.0 * p[:, 1] + 4.0 * v[:, 1], 0.0)
            way, length = ways(p, bones)
            stretch = length / lengths - 1.0
            beyond = jnp.where(jnp.abs(stretch) > 0.1, stretch - 0.1 * jnp.sign(stretch), 0.0)
            force = pulled(jnp.stack([along, up], 1), bones, (300.0 * stretch + 900.0 * beyond) / length, way)
            way, length = ways(p, muscles)
            sign = jnp.where((k // 8 + np.arange(len(muscles))) % 2 == 0, 1.0, -1.0)
            force = pulled(force, muscles, 60.0 * (length - rests * (1.0 + sign * amplitudes)) / length, way)
            v = 0.999 * v + 0.01 * force
            return (p + 0.01 * v, v), None

        start = jnp.asarray(points)
        (p, _), _ = jax.lax.scan(step, (start, jnp.zeros_like(start)), jnp.arange(steps))
        return jnp.sum(p[:, 0] - start[:, 0]) / len(points)

    return _calls(distance, (amplitudes,))
