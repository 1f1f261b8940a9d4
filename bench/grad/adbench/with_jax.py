"""ADBench's problems in JAX: batched einsum, lax.scan over characters, forward mode for the hand's 26 angles."""

from __future__ import annotations

import math

import bench.with_jax as forward
import jax
import jax.numpy as jnp
import numpy as np
from bench.grad.harness import Calls
from jax.scipy.special import logsumexp

jax.config.update("jax_enable_x64", True)


def _calls(derivative, primal, arguments) -> Calls:
    placed = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    derived, run = jax.jit(derivative), jax.jit(primal)
    return Calls(lambda: jax.block_until_ready(derived(*placed)), lambda: jax.block_until_ready(run(*placed)))


def gmm(alphas, means, packed, points, gamma, wishart) -> Calls:
    (n, d), clusters = points.shape, len(alphas)
    column, row = np.triu_indices(d, 1)
    constant = prior_constant(d, wishart, gamma) * clusters + 0.5 * n * d * math.log(2 * math.pi)

    def posterior(alphas, means, packed, points):
        diagonal, below = jnp.exp(packed[:, :d]), packed[:, d:]
        lower = jnp.zeros((clusters, d, d)).at[:, row, column].set(below)
        centred = points[:, None, :] - means[None]
        entries = diagonal[None] * centred + jnp.einsum("krc,nkc->nkr", lower, centred)
        sums = packed[:, :d].sum(1)
        terms = alphas + sums - 0.5 * jnp.sum(entries**2, axis=-1)
        prior = 0.5 * gamma**2 * (jnp.sum(diagonal**2) + jnp.sum(below**2)) - wishart * jnp.sum(sums)
        return logsumexp(terms, axis=1).sum() - n * logsumexp(alphas) + prior - constant

    return _calls(jax.grad(posterior, (0, 1, 2)), posterior, (alphas, means, packed, points))


def prior_constant(d: int, wishart: int, gamma: float) -> float:
    """The logarithm of the Wishart prior's normaliser."""
    freedom = d + wishart + 1
    multivariate = 0.25 * d * (d - 1) * math.log(math.pi)
    multivariate += sum(math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
    return freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - multivariate


def ba(*arguments) -> Calls:
    """Dense blocks; no CSR arrays are filled."""
    item = jax.jacrev(forward._project, (0, 1, 2))

    def jacobians(cameras, points, weights, features, camera_of, point_of):
        camera, point, weight = jax.vmap(item)(cameras[camera_of], points[point_of], weights, features)
        return jnp.concatenate([camera, point, weight[..., None]], -1)

    return _calls(jacobians, forward.bundle, arguments)


def lstm(main, extra, state, sequence) -> Calls:
    def loss(main, extra, state, sequence):
        def step(state, now_and_next):
            now, following = now_and_next
            x, after = extra[0] * now, []
            for (weight, bias), (hidden, before) in zip(main, state, strict=True):
                forget = jax.nn.sigmoid(x * weight[0] + bias[0])
                ingate = jax.nn.sigmoid(hidden * weight[1] + bias[1])
                outgate = jax.nn.sigmoid(x * weight[2] + bias[2])
                cell = before * forget + ingate * jnp.tanh(hidden * weight[3] + bias[3])
                x = outgate * jnp.tanh(cell)
                after.append(jnp.stack([x, cell]))
            y = x * extra[1] + extra[2]
            return jnp.stack(after), following @ (y - jnp.log(2 + jnp.sum(jnp.exp(y))))

        _, terms = jax.lax.scan(step, state, (sequence[:-1], sequence[1:]))
        return -terms.sum() / (sequence.shape[1] * (len(sequence) - 1))

    return _calls(jax.grad(loss, (0, 1)), loss, (main, extra, state, sequence))


def _euler(x, z, y):
    """Rotation about x, then y, then z."""
    cx, sx, cy, sy, cz, sz = jnp.cos(x), jnp.sin(x), jnp.cos(y), jnp.sin(y), jnp.cos(z), jnp.sin(z)
    return jnp.array([
        [cy * cz, -cx * sz + sx * sy * cz, sx * sz + cx * sy * cz],
        [cy * sz, cx * cz + sx * sy * sz, -sx * cz + cx * sy * sz],
        [-sy, sx * cy, cx * cy],
    ])  # fmt: skip


def _rotation(axis):
    angle = jnp.sqrt(axis @ axis)
    w = axis / angle
    cross = jnp.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return jnp.cos(angle) * jnp.eye(3) + jnp.sin(angle) * cross + (1 - jnp.cos(angle)) * jnp.outer(w, w)


def _compose(a, b):
    """The product of two affine maps, 3 x 4 each."""
    return jnp.concatenate([a[:, :3] @ b[:, :3], (a[:, :3] @ b[:, 3] + a[:, 3])[:, None]], 1)


def _skin(angles, parents, base, inverse, weights, positions):
    """Positions of the given vertices."""
    absolute = []
    for bone in range(len(parents)):
        finger, joint = divmod(bone - 2, 4)
        relative = base[bone]
        if bone >= 2 and finger < 5 and joint < 3:
            first = 6 + 4 * finger
            x = angles[first] if joint == 0 else angles[first + 1 + joint]
            z = angles[first + 1] if joint == 0 else 0.0
            relative = jnp.concatenate([relative[:, :3] @ _euler(x, z, 0.0), relative[:, 3:]], 1)
        absolute.append(relative if parents[bone] < 0 else _compose(absolute[parents[bone]], relative))
    transforms = jax.vmap(_compose)(jnp.stack(absolute), inverse)
    blended = jnp.einsum("vb,brc->vrc", weights, transforms)
    vertices = jnp.einsum("vrc,vc->vr", blended[:, :, :3], positions) + blended[:, :, 3]
    return vertices @ _rotation(angles[:3]).T + angles[3:6]


def hand_simple(angles, parents, base, inverse, weights, positions, points, vertex_of) -> Calls:
    def errors(angles, base, inverse, weights, positions, points, vertex_of):
        return points - _skin(angles, parents, base, inverse, weights[vertex_of], positions[vertex_of])

    arguments = (angles, base, inverse, weights, positions, points, vertex_of)
    return _calls(jax.jacfwd(errors), errors, arguments)


def hand_full(angles, parents, base, inverse, weights, positions, points, corners, coordinates) -> Calls:
    def errors(angles, coordinates, base, inverse, weights, positions, points, corners):
        flat = corners.reshape(-1)
        a, b, c = _skin(angles, parents, base, inverse, weights[flat], positions[flat]).reshape(-1, 3, 3).swapaxes(0, 1)
        u, v = coordinates[:, :1], coordinates[:, 1:]
        return points - (u * a + v * b + (1 - u - v) * c)

    def jacobians(angles, coordinates, *rest):
        along = lambda seed: jax.jvp(  # noqa: E731
            lambda u: errors(angles, u, *rest), (coordinates,), (jnp.tile(seed, (len(coordinates), 1)),)
        )[1]
        own = jax.vmap(along, out_axes=-1)(jnp.eye(2))
        return own, jax.jacfwd(errors)(angles, coordinates, *rest)

    return _calls(jacobians, errors, (angles, coordinates, base, inverse, weights, positions, points, corners))
