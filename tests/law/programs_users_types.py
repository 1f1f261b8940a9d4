"""The types of results: single precision, 32-bit integers and booleans meeting Python numbers, one expression each."""

# ruff: noqa: RUF005, ARG001

import math

import numpy as np

from .corpus import law

A = np.array([0.3, 0.6, 0.9], np.float32)
S = np.float32(0.7)
B = np.array([0.1, 0.2, 0.4])
I = np.array([3, 1, 2])
J = np.array([3, 1, 2], np.int32)


def tp_sum(x):
    t = 0.0
    for v in x:
        t += v
    return t


@law((A, S, B, I, J))
def types_of_results_1(a, s, b, i, j):
    return (
        np.append(a, 1.0),
        np.append(a, s),
        np.hstack((a, 1.0)),
        np.stack((s, 1.0)),
        np.array([s, 1]),
        np.array([s, True]),
        np.array([s, 1.0]),
        np.array([[s, 0.0], [1, 2]]),
        np.array([j[0], 1]),
        np.array([j[0], j[1]]),
        np.array([True, 1]),
        np.full(2, s),
        np.linspace(s, 2.0, 3),
        np.clip(a, 0.5, np.float64(2)),
        np.clip(a, 0.5, 2),
        np.select([a > 0], [a], 0.5),
        np.interp(s, a, a),
        np.concatenate((a, [1])),
        np.concatenate((a, [1.0])),
        np.outer(a, [1.0, 2]),
        np.dot(a, 2.0),
        np.pad(a, 1, constant_values=2.0),
        np.maximum(a, [1.0, 2.0, 3.0]),
        a + [1, 2, 3],
        np.heaviside(a, 0.5),
        np.isclose(a, 1),
        np.arange(s),
        np.arange(0, s, 0.5),
    )


@law((A, S, B, I, J))
def types_of_results_2(a, s, b, i, j):
    return (
        np.cross(a, [1, 2, 3]),
        np.polyval([1, 2.0], a),
        np.tile(s, 2),
        np.repeat(1.0, 2),
        np.nan_to_num(a),
        np.max([s, 1.0]),
        np.mean([s, s]),
        np.sum([s, 1]),
        np.linalg.norm([s, 1.0]),
        np.bincount([0, 1, 2], weights=a),
        np.trapezoid(a, dx=0.5),
        np.gradient(a, 0.5),
        np.percentile(a, 50),
        np.cumsum(a),
        np.full_like(a, 1.5),
        np.full_like(j, 1.7),
        np.full(2, True),
        np.where(a > 0, a, 1),
        np.where(a > 0, 1, 2),
        np.where(a > 0, 1, 0.5),
        np.where(j > 0, j, 0),
        np.where(j > 0, j, 0.5),
        np.median(a),
        np.var(a),
        np.quantile(a, 0.3),
        np.logspace(s, 2, 3),
        np.histogram(a, 2)[1],
        np.sinc(a),
    )


@law((A, S, B, I, J))
def types_of_results_3(a, s, b, i, j):
    return (
        np.geomspace(s + 1, 2, 3),
        np.unwrap(a),
        np.average(a, weights=[1.0, 2, 3]),
        np.average(a),
        np.ptp(a),
        np.std(j),
        np.mean(j),
        np.median(j),
        np.sum(j),
        np.prod(j),
        np.cumsum(j),
        np.cumprod(j),
        np.dot(j, j),
        j @ j,
        np.outer(j, j),
        np.linalg.norm(j),
        np.linalg.norm(a),
        np.sqrt(j),
        np.exp(j),
        j / 2,
        j // 2,
        j % 2,
        j**2,
        j**2.0,
        2**j,
        j * 1.5,
        j * s,
        j * a,
    )


