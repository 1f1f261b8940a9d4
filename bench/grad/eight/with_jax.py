"""Derivatives in JAX: grad, and vmap of jacfwd for the Jacobians of items; time steps by lax.scan, which reverse
mode needs. Bodies are those of the forward benchmark where they can be differentiated.
"""

from __future__ import annotations

import bench.with_jax as forward
import jax
import jax.numpy as jnp
import numpy as np
from bench.grad.harness import Calls


def _calls(derivative, arguments, primal=None) -> Calls:
    """Compiled, on arguments that are already on the device."""
    placed = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    compiled = jax.jit(derivative)
    run_primal = None
    if primal is not None:
        compiled_primal = jax.jit(primal)
        run_primal = lambda: jax.block_until_ready(compiled_primal(*placed))  # noqa: E731
    return Calls(lambda: jax.block_until_ready(compiled(*placed)), run_primal)


def mixture(*arguments) -> Calls:
    return _calls(jax.grad(forward.mixture, (0, 1, 2)), arguments, forward.mixture)


def bundle(*arguments) -> Calls:
    by_item = jax.jacfwd(forward._project, (0, 1, 2))

    def jacobians(cameras, points, weights, features, camera_of, point_of):
        camera, point, weight = jax.vmap(by_item)(cameras[camera_of], points[point_of], weights, features)
        return jnp.concatenate([camera, point, weight[..., None]], -1)

    return _calls(jacobians, arguments, forward.bundle)


def burgers(start, target, courant, steps) -> Calls:
    def loss(start, target, courant):
        def step(u, _):
            right = jnp.roll(u, -1)
            half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
            return u - 0.5 * courant * (half * half - jnp.roll(half, 1) ** 2), None

        return 0.5 * jnp.sum((jax.lax.scan(step, start, None, length=steps)[0] - target) ** 2)

    return _calls(jax.grad(loss), (start, target, courant), loss)


def lotka_volterra(rates, h, steps) -> Calls:
    """Four inputs: forward mode is JAX's best, ten times faster than its reverse mode through scan."""

    def loss(rates, h):
        a, b, d, c = rates

        def slope(x, y):
            return a * x - b * x * y, d * x * y - c * y

        def step(state, _):
            x, y = state
            k1, l1 = slope(x, y)
            k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
            k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
            k4, l4 = slope(x + h * k3, y + h * l3)
            return (x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)), None

        (x, y), _ = jax.lax.scan(step, (jnp.float64(1.0), jnp.float64(1.0)), None, length=steps)
        return x * x + y

    return _calls(jax.jacfwd(loss), (rates, h), loss)


def csr(*arguments) -> Calls:
    return _calls(jax.grad(forward._csr, (2, 3)), forward.prepare("csr", arguments), forward._csr)


def kmeans(*arguments) -> Calls:
    return _calls(jax.grad(forward.kmeans, 1), arguments, forward.kmeans)


def kmeans_hvp(*arguments) -> Calls:
    def product(points, centres, direction):
        gradient = jax.grad(lambda c: forward.kmeans(points, c))
        return jax.jvp(gradient, (centres,), (direction,))[1]

    return _calls(product, arguments)


def arm(angles, table) -> Calls:
    """The link table is a constant, so that its zeros and ones disappear."""
    poses = forward.arm.__wrapped__
    one = lambda q: poses(q[None], table)[0]  # noqa: E731
    return _calls(jax.vmap(jax.jacfwd(one)), (angles,), lambda q: poses(q, table))


def roe(left, right, gamma, width) -> Calls:
    one = lambda p, q: forward.roe(p[None], q[None], gamma, width)[0]  # noqa: E731

    def jacobians(left, right):
        return jnp.concatenate(jax.vmap(jax.jacfwd(one, (0, 1)))(left, right), -1)

    return _calls(jacobians, (left, right), lambda p, q: forward.roe(p, q, gamma, width))
