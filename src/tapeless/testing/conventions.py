"""Derivatives where mathematics leaves a choice: programs at kinks, ties and duplicates, with the answer we promise.

Differences cannot judge these points, so the promise stands here as data; `docs/conventions.md` says it in words.
`broken(convention)` tells how the derivative programs deviate from it: forward along each axis, and reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..ad.functions import jvp_function, vjp_function
from ..ad.prepare import prepare
from ..ir.build import Builder, build
from ..ir.core import Function
from ..ir.eval import evaluate
from ..ir.types import F64, I64, Atom, Lit, Type, Var, f64, i64
from ..passes.notes import Notes

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True, slots=True)
class Convention:
    """The gradient of a scalar function of a vector at a point."""

    name: str
    function: Function
    point: tuple[float, ...]
    gradient: tuple[float, ...]


def broken(convention: Convention, *, prepared: bool = False) -> str:
    """How the derivatives differ from the promise, in words; empty when they keep it."""
    function = prepare(convention.function, Notes()) if prepared else convention.function
    point, expected = np.array(convention.point), np.array(convention.gradient)
    forward, reverse = jvp_function(function, (0,)), vjp_function(function, (0,))
    along = np.array([evaluate(forward, [point, axis])[-1] for axis in np.eye(len(point))])
    for mode, found in (("forward", along), ("reverse", evaluate(reverse, [point, np.float64(1.0)])[-1])):
        if not np.array_equal(found, expected, equal_nan=True):
            return f"{mode}: {found} instead of {expected}"
    return ""


def _convention(
    name: str, point: Sequence[float], gradient: Sequence[float], body: Callable[[Builder, Elements], Atom]
) -> Convention:
    x = Var("x", Type(F64, (Var("n", Type(I64)),)))
    function = build(name.replace(" ", "_"), (x,), lambda b: (body(b, Elements(b, x)),))
    return Convention(name, function, tuple(point), tuple(gradient))


@dataclass(frozen=True, slots=True)
class Elements:
    """The argument of a convention's function, with the operators that the programs below need."""

    b: Builder
    x: Var

    @property
    def size(self) -> Atom:
        return self.x.type.shape[0]

    def __getitem__(self, k: int) -> Atom:
        return self.b.apply("index", self.x, i64(k))

    def at(self, b: Builder, i: Atom) -> tuple[Atom]:
        return (b.apply("index", self.x, i),)

    def fold(self, op: str, neutral: float) -> Atom:
        return self.b.reduce(self.size, op, (f64(neutral),), self.at)[0]

    def prefixes(self, op: str, neutral: float) -> Atom:
        return total(self.b, self.b.scan(self.size, op, (f64(neutral),), self.at)[0])

    def last_prefix(self, op: str, neutral: float) -> Atom:
        prefixes = self.b.scan(self.size, op, (f64(neutral),), self.at)[0]
        return self.b.apply("index", prefixes, self.b.apply("sub", self.size, i64(1)))

    def gathered(self, op: str, neutral: float, dest: Atom, key: Callable[[Builder, Var], Atom], skip: int = 0) -> Atom:
        """A histogram of the elements from `skip` on."""
        count = self.b.apply("sub", self.size, i64(skip))

        def body(b: Builder, i: Var) -> tuple[Atom, ...]:
            return key(b, i), *self.at(b, b.apply("add", i, i64(skip)))

        return self.b.hist(count, op, (f64(neutral),), (dest,), 1, body)[0]


def total(b: Builder, array: Atom, weights: Sequence[float] = ()) -> Atom:
    """The sum of an array, or its scalar product with weights."""
    stacked = b.apply("stack", *map(f64, weights)) if weights else None

    def term(b: Builder, i: Var) -> tuple[Atom]:
        value = b.apply("index", array, i)
        return (value if stacked is None else b.apply("mul", value, b.apply("index", stacked, i)),)

    return b.reduce(array.type.shape[0], "add", (f64(0.0),), term)[0]


def _unary(name: str, op: str, at: float, slope: float) -> Convention:
    return _convention(name, (at,), (slope,), lambda b, x: b.apply(op, x[0]))


def _binary(name: str, op: str, at: tuple[float, float], slopes: tuple[float, float]) -> Convention:
    return _convention(name, at, slopes, lambda b, x: b.apply(op, x[0], x[1]))


def _halves(b: Builder, i: Var) -> Atom:
    return b.apply("floordiv", i, i64(2))


def _select(b: Builder, x: Elements) -> Atom:
    return b.apply("select", b.apply("lt", x[0], f64(1.0)), x[0], b.apply("sqrt", x[0]))


def _branch(b: Builder, x: Elements) -> Atom:
    value = x[0]
    taken = b.apply("lt", value, f64(1.0))
    return b.if_(taken, lambda _: (value,), lambda b: (b.apply("log", value),))[0]


