"""The derivatives once more, without any compiler: by hand, from SciPy, or by complex steps of the plain programs.

A complex step, Im f(x + i e d) / e with a tiny e, is the derivative along d to all digits. Values that were published
are checked here as well. Nothing of this is timed.
"""

from __future__ import annotations

import numpy as np
from bench.grad.adbench.with_numpy import gmm as mixture  # noqa: F401 - derived by hand there
from bench.grad.harness import Calls
from bench.reversible import programs
from bench.reversible.problems import directions

TINY = 1e-40


def sparse_dot(a, a_rows, a_starts, b, b_rows, b_starts) -> Calls:
    left, right = _matrix(a, a_rows, a_starts), _matrix(b, b_rows, b_starts)
    return Calls(lambda: (np.sum(left.multiply(right)), _at(right, left), _at(left, right)))


def _matrix(data, rows, starts):
    from scipy.sparse import csc_array

    return csc_array((data, rows, starts), shape=2 * (len(starts) - 1,))


def _at(matrix, places) -> np.ndarray:
    """The elements of a matrix at the places of another, in the order of its compressed columns."""
    columns = np.repeat(np.arange(places.shape[1]), np.diff(places.indptr))
    return matrix.toarray()[places.indices, columns]


def matvec(data, vector, alpha, seed, rows, starts) -> Calls:
    """With complex numbers: seed . w for w = A (alpha v) is the real part of conj(seed) w."""
    d, v, a, s = (part @ np.array([1, 1j]) for part in (data, vector, alpha, seed))
    matrix = _matrix(d, rows, starts)
    pulled = matrix.conj().T @ s
    columns = np.repeat(np.arange(len(v)), np.diff(starts))
    by_data = s[rows] * np.conj(a * v)[columns]
    pairs = lambda z: np.stack([z.real, z.imag], axis=-1)  # noqa: E731
    value = np.real(np.vdot(s, matrix @ (a * v)))
    return Calls(lambda: (value, pairs(by_data), pairs(np.conj(a) * pulled), pairs(np.vdot(v, pulled))))


def embedding(points, edges, others) -> Calls:
    return Calls(lambda: (_embedding_value(points, edges, others), _embedding_gradient(points, edges, others)))


def embedding_hessian(points, edges, others) -> Calls:
    def derivative():
        steps = np.eye(points.size).reshape(-1, *points.shape) * (1j * TINY)
        columns = [_embedding_gradient(points + step, edges, others).imag / TINY for step in steps]
        return np.stack(columns, axis=-1).reshape(2 * points.shape)

    return Calls(derivative)


def _embedding_value(points, edges, others) -> float:
    near, far = (np.linalg.norm(points[p[:, 0]] - points[p[:, 1]], axis=1) for p in (edges, others))
    return near.var(ddof=1) + far.var(ddof=1) + np.exp(max(near.mean() - far.mean() + 0.1, 0.0)) - 1.0


def _embedding_gradient(points, edges, others) -> np.ndarray:
    """By hand: the losses by distances, then the distances by points. Holds for complex numbers too."""
    result = np.zeros_like(points)
    ways = [points[p[:, 0]] - points[p[:, 1]] for p in (edges, others)]
    near, far = (np.sqrt(np.sum(way * way, axis=1)) for way in ways)
    gap = near.mean() - far.mean() + 0.1
    slope = np.exp(gap) if gap.real > 0 else 0.0
    for pairs, way, distances, sign in zip((edges, others), ways, (near, far), (1, -1), strict=True):
        n = len(distances)
        by_distance = 2 * (distances - distances.mean()) / (n - 1) + sign * slope / n
        pull = (by_distance / distances)[:, None] * way
        np.add.at(result, pairs[:, 0], pull)
        np.add.at(result, pairs[:, 1], -pull)
    return result


