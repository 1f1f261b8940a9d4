"""The programs, as a user of Python writes them: nothing here knows of derivatives, memory or decorators."""

from __future__ import annotations

import numpy as np

from tapeless.reversible import lib


def sparse_dot(a, a_rows, a_starts, b, b_rows, b_starts) -> float:
    """The sum of the products of two matrices in compressed columns, by merging the row lists of each column."""
    return lib.sparse_dot(0.0, a, a_rows, a_starts, b, b_rows, b_starts)


def matvec(data, vector, alpha, seed, rows, starts) -> float:
    """seed . A (alpha v) for a complex matrix in compressed columns; the last axis holds real and imaginary parts."""
    real, imaginary = np.zeros(len(seed)), np.zeros(len(seed))
    for j in range(len(vector)):
        x = alpha[0] * vector[j, 0] - alpha[1] * vector[j, 1]
        y = alpha[0] * vector[j, 1] + alpha[1] * vector[j, 0]
        for k in range(starts[j], starts[j + 1]):
            real[rows[k]] += data[k, 0] * x - data[k, 1] * y
            imaginary[rows[k]] += data[k, 0] * y + data[k, 1] * x
    return np.sum(real * seed[:, 0] + imaginary * seed[:, 1])


def embedding(points, edges, others) -> float:
    """Points in space: all edges of a graph shall be of one length, all other pairs of another, longer by 0.1."""
    near, far = _distances(points, edges), _distances(points, others)
    gap = np.mean(near) - np.mean(far) + 0.1
    return np.var(near, ddof=1) + np.var(far, ddof=1) + np.exp(max(gap, 0.0)) - 1.0


def _distances(points, pairs):
    result = np.empty(len(pairs))
    for e in range(len(pairs)):
        difference = points[pairs[e, 0]] - points[pairs[e, 1]]
        result[e] = np.sqrt(np.sum(difference * difference))
    return result


def bessel(z) -> float:
    """The sum of J_2 over many arguments, each by its power series until a term is below 1e-8."""
    total = 0.0
    for i in range(len(z)):
        total += _bessel_j2(z[i])
    return total


def _bessel_j2(z) -> float:
    square = z * z / 4.0
    term, k = square / 2.0, 0.0
    total = term
    while abs(term) > 1e-8:
        k += 1.0
        term *= -square / (k * (k + 2.0))
        total += term
    return total


def additions(x, one, steps) -> float:
    """A loop that does next to nothing: what is measured is control flow."""
    for _ in range(steps):
        x += one
    return x


def lorenz(start, parameters, dt, steps) -> float:
    """The first coordinate of the Lorenz system after steps of the classical Runge-Kutta method."""
    x, y, z = start[0], start[1], start[2]
    for _ in range(steps):
        a, b, c = _slope(x, y, z, parameters)
        d, e, f = _slope(x + 0.5 * dt * a, y + 0.5 * dt * b, z + 0.5 * dt * c, parameters)
        g, h, i = _slope(x + 0.5 * dt * d, y + 0.5 * dt * e, z + 0.5 * dt * f, parameters)
        j, k, l = _slope(x + dt * g, y + dt * h, z + dt * i, parameters)
        x += dt / 6.0 * (a + 2.0 * d + 2.0 * g + j)
        y += dt / 6.0 * (b + 2.0 * e + 2.0 * h + k)
        z += dt / 6.0 * (c + 2.0 * f + 2.0 * i + l)
    return x


def _slope(x, y, z, parameters):
    sigma, rho, beta = parameters[0], parameters[1], parameters[2]
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def acoustic(speed, sigma, tau, source, h, dt) -> float:
    """Sound in a plane with absorbing layers (squared speeds, damping along x and y): the sum of u^2 over all steps.

    The source is in the middle; the border of all fields stays zero.
    """
    old, now = np.zeros_like(speed), np.zeros_like(speed)
    phi, psi = np.zeros_like(speed), np.zeros_like(speed)
    c, s, t = speed[1:-1, 1:-1], sigma[1:-1, 1:-1], tau[1:-1, 1:-1]
    courant = c * (dt / h) ** 2
    total = 0.0
    for n in range(len(source)):
        new = np.zeros_like(speed)
        new[1:-1, 1:-1] = (
            (2.0 - s * t * dt * dt - 4.0 * courant) * now[1:-1, 1:-1]
            + courant * (now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2])
            + dt * dt / (2.0 * h) * (phi[2:, 1:-1] - phi[:-2, 1:-1] + psi[1:-1, 2:] - psi[1:-1, :-2])
            - (1.0 - 0.5 * (s + t) * dt) * old[1:-1, 1:-1]
        ) / (1.0 + 0.5 * (s + t) * dt)
        turned = dt * c * (t - s) / (2.0 * h)
        phi[1:-1, 1:-1] = (1.0 - dt * s) * phi[1:-1, 1:-1] + turned * (new[2:, 1:-1] - new[:-2, 1:-1])
        psi[1:-1, 1:-1] = (1.0 - dt * t) * psi[1:-1, 1:-1] - turned * (new[1:-1, 2:] - new[1:-1, :-2])
        new[speed.shape[0] // 2 - 2, speed.shape[1] // 2 - 2] += source[n] * dt * dt
        old, now = now, new
        total += np.sum(now * now)
    return total


def flow(w, b, v, d, points) -> float:
    """NICE, additive coupling layers with relu inside: minus the mean logarithm of the density, up to a constant.

    Layer l adds d[l] + v[l] . relu(w[l] x + b[l]) to y and exchanges the two; every layer has determinant 1.
    """
    total = 0.0
    for i in range(len(points)):
        x, y = points[i, 0], points[i, 1]
        for l in range(len(w)):
            y += d[l] + np.sum(v[l] * np.maximum(w[l] * x + b[l], 0.0))
            x, y = y, x
        total += 0.5 * (x * x + y * y)
    return total / len(points)


def wave(u, v, courant, steps) -> float:
    """The wave equation on a grid with fixed borders, by leapfrog steps: sum of u^2 at the end."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        v[1:-1, 1:-1] += courant[1:-1, 1:-1] * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        u += v
    return np.sum(u * u)


def damped_wave(u, v, courant, kept, steps) -> float:
    """The same, where a step keeps a part of v only: it does not run backwards. All is kept by 1.0."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        v *= kept
        v[1:-1, 1:-1] += courant[1:-1, 1:-1] * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        u += v
    return np.sum(u * u)
