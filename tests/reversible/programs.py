"""Reversible functions as users write them, each with arguments: the function changes arrays, or returns parameters."""

import numpy as np

import tapeless as tp

RNG = np.random.default_rng(5)


def normal(*shape):
    return RNG.normal(size=shape)


def axpy(y, a, x):
    for i in range(len(x)):
        y[i] += a * x[i]


def whole_arrays(y, a, x):
    y -= a * np.sin(x)
    x += y * y


def leapfrog(x, v, dt, steps):
    for _ in range(steps):
        v -= np.sin(x) * dt
        x += v * dt


def by_elements(x, v, dt, steps):
    for _ in range(steps):
        for i in range(len(x)):
            v[i] += -np.sin(x[i]) * dt
        for i in range(len(x)):
            x[i] += v[i] * dt


def numbers(x, v, n):
    for _ in range(n):
        v = v - np.sin(x) * 0.1
        x = x + v * 0.1
    return x, v


def integers(a, b, n):
    for i in range(n):
        a += b * b + i
        b ^= a
        a, b = b, -a
    return a, b


def chain(x, w):
    for i in range(1, len(x)):
        x[i] += np.exp(x[i - 1]) * w
        if w > 0.5:
            x[i] -= 3.0 * w


def wave(u, v, c, steps):
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                lap = v[i + 1, j] + v[i - 1, j] + v[i, j + 1] + v[i, j - 1] - 4.0 * v[i, j]
                u[i, j] = 2.0 * v[i, j] - u[i, j] + c[i, j] * lap
        u, v = v, u


def neighbours(u, v):
    for i in range(1, u.shape[0] - 1):
        for j in range(u.shape[1] - 1):
            v[i, j] += u[i, j + 1]


def slices(u, v, c):
    u[1:-1, 1:-1] += 0.1 * (v[2:, 1:-1] + v[:-2, 1:-1])
    v += np.sin(u) * c


def coupling(x, w, b):
    half = len(x) // 2
    for layer in range(len(w)):
        x[half:] += np.tanh(w[layer] @ x[:half] + b[layer])
        x[:half] += np.tanh(w[layer] @ x[half:] - b[layer])


def filled(y, x):
    k = 0
    for i in range(len(x)):
        if x[i] > 0.0:
            y[k] += x[i]
            k += 1


def sparse(y, a, rows, columns, x):
    for k in range(len(a)):
        y[rows[k]] += a[k] * x[columns[k]]


def bodies(position, velocity, mass, dt, steps):
    for _ in range(steps):
        for i in range(len(mass)):
            for j in range(len(mass)):
                if i != j:
                    d = position[j] - position[i]
                    velocity[i] += d * (mass[j] * dt / (np.sum(d * d) + 0.01) ** 1.5)
        for i in range(len(mass)):
            position[i] += velocity[i] * dt