@law((A, S, B, I, J))
def types_of_results_4(a, s, b, i, j):
    return (
        i * a,
        i + j,
        i * s,
        s * 2,
        s * i[0],
        s * j[0],
        j[0] * j[1],
        j[0] * 2,
        j[0] * 2.5,
        j[0] / j[1],
        j[0] // j[1],
        i[0] / 2,
        i[0] * 1.5,
        i[0] * True,
        s + True,
        s**2,
        s**0.5,
        2**s,
        s // 0.3,
        s % 0.3,
        -s,
        abs(s),
        round(s),
        round(s, 1),
        int(s),
        float(s),
        np.floor(s),
        np.sign(a),
    )


@law((A, S, B, I, J))
def types_of_results_5(a, s, b, i, j):
    return (
        np.sign(j),
        np.abs(j),
        np.square(j),
        np.reciprocal(a),
        np.hypot(a, 1),
        np.arctan2(a, 1.0),
        np.logaddexp(a, 0.0),
        np.power(a, 2),
        np.power(j, 2),
        np.power(a, j),
        np.minimum(j, 2),
        np.minimum(j, 2.5),
        np.maximum(s, 1.0),
        max(s, 0),
        sum(a),
        sum(j),
        sum([s, 1.0]),
        np.diff(j),
        np.diff(a),
        np.round(a, 1),
        np.around(j),
        np.trunc(a),
        np.float32(1.5) * 2,
        np.float32(i[0]),
        np.int32(s * 10),
        np.float64(s),
        np.bool_(s),
        a.astype(int),
    )


@law((A, S, B, I, J))
def types_of_results_6(a, s, b, i, j):
    return (
        a.astype(np.float64),
        j.astype(float),
        (a > 0.5).astype(np.float32),
        (a > 0.5).sum(),
        (a > 0.5).mean(),
        (a > 0.5) * a,
        (a > 0.5) * 1,
        (a > 0.5) * s,
        (a > 0.5) & True,
        (a > 0.5) + 1,
        np.sum(a > 0.5),
        np.mean(a > 0.5),
        np.max(a > 0.5),
        np.cumsum(a > 0.5),
        np.any(a),
        np.count_nonzero(a),
        a.sum(dtype=np.float64),
        a.mean(dtype=np.float64),
        np.sum(a, dtype=np.float64),
        np.zeros(3, np.float32) + 1,
        np.zeros(3, np.float32) + np.float64(1),
        np.zeros(3, np.float32) + np.zeros(3),
        np.ones(3, dtype=j.dtype) * 2.5,
        np.zeros_like(j) + 0.5,
        np.eye(2, dtype=np.float32) * s,
        np.arange(3) * s,
        np.arange(3, dtype=np.float32) * 2,
        np.arange(3.0),
    )


@law((A, S, B, I, J))
def types_of_results_7(a, s, b, i, j):
    return (
        np.arange(j[0]),
        np.linspace(0, 1, 3) * s,
        np.linspace(0, j[0], 3),
        np.searchsorted(a, s),
        np.argsort(a),
        np.sort(j),
        np.einsum("i,i", a, a),
        np.einsum("i,i->i", a, i),
        np.einsum("i,j->ij", a, b),
        a @ b,
        np.inner(a, i),
        np.vdot(a, a),
        np.trace(np.outer(a, a)),
        np.linalg.det(np.eye(2, dtype=np.float32) * s),
        np.linalg.inv(np.eye(2, dtype=np.float32)),
        np.linalg.solve(np.eye(3, dtype=np.float32), a),
        np.linalg.solve(np.eye(3), a),
        np.linalg.solve(np.eye(3, dtype=int) * 2, i),
        np.linalg.cholesky(np.eye(2, dtype=np.float32)),
        np.convolve(a, [1.0, 2.0]),
        np.convolve(j, j),
        np.convolve(a, i),
        np.correlate(a, a),
        np.corrcoef(a, b),
        np.digitize(a, [0.2, 0.5]),
        np.deg2rad(j),
        np.degrees(a),
        np.expm1(a),
    )