def _untaken_in_map(b: Builder, x: Elements) -> Atom:
    def body(b: Builder, i: Var) -> tuple[Atom]:
        (value,) = x.at(b, i)
        safe = b.apply("gt", value, f64(0.0))
        return (b.apply("select", safe, b.apply("div", f64(1.0), value), f64(0.0)),)

    return total(b, b.map_(x.size, body)[0])


def _root_of_squares(b: Builder, x: Elements) -> Atom:
    return b.apply("sqrt", b.apply("add", b.apply("mul", x[0], x[0]), b.apply("mul", x[1], x[1])))


def _weighted_root(b: Builder, x: Elements) -> Atom:
    return b.apply("sqrt", b.apply("mul", x[1], b.apply("mul", x[0], x[0])))


def _root_of_product(b: Builder, x: Elements) -> Atom:
    return b.apply("sqrt", b.apply("mul", x[0], x[1]))


def _root_of_product_of_all(b: Builder, x: Elements) -> Atom:
    return b.apply("sqrt", x.fold("mul", 1.0))


def _roots_in_map(b: Builder, x: Elements) -> Atom:
    return total(b, b.map_(x.size, lambda b, i: (b.apply("sqrt", *x.at(b, i)),))[0])


def _root_of_positive_part(b: Builder, x: Elements) -> Atom:
    return b.apply("sqrt", b.apply("max", x[0], f64(0.0)))


def _root_squared(b: Builder, x: Elements) -> Atom:
    root = b.apply("sqrt", x[0])
    return b.apply("mul", root, root)


def _angle(b: Builder, x: Elements) -> Atom:
    return b.apply("acos", b.apply("add", x[0], b.apply("mul", x[1], x[1])))


def _chosen_product(b: Builder, x: Elements) -> Atom:
    """An infinite product that is not chosen."""
    product = b.reduce(x.size, "mul", (f64(1.0),), lambda b, i: (b.apply("div", f64(1.0), *x.at(b, i)),))[0]
    return b.apply("select", b.apply("gt", x[0], f64(0.0)), product, x[1])


def _roots_chosen_once(b: Builder, x: Elements) -> Atom:
    """A loop that takes roots, and of which only the first iteration's value is chosen."""

    def step(b: Builder, i: Var, total: Var, value: Var) -> tuple[Atom, ...]:
        term = b.apply("select", b.apply("lt", i, i64(1)), value, f64(0.0))
        return b.apply("add", total, term), b.apply("sqrt", value)

    return b.for_(b.apply("add", x.size, i64(2)), (f64(0.0), x[0]), step)[0]


def _scattered(b: Builder, x: Elements) -> Atom:
    zeros = b.apply("replicate", f64(0.0), x.size)
    return total(b, b.scatter(x.size, zeros, 1, lambda b, i: (_halves(b, i), *x.at(b, i))), (1.0, 10.0, 100.0))


def _overwritten(b: Builder, x: Elements) -> Atom:
    written = b.scatter(i64(2), x.x, 1, lambda _, i: (i, Lit(5.0, F64)))
    return total(b, written)


def _ignored_scatter(b: Builder, x: Elements) -> Atom:
    return total(b, b.scatter(x.size, x.x, 1, lambda b, i: (b.apply("sub", i, i64(1)), *x.at(b, i))))


def _maximum_tie_with_dest(b: Builder, x: Elements) -> Atom:
    dest = b.apply("stack", x[0])
    return total(b, x.gathered("max", -INF, dest, lambda b, i: b.apply("mul", i, i64(0)), skip=1))


def _ignored_keys(b: Builder, x: Elements) -> Atom:
    dest = b.apply("replicate", f64(0.0), i64(2))
    return total(b, x.gathered("add", 0.0, dest, lambda b, i: b.apply("sub", i, i64(1))), (1.0, 10.0))


def _segment_product(b: Builder, x: Elements) -> Atom:
    dest = b.apply("replicate", f64(1.0), i64(2))
    return total(b, x.gathered("mul", 1.0, dest, _halves))


def _sorted(b: Builder, x: Elements) -> Atom:
    order = b.apply("argsort", x.x)
    ranked = b.map_(x.size, lambda b, i: x.at(b, b.apply("index", order, i)))[0]
    return total(b, ranked, (1.0, 10.0, 100.0))


