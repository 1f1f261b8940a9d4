"""Productions of affine recurrences, and of loops that such a recurrence ends.

A system x = A x + b is drawn coefficient by coefficient: numbers, values from outside the loop, elements of an array,
or a choice between two, so that some have a closed form and some only look like it. Bounds of what is carried are found
by running the worst case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.types import I64, Atom, DType, Var, i64, zero
from .bounds import fit, settle
from .scalars import condition
from .scope import Scope, Value, real

LONGEST = 40
LARGEST = 1e4  # what a carried value may grow to; a program goes on with something smaller
Coefficient = Callable[[Scope, Value], Atom]
Row = Callable[[Scope, Value, Sequence[Atom]], Atom]


def trips(s: Scope) -> Value:
    """A number of iterations: that of the elements of an array, one as everywhere, or a longer one."""
    if s.dice.chance(0.3):
        array = s.find(lambda v: v.type.rank == 1 and v.dtype.is_float and s.extent(v.type.shape[0])[1] <= s.limit)
        if array is not None:
            return Value(array.type.shape[0], *s.extent(array.type.shape[0]))
    return s.count() if s.dice.chance(0.6) else s.literal(I64, 0, min(s.limit, LONGEST))


def systems(s: Scope) -> bool:
    """One to three values that are made of each other, with constant, chosen or varying coefficients."""
    dtype, n = s.float_type(), trips(s)
    m = s.dice.weighted((1, 2, 3), (5, 3, 1))
    starts = [fit(s, s.scalar(dtype), -2, 2) for _ in range(m)]
    in_turn = s.dice.chance(0.3)  # later rows see what earlier ones have become
    most, growth = _safe_growth(s, n.hi * (m if in_turn else 1))
    rows = [_some_row(s, dtype, m, growth) for _ in range(m)]

    def body(b: Builder, i: Var, *xs: Var) -> Sequence[Atom]:
        inner = s.child(b, n.hi)
        index = Value(i, 0, max(0, n.hi - 1), below=n.atom)
        now, new = list[Atom](xs), list[Atom](xs)
        for k, row in enumerate(rows):
            new[k] = row(inner, index, now)
            if in_turn:
                now[k] = new[k]
        return new

    for out in s.b.for_(n.atom, [x.atom for x in starts], body):
        settle(s, out, -most, most)
    return True


def _safe_growth(s: Scope, steps: float) -> tuple[float, float]:
    """What values of size 2 grow to at most when a step adds up to 2, and the bound of |A| in a row for that."""
    for growth in (s.dice.pick((1.0, 1.15)), 1.0):
        most = 2.0
        for _ in range(int(steps)):
            most = growth * most + 2.0
        if most < LARGEST:
            break
    return most, growth


def _some_row(s: Scope, dtype: DType, m: int, growth: float) -> Row:
    """A row, or a choice between two, of which one may choose by the same condition again."""
    first = row_of(s, dtype, m, growth)
    if s.dice.chance(0.75):
        return first
    decide, arms, negated, again = _choice(s), s.dice.chance(0.5), s.dice.chance(0.3), s.dice.chance(0.4)
    second, third = row_of(s, dtype, m, growth), row_of(s, dtype, m, growth)

    def chosen(inner: Scope, index: Value, xs: Sequence[Atom]) -> Atom:
        b = inner.b
        cond = decide(inner, index)
        if negated:
            cond = b.apply("not", cond)
        if arms:

            def arm(row: Row) -> Callable[[Builder], Sequence[Atom]]:
                return lambda b: (row(inner.child(b, 1), index, xs),)

            return b.if_(cond, arm(first), arm(second))[0]
        left = first(inner, index, xs)
        if again:
            left = b.apply("select", cond, left, third(inner, index, xs))
        return b.apply("select", cond, left, second(inner, index, xs))

    return chosen


def row_of(s: Scope, dtype: DType, m: int, growth: float) -> Row:
    """The next value as a sum of products and a term, in an order and with signs that are drawn once."""
    factors = [_coefficient(s, dtype, growth / m) if m == 1 or s.dice.chance(0.7) else None for _ in range(m)]
    if m == 1 and s.dice.chance(0.3):  # a sum
        factors = [None]
        keeps = True
    else:
        keeps = False
    term = _term(s, dtype) if keeps or s.dice.chance(0.8) else None
    first, minus, right = s.dice.chance(0.5), s.dice.chance(0.3), s.dice.chance(0.5)

    def next_value(inner: Scope, index: Value, xs: Sequence[Atom]) -> Atom:
        b = inner.b
        made = [xs[0]] if keeps else []
        for factor, x in zip(factors, xs, strict=True):
            if factor is not None:
                pair = (factor(inner, index), x)
                made.append(b.apply("mul", *(pair[::-1] if right else pair)))
        if term is not None:
            made.insert(0 if first else len(made), term(inner, index))
        if not made:
            return zero(dtype)
        total = made[0]
        for part in made[1:]:
            total = b.apply("sub" if minus else "add", total, part)
        return total

    return next_value


def _coefficient(s: Scope, dtype: DType, most: float) -> Coefficient:
    """A factor of at most this size."""
    number = real(dtype, s.dice.uniform(-most, most))
    kind = s.dice.weighted(("number", "one", "outside", "element", "chosen"), (3, 2 * (most >= 1), 4, 1, 1))
    if kind == "number":
        return lambda _, __: number
    if kind == "one":
        return lambda _, __: real(dtype, 1.0)
    if kind == "element":
        return element(s, dtype, most)
    value = fit(s, s.scalar(dtype), -most, most)
    if kind == "outside":
        return lambda _, __: value.atom
    decide = _choice(s)
    return lambda inner, index: inner.b.apply("select", decide(inner, index), value.atom, number)


def element(s: Scope, dtype: DType, most: float) -> Coefficient:
    """The element of an array at the counter, which wraps around; a number where there is no array."""
    array = s.find(lambda v: v.type.rank == 1 and v.dtype is dtype and not v.wild and s.extent(v.type.shape[0])[0] > 0)
    if array is None:
        number = real(dtype, s.dice.uniform(-most, most))
        return lambda _, __: number
    size, scale = array.type.shape[0], real(dtype, most / max(abs(array.lo), abs(array.hi), 1e-3))

    def read(inner: Scope, index: Value) -> Atom:
        where = index.atom
        if index.below != size:
            where = inner.b.apply("mod", where, size)
            inner.b.check("bounds", where, size)
        return inner.b.apply("mul", inner.b.apply("index", array.atom, where), scale)

    return read


def _choice(s: Scope) -> Callable[[Scope, Value], Atom]:
    """A condition that holds always or never, in every second iteration, or up to one of them."""
    outside = condition(s) if s.dice.chance(0.4) else None
    parity, last = s.dice.chance(0.5), i64(s.dice.between(0, 6))

    def decide(inner: Scope, index: Value) -> Atom:
        if outside is not None:
            return outside
        if parity:
            return inner.b.apply("eq", inner.b.apply("mod", index.atom, i64(2)), i64(0))
        return inner.b.apply("lt", index.atom, last)

    return decide


def _term(s: Scope, dtype: DType) -> Coefficient:
    """What is added in an iteration, of size 2 at most: a coefficient, or one that depends on the counter."""
    kind = s.dice.weighted(("coefficient", "counter", "square", "branch"), (5, 2, 1, 1))
    if kind == "coefficient":
        return _coefficient(s, dtype, 1.0)
    if kind == "branch":
        return _branch(s, dtype)
    value = fit(s, s.scalar(dtype), -1, 1)
    scale = real(dtype, 1.0 / LONGEST ** (2 if kind == "square" else 1))

    def along(inner: Scope, index: Value) -> Atom:
        x = inner.b.apply("convert", index.atom, attrs=(dtype,))
        power = inner.b.apply("mul", x, x) if kind == "square" else x
        return inner.b.apply("mul", inner.b.apply("mul", power, scale), value.atom)

    return along


def _branch(s: Scope, dtype: DType) -> Coefficient:
    """An if whose arms compute."""
    decide, left, right = _choice(s), _coefficient(s, dtype, 1.0), _coefficient(s, dtype, 1.0)
    bent = s.dice.pick(("sin", "tanh", "atan"))

    def choose(inner: Scope, index: Value) -> Atom:
        def one(b: Builder) -> Sequence[Atom]:
            return (left(inner.child(b, 1), index),)

        def other(b: Builder) -> Sequence[Atom]:
            return (b.apply(bent, right(inner.child(b, 1), index)),)

        return inner.b.if_(decide(inner, index), one, other)[0]

    return choose


def exits(s: Scope) -> bool:
    """A while loop that ends when what it adds up or multiplies passes a bound, and perhaps after some rounds."""
    if s.limit < LONGEST:
        return False
    dtype, grows = s.float_type(), s.dice.chance(0.5)
    if grows:
        start, step = fit(s, s.scalar(dtype), -2, 2), fit(s, s.scalar(dtype), 0.3, 1.5)
        bound, op, test = real(dtype, s.dice.uniform(3, 9)), "add", s.dice.pick(("lt", "le"))
    else:
        start, step = fit(s, s.scalar(dtype), 0.5, 4), fit(s, s.scalar(dtype), 0.3, 0.85)
        bound, op, test = real(dtype, s.dice.uniform(0.01, 0.3)), "mul", s.dice.pick(("gt", "ge"))
    limit = i64(s.dice.between(0, LONGEST)) if s.dice.chance(0.5) else None
    row = row_of(s, dtype, 1, 1.0)
    early = s.dice.chance(0.3)  # the sum takes what x was

    def cond(b: Builder, k: Var, x: Var, _: Var) -> Sequence[Atom]:
        more = b.apply(test, x, bound)
        return (more if limit is None else b.apply("and", b.apply("lt", k, limit), more),)

    def body(b: Builder, k: Var, x: Var, total: Var) -> Sequence[Atom]:
        moved = b.apply(op, x, step.atom)
        shrunk = row(s.child(b, LONGEST), Value(k, 0, LONGEST), (total,))
        share = b.apply("mul", x if early else moved, real(dtype, 0.1))
        return b.apply("add", k, i64(1)), moved, b.apply("add", shrunk, share)

    k, x, total = s.b.while_((i64(0), start.atom, zero(dtype)), cond, body)
    s.define(k, 0, LONGEST)
    settle(s, x, -2, 11)
    settle(s, total, -50.0 * LONGEST, 50.0 * LONGEST)
    return True