@law((A, S, B, I, J))
def types_of_results_8(a, s, b, i, j):
    return (
        np.mod(j, 2.5),
        np.fmod(j, 3),
        np.floor_divide(a, 2),
        np.divmod(j, 2)[0],
        divmod(i[0], 2),
        divmod(s, 2)[1],
        np.modf(a)[0],
        np.copysign(1, a),
        np.fmax(a, 1),
        np.bitwise_and(j, 3),
        j & 1,
        j << 2,
        j >> 1,
        ~j,
        j ^ 1,
        i | j,
        np.left_shift(j, 2),
        np.invert(j),
        np.logical_and(a, j),
        np.isnan(j),
        np.isfinite(a),
        j == 1.0,
        j == s,
        a == 0.5,
        s == 0.1,
        s < 0.7,
        i < j,
        np.array_equal(a, a),
    )


@law((A, S, B, I, J))
def types_of_results_9(a, s, b, i, j):
    return (
        np.allclose(a, b),
        np.roll(j, 1),
        np.flip(a),
        np.tril(np.outer(j, j)),
        np.diag(j),
        np.meshgrid(a, j)[1],
        np.stack([a, b]),
        np.stack([j, i]),
        np.vstack((a, j)),
        np.column_stack((a, i)),
        np.concatenate((j, i)),
        np.concatenate((a, b)),
        np.concatenate((a > 0.5, j)),
        np.take(a, [0, 1]),
        np.trapezoid(j),
        np.gradient(j),
        np.nansum(a),
        np.nanmean(a),
        np.nanmax(a),
        np.percentile(j, 30),
        np.quantile(a, [0.1, 0.5]),
        np.maximum.accumulate(j),
        np.add.reduce(j),
        np.add.reduce(a > 0.5),
        np.multiply.reduce(a),
        np.minimum.reduce(j),
        np.add.accumulate(a),
        np.add.outer(a, j),
    )


@law((A, S, B, I, J))
def types_of_results_10(a, s, b, i, j):
    return (
        np.logical_or.reduce(a > 0.5),
        tp_sum(a),
        math.sqrt(s),
        math.sin(j[0]),
        math.floor(s),
        math.hypot(s, 1.0),
        math.pow(s, 2),
        math.log(s),
        math.exp(s),
        math.atan2(s, 1),
        math.fabs(s),
        math.copysign(s, -1),
        math.gcd(int(i[0]), 6),
        math.isclose(s, s),
        math.fmod(s, 0.2),
        math.isnan(s),
        math.degrees(s),
        math.dist((1.0, 2.0), (3.0, s)),
        math.prod([s, 2.0]),
        math.comb(5, 2),
        math.factorial(5),
        math.isqrt(17),
        math.radians(90),
        math.ceil(s),
        math.log(8, 2),
        math.log1p(s),
        math.erf(s),
        math.gamma(s + 1),
    )


@law((A, S, B, I, J))
def types_of_results_11(a, s, b, i, j):
    return (
        math.inf > s,
        np.e * s,
        a * math.pi,
        a * np.pi,
        a * np.float64(np.pi),
        s * np.pi,
        a + True,
        j + True,
        a * np.True_,
        i / i,
        a.max(),
        a.argmax(),
        j.min(),
        a.dot(a),
        a.cumsum(),
        j.prod(),
        a.clip(0.2, 0.8),
        j.clip(0, 2),
        j.mean(),
        j.std(),
        j.var(),
        a.round(1),
        a.T,
        np.float32(0.1) + 0.2,
        np.float32(0.1) * np.float32(0.2),
        1 / s,
        1 / j[0],
        1 / i,
    )


@law((A, S, B, I, J))
def types_of_results_12(a, s, b, i, j):
    return (
        1 // j,
        7 % j,
        2.0**i,
        (-a) ** 2,
        a**3,
        a**-1,
        a**0.5,
        i**0.5,
        i**-1.0,
        s**-1,
        i[0] ** 2,
        i[0] ** 0.5,
        i[0] ** -1.0,
        j[1] ** j[1],
        np.power(2, i),
        np.power(2.0, j),
        np.power(s, i[0]),
    )
