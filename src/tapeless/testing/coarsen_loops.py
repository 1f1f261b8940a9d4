"""Productions of what else coarsening closes, or must leave alone: powers, quotients, data sums, stable forms.

`RECURRENCES` is the whole table, that of `coarsen_systems` included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.types import I64, Atom, Type, Var, i64, zero
from .bounds import fit, settle
from .coarsen_systems import element, exits, systems, trips
from .parallel import body_scope
from .scalars import condition
from .scope import Production, Scope, Value, real


def powers(s: Scope) -> bool:
    """x = a x^p, and products of what is read from an array."""
    dtype, n = s.float_type(), trips(s)
    start, factor = fit(s, s.scalar(dtype), 0.3, 3), fit(s, s.scalar(dtype), 0.7, 1.3)
    exponent = real(dtype, s.dice.uniform(0.3, 0.9))
    read = element(s, dtype, 0.2) if s.dice.chance(0.4) else None

    def body(b: Builder, i: Var, x: Var) -> Sequence[Atom]:
        if read is None:
            return (b.apply("mul", factor.atom, b.apply("pow", x, exponent)),)
        near = b.apply("add", real(dtype, 1.0), read(s.child(b, n.hi), Value(i, 0, n.hi, below=n.atom)))
        return (b.apply("mul", x, near),)

    most = 3.0 * 1.2 ** max(n.hi, 12)
    settle(s, s.b.for_(n.atom, (start.atom,), body)[0], 0.0 if read else 0.02, most)
    return True


def quotients(s: Scope) -> bool:
    """x = (a x + b) / (c x + d), all of them positive; the near miss has a square below."""
    dtype, n = s.float_type(), trips(s)
    a, b_, c, d = (fit(s, s.scalar(dtype), 0.3, 1.5).atom for _ in range(4))
    start, squared = fit(s, s.scalar(dtype), 0.1, 3), s.dice.chance(0.15)

    def body(b: Builder, _: Var, x: Var) -> Sequence[Atom]:
        above = b.apply("add", b.apply("mul", a, x), b_)
        below = b.apply("add", b.apply("mul", c, b.apply("mul", x, x) if squared else x), d)
        return (b.apply("div", above, below),)

    # Between two positive values a step gives a mean of a / c and b / d, which are in [0.2, 5].
    settle(s, s.b.for_(n.atom, (start.atom,), body)[0], 0.0 if squared else 0.1, 25.0 if squared else 5.0)
    return True


def descents(s: Scope) -> bool:
    """Gradient descent of a fit to data, as in BGDHyperOpt: w += r (2 / M) sum of x (y - x w), until it is small."""
    x = s.find(lambda v: v.type.rank == 1 and v.dtype.is_float and v.within(-3, 3) and s.extent(v.type.shape[0])[0] > 0)
    if x is None or s.work * s.extent(x.type.shape[0])[1] * 12 > s.most_work:
        return False
    y = s.find(lambda v: v.type == x.type and v.within(-64, 64)) or x
    dtype, size = x.dtype, x.type.shape[0]
    rate, ridge = fit(s, s.scalar(dtype), 0.01, 0.1), fit(s, s.scalar(dtype), 0.0, 0.5)
    rounds, kept = i64(s.dice.between(0, 12)), fit(s, s.scalar(dtype), 0.0, 0.6)
    early, loops, momentum = s.dice.chance(0.5), s.dice.chance(0.5), s.dice.chance(0.3)

    def term(b: Builder, i: Var, w: Var) -> Atom:
        xi = b.apply("index", x.atom, i)
        left = b.apply("sub", b.apply("index", y.atom, i), b.apply("mul", xi, w))
        return b.apply("mul", b.apply("mul", real(dtype, 2.0), xi), left)

    def slope(b: Builder, w: Var) -> Atom:
        def adding(b: Builder, i: Var, total: Var) -> Sequence[Atom]:
            return (b.apply("add", total, term(b, i, w)),)

        if loops:
            total = b.for_(size, (zero(dtype),), adding)[0]
        else:
            total = b.reduce(size, "add", (zero(dtype),), lambda b, i: (term(b, i, w),))[0]
        mean = b.apply("div", total, b.apply("convert", size, attrs=(dtype,)))
        return b.apply("sub", mean, b.apply("mul", ridge.atom, w))

    def step(b: Builder, _: Var, w: Var, v: Var) -> Sequence[Atom]:
        moved = b.apply("mul", rate.atom, slope(b, w))
        new = b.apply("add", b.apply("mul", kept.atom, v), moved) if momentum else moved
        return b.apply("add", w, new), new

    if early:

        def cond(b: Builder, k: Var, _: Var, v: Var) -> Sequence[Atom]:
            large = b.apply("gt", b.apply("abs", v), real(dtype, 0.013))
            return (b.apply("and", b.apply("lt", k, rounds), large),)

        def body(b: Builder, k: Var, w: Var, v: Var) -> Sequence[Atom]:
            return (b.apply("add", k, i64(1)), *step(b, k, w, v))

        w = s.b.while_((i64(0), zero(dtype), real(dtype, 1.0)), cond, body)[1]
    else:
        w = s.b.for_(rounds, (zero(dtype), zero(dtype)), step)[0]
    settle(s, w, -1e3, 1e3)

    def error(b: Builder, i: Var) -> Sequence[Atom]:
        left = b.apply("sub", b.apply("index", y.atom, i), b.apply("mul", b.apply("index", x.atom, i), w))
        return (b.apply("mul", left, left),)

    total = s.b.reduce(size, "add", (real(dtype, 0.0),), error)[0]
    s.add(fit(s, Value(total, 0, 1e7, exact=False), 0.0, 64.0))
    return True


def series(s: Scope) -> bool:
    """Sums of c q^i, of polynomials of i and of what is the same in all terms; products of equal factors."""
    dtype, n = s.float_type(), trips(s)
    base, factor = fit(s, s.scalar(dtype), 0.3, 1.1), fit(s, s.scalar(dtype), -1, 1)
    kinds = [s.dice.pick(("same", "power", "first", "second")) for _ in range(s.dice.between(1, 2))]
    branch = condition(s) if s.dice.chance(0.2) else None

    def term(b: Builder, i: Var) -> Sequence[Atom]:
        x, total = b.apply("convert", i, attrs=(dtype,)), factor.atom
        for kind in kinds:
            match kind:
                case "power":
                    total = b.apply("mul", total, b.apply("pow", base.atom, x))
                case "first":
                    total = b.apply("add", total, b.apply("mul", x, real(dtype, 0.05)))
                case "second":
                    total = b.apply("mul", total, b.apply("mul", b.apply("mul", x, x), real(dtype, 0.001)))
                case _:
                    total = b.apply("mul", total, factor.atom)
        return (total if branch is None else b.apply("select", branch, total, factor.atom),)

    if s.dice.chance(0.2):
        out = s.b.reduce(n.atom, "mul", (real(dtype, 1.0),), lambda _, __: (base.atom,))[0]
    else:
        out = s.b.reduce(n.atom, "add", (zero(dtype),), term)[0]
    settle(s, out, -5e4, 5e4)
    return True


def curves(s: Scope) -> bool:
    """x = f(x) without a closed form: logistic growth, and what bends."""
    dtype, n = s.float_type(), Value(i64(k := s.dice.between(0, 6)), k, k)
    start, rate = fit(s, s.scalar(dtype), 0.1, 0.9), fit(s, s.scalar(dtype), 0.5, 2.5)
    bent = s.dice.pick(("sin", "tanh", None))

    def body(b: Builder, _: Var, x: Var) -> Sequence[Atom]:
        if bent is not None:
            return (b.apply("mul", rate.atom, b.apply(bent, x)),)
        return (b.apply("mul", b.apply("mul", rate.atom, x), b.apply("sub", real(dtype, 1.0), x)),)

    settle(s, s.b.for_(n.atom, (start.atom,), body)[0], -2.5, 2.5)
    return True


def counters(s: Scope) -> bool:
    """Integers that grow by a step, or by a factor and wrap around."""
    n, step, factor = trips(s), s.scalar(I64), i64(s.dice.pick((1, 1, 2, 3, -1)))

    def body(b: Builder, _: Var, k: Var) -> Sequence[Atom]:
        return (b.apply("add", b.apply("mul", k, factor), step.atom),)

    out = s.b.for_(n.atom, (s.scalar(I64).atom,), body)[0]
    s.add(fit(s, s.define(out, -(2.0**63), 2.0**63), -9, 9))
    return True


def stable(s: Scope) -> bool:
    """What is computed badly as it is written: softplus, logsumexp, expm1, log1p, hypot, in either arm of a branch."""
    dtype = s.float_type()
    x, y, one = fit(s, s.scalar(dtype), -20, 20), fit(s, s.scalar(dtype), -20, 20), real(dtype, 1.0)
    kinds = [s.dice.pick(("softplus", "logsumexp", "expm1", "hypot", "square")) for _ in range(2)]

    def form(b: Builder, kind: str) -> Atom:
        def exp(z: Value) -> Atom:
            return b.apply("exp", z.atom)

        match kind:
            case "softplus":
                return b.apply("log", b.apply("add", one, exp(x)))
            case "logsumexp":
                return b.apply("log", b.apply("add", exp(x), exp(y)))
            case "expm1":
                small = b.apply("mul", x.atom, real(dtype, 0.1))
                return b.apply("sub", b.apply("exp", small), one)
            case "hypot":
                squares = b.apply("add", b.apply("mul", x.atom, x.atom), b.apply("mul", y.atom, y.atom))
                return b.apply("sqrt", b.apply("add", squares, real(dtype, 0.1)))
            case _:
                return b.apply("mul", x.atom, x.atom)

    if s.dice.chance(0.5):
        cond = condition(s)
        chosen = s.b.if_(cond, lambda b: (form(b, kinds[0]),), lambda b: (form(b, kinds[1]),))[0]
    else:
        chosen = form(s.b, kinds[0])
    settle(s, chosen, -20.0, 400.0)
    return True


def rotations(s: Scope) -> bool:
    """A chain of turns and shifts in a plane, as of an arm: sums of products that derivatives share."""
    dtype = s.float_type()
    x, y = (fit(s, s.scalar(dtype), -2, 2).atom for _ in range(2))
    b, most = s.b, 4.0
    for _ in range(s.dice.between(2, 5)):
        angle, link = fit(s, s.scalar(dtype), -6, 6).atom, s.literal(dtype, -1, 1).atom
        c, d = b.apply("cos", angle), b.apply("sin", angle)
        across = b.apply("sub", b.apply("mul", c, x), b.apply("mul", d, y))
        y = b.apply("add", b.apply("mul", d, x), b.apply("mul", c, y))
        x, most = b.apply("add", across, link), most + 1.0
    settle(s, x, -most, most)
    settle(s, b.apply("add", b.apply("mul", x, x), b.apply("mul", y, y)), 0.0, 2 * most * most)
    return True


def quadratic(s: Scope) -> bool:
    """(X v)' A (X v) for a matrix and a vector that are there."""
    found = s.find(lambda v: v.type.rank == 2 and v.dtype.is_float and v.within(-3, 3))
    if found is None:
        return False
    (rows, columns), dtype = found.type.shape, found.dtype
    v = s.find(lambda v: v.type == Type(dtype, (columns,)) and v.within(-3, 3))
    most = s.extent(rows)[1] ** 2 * s.extent(columns)[1]
    if v is None or s.work * most > s.most_work:
        return False

    def dot(b: Builder, size: Atom, pair: Callable[[Builder, Var], tuple[Atom, Atom]]) -> Atom:
        return b.reduce(size, "add", (zero(dtype),), lambda b, i: (b.apply("mul", *pair(b, i)),))[0]

    def once(b: Builder, i: Var) -> Sequence[Atom]:
        return (dot(b, columns, lambda b, k: (b.apply("index", found.atom, i, k), b.apply("index", v.atom, k))),)

    y = s.b.map_(rows, once)[0]

    def square(b: Builder, k: Var) -> tuple[Atom, Atom]:
        return b.apply("index", y, k), b.apply("index", y, k)

    def again(b: Builder, i: Var) -> tuple[Atom, Atom]:
        inner = body_scope(s, b, i, Value(rows, *s.extent(rows)))
        weight = fit(inner, inner.scalar(dtype), -1, 1).atom
        return b.apply("mul", weight, b.apply("index", y, i)), dot(b, rows, square)

    total = dot(s.b, rows, again)
    s.add(fit(s, Value(total, -1e7, 1e7, exact=False), -4, 4))
    return True


# Weights beside those of `generate.TABLE`: about half of what is drawn.
RECURRENCES = (
    Production("system", 35, systems, nested=True),
    Production("power_loop", 5, powers, nested=True),
    Production("quotient_loop", 8, quotients, nested=True),
    Production("exit_loop", 15, exits, nested=True),
    Production("descent_loop", 12, descents, nested=True),
    Production("series", 8, series, nested=True),
    Production("curve_loop", 3, curves, nested=True),
    Production("counter_loop", 4, counters, nested=True),
    Production("stable_form", 6, stable),
    Production("rotations", 8, rotations),
    Production("quadratic_form", 3, quadratic, nested=True),
)
