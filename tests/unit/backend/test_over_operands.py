"""Maps that take the memory of an array that dies: no element is made twice, none is read after it is replaced."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

IN_PLACE = "writes its results into place"


def added(u, v, steps):
    """Element by element, in a loop that hands the arrays on."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        u += v
    return u, v


def inner(u, v, steps):
    """A part of an array that reads its own elements only."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        v[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] - u[1:-1, :-2])
        u += v
    return u, v


def neighbours(u, v, steps):
    """Other elements of the array are read."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        v[1:-1, 1:-1] += 0.1 * (v[2:, 1:-1] + v[1:-1, :-2])
        u[1:, 1:] = u[1:, 1:] + u[:-1, :-1]
        u[:, 1:] += u[:, :-1]
    return u, v


def turned(u, v, steps):
    """Elements are read that go elsewhere."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        u = u.T + v
        v = v[::-1] - u
    return u, v


def both(u, v, steps):
    """Two results of one map, each made of both."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        a, b = np.empty_like(u), np.empty_like(v)
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                a[i, j] = 0.5 * u[i, j] - v[i, j]
                b[i, j] = 0.5 * v[i, j] + u[i, j]
        u, v = a, b
    return u, v


def three(u, v, steps):
    """More results than may be built in place."""
    u, v, w = u * 1.0, v * 1.0, u + v
    for _ in range(steps):
        a, b, c = np.empty_like(u), np.empty_like(v), np.empty_like(w)
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                a[i, j] = 0.5 * u[i, j] - v[i, j]
                b[i, j] = 0.5 * v[i, j] + w[i, j]
                c[i, j] = 0.5 * w[i, j] + u[i, j]
        u, v, w = a, b, c
    return u, v, w


def rows(u, v, steps):
    """Rows are read as a whole before one of their elements is replaced."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        a = np.empty_like(u)
        for i in range(u.shape[0]):
            total = 0.0
            for j in range(u.shape[1]):
                total += u[i, j]
            for j in range(u.shape[1]):
                a[i, j] = u[i, j] - 0.1 * total
        u = a
    return u, v


def kept(u, v, steps):
    """The old array is read afterwards."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        w = u + v
        v = 0.5 * (w - u)
        u = w
    return u, v


def wide(u, v, steps):
    """Parts with steps, and shifted ones."""
    u, v = u * 1.0, v * 1.0
    for _ in range(steps):
        v[::2, 1:] += u[::2, 1:]
        v[2:, :-1] -= 0.5 * v[2:, :-1] + u[1:-1, 1:]
        u[1:] *= 0.5
    return u, v


def narrow(u, v, steps):
    u, v = u.astype(np.float32), v.astype(np.float32)
    for _ in range(steps):
        u += 0.5 * v
        v[1:, 1:] *= 0.5
    return u, v


PROGRAMS = (added, inner, neighbours, turned, both, three, rows, kept, wide, narrow)


@pytest.mark.parametrize("size", [2, 3, 8, 9, 11, 18, 20, 33])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_numpy(function, size):
    """Sizes around whole strips of lanes."""
    rng = np.random.default_rng(size)
    u, v = rng.normal(size=(size, size)), rng.normal(size=(size, size))
    for found, expected in zip(tp.jit(function)(u, v, 3), function(u, v, 3), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5 if found.dtype == np.float32 else 1e-12, atol=1e-12)


@pytest.mark.parametrize("size", [7, 16, 19, 1000])
def test_in_one_dimension(size):
    def smooth(u, v, steps):
        u, v = u * 1.0, v * 1.0
        for _ in range(steps):
            v[1:-1] += 0.1 * (u[2:] - u[:-2])
            u += v
            u[1:] -= 0.1 * u[1:]
        return u, v

    rng = np.random.default_rng(size)
    u, v = rng.normal(size=size), rng.normal(size=size)
    for found, expected in zip(tp.jit(smooth)(u, v, 4), smooth(u, v, 4), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("function", "maps"), [(added, 1), (inner, 2), (turned, 0), (both, 1), (three, 0), (rows, 0)],
                         ids=lambda x: getattr(x, "__name__", ""))  # fmt: skip
def test_what_is_built_in_place(function, maps):
    u = np.ones((20, 20))
    lines = {line for line in tp.jit(function).explain(u, u, 3).splitlines() if IN_PLACE in line}
    assert len(lines) == maps


def test_arguments_stay():
    """A derivative works on copies, and a function that returns a new array leaves its argument alone."""

    def moved(u, v):
        return u + v

    u, v = np.ones((20, 20)), np.ones((20, 20))
    assert tp.jit(moved)(u, v).sum() == 800.0
    assert u.sum() == v.sum() == 400.0


def test_what_fails_is_not_begun_again():
    """An index out of range in the last row: the error, not sums that were added twice."""

    def gathered(u, at, steps):
        u = u * 1.0
        for _ in range(steps):
            w = np.empty_like(u)
            for i in range(u.shape[0]):
                for j in range(u.shape[1]):
                    w[i, j] = u[i, j] + at[at[j]]
            u = w
        return u

    at = np.arange(20)
    np.testing.assert_allclose(tp.jit(gathered)(np.ones((20, 20)), at, 3), gathered(np.ones((20, 20)), at, 3))
    at[19] = 50
    with pytest.raises(IndexError):
        tp.jit(gathered)(np.ones((20, 20)), at, 3)


def test_an_array_that_is_chosen_first():
    """The one that a branch or a loop hands on is read anywhere."""

    def branch(u, v, x):
        u, v, out = np.sin(u), np.cos(v), np.empty(len(u))
        for i in range(len(u)):
            chosen = u if x[i] > 0.0 else v
            out[i] = chosen[len(u) - 1 - i]
        return out

    def loop(u, v, x):
        u, v, out = np.sin(u), np.cos(v), np.empty(len(u))
        for i in range(len(u)):
            chosen, k = v, 0
            while k < x[i]:
                chosen, k = u, k + 1
            out[i] = u[i] + chosen[len(u) - 1 - i]
        return out

    for size in (3, 9, 40):
        u, v, x = np.random.default_rng(0).normal(size=(3, size))
        for function in (branch, loop):
            np.testing.assert_allclose(tp.jit(function)(u, v, x), function(u, v, x), rtol=1e-12)


COPIES = """
def copies(x: f64[n, m]) {
  u: f64[n, m] = map n (i0: i64) {
    r0: f64[m] = map m (j0: i64) {
      a0: f64 = index x i0 j0
      b0: f64 = sin a0
      return b0
    }
    return r0
  }
  y: f64[n, m], z: f64[n, n, m] = map n (i: i64) {
    r: f64[m] = map m (j: i64) {
      a: f64 = index u i j
      b: f64 = add a 1.0
      return b
    }
    return r u
  }
  return y z
}
"""


def test_all_of_an_array_beside_its_rows():
    function, x = parse_function(COPIES), np.random.default_rng(0).normal(size=(9, 12))
    found = cpu.run(cpu.load(cpu.compile(function)), function, [x])
    for one, expected in zip(found, evaluate(function, [x]), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-14)


@pytest.mark.parametrize("function", [inner, both, wide], ids=lambda f: f.__name__)
def test_derivatives(function):
    rng = np.random.default_rng(5)
    u, v = rng.normal(size=(11, 11)), rng.normal(size=(11, 11))
    tp.testing.check_grads(lambda u, v: np.sum(function(u, v, 2)[0] ** 2), u, v)
