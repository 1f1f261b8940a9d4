"""Arrays whose planes are written by name come apart, and loops over cells become maps."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.core import For
from tapeless.ir.text import parse_function
from tapeless.ir.walk import statements
from tapeless.passes import parallelise, planes, simplify
from tapeless.passes.notes import Notes
from tapeless.testing import check_grads

from .small_programs import optimised

# One step of a model with three quantities in each cell, of which two are exchanged at walls.
STEP = """
def f(u: f64[3, n, n], wall: bool[n, n]) {
  new: f64[3, n, n] = replicate 0.0 3 n n
  rows: f64[3, n, n] = for n [new] (y: i64, a: f64[3, n, n]) {
    cells: f64[3, n, n] = for n [a] (x: i64, b: f64[3, n, n]) {
      p: f64 = index u 0 y x
      q: f64 = index u 1 y x
      r: f64 = index u 2 y x
      solid: bool = index wall y x
      next: f64[3, n, n] = if solid {
        b0: f64[3, n, n] = update b p 0 y x
        b1: f64[3, n, n] = update b0 r 1 y x
        b2: f64[3, n, n] = update b1 q 2 y x
        return b2
      } else {
        sum: f64 = add p q
        c0: f64[3, n, n] = update b sum 0 y x
        c1: f64[3, n, n] = update c0 q 1 y x
        c2: f64[3, n, n] = accumulate c1 r 2 y x
        return c2
      }
      return next
    }
    return cells
  }
  return rows
}
"""


def _arguments(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.normal(size=(3, n, n)), rng.uniform(size=(n, n)) < 0.3]


@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops_over_cells_become_maps(n: int) -> None:
    function = optimised(STEP, _arguments(n), planes, simplify, parallelise)
    assert not any(isinstance(stm.expr, For) for stm in statements(function.body))


def test_without_it_they_stay_loops() -> None:
    function = optimised(STEP, _arguments(4), simplify, parallelise)
    assert any(isinstance(stm.expr, For) for stm in statements(function.body))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("update b0 r 1 y x", "update b0 r y y x", id="a write that does not name its plane"),
        pytest.param("update b0 r 1 y x", "update b0 r 3 y x", id="a plane that is not there"),
        pytest.param("p: f64 = index u 0 y x", "p: f64 = index b y y x", id="whole in every iteration"),
        pytest.param("f64[3, n, n]", "f64[n, n, n]", id="a size that is not a literal"),
    ],
)
def test_what_stays_whole(old: str, new: str) -> None:
    function = parse_function(
        STEP.replace(old, new).replace("0.0 3 n n", "0.0 n n n" if "[n, n, n]" in new else "0.0 3 n n")
    )
    assert planes.run(function, Notes()) is function


def lattice(u: tp.f64[3, :, :], wall: np.ndarray, steps: int) -> float:
    height, width = wall.shape
    f = u.copy()
    for _ in range(steps):
        new = np.empty_like(f)
        for y in range(height):
            for x in range(width):
                rest, right, left = f[0, y, x], f[1, y, (x - 1) % width], f[2, y, (x + 1) % width]
                if wall[y, x]:
                    new[0, y, x] = rest
                    new[1, y, x] = left
                    new[2, y, x] = right
                else:
                    density = rest + right + left
                    drift = (right - left) / density
                    new[0, y, x] = 0.5 * rest + 0.2 * density * (1 - drift * drift)
                    new[1, y, x] = 0.5 * right + 0.1 * density * (1 + drift)
                    new[2, y, x] = 0.5 * left + 0.1 * density * (1 - drift)
        f = new
    return np.sum(f * f)


def test_a_lattice_is_parallel_and_its_gradient_right() -> None:
    rng = np.random.default_rng(0)
    u, wall = rng.uniform(0.5, 1.5, size=(3, 6, 7)), rng.uniform(size=(6, 7)) < 0.2
    f = tp.jit(lattice)
    assert f(u, wall, 3) == pytest.approx(lattice(u, wall, 3), rel=1e-14)
    assert "array: 3 arrays (the first index of every write is a literal)" in f.explain()
    assert f.explain().count("map (iterations are independent)") == 2
    check_grads(f, u, wall, 3)


def test_a_field_that_is_written_in_place() -> None:
    def relax(f, steps):
        for _ in range(steps):
            for x in range(1, f.shape[1]):
                f[0, x] = 0.5 * f[0, x] + 0.1 * f[1, x]
                f[1, x] = 0.5 * f[1, x] - 0.1 * f[0, x]

    values = np.random.default_rng(1).normal(size=(2, 9))
    mine, theirs = values.copy(), values.copy()
    annotated = tp.jit(relax)
    annotated.python.__annotations__["f"] = tp.f64[2, :]
    annotated(mine, 3)
    relax(theirs, 3)
    np.testing.assert_allclose(mine, theirs, rtol=1e-14)
