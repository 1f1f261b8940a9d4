"""Derivatives in CasADi; `TAPELESS_BENCH_VARIANT` chooses its virtual machine or `c`: generated C through gcc.

Graphs are built once; calls go through buffers without copies, in CasADi's column-major order. Items are gathered
before, since CasADi has no indirect indexing by data.
"""

from __future__ import annotations

import os

import casadi as ca
import numpy as np
from bench.grad.harness import Calls

GENERATED = os.environ.get("TAPELESS_BENCH_VARIANT") == "c"
_GCC = {
    "flags": ["-O3", "-march=native", "-ffast-math"], "linker_flags": ["-lmvec", "-lm"], "compiler": "gcc",
    "verbose": False,
}  # fmt: skip
OPTIONS = {"jit": True, "compiler": "shell", "jit_options": _GCC} if GENERATED else {}


def _runner(function: ca.Function, inputs):
    """A call without copies; it returns the outputs as column-major views."""
    buffer, evaluate = function.buffer()
    flat = [np.asarray(x, dtype=np.float64).ravel(order="F").copy() for x in inputs]
    results = [np.zeros(function.numel_out(i)) for i in range(function.n_out())]
    for i, x in enumerate(flat):
        buffer.set_arg(i, memoryview(x))
    for i, x in enumerate(results):
        buffer.set_res(i, memoryview(x))
    views = [x.reshape(function.size_out(i), order="F") for i, x in enumerate(results)]

    def run():
        evaluate()
        return views

    run.keep_alive = (flat, buffer)
    return run


def _gradient(symbols, value, wrt, inputs, arrays) -> Calls:
    gradients = [ca.densify(ca.gradient(value, symbol)) for symbol in wrt]
    derivative = _runner(ca.Function("derivative", symbols, gradients, OPTIONS), inputs)
    return Calls(derivative, _runner(ca.Function("primal", symbols, [value], OPTIONS), inputs), arrays)


def _jacobians(symbols, value, wrt, columns) -> Calls:
    """One item, mapped over the columns of its inputs."""
    count, (rows, width) = columns[0].shape[1], (value.numel(), wrt.numel())

    def mapped(output):
        one = ca.Function("one", symbols, [ca.densify(output)])
        if not GENERATED:
            return one.map(count)
        places = [ca.MX.sym(f"x{i}", one.size1_in(i), count) for i in range(one.n_in())]
        return ca.Function("all", places, [one.map(count)(*places)], OPTIONS)

    def arrays(result):
        return [np.ascontiguousarray(result[0].reshape((rows, width, count), order="F").transpose(2, 0, 1))]

    derivative = _runner(mapped(ca.jacobian(value, wrt)), columns)
    return Calls(derivative, _runner(mapped(value), columns), arrays)


def mixture(alphas, means, packed, points, gamma) -> Calls:
    (n, d), clusters, x = points.shape, len(alphas), ca.DM(points.T)
    a, m, q = ca.MX.sym("a", clusters), ca.MX.sym("m", d, clusters), ca.MX.sym("q", packed.shape[1], clusters)
    order, at = [], d
    for c in range(d):  # CasADi stores a lower triangle by columns, the diagonal entry first
        order += [c, *range(at, at + d - c - 1)]
        at += d - c - 1
    terms, prior = [], 0
    for k in range(clusters):
        scale, below = ca.exp(q[:d, k]), q[d:, k]
        lower = ca.sparsity_cast(ca.vertcat(scale, below)[order], ca.Sparsity.lower(d))
        entries = lower @ (x - ca.repmat(m[:, k], 1, n))
        terms.append(a[k] + ca.sum1(q[:d, k]) - 0.5 * ca.sum1(entries * entries))
        prior += ca.sumsqr(scale) + ca.sumsqr(below)
    largest = terms[0]
    for term in terms[1:]:
        largest = ca.fmax(largest, term)
    exponentials = ca.exp(ca.vertcat(*terms) - ca.repmat(largest, clusters, 1))
    top = ca.mmax(a)
    normaliser = top + ca.log(ca.sum1(ca.exp(a - top)))
    constant = 0.5 * gamma**2 * prior + 0.5 * n * d * np.log(2 * np.pi)
    value = ca.sum2(largest + ca.log(ca.sum1(exponentials))) - n * normaliser - constant
    symbols = [a, m, q]
    inputs = [alphas, means.T, packed.T]
    return _gradient(symbols, value, symbols, inputs, lambda r: [r[0][:, 0], r[1].T, r[2].T])


def bundle(cameras, points, weights, features, camera_of, point_of) -> Calls:
    z, feature = ca.SX.sym("z", 15), ca.SX.sym("feature", 2)
    rotation, x = z[:3], z[11:14] - z[3:6]
    angle2 = ca.dot(rotation, rotation)
    angle = ca.sqrt(angle2)
    cos, sin, axis = ca.cos(angle), ca.sin(angle), rotation / angle
    turned = x * cos + ca.cross(axis, x) * sin + axis * ca.dot(axis, x) * (1 - cos)
    turned = ca.if_else(angle2 > 0, turned, x + ca.cross(rotation, x))
    uv = turned[:2] / turned[2]
    r2 = ca.dot(uv, uv)
    error = z[14] * (z[6] * (1 + z[9] * r2 + z[10] * r2 * r2) * uv + z[7:9] - feature)
    items = np.concatenate([cameras[camera_of], points[point_of], weights[:, None]], 1)
    return _jacobians([z, feature], error, z, [items.T, features.T])