CONVENTIONS: tuple[Convention, ...] = (
    _unary("abs at zero", "abs", 0.0, 0.0),
    _unary("sign at zero", "sign", 0.0, 0.0),
    _unary("floor at an integer", "floor", 2.0, 0.0),
    _unary("rint at a half", "rint", 0.5, 0.0),
    _unary("sqrt at zero", "sqrt", 0.0, INF),
    _convention("sum of roots, one of zero", (0.0, 4.0), (INF, 0.25), _roots_in_map),
    _convention("root of a sum of squares at the origin", (0.0, 0.0), (0.0, 0.0), _root_of_squares),
    _convention(
        "cube root of a square at zero", (0.0,), (0.0,), lambda b, x: b.apply("cbrt", b.apply("mul", x[0], x[0]))
    ),
    _convention("root of a weighted square at zero", (0.0, 2.0), (0.0, 0.0), _weighted_root),
    _convention("root of a product of zeros", (0.0, 0.0), (0.0, 0.0), _root_of_product),
    _convention("root of a product with one zero", (0.0, 4.0), (INF, 0.0), _root_of_product),
    _convention("root of the product of all, two zero", (0.0, 2.0, 0.0), (0.0, 0.0, 0.0), _root_of_product_of_all),
    _convention("root of a positive part of nothing", (-1.0,), (0.0,), _root_of_positive_part),
    _convention("root times itself at zero", (0.0,), (NAN,), _root_squared),
    _convention("power below one at zero", (0.0, 0.5), (INF, 0.0), lambda b, x: b.apply("pow", x[0], x[1])),
    _convention("angle at one", (1.0, 0.0), (-INF, 0.0), _angle),
    _binary("max of equals", "max", (1.0, 1.0), (0.5, 0.5)),
    _binary("min of equals", "min", (1.0, 1.0), (0.5, 0.5)),
    _binary("fmax of equals", "fmax", (1.0, 1.0), (0.5, 0.5)),
    _binary("fmin of equals", "fmin", (1.0, 1.0), (0.5, 0.5)),
    _binary("fmax beside NaN", "fmax", (NAN, 1.0), (0.0, 1.0)),
    _binary("hypot at the origin", "hypot", (0.0, 0.0), (0.0, 0.0)),
    _binary("atan2 at the origin", "atan2", (0.0, 0.0), (0.0, 0.0)),
    _binary("zero squared", "pow", (0.0, 2.0), (0.0, 0.0)),
    _binary("zero to the power zero", "pow", (0.0, 0.0), (0.0, 0.0)),
    _binary("mod at a multiple", "mod", (4.0, 2.0), (1.0, -2.0)),
    _binary("copysign at zero", "copysign", (0.0, 1.0), (0.0, 0.0)),
    _convention("clip at its bound", (0.0,), (0.5,), lambda b, x: b.apply("max", x[0], f64(0.0))),
    _convention("the arm of a select that is not taken", (0.0,), (1.0,), _select),
    _convention("the arm of an if that is not taken", (0.0,), (1.0,), _branch),
    _convention("arms not taken in a map", (0.0, 2.0), (0.0, -0.25), _untaken_in_map),
    _convention("an infinite product that is not chosen", (0.0, 2.0), (0.0, 1.0), _chosen_product),
    _convention("roots in a loop, only the first chosen", (0.0,), (1.0,), _roots_chosen_once),
    _convention("maximum with a tie", (1.0, 3.0, 3.0), (0.0, 0.5, 0.5), lambda _, x: x.fold("max", -INF)),
    _convention("minimum with three equal", (2.0,) * 4, (0.25,) * 4, lambda _, x: x.fold("min", INF)),
    _convention("maximum that is NaN", (NAN, 1.0), (0.0, 0.0), lambda _, x: x.fold("max", -INF)),
    _convention("running maximum with a tie", (1.0, 1.0), (1.5, 0.5), lambda _, x: x.prefixes("max", -INF)),
    _convention("last of a running minimum of equals", (2.0,) * 4, (0.25,) * 4, lambda _, x: x.last_prefix("min", INF)),
    _convention("running maximum that is NaN", (1.0, NAN, 2.0), (1.0, 0.0, 0.0), lambda _, x: x.prefixes("max", -INF)),
    _convention("product with one zero", (0.0, 2.0, 3.0), (6.0, 0.0, 0.0), lambda _, x: x.fold("mul", 1.0)),
    _convention("product with two zeros", (0.0, 0.0, 3.0), (0.0, 0.0, 0.0), lambda _, x: x.fold("mul", 1.0)),
    _convention("running product with a zero", (2.0, 0.0, 3.0), (1.0, 8.0, 0.0), lambda _, x: x.prefixes("mul", 1.0)),
    _convention("scatter to one place twice", (1.0, 2.0, 3.0), (0.0, 1.0, 10.0), _scattered),
    _convention("a place that scatter overwrites", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0), _overwritten),
    _convention("scatter out of range", (1.0, 2.0, 3.0), (0.0, 1.0, 2.0), _ignored_scatter),
    _convention("histogram maximum with ties", (2.0, 2.0, 2.0), (1 / 3, 1 / 3, 1 / 3), _maximum_tie_with_dest),
    _convention("histogram keys out of range", (1.0, 2.0, 3.0), (0.0, 1.0, 10.0), _ignored_keys),
    _convention("product by segments", (2.0, 3.0, 4.0), (3.0, 2.0, 1.0), _segment_product),
    _convention("product by segments with a zero", (0.0, 3.0, 4.0), (3.0, 0.0, 1.0), _segment_product),
    _convention("sorting with a tie", (2.0, 1.0, 1.0), (100.0, 1.0, 10.0), _sorted),
)
