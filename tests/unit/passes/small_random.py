"""Random programs over small arrays at mostly literal indices: what `scalarise` has to get right."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import numpy as np

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.build import Builder
from tapeless.ir.core import Function
from tapeless.ir.types import F64, I64, Atom, Type, Var, f64, i64

SHAPES = ((2,), (3,), (2, 3), (3, 2), (6,), (2, 2))
DYNAMIC = 0.03  # the chance that an access is at a variable index


def small_array_program(seed: int) -> tuple[Function, list[object]]:
    """A program and its arguments; the values stay near 1."""
    rng = random.Random(seed)
    k, x, m = Var("k", Type(I64)), Var("x", Type(F64)), Var("m", Type(F64, (i64(2), i64(3))))
    b = Builder()
    grower = _Grower(rng, [x, f64(0.5)], [m], k)
    grower.grow(b, rng.randint(4, 14), depth=2)
    results = [*grower.scalars[-4:], *rng.sample(grower.arrays, min(len(grower.arrays), rng.randint(0, 2)))]
    args = [np.int64(rng.randint(0, 3)), np.float64(rng.random()), np.array([[1.0, -2.0, 0.5], [0.25, -0.0, 3.0]])]
    return Function("small", (k, x, m), b.block(results)), args


class _Grower:
    def __init__(self, rng: random.Random, scalars: Sequence[Atom], arrays: Sequence[Atom], k: Var) -> None:
        self.rng, self.scalars, self.arrays, self.k = rng, list(scalars), list(arrays), k

    def grow(self, b: Builder, count: int, depth: int) -> None:
        grow = [self.read, self.read, self.write, self.write, self.add_to, self.write_row]
        grow += [self.move, self.make, self.compute] + ([self.branch, self.loop, self.fold] if depth else [])
        for _ in range(count):
            self.rng.choice(grow)(b, depth)

    def inner(self, extra_scalars: Sequence[Atom] = (), extra_arrays: Sequence[Atom] = ()) -> _Grower:
        return _Grower(self.rng, [*self.scalars, *extra_scalars], [*self.arrays, *extra_arrays], self.k)

    def array(self, shape: tuple[int, ...] | None = None) -> Atom | None:
        fitting = [a for a in self.arrays[-6:] if shape is None or _shape(a) == shape]
        return self.rng.choice(fitting) if fitting else None

    def place(self, b: Builder, array: Atom, dims: int) -> list[Atom]:
        at: list[Atom] = [i64(self.rng.randrange(n)) for n in _shape(array)[:dims]]
        if self.rng.random() < DYNAMIC:
            at[0] = b.apply("mod", self.k, i64(_shape(array)[0]))
        return at

    def read(self, b: Builder, _depth: int) -> None:
        array = self.array()
        assert array is not None
        self.scalars.append(b.apply("index", array, *self.place(b, array, array.type.rank)))

    def write(self, b: Builder, _depth: int) -> None:
        array = self.array()
        assert array is not None
        at = self.place(b, array, array.type.rank)
        self.arrays.append(b.apply("update", array, self.rng.choice(self.scalars[-5:]), *at))

    def add_to(self, b: Builder, _depth: int) -> None:
        array = self.array()
        assert array is not None
        dims = self.rng.randint(1, array.type.rank)
        at = self.place(b, array, dims)
        value = self.rng.choice(self.scalars[-5:]) if dims == array.type.rank else b.apply("index", array, *at)
        self.arrays.append(b.apply("accumulate", array, value, *at))

    def write_row(self, b: Builder, _depth: int) -> None:
        whole, part = self.array((2, 3)), self.array((2, 2))
        if whole is not None and part is not None and self.rng.random() < 0.5:
            pairs = (i64(1), i64(-1), i64(0), i64(self.rng.randint(1, 2)))
            self.arrays.append(b.apply("update_slice", whole, part, *pairs))
        row = self.array((3,))
        if whole is not None and row is not None:
            self.arrays.append(b.apply("update", whole, row, *self.place(b, whole, 1)))

    def move(self, b: Builder, _depth: int) -> None:
        array = self.array()
        assert array is not None
        shape, count = _shape(array), int(np.prod(_shape(array)))
        match self.rng.randrange(5):
            case 0 if len(shape) == 2:
                self.arrays.append(b.apply("transpose", array, attrs=(1, 0)))
            case 1:
                other = self.rng.choice([s for s in SHAPES if np.prod(s) == count])
                self.arrays.append(b.apply("reshape", array, *map(i64, other)))
            case 2:
                last = shape[0] - 1
                self.arrays.append(b.apply("slice", array, i64(last), i64(2), i64(-last)))
            case 3 if shape == (3,):
                self.arrays.append(b.apply("concat", array, array, i64(6), attrs=(0,)))
            case _:
                row = b.apply("index", array, *self.place(b, array, 1))
                (self.arrays if row.type.shape else self.scalars).append(row)

    def make(self, b: Builder, _depth: int) -> None:
        shape = self.rng.choice(SHAPES)
        if len(shape) == 1:
            self.arrays.append(b.apply("stack", *(self.rng.choice(self.scalars[-6:]) for _ in range(shape[0]))))
        else:
            self.arrays.append(b.apply("replicate", self.rng.choice(self.scalars[-3:]), *map(i64, shape)))

    def compute(self, b: Builder, _depth: int) -> None:
        x, y = (self.rng.choice(self.scalars[-6:]) for _ in range(2))
        self.scalars.append(b.apply("sin", b.apply(self.rng.choice(["add", "mul", "sub"]), x, y)))

    def branch(self, b: Builder, depth: int) -> None:
        array = self.array()
        assert array is not None
        cond = b.apply("gt", self.rng.choice(self.scalars[-4:]), f64(0.0))

        def arm(inner_b: Builder) -> list[Atom]:
            inner = self.inner()
            inner.grow(inner_b, self.rng.randint(0, 4), depth - 1)
            return [inner.scalars[-1], inner.array(_shape(array)) or array]

        scalar, chosen = b.if_(cond, arm, arm)
        self.scalars.append(scalar)
        self.arrays.append(chosen)

    def loop(self, b: Builder, depth: int) -> None:
        array = self.array()
        assert array is not None

        def body(inner_b: Builder, *params: Var) -> list[Atom]:
            *_, count, scalar, carried = params
            inner = self.inner([scalar], [carried])
            inner.grow(inner_b, self.rng.randint(1, 5), depth - 1)
            return [inner_b.apply("add", count, i64(1)), inner.scalars[-1], inner.array(_shape(array)) or carried]

        init = (i64(0), self.scalars[-1], array)
        if self.rng.random() < 0.5:
            _, scalar, last = b.for_(self.k, init, body)
        else:
            _, scalar, last = b.while_(init, lambda b, i, *_: [b.apply("lt", i, self.k)], body)
        self.scalars.append(scalar)
        self.arrays.append(last)

    def fold(self, b: Builder, depth: int) -> None:
        """The sum of an array over the counter."""
        array = self.array()
        assert array is not None
        zero = b.apply("replicate", f64(0.0), *array.type.shape)

        def add(inner_b: Builder, x: Var, y: Var) -> list[Atom]:
            total: Var = x
            for place in product(*(range(n) for n in _shape(array))):
                at = tuple(map(i64, place))
                total = inner_b.apply("accumulate", total, inner_b.apply("index", y, *at), *at)
            return [total]

        def body(inner_b: Builder, i: Var) -> list[Atom]:
            inner = self.inner([inner_b.apply("convert", i, attrs=(F64,))])
            inner.grow(inner_b, self.rng.randint(0, 3), depth - 1)
            return [inner.array(_shape(array)) or array]

        self.arrays += b.reduce(self.k, add, (zero,), body)


def _shape(atom: Atom) -> tuple[int, ...]:
    return tuple(int(size.value) for size in atom.type.shape if not isinstance(size, Var))
