"""Contributions to places that wrap around at the end of an array are rotated, not scattered."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.testing import check_grads


def shifted(u, shift: int):
    total = 0.0
    for i in range(len(u)):
        total += u[i] ** 2 * np.sin(u[(i + shift) % len(u)])
    return total


def advected(u, steps: int):
    height, width = u.shape
    for _ in range(steps):
        v = np.empty_like(u)
        for y in range(height):
            for x in range(width):
                west, north = u[y, (x - 1) % width], u[(y + 2) % height, x]
                v[y, x] = 0.7 * u[y, x] + 0.2 * west * north + 0.1 * u[(y - 1) % height, (x + 1) % width]
        u = v
    return np.sum(u * u)


def rows(u):
    return np.sum(np.array([np.sum(u[i] * np.cos(u[(i - 1) % len(u)])) for i in range(len(u))]))


@pytest.mark.parametrize("shift", [-9, -2, -1, 0, 1, 3, 17])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 12])
def test_any_shift_and_size(shift: int, n: int) -> None:
    u = np.random.default_rng(n).normal(size=n)
    slope = tp.grad(shifted)(u, shift)
    there, here = np.roll(u, -shift), np.roll(u, shift)
    np.testing.assert_allclose(slope, 2 * u * np.sin(there) + here**2 * np.cos(u), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (4, 1), (2, 2), (5, 6)])
def test_two_dimensions(shape: tuple[int, int]) -> None:
    check_grads(advected, np.random.default_rng(1).normal(size=shape), 2)


@pytest.mark.parametrize("shape", [(1, 3), (4, 2)])
def test_rows(shape: tuple[int, int]) -> None:
    check_grads(rows, np.random.default_rng(2).normal(size=shape))


def volumes(u, steps: int):
    depth, height, width = u.shape
    for _ in range(steps):
        v = np.empty_like(u)
        for z in range(depth):
            for y in range(height):
                for x in range(width):
                    v[z, y, x] = u[(z + 1) % depth, (y - 1) % height, x] * u[(z - 2) % depth, y, (x + 1) % width]
        u = v
    return np.sum(u)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1, 3), (3, 4, 2)])
def test_three_dimensions(shape: tuple[int, int, int]) -> None:
    check_grads(volumes, np.random.default_rng(3).uniform(0.5, 1.5, size=shape), 2)


def test_no_place_is_computed_for_each_element() -> None:
    for function, u in ((advected, np.ones((5, 6))), (volumes, np.ones((2, 3, 4))), (rows, np.ones((4, 2)))):
        assert "hist" not in tp.grad(function).show("ir", u, *([2] if function is not rows else []))


def loops(function, *args) -> int:
    return tp.grad(function).show("ir", *args).count("= for ")


def test_what_is_kept_side_by_side() -> None:
    """Numbers and rows are; planes would go through memory twice more, and a loop writes each where it arrives."""
    assert loops(rows, np.ones((4, 2))) == 0
    forward_and_back = 2
    assert loops(advected, np.ones((5, 6)), 2) == forward_and_back
    assert loops(volumes, np.ones((2, 3, 4)), 2) == forward_and_back + 1


def ahead(u, v):
    total = 0.0
    for i in range(len(u) - len(v)):
        total += u[i + len(v)] ** 2 * u[i]
    return total


def test_what_is_rotated() -> None:
    """A shift that is an argument would be the size of a part; what does not wrap around need not be rotated."""
    u = np.ones(7)
    assert "hist" in tp.grad(shifted).show("ir", u, 2)
    assert "hist" not in tp.grad(ahead).show("ir", u, u[:2])
