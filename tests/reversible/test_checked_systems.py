"""Values that change into sums of each other, by coefficients of which only the run knows that they can be undone."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp


def mixed(a, b, k):
    a, b = k[0] * a + k[1] * b, k[2] * a + k[3] * b
    return a, b


def mixed_arrays(a, b, k):
    p, q = a.copy(), b.copy()
    a[:] = k[0] * p + k[1] * q
    b[:] = k[2] * p + k[3] * q


def turned(v, field, steps):
    """Boris's rotation of velocities in a magnetic field: two cross products."""
    for _ in range(steps):
        s = 2.0 * field / (1.0 + np.sum(field * field))
        for i in range(len(v)):
            middle = v[i] + np.cross(v[i], field)
            v[i] += np.cross(middle, s)


def planes(a, angle, steps):
    """Rotations of neighbouring rows, the second one from what the first one left as it was."""
    c, s = np.cos(angle), np.sin(angle)
    for _ in range(steps):
        for i in range(len(a) - 1):
            row = a[i].copy()
            a[i] = c * row + s * a[i + 1]
            a[i + 1] = c * a[i + 1] - s * row


def normal(*shape):
    return np.random.default_rng(5).normal(size=shape)


CASES = [
    (mixed, (0.5, -1.5, normal(4))), (mixed_arrays, (normal(12), normal(12), normal(4))),
    (turned, (normal(5, 3), normal(3), 3)), (planes, (normal(9, 10), 0.3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_there_and_back(function, args):
    reversible = tp.reversible(function)
    reversible.check_inverse(*args)
    reversible.check_grad(*args)


def test_what_is_lost_is_an_error_backwards():
    f = tp.reversible(mixed_arrays)
    x, y = normal(12), normal(12)
    for k in ([1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 2.0, 4.0001], [np.nan, 1.0, 1.0, 1.0]):
        with pytest.raises(AssertionError, match="must follow from what they became"):
            (~f)(x, y, np.array(k))


def same(a, b, k):
    a, b = k[0] * a + k[1] * b, 2.0 * k[0] * a + 2.0 * k[1] * b
    return a, b


def of_integers(a, b, k):
    a, b = k[0] * a + k[1] * b, k[2] * a + k[3] * b
    return a, b


def test_what_can_be_seen_to_be_lost_is_refused():
    with pytest.raises(tp.TapelessError, match="does not follow"):
        tp.reversible(same).inv(0.5, -1.5, normal(4))
    with pytest.raises(tp.TapelessError, match="does not follow"):
        tp.reversible(of_integers).inv(5, 7, np.arange(1, 5))


def heun(y, z, w, h, steps):
    """The reversible method of Heun: the slope at z cancels in the difference of both new states."""
    for _ in range(steps):
        before = np.tanh(w @ z)
        after = 2 * y - z + h * before
        y += 0.5 * h * (before + np.tanh(w @ after))
        z[:] = after


@pytest.mark.parametrize("size", [4, 9])
def test_what_cancels_need_not_be_known(size):
    f = tp.reversible(heun)
    args = normal(size), normal(size) + 1.0, normal(size, size), 0.1, 3
    f.check_inverse(*args)
    f.check_grad(*args)


def collide(f):
    """A collision of the lattice Boltzmann method in one dimension: mass and momentum stay, energy is relaxed."""
    for i in range(f.shape[1]):
        mass, flow, energy = f[0, i] + f[1, i] + f[2, i], f[1, i] - f[2, i], f[1, i] + f[2, i]
        energy -= 1.9 * (energy - (mass / 3.0 + flow * flow / mass))
        f[0, i] = mass - energy
        f[1, i] = 0.5 * (energy + flow)
        f[2, i] = 0.5 * (energy - flow)


def test_sums_that_several_are_made_of():
    f = tp.reversible(collide)
    args = np.abs(normal(3, 12)) + 1.0
    f.check_inverse(args)
    f.check_grad(args[:, :5].copy())


def cancelled(x, y, u):
    """Only the sum of x and y is left."""
    x, y, u = x + y + np.sin(u), 2 * x + 2 * y + np.sin(u), u * 0.0
    return x, y, u


def test_what_cancels_altogether_is_refused():
    with pytest.raises(tp.TapelessError, match="does not follow"):
        tp.reversible(cancelled).inv(1.0, 2.0, 3.0)
