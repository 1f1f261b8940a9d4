"""Productions of the loops that people write, and their near misses.

A random loop is rarely a sum, a fill, a histogram or an in-place stencil; these are, because that is what
the passes look for. Each idiom has free choices in its expression, and variants that must stay loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.types import BOOL, I64, Atom, DType, Lit, Var, i64, zero
from .bounds import counter, fit
from .indexing import STEP
from .parallel import body_scope
from .scalars import condition
from .scope import Production, Scope, Value, real


def _array(s: Scope, rank: int = 1, *, exact: bool = False) -> Value | None:
    """A float or integer array that a loop over its elements can afford."""
    return s.find(
        lambda v: (
            v.type.rank == rank and v.dtype is not BOOL and not v.wild and (v.exact or not exact)
            and all(s.extent(size)[1] <= s.limit for size in v.type.shape)
        )
    )  # fmt: skip


def _size(s: Scope, array: Value, dim: int = 0) -> Value:
    size = array.type.shape[dim]
    return Value(size, *s.extent(size))


def expression(s: Scope, dtype: DType, steps: int = 2) -> Atom:
    """A small scalar expression within [-2, 2]."""
    s.grow(s.dice.between(0, steps))
    return fit(s, s.scalar(dtype), *STEP).atom


def summing(s: Scope) -> bool:
    """s += e, perhaps only where a condition holds."""
    array = _array(s)
    if array is None:
        return False
    n, dtype = _size(s, array), array.dtype

    def body(b: Builder, i: Var, total: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        term = expression(inner, dtype)
        if s.dice.chance(0.5):
            return (b.apply("add", total, term),)
        cond = condition(inner)
        return b.if_(cond, lambda b: (b.apply("add", total, term),), lambda _: (total,))

    out = s.b.for_(n.atom, (zero(dtype),), body)[0]
    s.define(out, -2 * n.hi, 2 * n.hi, exact=False)
    return True


def filling(s: Scope) -> bool:
    """a[i] = e; the near miss writes a[n-1-i], and another reads the element before."""
    array = _array(s)
    if array is None:
        return False
    n, variant = _size(s, array), s.dice.below(4)

    def body(b: Builder, i: Var, a: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        widest = max(4.0, abs(array.lo), abs(array.hi))
        inner.define(b.apply("index", a, i), -widest, widest, exact=False)
        if variant == 1:
            before = b.apply("max", b.apply("sub", i, i64(1)), i64(0))
            inner.define(b.apply("index", a, before), -widest, widest, exact=False)
        value = expression(inner, array.dtype)
        where = i if variant < 3 else b.apply("sub", b.apply("sub", n.atom, i64(1)), i)
        return (b.apply("update", a, value, where),)

    out = s.b.for_(n.atom, (array.atom,), body)[0]
    s.define(out, min(array.lo, STEP[0]), max(array.hi, STEP[1]), exact=False)
    return True


def filling_matrix(s: Scope) -> bool:
    """a[i, j] = e or += e in a nest of two loops."""
    array = _array(s, 2)
    if array is None or s.work * _size(s, array).hi * _size(s, array, 1).hi > s.most_work:
        return False
    rows, columns = _size(s, array), _size(s, array, 1)
    op = s.dice.pick(("update", "accumulate"))

    def outer_body(b: Builder, i: Var, a: Var) -> Sequence[Atom]:
        outer = s.child(b, rows.hi, (counter(s, i, rows.atom),))

        def inner_body(b: Builder, j: Var, a: Var) -> Sequence[Atom]:
            inner = body_scope(outer, b, j, columns)
            inner.define(b.apply("index", a, i, j), array.lo - 2, array.hi + 2, exact=False)
            return (b.apply(op, a, expression(inner, array.dtype, 1), i, j),)

        return b.for_(columns.atom, (a,), inner_body, hint="j")

    out = s.b.for_(rows.atom, (array.atom,), outer_body)[0]
    s.define(out, array.lo - 2, array.hi + 2, exact=False)
    return True


def tallying(s: Scope) -> bool:
    """a[k] += e or a[k] = max(a[k], e) at a computed k."""
    array = _array(s)
    if array is None or s.extent(array.type.shape[0])[0] < 1:
        return False
    size, n = array.type.shape[0], s.count()
    variant = s.dice.below(3)

    def body(b: Builder, i: Var, a: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        inner.grow(s.dice.between(0, 2))
        where = b.apply("mod", inner.scalar(I64).atom, size)
        b.check("bounds", where, size)
        term = fit(inner, inner.scalar(array.dtype), *STEP).atom
        if variant == 0:
            return (b.apply("accumulate", a, term, where),)
        old = b.apply("index", a, where)
        return (b.apply("update", a, b.apply(("", "max", "add")[variant], old, term), where),)

    out = s.b.for_(n.atom, (array.atom,), body)[0]
    s.define(out, array.lo - 2 * n.hi, array.hi + 2 * n.hi, exact=False)
    return True


def least(s: Scope) -> bool:
    """if x[i] < best: best, where = x[i], i."""
    array = _array(s, exact=True)
    if array is None:
        return False
    n, op = _size(s, array), s.dice.pick(("lt", "le", "gt"))
    start = real(array.dtype, 99.0) if array.dtype.is_float else Lit(9, array.dtype)

    def body(b: Builder, i: Var, best: Var, where: Var) -> Sequence[Atom]:
        x = b.apply("index", array.atom, i)
        return b.if_(b.apply(op, x, best), lambda _: (x, i), lambda _: (best, where))

    outs = s.b.for_(n.atom, (start, i64(0)), body)
    s.define(outs[0], min(array.lo, -9), max(array.hi, 99))
    s.define(outs[1], 0, max(0, n.hi - 1))
    return True


def exchanging(s: Scope) -> bool:
    """u, v = step(u), u: two arrays that change places, as in time stepping."""
    array = _array(s)
    if array is None or s.work * _size(s, array).hi * 4 > s.most_work:
        return False
    n, steps = _size(s, array), s.literal(I64, 0, 4)
    other = s.find(lambda v: v.type == array.type and not v.wild) or array

    def cell(b: Builder, i: Var, u: Var, v: Var) -> Sequence[Atom]:
        last = b.apply("sub", n.atom, i64(1))
        right = b.apply("index", u, b.apply("min", b.apply("add", i, i64(1)), last))
        left = b.apply("index", u, b.apply("max", b.apply("sub", i, i64(1)), i64(0)))
        mixed = b.apply("add", left, b.apply("index", v, i))
        if not array.dtype.is_float:
            return (b.apply("floordiv", b.apply("add", mixed, right), Lit(3, array.dtype)),)
        weights = [real(array.dtype, s.dice.uniform(0.1, 0.4)) for _ in range(2)]
        return (b.apply("add", b.apply("mul", mixed, weights[0]), b.apply("mul", right, weights[1])),)

    def step(b: Builder, _: Var, u: Var, v: Var) -> Sequence[Atom]:
        return (*b.map_(n.atom, lambda b, i: cell(b, i, u, v)), u)

    outs = s.b.for_(steps.atom, (array.atom, other.atom), step, hint="t")
    widest = 2 * max(abs(array.lo), abs(array.hi), abs(other.lo), abs(other.hi))
    for out in outs:
        s.define(out, -widest, widest, exact=False)
    return True


def layering(s: Scope) -> bool:
    """a[0, i] = e; a[1, i] = d: an iteration writes several planes of one array; the near miss computes a plane."""
    array = _array(s)
    if array is None or s.work * _size(s, array).hi * 6 > s.most_work:
        return False
    n, planes, steps = _size(s, array), s.dice.between(2, 3), s.literal(I64, 0, 3)
    variant, first = s.dice.below(4), s.b.apply("stack", *[array.atom] * planes)
    widest = max(4.0, abs(array.lo), abs(array.hi))

    def cell(b: Builder, i: Var, a: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        before = b.apply("max", b.apply("sub", i, i64(1)), i64(0))
        for k in range(planes):
            place = before if variant == 1 and k else i
            inner.define(b.apply("index", a, i64(k), place), -widest, widest, exact=False)

        def write(b: Builder, a: Atom) -> Atom:
            for k in s.dice.shuffled(range(planes))[: s.dice.between(1, planes)]:
                plane = b.apply("mod", i, i64(planes)) if variant == 2 else i64(k)
                a = b.apply("update", a, expression(inner.child(b, 1), array.dtype, 1), plane, i)
            return a

        if s.dice.chance(0.5):
            return (write(b, a),)
        return b.if_(condition(inner), lambda b: (write(b, a),), lambda b: (write(b, a),))

    def step(b: Builder, _: Var, a: Var) -> Sequence[Atom]:
        return b.for_(n.atom, (a,), cell)

    out = s.b.for_(steps.atom, (first,), step, hint="t")[0]
    s.define(out, min(array.lo, STEP[0]), max(array.hi, STEP[1]), exact=False)
    return True


def moving(s: Scope) -> bool:
    """p[i] = q[i]; q[i] = e: what one array is given is read from another that changes at the same place."""
    array = _array(s)
    if array is None:
        return False
    n, backwards = _size(s, array), s.dice.chance(0.4)
    other = s.find(lambda v: v.type == array.type and not v.wild) or array
    taken, kept = s.dice.chance(0.7), s.dice.below(3)

    def body(b: Builder, i: Var, p: Var, q: Var) -> Sequence[Atom]:
        inner = body_scope(s, b, i, n)
        where = b.apply("sub", b.apply("sub", n.atom, i64(1)), i) if backwards else i
        old, new = b.apply("index", p, where), b.apply("index", q, where)
        left = (zero(array.dtype), old, expression(inner, array.dtype, 1))[kept]
        q = b.apply("update", q, left, where)
        if not taken:
            new = b.apply("index", q, where)
        return b.apply("update", p, new, where), q

    outs = s.b.for_(n.atom, s.dice.shuffled((array.atom, other.atom)), body)
    for out in outs:
        s.define(out, min(array.lo, other.lo, STEP[0]), max(array.hi, other.hi, STEP[1]), exact=False)
    return True


def striding(s: Scope) -> bool:
    """An induction variable p += k beside the counter, used as an index."""
    array = _array(s)
    if array is None or s.extent(array.type.shape[0])[0] < 1:
        return False
    size, n, k = array.type.shape[0], s.count(), i64(s.dice.between(-3, 3))

    def body(b: Builder, i: Var, p: Var, total: Var) -> Sequence[Atom]:
        where = b.apply("mod", p, size)
        b.check("bounds", where, size)
        term = fit(s.child(b, n.hi), Value(b.apply("index", array.atom, where), array.lo, array.hi), *STEP)
        moved = b.apply("add", p, k)
        if s.dice.chance(0.3):
            cond = condition(s.child(b, n.hi, (counter(s, i, n.atom),)))
            moved = b.apply("select", cond, moved, p)
        return moved, b.apply("add", total, term.atom)

    outs = s.b.for_(n.atom, (i64(0), zero(array.dtype)), body)
    s.define(outs[0], -3 * n.hi, 3 * n.hi)
    s.define(outs[1], -2 * n.hi, 2 * n.hi, exact=False)
    return True


def triangle(s: Scope) -> bool:
    """for i: for j below i: the trip count of the inner loop varies."""
    array = _array(s)
    if array is None or s.work * _size(s, array).hi ** 2 > 2 * s.most_work:
        return False
    n = _size(s, array)

    def term(b: Builder, j: Var) -> Sequence[Atom]:
        x = Value(b.apply("index", array.atom, j), array.lo, array.hi, array.exact)
        return (fit(s.child(b, n.hi), x, *STEP).atom,)

    def step(b: Builder, j: Var, total: Var) -> Sequence[Atom]:
        return (b.apply("add", total, *term(b, j)),)

    def body(b: Builder, i: Var) -> Sequence[Atom]:
        if s.dice.chance(0.5):
            return b.for_(i, (zero(array.dtype),), step, hint="j")
        return b.reduce(i, "add", (zero(array.dtype),), term)

    s.define(s.b.map_(n.atom, body)[0], -2 * n.hi, 2 * n.hi, exact=False)
    return True


def scratch(s: Scope) -> bool:
    """An array carried only as scratch space: each iteration overwrites it before it reads it."""
    array = _array(s)
    if array is None or s.work * _size(s, array).hi > 300:
        return False
    size, n = _size(s, array), s.literal(I64, 1, 5)

    def body(b: Builder, k: Var, work: Var, total: Var) -> Sequence[Atom]:
        inner = s.child(b, n.hi, (counter(s, k, n.atom),))

        def write(b: Builder, i: Var, w: Var) -> Sequence[Atom]:
            return (b.apply("update", w, expression(body_scope(inner, b, i, size), array.dtype, 1), i),)

        filled = b.for_(size.atom, (work,), write)[0]
        found = b.reduce(size.atom, "add", (zero(array.dtype),), lambda b, i: (b.apply("index", filled, i),))[0]
        return filled, b.apply("add", total, found)

    outs = s.b.for_(n.atom, (array.atom, zero(array.dtype)), body, hint="k")
    s.define(outs[0], min(array.lo, -2), max(array.hi, 2), exact=False)
    s.define(outs[1], -2 * n.hi * size.hi, 2 * n.hi * size.hi, exact=False)
    return True


def searching(s: Scope) -> bool:
    """Binary search by a while loop over two bounds."""
    array = _array(s, exact=True)
    if array is None:
        return False
    n, key = _size(s, array), s.scalar(array.dtype, exact=True)
    if not key.exact:
        return False

    def apart(b: Builder, lo: Var, hi: Var) -> Sequence[Atom]:
        return (b.apply("lt", lo, hi),)

    def narrow(b: Builder, lo: Var, hi: Var) -> Sequence[Atom]:
        middle = b.apply("shr", b.apply("add", lo, hi), i64(1))
        b.check("bounds", middle, n.atom)
        less = b.apply("lt", b.apply("index", array.atom, middle), key.atom)
        after = b.apply("add", middle, i64(1))
        return b.if_(less, lambda _: (after, hi), lambda _: (lo, middle))

    outs = s.b.while_((i64(0), n.atom), apart, narrow)
    s.define(outs[0], 0, n.hi)
    return True


def product(s: Scope) -> bool:
    """A matrix times a matrix or a vector: maps around a reduce."""
    left = _array(s, 2)
    if left is None or not left.dtype.is_float:
        return False
    rows, shared = left.type.shape
    right = s.find(
        lambda v: 1 <= v.type.rank <= 2 and v.dtype is left.dtype and v.type.shape[0] == shared and not v.wild
    )
    if right is None:
        return False
    limits = [s.extent(size)[1] for size in (rows, *right.type.shape)]
    if s.work * limits[0] * limits[1] * (limits[2] if len(limits) > 2 else 1) > s.most_work:
        return False

    def entry(b: Builder, i: Var, *column: Var) -> Sequence[Atom]:
        def term(b: Builder, k: Var) -> Sequence[Atom]:
            return (b.apply("mul", b.apply("index", left.atom, i, k), b.apply("index", right.atom, k, *column)),)

        return b.reduce(shared, "add", (zero(left.dtype),), term)

    def row(b: Builder, i: Var) -> Sequence[Atom]:
        if right.type.rank == 1:
            return entry(b, i)
        return b.map_(right.type.shape[1], lambda b, j: entry(b, i, j), hint="j")

    most = max(abs(left.lo), abs(left.hi)) * max(abs(right.lo), abs(right.hi)) * limits[1]
    s.define(s.b.map_(rows, row)[0], -most, most, exact=False)
    return True


IDIOMS = (
    Production("sum_loop", 1.5, summing, nested=True),
    Production("fill_loop", 2, filling, nested=True),
    Production("fill_matrix", 1.5, filling_matrix, nested=True),
    Production("tally_loop", 1.2, tallying, nested=True),
    Production("least_loop", 0.8, least, nested=True),
    Production("exchange_loop", 1, exchanging, nested=True),
    Production("move_loop", 0.5, moving, nested=True),
    Production("layer_loop", 0.7, layering, nested=True),
    Production("stride_loop", 0.8, striding, nested=True),
    Production("triangle", 1, triangle, nested=True),
    Production("scratch_loop", 1, scratch, nested=True),
    Production("search_loop", 0.6, searching, nested=True),
    Production("product", 1, product, nested=True),
)
