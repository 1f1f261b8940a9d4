"""The associative operators that generated reductions, scans and histograms use.

Each maker returns the neutral elements, the operator, and the interval that each value must be fitted
into for the neutral elements to be neutral and the result to stay within bounds. Some mention free variables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir.build import Builder
from ..ir.types import BOOL, I64, Atom, Lit, Type, Var, i64, zero
from .bounds import fit
from .scope import FULL, Scope, real

Combine = Callable[..., Sequence[Atom]]


@dataclass(frozen=True, slots=True)
class Operator:
    """An associative operator over a tuple of scalars.

    `spans` are the intervals of the values given to it, `image(n)` those of a result over n values.
    `exact` values are needed where the operator decides by comparing.
    """

    neutral: tuple[Atom, ...]
    combine: str | Combine
    spans: tuple[tuple[float, float], ...]
    image: Callable[[float], tuple[tuple[float, float], ...]]
    exact: bool = False
    commutes: bool = True

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(atom.type for atom in self.neutral)


def some_operator(s: Scope, *, commutes: bool = False) -> Operator:
    """A random operator; `commutes` asks for one that may be applied in any order."""
    makers = (
        (4, _sum), (2, _extremum), (1, _product), (1, _logic), (1.5, _sum_and_extremum), (1.5, _affine),
        (1, _first_least), (1, _sum_modulo), (1, _group_law), (1, _last_valid), (1, _running_softmax), (0.7, _matrix),
    )  # fmt: skip
    while True:
        operator = s.dice.weighted([make for _, make in makers], [weight for weight, _ in makers])(s)
        if operator.commutes or not commutes:
            return operator


def _sum(s: Scope) -> Operator:
    dtype = s.dice.weighted((s.float_type(), I64), (3, 1))
    return Operator((zero(dtype),), "add", ((-2, 2),), lambda n: ((-2 * n, 2 * n),))


def _product(s: Scope) -> Operator:
    dtype = s.dice.weighted((s.float_type(), I64), (2, 1))
    if dtype is I64:
        return Operator((i64(1),), "mul", ((-9, 9),), lambda _: (FULL[I64],))
    return Operator((real(dtype, 1.0),), "mul", ((0.8, 1.2),), lambda n: ((0.8**n, 1.2**n),))


def _extremum(s: Scope) -> Operator:
    """Neutral is the end of the interval: no infinities, so that empty reductions stay finite."""
    dtype = s.any_type()
    dtype = s.float_type() if dtype is BOOL else dtype
    op, end = s.dice.pick((("min", 5.0), ("max", -5.0)))
    neutral = real(dtype, end) if dtype.is_float else Lit(int(end), dtype)
    return Operator((neutral,), op, ((-5, 5),), lambda _: ((-5, 5),))


def _logic(s: Scope) -> Operator:
    op, neutral = s.dice.pick((("and", True), ("or", False), ("xor", False)))
    return Operator((Lit(neutral, BOOL),), op, ((0, 1),), lambda _: ((0, 1),))


def _sum_and_extremum(s: Scope) -> Operator:
    """Several accumulators that do not meet."""
    dtype = s.float_type()

    def combine(b: Builder, x: Var, m: Var, k: Var, y: Var, n: Var, l: Var) -> Sequence[Atom]:
        return b.apply("add", x, y), b.apply("max", m, n), b.apply("add", k, l)

    neutral = (zero(dtype), real(dtype, -5.0), i64(0))
    spans = ((-2, 2), (-5, 5), (-3, 3))
    return Operator(neutral, combine, spans, lambda n: ((-2 * n, 2 * n), (-5, 5), (-3 * n, 3 * n)))


def _affine(s: Scope) -> Operator:
    """Composition of x -> a x + c: a linear recurrence."""
    dtype = s.float_type()

    def combine(b: Builder, a: Var, c: Var, d: Var, e: Var) -> Sequence[Atom]:
        return b.apply("mul", a, d), b.apply("add", b.apply("mul", c, d), e)

    neutral = (real(dtype, 1.0), zero(dtype))
    return Operator(neutral, combine, ((-0.9, 0.9), (-2, 2)), lambda _: ((-1, 1), (-20, 20)), commutes=False)


def _first_least(s: Scope) -> Operator:
    """The least value and the first index that has it."""
    dtype = s.dice.pick((s.float_type(), I64))
    large = real(dtype, 1000.0) if dtype.is_float else i64(1000)

    def combine(b: Builder, x: Var, i: Var, y: Var, j: Var) -> Sequence[Atom]:
        tie = b.apply("and", b.apply("eq", x, y), b.apply("lt", j, i))
        right = b.apply("or", b.apply("lt", y, x), tie)
        return b.apply("select", right, y, x), b.apply("select", right, j, i)

    neutral = (large, i64(1000))
    return Operator(neutral, combine, ((-64, 64), (0, 999)), lambda _: ((-64, 1000), (0, 1000)), exact=True)


def _sum_modulo(s: Scope) -> Operator:
    """Addition modulo a free variable of the program."""
    modulus = fit(s, s.scalar(I64), 5, 12)

    def combine(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        return (b.apply("mod", b.apply("add", x, y), modulus.atom),)

    return Operator((i64(0),), combine, ((0, 4),), lambda _: ((0, 11),))


def _group_law(s: Scope) -> Operator:
    """x + y + c x y with a free c: associative because 1 + c z is multiplicative."""
    dtype = s.float_type()
    c = fit(s, s.scalar(dtype), 0.02, 0.1)

    def combine(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
        cross = b.apply("mul", c.atom, b.apply("mul", x, y))
        return (b.apply("add", b.apply("add", x, y), cross),)

    return Operator((zero(dtype),), combine, ((-1, 1),), lambda n: ((-50 * 1.1**n, 50 * 1.1**n),))


def _last_valid(s: Scope) -> Operator:
    """The last value whose flag is set: depends on the order."""
    dtype = s.any_type()

    def combine(b: Builder, f: Var, x: Var, g: Var, y: Var) -> Sequence[Atom]:
        return b.apply("or", f, g), b.apply("select", g, y, x)

    return Operator((Lit(False, BOOL), zero(dtype)), combine, ((0, 1), (-64, 64)), _flag_image, commutes=False)


def _flag_image(_: float) -> tuple[tuple[float, float], ...]:
    return ((0, 1), (-64, 64))


def _running_softmax(s: Scope) -> Operator:
    """The maximum and the sum of exponentials relative to it."""
    dtype = s.float_type()

    def combine(b: Builder, m: Var, x: Var, n: Var, y: Var) -> Sequence[Atom]:
        top = b.apply("max", m, n)
        left = b.apply("mul", x, b.apply("exp", b.apply("sub", m, top)))
        right = b.apply("mul", y, b.apply("exp", b.apply("sub", n, top)))
        return top, b.apply("add", left, right)

    neutral = (real(dtype, -1e30), zero(dtype))
    return Operator(neutral, combine, ((-4, 4), (0.1, 2)), lambda n: ((-1e31, 4), (0, 2 * n)))


def _matrix(s: Scope) -> Operator:
    """Products of two by two matrices of norm below one."""
    dtype = s.float_type()

    def combine(b: Builder, *xs: Var) -> Sequence[Atom]:
        left, right = xs[:4], xs[4:]

        def entry(i: int, j: int) -> Atom:
            first = b.apply("mul", left[2 * i], right[j])
            return b.apply("add", first, b.apply("mul", left[2 * i + 1], right[2 + j]))

        return entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)

    one, nil = real(dtype, 1.0), zero(dtype)
    unit = ((-1.0, 1.0),) * 4
    return Operator((one, nil, nil, one), combine, ((-0.5, 0.5),) * 4, lambda _: unit, commutes=False)
