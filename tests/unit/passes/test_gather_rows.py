"""Matrices that are added up in parts: computed in one pass, bit by bit the same at every size."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Function, If
from tapeless.ir.eval import evaluate
from tapeless.ir.types import F64, I64, Atom, Type, Var, f64, i64
from tapeless.ir.walk import statements
from tapeless.passes import gather, pipeline, simplify
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations


class _Dice:
    """A random program of moves and sums over matrices of nearly n by m; each with what n and m it lacks."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.b = Builder()
        self.sizes = Var("n", Type(I64)), Var("m", Type(I64))
        self.x = Var("x", Type(F64, self.sizes))
        self.arrays: list[tuple[Var, tuple[int, int]]] = [(self.x, (0, 0))]

    def program(self) -> Function:
        array = self.b.apply("replicate", f64(0.0), *self.sizes)
        self.arrays.append((array, (0, 0)))
        for _ in range(self.random.randrange(3, 7)):
            self.random.choice((self.mapped, self.mapped, self.cut, self.row))()
            array = self.written(array)
        return Function("dice", (self.x,), self.b.block((array,)))

    def size(self, k: int, lack: int) -> Atom:
        size = self.b.apply("add", self.sizes[k], i64(-lack)) if lack else self.sizes[k]
        return self.b.apply("max", size, i64(0)) if lack and self.random.random() < 0.5 else size

    def mapped(self) -> None:
        """Products and sums of elements at fixed distances; sometimes two results of one map."""
        lack = self.random.randrange(3), self.random.randrange(3)
        read: list[tuple[Var, tuple[int, int]]] = []
        for _ in range(self.random.randrange(1, 4)):
            array, less = self.random.choice(self.arrays)
            spare = [a - b for a, b in zip(lack, less, strict=True)]
            if min(spare) >= 0:
                read.append((array, (self.random.randint(0, spare[0]), self.random.randint(0, spare[1]))))
        counts = self.size(0, lack[0]), self.size(1, lack[1])
        costly = self.random.random() < 0.3

        def element(b: Builder, i: Var, j: Var) -> list[Atom]:
            total: Atom = f64(1.5)
            for array, (p, q) in read:
                value = b.apply("index", array, b.apply("add", i, i64(p)), b.apply("add", j, i64(q)))
                total = b.apply(self.random.choice(("add", "mul")), total, value)
            if costly:
                total = b.apply("sin", total)
            return [total, b.apply("mul", total, f64(0.5)), total]

        def row(b: Builder, i: Var) -> list[Atom]:
            return list(b.map_(counts[1], lambda b, j: element(b, i, j)))

        for var in self.b.map_(counts[0], row)[: self.random.randrange(1, 4)]:
            self.arrays.append((var, lack))

    def cut(self) -> None:
        array, less = self.random.choice(self.arrays)
        if max(less) < 2:
            lack = less[0] + 1, less[1] + 1
            triples = [(i64(self.random.randrange(2)), self.size(k, lack[k]), i64(1)) for k in range(2)]
            self.arrays.append((self.b.apply("slice", array, *(x for t in triples for x in t)), lack))

    def row(self) -> None:
        """A row, or an element, overwritten with another one."""
        array, less = self.random.choice(self.arrays)
        centre = self.b.apply("floordiv", array.type.shape[0], i64(2))  # neither near the start nor near the end
        at = self.random.choice((i64(0), i64(1), centre, self.b.apply("add", self.sizes[0], i64(-less[0] - 1))))
        if self.random.random() < 0.5:
            new = self.b.apply("update", array, self.b.apply("index", array, i64(1)), at)
        else:
            new = self.b.apply("update", array, self.b.apply("index", array, i64(0), i64(1)), at, i64(0))
        self.arrays.append((new, less))

    def written(self, whole: Var) -> Var:
        """A part of a matrix overwritten or added to."""
        part, lack = self.random.choice(self.arrays)
        starts = [i64(self.random.randint(0, lack[k])) for k in range(2)]
        if self.random.random() < 0.8:
            old = part
            n, m = part.type.shape

            def element(b: Builder, i: Var, j: Var) -> list[Atom]:
                before = b.apply("index", whole, b.apply("add", i, starts[0]), b.apply("add", j, starts[1]))
                return [b.apply("add", before, b.apply("index", old, i, j))]

            (part,) = self.b.map_(n, lambda b, i: list(b.map_(m, lambda b, j: element(b, i, j))))
        new = self.b.apply("update_slice", whole, part, starts[0], i64(1), starts[1], i64(1))
        if self.random.random() < 0.5:
            self.arrays.append((new, (0, 0)))
        return new


