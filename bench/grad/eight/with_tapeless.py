"""Derivatives as a Tapeless user writes them: the forward benchmark's functions under `tp.grad`, and for the
Jacobians of items a loop over items with `tp.jacobian` of the function of one item inside.
"""

from __future__ import annotations

import bench.with_tapeless as forward
import numpy as np
from bench.grad.harness import Calls

import tapeless as tp


def _calls(derivative, arguments, primal=None) -> Calls:
    return Calls(lambda: derivative(*arguments), None if primal is None else lambda: primal(*arguments))


def mixture(*arguments) -> Calls:
    return _calls(tp.grad(forward.mixture, (0, 1, 2)), arguments, forward.mixture)


def burgers(*arguments) -> Calls:
    return _calls(tp.grad(forward.burgers), arguments, forward.burgers)


def lotka_volterra(*arguments) -> Calls:
    return _calls(tp.grad(forward.lotka_volterra), arguments, forward.lotka_volterra)


def csr(*arguments) -> Calls:
    return _calls(tp.grad(forward.csr, (2, 3)), arguments, forward.csr)


def kmeans(*arguments) -> Calls:
    return _calls(tp.grad(forward.kmeans, 1), arguments, forward.kmeans)


@tp.jit
def _kmeans_hvp(points: tp.f64[:, 8], centres: tp.f64[10, 8], direction: tp.f64[10, 8]) -> np.ndarray:
    return tp.hvp(lambda c: forward.kmeans(points, c), (centres,), (direction,))


def kmeans_hvp(*arguments) -> Calls:
    return _calls(_kmeans_hvp, arguments)


def _project(c: tp.f64[11], p: tp.f64[3], weight: float, feature: tp.f64[2]) -> np.ndarray:
    """The two errors of one observation."""
    x, y, z = p[0] - c[3], p[1] - c[4], p[2] - c[5]
    angle2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    if angle2 > 0:
        angle = np.sqrt(angle2)
        cos, sin = np.cos(angle), np.sin(angle)
        a, b, e = c[0] / angle, c[1] / angle, c[2] / angle
        along = (a * x + b * y + e * z) * (1 - cos)
        u = x * cos + (b * z - e * y) * sin + a * along
        v = y * cos + (e * x - a * z) * sin + b * along
        w = z * cos + (a * y - b * x) * sin + e * along
    else:
        u = x + c[1] * z - c[2] * y
        v = y + c[2] * x - c[0] * z
        w = z + c[0] * y - c[1] * x
    u, v = u / w, v / w
    r2 = u * u + v * v
    scale = c[6] * (1 + c[9] * r2 + c[10] * r2 * r2)
    return np.array([weight * (scale * u + c[7] - feature[0]), weight * (scale * v + c[8] - feature[1])])


@tp.jit(fastmath=True)  # as C is compiled here
def _bundle(
    cameras: tp.f64[:, 11], points: tp.f64[:, 3], weights: tp.f64[:], features: tp.f64[:, 2],
    camera_of: tp.i64[:], point_of: tp.i64[:],
) -> np.ndarray:  # fmt: skip
    jacobian = np.empty((len(weights), 2, 15))
    for i in range(len(weights)):
        by_camera, by_point, by_weight = tp.jacobian(_project, (0, 1, 2))(
            cameras[camera_of[i]], points[point_of[i]], weights[i], features[i]
        )
        jacobian[i, :, :11] = by_camera
        jacobian[i, :, 11:14] = by_point
        jacobian[i, :, 14] = by_weight
    return jacobian


def bundle(*arguments) -> Calls:
    return _calls(_bundle, arguments, forward.bundle)


def _pose(angles: tp.f64[6], table: tp.f64[6, 4]) -> np.ndarray:
    """Tool position and axis of one pose."""
    frame = np.eye(3, 4)
    for j in range(6):
        cos, sin = np.cos(angles[j]), np.sin(angles[j])
        length, offset, cos_twist, sin_twist = table[j]
        for r in range(3):
            x, y, z = frame[r, 0], frame[r, 1], frame[r, 2]
            ahead, side = cos * x + sin * y, cos * y - sin * x
            frame[r, 0] = ahead
            frame[r, 1] = cos_twist * side + sin_twist * z
            frame[r, 2] = cos_twist * z - sin_twist * side
            frame[r, 3] += length * ahead + offset * z
    return np.concatenate((frame[:, 3], frame[:, 0]))


@tp.jit
def _arm(angles: tp.f64[:, 6], table: tp.f64[6, 4]) -> np.ndarray:
    return tp.map(lambda q: tp.jacobian(_pose)(q, table), angles)


def arm(*arguments) -> Calls:
    return _calls(_arm, arguments, forward.arm)


def _flux(p: tp.f64[3], q: tp.f64[3], gamma: float, width: float) -> np.ndarray:
    """The Roe flux between two states."""
    (ul, pl, hl), (ur, pr, hr) = forward._side(p, gamma), forward._side(q, gamma)
    root_l, root_r = np.sqrt(p[0]), np.sqrt(q[0])
    total = root_l + root_r
    u, h = (root_l * ul + root_r * ur) / total, (root_l * hl + root_r * hr) / total
    a2 = (gamma - 1) * (h - 0.5 * u * u)
    a, density = np.sqrt(a2), root_l * root_r
    jump_density, jump_speed, jump_pressure = q[0] - p[0], ur - ul, pr - pl
    w1 = forward._fixed_abs(u - a, width) * 0.5 * (jump_pressure - density * a * jump_speed) / a2
    w2 = forward._fixed_abs(u, width) * (jump_density - jump_pressure / a2)
    w3 = forward._fixed_abs(u + a, width) * 0.5 * (jump_pressure + density * a * jump_speed) / a2
    mass = 0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3)
    momentum = 0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
    energy = 0.5 * (p[1] * hl + q[1] * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a))
    return np.array([mass, momentum, energy])


@tp.jit(fastmath=True)  # as C is compiled here
def _roe(left: tp.f64[:, 3], right: tp.f64[:, 3], gamma: float, width: float) -> np.ndarray:
    jacobian = np.empty((len(left), 3, 6))
    for i in range(len(left)):
        by_left, by_right = tp.jacobian(_flux, (0, 1))(left[i], right[i], gamma, width)
        jacobian[i, :, :3] = by_left
        jacobian[i, :, 3:] = by_right
    return jacobian


def roe(*arguments) -> Calls:
    return _calls(_roe, arguments, forward.roe)
