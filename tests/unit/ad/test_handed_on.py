"""What an iteration makes for the next one is read from what that one kept, where that saves work."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.config import config

RNG = np.random.default_rng(7)


def steps(u, w, n):
    """Two fields, of which the slope of a step needs the one before and the one after."""
    old, now, other = u * 0.5, u * 1.0, u * 0.0
    for _ in range(n):
        new = np.zeros_like(u)
        new[1:-1] = (w[1:-1] * (now[2:] + now[:-2]) - old[1:-1] + other[1:-1]) / 1.25
        other[1:-1] = 0.5 * other[1:-1] + w[1:-1] * (new[2:] - new[:-2])
        old, now = now, new
    return np.sum(now * now)


def with_source(u, w, n, at=2):
    """The same, where an element of the field after is changed that the slope needs as it was."""
    old, now, other = u * 0.5, u * 1.0, u * 0.0
    total = 0.0
    for k in range(n):
        new = np.zeros_like(u)
        new[1:-1] = (w[1:-1] * (now[2:] + now[:-2]) - old[1:-1] + other[1:-1]) / 1.25
        other[1:-1] = 0.5 * other[1:-1] + w[1:-1] * (new[2:] - new[:-2])
        new[at] = 0.25 * new[at] * w[at] + k
        new[at + 1] += w[0] * k
        old, now = now, new
        total += np.sum(now * now)
    return total


def at_own_place(u, w, n):
    """The place of the change is the number of the iteration."""
    now, other = u * 1.0, u * 0.0
    for k in range(n):
        new = np.sin(w * now + other)
        other = 0.5 * other + new * w * new
        new[k] = new[k] * w[k]
        now = new
    return np.sum(now * other)


def at_found_place(u, w, n):
    """The place of the change is found on the way."""
    now, other = u * 1.0, u * 0.0
    for _ in range(n):
        new = np.sin(w * now + other)
        other = 0.5 * other + new * w * new
        k = int(np.argmax(new))
        new[k] = new[k] * w[k]
        now = new
    return np.sum(now * other)


PROGRAMS = [steps, with_source, at_own_place, at_found_place]


def arguments(n: int) -> tuple[np.ndarray, np.ndarray, int]:
    return RNG.normal(size=40), RNG.uniform(0.2, 0.4, size=40), n


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_gradient(function, n):
    u, w, n = arguments(n)
    found = tp.grad(function, (0, 1))(u, w, n)
    way = (RNG.normal(size=40), RNG.normal(size=40))
    slope = tp.jvp(lambda u, w: function(u, w, n), (u, w), way)[1]
    np.testing.assert_allclose(sum(np.sum(g * d) for g, d in zip(found, way, strict=True)), slope, rtol=1e-11)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_computing_again_gives(function):
    args = arguments(6)
    kept, computed = (tp.grad(function, (0, 1), memory=memory)(*args) for memory in (None, tp.States(3)))
    for x, y in zip(kept, computed, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


def test_second_derivatives():
    u, w, n = arguments(3)
    tp.testing.check_grads(tp.grad(lambda u: with_source(u, w, n)), u)


@pytest.mark.parametrize("mode", ["compile", "interpret"])
def test_as_compiled_and_as_meant(mode):
    u, w, n = arguments(3)
    with config(mode=mode):
        found = tp.grad(with_source, (0, 1))(u, w, n)
    meant = tp.grad(with_source, (0, 1), memory=tp.States(1))(u, w, n)
    for x, y in zip(found, meant, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (steps, "8*n"),  # not the field before that one, and not the third one
        (with_source, "8*n + 16"),  # and what the two changes overwrite
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_kept(function, kept):
    assert f"keeps {kept} bytes of every iteration (" in tp.grad(function, (0, 1)).explain(*arguments(5))
