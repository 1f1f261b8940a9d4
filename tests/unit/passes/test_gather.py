"""Arrays that are added up in parts: computed in one pass, bit by bit the same at every size."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tapeless as tp
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Apply, Function, If, Map
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64, I64, Atom, Lit, Type, Var, f64, i64
from tapeless.ir.walk import statements
from tapeless.passes import gather, pipeline, simplify
from tapeless.passes.notes import Notes

assert pipeline  # registers the operations

SHIFTED = """
def shifted(x: f64[n], s: f64) {
  m: i64 = add n -1
  k: i64 = max m 0
  z: f64[n] = replicate 0.0 n
  v: f64[k], w: f64[k] = map k (i: i64) {
    j: i64 = add i 1
    p: f64 = index x i
    q: f64 = index x j
    t: f64 = mul p q
    r: f64 = div p s
    u: f64 = exp t
    return u r
  }
  a: f64[n] = update_slice z v 0 1
  d: f64[k] = map k (h: i64) {
    o: i64 = add h 1
    e: f64 = index a o
    f: f64 = index w h
    g: f64 = add e f
    return g
  }
  b: f64[n] = update_slice a d 1 1
  empty: bool = eq n 0
  c: f64[n] = if empty {
    return b
  } else {
    y: f64[n] = accumulate b s 0
    return y
  }
  return c
}
"""


NEIGHBOURS = """
  l: f64[k] = map k (i2: i64) {
    i3: i64 = add i2 1
    l0: f64 = index c i2
    l1: f64 = index c i3
    l2: f64 = mul l0 l1
    return l2
  }
  return l
