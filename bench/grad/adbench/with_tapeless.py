"""ADBench's problems as a Tapeless user writes them: loops, branches, small vectors, `tp.grad` and `tp.jacfwd`."""

from __future__ import annotations

import math

import bench.with_tapeless as forward
import numpy as np
from bench.grad.eight.with_tapeless import _project
from bench.grad.harness import Calls

import tapeless as tp


def _calls(derivative, primal, arguments, arrays=None) -> Calls:
    calls = Calls(lambda: derivative(*arguments), lambda: primal(*arguments))
    return calls if arrays is None else calls._replace(arrays=arrays)


@tp.jit
def _posterior(
    alphas: np.ndarray, means: np.ndarray, packed: np.ndarray, points: np.ndarray, gamma: float, wishart: int
) -> float:
    n, d = points.shape
    clusters = len(alphas)
    diagonal = np.exp(packed[:, :d])
    sums = np.sum(packed[:, :d], axis=1)
    lower = np.zeros((clusters, d, d))
    for k in range(clusters):
        for c in range(d):
            for r in range(c + 1, d):
                lower[k, r, c] = packed[k, d + c * d - c * (c + 1) // 2 + r - c - 1]
    total = 0.0
    for i in range(n):
        terms = np.empty(clusters)
        for k in range(clusters):
            centred = points[i] - means[k]
            square = 0.0
            for r in range(d):
                entry = diagonal[k, r] * centred[r]
                for c in range(r):
                    entry += lower[k, r, c] * centred[c]
                square += entry * entry
            terms[k] = alphas[k] + sums[k] - 0.5 * square
        largest = np.max(terms)
        total += largest + np.log(np.sum(np.exp(terms - largest)))
    largest = np.max(alphas)
    normaliser = largest + np.log(np.sum(np.exp(alphas - largest)))
    prior = 0.5 * gamma**2 * (np.sum(diagonal**2) + np.sum(packed[:, d:] ** 2)) - wishart * np.sum(sums)
    freedom = d + wishart + 1
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(1, d + 1):
        constant -= math.lgamma(0.5 * freedom + 0.5 * (1 - j))
    return total - n * normaliser + prior - clusters * constant - 0.5 * n * d * math.log(2 * math.pi)


def gmm(*arguments) -> Calls:
    return _calls(tp.grad(_posterior, (0, 1, 2)), _posterior, arguments)


@tp.jit
def _sparse_jacobian(
    cameras: tp.f64[:, 11], points: tp.f64[:, 3], weights: tp.f64[:], features: tp.f64[:, 2],
    camera_of: tp.i64[:], point_of: tp.i64[:],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """The CSR arrays: two rows of 15 for each error, then one entry for each weight's own error 1 - w^2."""
    n, first_point = len(weights), 11 * len(cameras)
    first_weight = first_point + 3 * len(points)
    values, columns = np.empty((2 * n, 15)), np.empty((2 * n, 15), dtype=np.int64)
    for i in range(n):
        by_camera, by_point, by_weight = tp.jacfwd(_project, (0, 1, 2))(
            cameras[camera_of[i]], points[point_of[i]], weights[i], features[i]
        )
        for row in range(2):
            values[2 * i + row, :11] = by_camera[row]
            values[2 * i + row, 11:14] = by_point[row]
            values[2 * i + row, 14] = by_weight[row]
            for j in range(11):
                columns[2 * i + row, j] = 11 * camera_of[i] + j
            for j in range(3):
                columns[2 * i + row, 11 + j] = first_point + 3 * point_of[i] + j
            columns[2 * i + row, 14] = first_weight + i
    starts = np.concatenate((15 * np.arange(2 * n + 1), 30 * n + 1 + np.arange(n)))
    all_values = np.concatenate((values.reshape(30 * n), -2.0 * weights))
    return all_values, np.concatenate((columns.reshape(30 * n), first_weight + np.arange(n))), starts


def ba(*arguments) -> Calls:
    n = len(arguments[2])
    return _calls(_sparse_jacobian, forward.bundle, arguments, lambda r: [r[0][: 30 * n].reshape(n, 2, 15)])


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


@tp.jit
def _loss(main: tp.f64[:, 2, 4, 14], extra: tp.f64[3, 14], state: tp.f64[:, 2, 14], sequence: tp.f64[:, 14]) -> float:
    hidden, cells = state[:, 0].copy(), state[:, 1].copy()
    total = 0.0
    for t in range(len(sequence) - 1):
        x = extra[0] * sequence[t]
        for layer in range(len(main)):
            weight, bias, before = main[layer, 0], main[layer, 1], hidden[layer].copy()
            forget = _sigmoid(x * weight[0] + bias[0])
            ingate = _sigmoid(before * weight[1] + bias[1])
            outgate = _sigmoid(x * weight[2] + bias[2])
            cell = cells[layer] * forget + ingate * np.tanh(before * weight[3] + bias[3])
            x = outgate * np.tanh(cell)
            cells[layer] = cell
            hidden[layer] = x
        y = x * extra[1] + extra[2]
        total += np.sum(sequence[t + 1] * (y - np.log(2 + np.sum(np.exp(y)))))
    return -total / (sequence.shape[1] * (len(sequence) - 1))


def lstm(*arguments) -> Calls:
    return _calls(tp.grad(_loss, (0, 1)), _loss, arguments)


def _transforms(
    angles: tp.f64[26], parents: np.ndarray, base: tp.f64[22, 3, 4], inverse: tp.f64[22, 3, 4]
) -> np.ndarray:
    """The affine map of every bone: turned by its finger's angles, carried by its parent, back from its base."""
    absolute, result = np.empty((22, 3, 4)), np.empty((22, 3, 4))
    for bone in range(22):
        relative = base[bone].copy()
        finger, joint = (bone - 2) // 4, (bone - 2) % 4
        if bone >= 2 and finger < 5 and joint < 3:
            x = angles[6 + 4 * finger] if joint == 0 else angles[7 + 4 * finger + joint]
            z = angles[7 + 4 * finger] if joint == 0 else 0.0
            cx, sx, cz, sz = np.cos(x), np.sin(x), np.cos(z), np.sin(z)
            for r in range(3):
                a, b, c = base[bone, r, 0], base[bone, r, 1], base[bone, r, 2]
                side = b * cz - a * sz
                relative[r, 0] = a * cz + b * sz
                relative[r, 1] = side * cx + c * sx
                relative[r, 2] = c * cx - side * sx
        parent = parents[bone]
        if parent < 0:
            absolute[bone] = relative
        else:
            absolute[bone] = _compose(absolute[parent], relative)
        result[bone] = _compose(absolute[bone], inverse[bone])
    return result


def _compose(a: tp.f64[3, 4], b: tp.f64[3, 4]) -> np.ndarray:
    result = np.empty((3, 4))
    for r in range(3):
        for c in range(4):
            result[r, c] = a[r, 0] * b[0, c] + a[r, 1] * b[1, c] + a[r, 2] * b[2, c]
        result[r, 3] += a[r, 3]
    return result


def _turn(axis: tp.f64[3], v: tp.f64[3]) -> np.ndarray:
    """Rodrigues' formula."""
    angle = np.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    if angle < 1e-4:
        return v
    w = axis / angle
    cos, sin = np.cos(angle), np.sin(angle)
    along = (w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) * (1 - cos)
    across = np.array([w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0]])
    return v * cos + across * sin + w * along


def _vertex(angles: tp.f64[26], transforms: tp.f64[22, 3, 4], weights: tp.f64[22], p: tp.f64[3]) -> np.ndarray:
    """One vertex: the blend of its bones' maps, then the global motion."""
    blended = np.zeros((3, 4))
    for bone in range(22):
        for r in range(3):
            for c in range(4):
                blended[r, c] += weights[bone] * transforms[bone, r, c]
    local = np.empty(3)
    for r in range(3):
        local[r] = blended[r, 0] * p[0] + blended[r, 1] * p[1] + blended[r, 2] * p[2] + blended[r, 3]
    return _turn(angles[:3], local) + angles[3:6]


@tp.jit
def _simple(
    angles: tp.f64[26], parents: tp.i64[22], base: tp.f64[22, 3, 4], inverse: tp.f64[22, 3, 4], weights: tp.f64[:, 22],
    positions: tp.f64[:, 3], points: tp.f64[:, 3], vertex_of: tp.i64[:],
) -> np.ndarray:  # fmt: skip
    transforms = _transforms(angles, parents, base, inverse)
    errors = np.empty((len(points), 3))
    for i in range(len(points)):
        errors[i] = points[i] - _vertex(angles, transforms, weights[vertex_of[i]], positions[vertex_of[i]])
    return errors


def hand_simple(*arguments) -> Calls:
    return _calls(tp.jacfwd(_simple), _simple, arguments)


@tp.jit
def _full(
    angles: tp.f64[26], parents: tp.i64[22], base: tp.f64[22, 3, 4], inverse: tp.f64[22, 3, 4], weights: tp.f64[:, 22],
    positions: tp.f64[:, 3], points: tp.f64[:, 3], corners: tp.i64[:, 3], coordinates: tp.f64[:, 2],
) -> np.ndarray:  # fmt: skip
    transforms = _transforms(angles, parents, base, inverse)
    errors = np.empty((len(points), 3))
    for i in range(len(points)):
        u, v = coordinates[i]
        share = np.array([u, v, 1 - u - v])
        errors[i] = points[i]
        for k in range(3):
            j = corners[i, k]
            errors[i] -= share[k] * _vertex(angles, transforms, weights[j], positions[j])
    return errors


@tp.jit
def _full_jacobian(
    angles: tp.f64[26], parents: tp.i64[22], base: tp.f64[22, 3, 4], inverse: tp.f64[22, 3, 4], weights: tp.f64[:, 22],
    positions: tp.f64[:, 3], points: tp.f64[:, 3], corners: tp.i64[:, 3], coordinates: tp.f64[:, 2],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """By a point's own two coordinates with two seeds for all points, and by the 26 angles."""
    own = np.empty((len(points), 3, 2))
    for k in range(2):
        seed = np.zeros((len(points), 2))
        seed[:, k] = 1.0
        own[:, :, k] = tp.jvp(
            lambda u: _full(angles, parents, base, inverse, weights, positions, points, corners, u),
            (coordinates,),
            (seed,),
        )[1]
    return own, tp.jacfwd(_full)(angles, parents, base, inverse, weights, positions, points, corners, coordinates)


def hand_full(*arguments) -> Calls:
    return _calls(_full_jacobian, _full, arguments)