def temporaries(y, x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    scale = np.sqrt(total)
    y += x / scale
    y[0] -= scale


def scaled(x, y):
    x *= 2.0
    y /= -4.0
    x += y


def energy(x):
    e = 0.0
    for i in range(len(x)):
        e += x[i] * x[i]
    return e


def with_a_pure_function(y, x):
    y[1] += energy(x)


def parallel(y, w, x):
    for i in tp.prange(len(x)):
        y[i] += w * x[i]


def prefix_sums(x):
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def several_places(x, w):
    first, second = x[0] + w * x[2], x[1] - np.sin(x[3])
    x[0] = first
    x[1] = second
    x[3] -= first * second


def small_rows(x: tp.f64[:, 3], w):
    for i in range(len(x)):
        row = np.array([x[i, 0] + w, x[i, 1] - x[i, 0] * w, x[i, 2] + x[i, 0]])
        x[i] = row


def exchanged(x):
    for i in range(len(x) // 2):
        x[2 * i], x[2 * i + 1] = x[2 * i + 1] + 1.0, x[2 * i]


def butterflies(x):
    half = len(x) // 2
    for i in range(half):
        x[i], x[i + half] = x[i] + x[i + half], x[i] - x[i + half]


def rotated(x, y, angle, n):
    for _ in range(n):
        c, s = np.cos(angle), np.sin(angle)
        x, y = c * x - s * y, s * x + c * y
    return x, y


def rotated_fields(u, v, angle, w):
    c, s = np.cos(angle), np.sin(angle)
    for i in range(len(u)):
        u[i], v[i] = c * u[i] + s * v[i] + w[i], -s * u[i] + c * v[i]


def turned(u, v, angle):
    c, s = np.cos(angle), np.sin(angle)
    u[:], v[:] = c * u - s * v, s * u + c * v


def hadamard(a, b, c, d):
    a, b, c, d = a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d
    return a, b, c, d


def affine_coupling(x, y, w):
    for i in range(len(x)):
        y[i] = y[i] * np.exp(np.tanh(w * x[i])) + x[i] * w


def damped(x, y, a):
    x, y = x + a * y, y - a * x
    x = x / (1.0 + y * y)
    return x, y


def unimodular(a, b, k):
    a, b = a + k * b, k * a + (k * k + 1) * b
    return a, b


def asserted(n, k):
    if n > 0:
        n += k * k
        assert n > 0
    else:
        n -= k
        assert not n > 0
    return n, k


def asserted_in_one_arm(n, k):
    if n > 0:
        n += k * k
        assert n > 4
    return n, k


def asserted_elements(x, w):
    for i in range(1, len(x)):
        if x[i] > 0.0:
            x[i] += np.exp(x[i - 1]) * w
            assert x[i] > 0.0
        else:
            x[i] -= w * w
            assert x[i] <= 0.0


def until_small(total, k, x):
    assert k == 0
    while x > 1.0:
        k += 1
        total += x * x
        x -= 0.5 * k
        assert k > 0
    return total, k, x


def mirrored(x, y):
    for i in tp.prange(len(x)):
        y[i] = x[len(x) - 1 - i] - y[i]
    x[:] = x[::-1] + y


def conditional_steps(x, y, flags):
    for i in range(len(flags)):
        if flags[i]:
            x += y * 0.5
        else:
            y -= x * x
    return x, y


CASES = [
    (axpy, normal(5), 0.7, normal(5)),
    (whole_arrays, normal(4), 0.7, normal(4)),
    (leapfrog, normal(5), normal(5), 0.1, 7),
    (by_elements, normal(5), normal(5), 0.1, 7),
    (numbers, 0.3, 0.2, 20),
    (integers, 12, 7, 4),
    (chain, normal(6), 0.6),
    (wave, normal(5, 6), normal(5, 6), 0.1 * normal(5, 6), 3),
    (neighbours, normal(5, 6), normal(5, 6)),
    (slices, normal(5, 6), normal(5, 6), normal(5, 6)),
    (coupling, normal(6), normal(2, 3, 3), normal(2, 3)),
    (filled, np.zeros(6), normal(6)),
    (sparse, np.zeros(3), normal(5), np.array([0, 2, 2, 1, 0]), np.array([0, 1, 1, 3, 2]), normal(4)),
    (bodies, normal(3, 2), normal(3, 2), np.array([1.0, 0.5, 0.2]), 0.01, 4),
    (temporaries, normal(5), normal(5)),
    (scaled, normal(4), normal(4)),
    (with_a_pure_function, normal(4), normal(5)),
    (parallel, normal(4), 0.3, normal(4)),
    (prefix_sums, np.arange(1, 7)),
    (several_places, normal(5), 0.7),
    (small_rows, normal(4, 3), 0.7),
    (exchanged, normal(6)),
    (butterflies, normal(6)),
    (rotated, 0.3, 0.4, 2.5, 7),
    (rotated_fields, normal(4), normal(4), 0.6, normal(4)),
    (turned, normal(4), normal(4), 0.6),
    (hadamard, 0.3, 0.4, 0.5, 0.6),
    (affine_coupling, normal(4), normal(4), 0.6),
    (damped, 0.3, 0.4, 0.6),
    (unimodular, 12, -7, 5),
    (mirrored, normal(5), normal(5)),
    (conditional_steps, 0.3, 0.4, np.array([1, 0, 1])),
]

# What these leave behind is not anything: they assert something of it.
PARTIAL = [
    (asserted, 3, 2),
    (asserted, -7, 2),
    (asserted_in_one_arm, 3, 2),
    (asserted_in_one_arm, 0, 2),
    (asserted_elements, normal(6), 0.6),
    (until_small, 0.5, 0, 7.3),
    (until_small, 0.5, 0, 0.3),
]