def burgers(start, target, courant, steps) -> Calls:
    u = ca.SX.sym("u", len(start))
    right = ca.vertcat(u[1:], u[0])
    half = 0.5 * (u + right) - 0.25 * courant * (right * right - u * u)
    left = ca.vertcat(half[-1], half[:-1])
    step = ca.Function("step", [u], [u - 0.5 * courant * (half * half - left * left)])
    first = ca.MX.sym("first", len(start))
    value = 0.5 * ca.sumsqr(step.mapaccum(steps)(first)[:, -1] - ca.DM(target))
    return _gradient([first], value, [first], [start], lambda r: [r[0][:, 0]])


def lotka_volterra(rates, h, steps) -> Calls:
    s, p = ca.SX.sym("s", 2), ca.SX.sym("p", 4)

    def slope(s):
        return ca.vertcat(p[0] * s[0] - p[1] * s[0] * s[1], p[2] * s[0] * s[1] - p[3] * s[1])

    k1 = slope(s)
    k2 = slope(s + 0.5 * h * k1)
    k3 = slope(s + 0.5 * h * k2)
    k4 = slope(s + h * k3)
    step = ca.Function("step", [s, p], [s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    parameters = ca.MX.sym("parameters", 4)
    end = step.mapaccum(steps)(ca.DM([1, 1]), ca.repmat(parameters, 1, steps))[:, -1]
    return _gradient([parameters], end[0] ** 2 + end[1], [parameters], [rates], lambda r: [r[0][:, 0]])


def csr(start, column, value, x) -> Calls:
    row, count = np.repeat(np.arange(len(x)), np.diff(start)), len(value)
    v, z = ca.MX.sym("v", count), ca.MX.sym("z", len(x))
    rows = ca.DM(ca.Sparsity.triplet(len(x), count, row.tolist(), list(range(count))), 1.0)
    form = 0.5 * ca.dot(z, ca.mtimes(rows, v * z[column.tolist()]))
    return _gradient([v, z], form, [v, z], [value, x], lambda r: [r[0][:, 0], r[1][:, 0]])


def _distance(points, clusters):
    """The cost as a function of the centres, and its symbol."""
    p, c = ca.SX.sym("p", points.shape[1]), ca.SX.sym("c", points.shape[1], clusters)
    best = ca.sumsqr(p - c[:, 0])
    for k in range(1, clusters):
        best = ca.fmin(best, ca.sumsqr(p - c[:, k]))
    summed = ca.Function("one", [p, c], [best]).map("all", "serial", len(points), [1], [0])
    centres = ca.MX.sym("centres", points.shape[1], clusters)
    return summed(ca.DM(points.T), centres), centres


def kmeans(points, centres) -> Calls:
    value, symbol = _distance(points, len(centres))
    return _gradient([symbol], value, [symbol], [centres.T], lambda r: [r[0].T])


def kmeans_hvp(points, centres, direction) -> Calls:
    value, symbol = _distance(points, len(centres))
    along = ca.MX.sym("along", *symbol.shape)
    product = ca.jtimes(ca.gradient(value, symbol), symbol, along)
    function = ca.Function("derivative", [symbol, along], [ca.densify(product)], OPTIONS)
    return Calls(_runner(function, [centres.T, direction.T]), None, lambda r: [r[0].T])


def arm(angles, table) -> Calls:
    q = ca.SX.sym("q", 6)
    x, y, z, t = ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1]), ca.DM([0, 0, 0])
    for j, (length, offset, cos_twist, sin_twist) in enumerate(table):
        cos, sin = ca.cos(q[j]), ca.sin(q[j])
        ahead, side = cos * x + sin * y, cos * y - sin * x
        t = t + length * ahead + offset * z
        x, y, z = ahead, cos_twist * side + sin_twist * z, cos_twist * z - sin_twist * side
    return _jacobians([q], ca.vertcat(t, x), q, [angles.T])


def roe(left, right, gamma, width) -> Calls:
    def side(density, momentum, energy):
        speed = momentum / density
        pressure = (gamma - 1) * (energy - 0.5 * momentum * speed)
        return speed, pressure, (energy + pressure) / density

    def fixed_abs(wave):
        return ca.if_else(ca.fabs(wave) < width, (wave * wave + width * width) / (2 * width), ca.fabs(wave))

    states = ca.SX.sym("states", 6)
    p0, p1, p2, q0, q1, q2 = (states[i] for i in range(6))
    (ul, pl, hl), (ur, pr, hr) = side(p0, p1, p2), side(q0, q1, q2)
    root_l, root_r = ca.sqrt(p0), ca.sqrt(q0)
    total = 1 / (root_l + root_r)
    u, h = (root_l * ul + root_r * ur) * total, (root_l * hl + root_r * hr) * total
    a2 = (gamma - 1) * (h - 0.5 * u * u)
    a, density = ca.sqrt(a2), root_l * root_r
    w1 = fixed_abs(u - a) * 0.5 * (pr - pl - density * a * (ur - ul)) / a2
    w2 = fixed_abs(u) * (q0 - p0 - (pr - pl) / a2)
    w3 = fixed_abs(u + a) * 0.5 * (pr - pl + density * a * (ur - ul)) / a2
    mass = 0.5 * (p1 + q1) - 0.5 * (w1 + w2 + w3)
    momentum = 0.5 * (p1 * ul + pl + q1 * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a))
    carried = w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)
    flux = ca.vertcat(mass, momentum, 0.5 * (p1 * hl + q1 * hr) - 0.5 * carried)
    return _jacobians([states], flux, states, [np.concatenate([left, right], 1).T])
