"""Programs as scientists write them, there and back, with all derivatives against 60 digits."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp

RNG = np.random.default_rng(11)


def fourier(re, im):
    """Butterflies of growing distance, without the order of the results."""
    half = 1
    while half < len(re):
        for start in range(0, len(re), 2 * half):
            for k in range(half):
                i, j = start + k, start + k + half
                c, s = np.cos(np.pi * k / half), np.sin(np.pi * k / half)
                x, y = c * re[j] + s * im[j], c * im[j] - s * re[j]
                a, b = re[i], im[i]
                re[i], im[i] = a + x, b + y
                re[j], im[j] = a - x, b - y
        half *= 2


def walsh(x, stages):
    half = 1
    for _ in range(stages):
        for start in range(0, len(x), 2 * half):
            for k in range(half):
                a, b = x[start + k], x[start + k + half]
                x[start + k] = a + b
                x[start + k + half] = a - b
        half *= 2


def haar(x):
    n = len(x)
    while n > 1:
        n //= 2
        for i in range(n):
            x[2 * i + 1] -= x[2 * i]
            x[2 * i] += 0.5 * x[2 * i + 1]


def from_the_third(x):
    """A number, a size of steps and a flag that the loop carries beside."""
    count, size, late = 1, 2.0, False
    for i in range(len(x)):
        x[i] += size * count
        if late:
            x[i] *= 2.0
        late = i * count > 1
        count = count * count + 1
        size = np.sqrt(size)


def lifting(x):
    x[1::2] -= 0.5 * x[::2]
    x[::2] += 0.25 * x[1::2]


def string(q, p, k):
    for _ in range(4):
        p[1:-1] += 0.1 * k[1:-1] * (q[2:] - 2 * q[1:-1] + q[:-2])
        q += 0.1 * p


def planets(q, v, m):
    for _ in range(3):
        for i in range(len(q)):
            for j in range(len(q)):
                if i != j:
                    d = q[j] - q[i]
                    v[i] += 0.01 * m[j] * d / (d * d + 0.1) ** 1.5
        q += 0.01 * v


def coupling(x, w, u, b):
    h = len(x) // 2
    for _ in range(2):
        x[h:] *= np.exp(np.tanh(w @ x[:h] + b))
        x[h:] += u @ x[:h]
        for i in range(h):
            x[i], x[h + i] = x[h + i], x[i]


def product(y, data, columns, starts, x):
    for i in range(len(y)):
        for k in range(starts[i], starts[i + 1]):
            y[i] += data[k] * x[columns[k]]


def reflections(a, v):
    """Householder: t is 2 v . x / v . v before a reflection, and its negative after it: all that the inverse needs."""
    scale = 2.0 / np.sum(v * v)
    for j in range(a.shape[1]):
        t = tp.ancilla(0.0)
        for i in range(len(v)):
            t += scale * v[i] * a[i, j]
        for i in range(len(v)):
            a[i, j] -= t * v[i]
        s = 0.0
        for i in range(len(v)):
            s -= scale * v[i] * a[i, j]
        tp.release(t, s)


def gates(re, im, theta):
    """A rotation about y of one bit, a phase on another, and an exchange under the control of both."""
    c, s = np.cos(theta), np.sin(theta)
    for i in range(len(re)):
        if i & 2 == 0:
            re[i], re[i | 2] = c * re[i] - s * re[i | 2], s * re[i] + c * re[i | 2]
            im[i], im[i | 2] = c * im[i] - s * im[i | 2], s * im[i] + c * im[i | 2]
        if i & 1 != 0:
            re[i], im[i] = c * re[i] - s * im[i], s * re[i] + c * im[i]
    for i in range(len(re)):
        if i & 3 == 3 and i & 4 == 0:
            re[i], re[i | 4] = re[i | 4], re[i]
            im[i], im[i | 4] = im[i | 4], im[i]


def network(x):
    """A sorting network that remembers what it exchanged where nothing tells it."""
    for r in range(len(x)):
        for i in range(r % 2, len(x) - 1, 2):
            if x[i] > x[i + 1]:
                x[i], x[i + 1] = x[i + 1], x[i]


def until_large(x, limit):
    """A loop that is left early."""
    for i in range(len(x)):
        x[i] += x[i - 1] * x[i - 1] if i > 0 else 1.0
        if x[i] > limit:
            break


PROGRAMS = {
    fourier: (RNG.normal(size=8), RNG.normal(size=8)), walsh: (RNG.normal(size=8), 3), haar: (RNG.normal(size=8),),
    from_the_third: (RNG.normal(size=5),), lifting: (RNG.normal(size=8),),
    string: (RNG.normal(size=6), RNG.normal(size=6), RNG.normal(size=6)),
    planets: (RNG.normal(size=3), RNG.normal(size=3), np.array([1.0, 2.0, 0.5])),
    coupling: (RNG.normal(size=6), RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=3)),
    product: (np.zeros(4), RNG.normal(size=6), np.array([0, 1, 2, 0, 3, 1]), np.array([0, 2, 3, 3, 6]), np.ones(4)),
    reflections: (RNG.normal(size=(4, 3)), RNG.normal(size=4)), gates: (RNG.normal(size=8), RNG.normal(size=8), 0.3),
    network: (RNG.normal(size=6),),
    until_large: (np.array([0.5, -1.0, 0.3, 2.0, 1.0]), 3.0),
}  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_there_and_back(function):
    run, first = tp.reversible(function), PROGRAMS[function]
    plain, args = _copies(first), _copies(first)
    function(*plain)
    run(*args)
    for found, expected in zip(args, plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)
    with tp.config(debug=True):  # types are checked after every pass
        run.check_inverse(*_copies(first))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(function):
    tp.reversible(function).check_grad(*_copies(PROGRAMS[function]))


def test_what_a_loop_carries_beside_is_listed():
    text = (~tp.reversible(walsh)).explain(np.ones(8), 3)
    assert "computes i64[" in text


def _copies(args):
    return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