"""


SOURCE = """
def source(x: f64[n], p: i64) {
  m: i64 = add n -1
  k: i64 = max m 0
  z: f64[n] = replicate 0.0 n
  q: f64[n] = update x 1.0 p
  v: f64[k], w: f64[k] = map k (i: i64) {
    r: f64 = index q i
    s: f64 = index x i
    return r s
  }
  a: f64[n] = update_slice z v 0 1
  d: f64[k] = map k (h: i64) {
    o: i64 = add h 1
    e: f64 = index a o
    f: f64 = index v h
    g: f64 = add e f
    return g
  }
  b: f64[n] = update_slice a d 1 1
  c: f64[n] = update_slice z w 0 1
  t: f64[k] = map k (j: i64) {
    l: i64 = add j 1
    u: f64 = index c l
    y: f64 = index w j
    aa: f64 = add u y
    return aa
  }
  bb: f64[n] = update_slice c t 1 1
  return b bb
}
"""


def _gathered(function: Function) -> Function:
    after = gather.run(simplify.run(function, Notes()), Notes())
    check(after)
    return after


def _same(before: Function, after: Function, args: list) -> None:
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_array_equal(x, y)


def _operations(block) -> list[str]:
    return [stm.expr.op for stm in statements(block) if isinstance(stm.expr, Apply)]


def test_one_pass_where_the_array_is_long_enough():
    before = parse_function(SHIFTED)
    after = _gathered(before)
    branch = next(stm.expr for stm in after.body.stms if isinstance(stm.expr, If))
    assert "update_slice" not in _operations(branch.then)
    assert sum(isinstance(stm.expr, Map) for stm in statements(branch.then)) == 1
    assert "update_slice" in _operations(branch.orelse)
    for n in range(7):
        _same(before, after, [np.random.default_rng(n).normal(size=n), 1.7])


def test_work_is_not_repeated():
    """What is read at two distances is made once, unless it is cheap."""
    branch = SHIFTED[SHIFTED.index("if empty") : SHIFTED.index("return c")]
    text = SHIFTED.replace(branch, "update_slice b d 1 1\n  ").replace("return c", NEIGHBOURS)
    after = _gathered(parse_function(text))
    exps = _operations(next(stm.expr for stm in after.body.stms if isinstance(stm.expr, If)).then).count("exp")
    assert exps <= 3  # in the middle, and at either end
    for n in range(1, 7):
        _same(parse_function(text), after, [np.random.default_rng(n).normal(size=n), 1.7])


def test_what_was_written_at_an_unknown_place_is_read():
    """It is in the way of no array that is made of it, nor of others."""
    function = parse_function(SOURCE)
    after = _gathered(function)
    branch = next(stm.expr for stm in after.body.stms if isinstance(stm.expr, If))
    assert "update_slice" not in _operations(branch.then)
    for p in (0, 3, 6):
        _same(function, after, [np.linspace(0.5, 1.5, 7), p])


def test_a_single_write_stays_in_place():
    text = SHIFTED.replace("b: f64[n] = update_slice a d 1 1", "b: f64[n] = update_slice z v 1 1")
    assert "concat" not in _operations(_gathered(parse_function(text)).body)


# -- random ---------------------------------------------------------------------------------------


class _Dice:
    """A random program of moves and sums over arrays of nearly n elements; the arrays with what n they lack."""

    def __init__(self, seed: int, literal: int | None) -> None:
        self.random = random.Random(seed)
        self.b = Builder()
        self.n: Atom = Var("n", Type(I64)) if literal is None else i64(literal)
        self.x = Var("x", Type(F64, (self.n,)))
        self.y = Var("y", Type(F64, (self.n,)))
        self.arrays: list[tuple[Var, int]] = [(self.x, 0), (self.y, 0)]
        self.scalar: Atom = f64(0.5)

    def program(self) -> Function:
        array = self.b.apply("replicate", f64(0.0), self.n), 0
        self.arrays.append(array)
        self.mapped()
        for _ in range(self.random.randrange(4, 12)):
            self.random.choice((self.mapped, self.element, self.joined, self.read, self.cut))()
            array = self.written(array)
        return Function("dice", (self.x, self.y), self.b.block((array[0], self.scalar)))

    def size(self, lack: int) -> Atom:
        if isinstance(self.n, Lit):
            return i64(int(self.n.value) - lack)
        return self.b.apply("add", self.n, i64(-lack)) if lack else self.n

    def add(self, array: Var, lack: int) -> None:
        self.arrays.append((array, lack))

    def pick(self) -> tuple[Var, int]:
        return self.random.choice(self.arrays)

    def mapped(self) -> None:
        lack = self.random.choice((0, 1, 1, 2))
        sources = [(array, shift) for array, less in (self.pick(), self.pick()) for shift in range(lack - less + 1)]

        def body(b: Builder, i: Var) -> list[Atom]:
            values = [b.apply("index", array, b.apply("add", i, i64(k))) for array, k in sources] or [f64(1.5)]
            total = values[0]
            for value in values[1:]:
                total = b.apply(self.random.choice(("add", "mul", "sub")), total, value)
            return [b.apply("mul", total, f64(0.5))]

        self.add(self.b.map_(self.size(lack), body)[0], lack)

    def written(self, array: tuple[Var, int]) -> tuple[Var, int]:
        """A part of an array overwritten or added to."""
        whole, less = array
        fitting = [(part, lack) for part, lack in self.arrays if lack > less]
        if not fitting:
            return array
        part, lack = self.random.choice(fitting)
        start = i64(self.random.randrange(lack - less + 1))
        if self.random.random() < 0.7:
            size = part.type.shape[0]

            def body(b: Builder, i: Var) -> list[Atom]:
                old = b.apply("index", whole, b.apply("add", i, start))
                return [b.apply("add", old, b.apply("index", part, i))]

            (part,) = self.b.map_(size, body)
        new = self.b.apply("update_slice", whole, part, start, i64(1))
        if self.random.random() < 0.5:
            self.add(new, less)
        return new, less

    def place(self, lack: int) -> Atom:
        centre = self.b.apply("floordiv", self.size(lack), i64(2))  # neither near the start nor near the end
        return self.random.choice((i64(0), i64(1), centre, self.size(lack + 1)))

    def element(self) -> None:
        array, lack = self.pick()
        op = self.random.choice(("update", "accumulate"))
        self.add(self.b.apply(op, array, self.scalar, self.place(lack)), lack)

    def read(self) -> None:
        array, lack = self.pick()
        value = self.b.apply("index", array, self.place(lack))
        self.scalar = self.b.apply("add", self.b.apply("mul", self.scalar, f64(0.25)), value)

    def joined(self) -> None:
        array, lack = self.pick()
        if lack:
            one = self.b.apply("stack", self.scalar)
            parts = [one, array] if self.random.random() < 0.5 else [array, one]
            self.add(self.b.apply("concat", *parts, self.size(lack - 1), attrs=(0,)), lack - 1)

    def cut(self) -> None:
        array, lack = self.pick()
        if lack < 3:
            start, size = i64(self.random.randrange(2)), self.size(lack + 1)
            self.add(self.b.apply("slice", array, start, size, i64(1)), lack + 1)


@pytest.mark.parametrize("seed", range(120))
def test_random_moves_and_sums(seed):
    literal = 40 if seed % 3 == 0 else None
    function = _Dice(seed, literal).program()
    check(function)
    after = _gathered(function)
    for n in (literal,) if literal else (5, 6, 7, 9, 20):
        rng = np.random.default_rng(seed)
        _same(function, after, [rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)])


def test_random_programs_are_rewritten():
    """The test above would be idle otherwise."""
    changed = 0
    for seed in range(120):
        function = _Dice(seed, 40 if seed % 3 == 0 else None).program()
        before = _operations(simplify.run(function, Notes()).body).count("update_slice")
        after = _gathered(function)
        branch = next((stm.expr for stm in after.body.stms if isinstance(stm.expr, If)), None)
        changed += _operations(after.body if branch is None else branch.then).count("update_slice") < before
    assert changed > 40


# -- derivatives ----------------------------------------------------------------------------------


def _diffusion(u, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


def _wide(u, steps):
    for _ in range(steps):
        v = u.copy()
        for i in range(2, len(u) - 2):
            v[i] = 0.2 * (u[i - 2] * u[i] + u[i - 1] + u[i] + u[i + 1] + u[i + 2] * u[i - 1])
        u = v
    return np.sum(np.sin(u))


def _two_fields(u, steps):
    v = np.zeros(len(u))
    for _ in range(steps):
        v[:-1] += 0.1 * (u[1:] - u[:-1]) * u[:-1]
        u[1:] = u[1:] + 0.1 * (v[1:] - v[:-1])
    return np.sum(u * v)


@pytest.mark.parametrize("f", [_diffusion, _wide, _two_fields])
@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 9, 41])
def test_gradients_of_stencils(f, n):
    u = np.random.default_rng(n).uniform(0.5, 1.5, n)
    np.testing.assert_allclose(tp.grad(f)(u, 3), tp.jacfwd(f)(u, 3), rtol=1e-12, atol=1e-13)


def test_the_adjoint_of_a_stencil_is_a_stencil():
    gradient = tp.grad(_diffusion)
    gradient(np.linspace(0.5, 1.5, 50), 3)
    assert "in one pass" in gradient.explain()


def _far_and_near(x, y):
    far = np.zeros_like(x)
    far[7:] += x[:-7]
    sums = np.zeros_like(x)
    sums[7:] += far[:-7]
    sums[:-1] += x[1:]
    near = np.zeros_like(y)
    near[1:] += y[:-1]
    near[:-1] += y[1:]
    return sums, near


@pytest.mark.parametrize("n", [8, 15, 40])
def test_what_reaches_too_far_is_in_the_way_of_nothing_else(n):
    f, (x, y) = tp.jit(_far_and_near), np.random.default_rng(n).normal(size=(2, n))
    for found, expected in zip(f(x, y), _far_and_near(x, y), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert "in one pass" in f.explain()