def _gathered(function: Function) -> Function:
    after = gather.run(simplify.run(function, Notes()), Notes())
    check(after)
    return after


def _writes(block) -> int:
    """Writes of parts of matrices."""
    return sum(
        isinstance(stm.expr, Apply) and stm.expr.op == "update_slice" and stm.vars[0].type.rank == 2
        for stm in statements(block)
    )


@pytest.mark.parametrize("seed", range(100))
def test_random_moves_and_sums(seed):
    function = _Dice(seed).program()
    check(function)
    after = _gathered(function)
    for n, m in ((4, 4), (5, 7), (7, 5), (6, 12), (11, 9)):
        args = [np.random.default_rng(seed).uniform(-1, 1, (n, m))]
        np.testing.assert_array_equal(evaluate(after, args)[0], evaluate(function, args)[0])


def test_random_programs_are_rewritten():
    """The test above would be idle otherwise."""
    changed = 0
    for seed in range(100):
        function = _Dice(seed).program()
        branch = next((stm.expr for stm in _gathered(function).body.stms if isinstance(stm.expr, If)), None)
        changed += branch is not None and _writes(branch.then) < _writes(branch.orelse)
    assert changed > 30


# -- derivatives ----------------------------------------------------------------------------------


def _heat(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return np.sum(u**2)


def _with_costly_factor(u, steps):
    for _ in range(steps):
        slope = u[2:, 1:-1] - u[:-2, 1:-1] + u[1:-1, 2:] - u[1:-1, :-2]
        u[1:-1, 1:-1] += 0.1 * np.exp(-(u[1:-1, 1:-1] ** 2)) * slope
    return np.sum(u**2)


def _in_loops(u, steps):
    n, m = u.shape
    for _ in range(steps):
        v = u.copy()
        for i in range(1, n - 1):
            for j in range(2, m - 1):
                v[i, j] = u[i, j] + 0.1 * (u[i + 1, j] * u[i - 1, j] + u[i, j + 1] - 2 * u[i, j - 2])
        u = v
    return np.sum(np.sin(u))


def _two_fields(u, steps):
    v = np.zeros(u.shape)
    for _ in range(steps):
        v[:-1] += 0.1 * (u[1:] - u[:-1]) * u[:-1]
        u[:, 1:] += 0.1 * (v[:, 1:] - v[:, :-1])
    return np.sum(u * v)


@pytest.mark.parametrize("f", [_heat, _with_costly_factor, _in_loops, _two_fields])
@pytest.mark.parametrize("shape", [(2, 5), (3, 3), (4, 6), (5, 4), (5, 5), (6, 9), (9, 6)])
def test_gradients_of_stencils(f, shape):
    u = np.random.default_rng(7).uniform(0.5, 1.5, shape)
    np.testing.assert_allclose(tp.grad(f)(u, 3), tp.jacfwd(f)(u, 3), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", [_heat, _with_costly_factor, _in_loops])
def test_the_adjoint_of_a_stencil_is_a_stencil(f):
    gradient = tp.grad(f)
    gradient(np.ones((40, 50)), 3)
    assert "in one pass" in gradient.explain()


def test_what_is_costly_is_not_computed_for_every_neighbour():
    """The adjoints of all neighbours have the same exponential."""
    gradient = tp.grad(_with_costly_factor)
    gradient(np.ones((40, 50)), 3)
    program = gradient.show("ir")
    maps = program[program.index("turn") :].split(" = map ")
    assert max(part.partition("return")[0].count("= exp") for part in maps) == 1


def test_equal_results_of_a_map_are_one_array():
    b, n = Builder(), Var("n", Type(I64))
    x = Var("x", Type(F64, (n,)))

    def twice(b: Builder, i: Var) -> list[Atom]:
        square = b.apply("mul", b.apply("index", x, i), b.apply("index", x, i))
        return [square, square]

    after = simplify.run(Function("f", (x,), b.block(b.map_(n, twice))), Notes())
    check(after)
    assert [len(stm.vars) for stm in after.body.stms] == [1]
    assert after.body.results[0] == after.body.results[1]