def bundle(cameras, points, weights, features, camera_of, point_of) -> Calls:
    """Complex steps in the fifteen inputs of every observation."""

    def derivative():
        inputs = np.concatenate([cameras[camera_of], points[point_of], weights[:, None]], axis=1)
        columns = [_errors(inputs + 1j * TINY * step, features).imag / TINY for step in np.eye(15)]
        return np.stack(columns, axis=-1)

    return Calls(derivative)


def _errors(inputs, features) -> np.ndarray:
    """Reprojection errors (n, 2) by the rotation matrix of Rodrigues."""
    turn, centre, (focal, u0, v0, k1, k2) = inputs[:, :3], inputs[:, 3:6], inputs[:, 6:11].T
    angle = np.sqrt(np.sum(turn * turn, axis=1))
    axis, moved = turn / angle[:, None], inputs[:, 11:14] - centre
    along = np.sum(axis * moved, axis=1)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = cos * moved + sin * np.cross(axis, moved) + (1 - cos) * along[:, None] * axis
    u, v = turned[:, 0] / turned[:, 2], turned[:, 1] / turned[:, 2]
    radius = u * u + v * v
    scale = focal * (1 + k1 * radius + k2 * radius**2)
    return inputs[:, 14:] * (np.stack([scale * u + u0, scale * v + v0], axis=1) - features)


def bessel(z) -> Calls:
    """SciPy's functions; the series ends where its terms are below 1e-8, which is seen in the eleventh digit."""
    from scipy.special import jv, jvp

    _agree(programs.bessel(z[:1]), 0.11490348492980633, 1e-15)
    return Calls(lambda: (np.sum(jv(2, z)), jvp(2, z)))


def additions(x, one, steps) -> Calls:
    return Calls(lambda: (x + steps * one, 1.0, float(steps)))


def lorenz(start, parameters, dt, steps) -> Calls:
    def derivative():
        value = programs.lorenz(start, parameters, dt, steps)
        by_start = [_step(lambda s: programs.lorenz(s, parameters, dt, steps), start, e) for e in np.eye(3)]
        by_parameters = [_step(lambda p: programs.lorenz(start, p, dt, steps), parameters, e) for e in np.eye(3)]
        _agree(by_start, (1807.14687, 669.36087, 787697.557), 1e-8)
        _agree(by_parameters, (-297541.663, 176517.920, 1301738.89), 1e-8)
        return value, by_start, by_parameters

    return Calls(derivative)


def acoustic(speed, *rest) -> Calls:
    def derivative():
        value = programs.acoustic(speed, *rest)
        _agree(value, 10.931466822080788, 1e-14)
        return value, [_step(lambda c: programs.acoustic(c, *rest), speed, way) for (way,) in directions(speed)]

    return Calls(derivative)


def flow(*arguments) -> Calls:
    *parameters, points = arguments

    def derivative():
        gradient = [np.zeros_like(p) for p in parameters]
        for k, p in enumerate(parameters):
            for place in np.ndindex(p.shape):
                moved = [q.astype(complex) for q in parameters]
                moved[k][place] += 1j * TINY
                gradient[k][place] = _flow(*moved, points).imag / TINY
        return _flow(*parameters, points), *gradient

    return Calls(derivative)


def _flow(w, b, v, d, points):
    """All points at once."""
    x, y = points.T
    for layer in range(len(w)):
        hidden = w[layer] * x[:, None] + b[layer]
        x, y = y + d[layer] + np.where(hidden.real > 0, hidden, 0) @ v[layer], x
    return np.mean(0.5 * (x * x + y * y))


def wave(u, v, courant, steps) -> Calls:
    def derivative():
        slopes = [
            _step(lambda z, du=du, dc=dc: programs.wave(u + z * du, v + 0 * z, courant + z * dc, steps), 0.0, 1.0)
            for du, dc in directions(u, courant)
        ]
        return programs.wave(u, v, courant, steps), slopes

    return Calls(derivative)


def _step(function, at, way):
    return function(at + 1j * TINY * way).imag / TINY


def _agree(found, published, tolerance: float) -> None:
    np.testing.assert_allclose(found, published, rtol=tolerance)
