"""Statements of random reversible programs that change arrays: elements, parts, and all of them at once."""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.types import I64, Atom, Lit, Var, i64
from .reversible_numbers import changed, step
from .reversible_values import LONGEST, MOST_WORK, Draft, amount, literal, rounded_amount
from .scope import real


def element(d: Draft) -> None:
    """An element of an array changes; by indexing and updating, or by accumulating."""
    name = d.target(lambda t: bool(t.shape))
    if name is None:
        return
    array = d.now[name]
    at = d.places(array.type.shape, (name,))
    if at is None:
        return
    e = amount(d, array.type.dtype, (name,))
    if d.dice.chance(d.kind.careless) and (other := d.places(array.type.shape, (name,))):
        e = d.b.apply("add", e, d.b.apply("index", array, *other))  # which may be the very same element
    if d.dice.chance(0.3):
        d.now[name] = d.b.apply("accumulate", array, e, *at)
    else:
        d.now[name] = d.b.apply("update", array, changed(d, d.b.apply("index", array, *at), e), *at)


def neighbour(d: Draft) -> None:
    """An element changes by another one of the same small array: a[1] += f(a[0])."""
    name = d.target(lambda t: bool(t.shape) and isinstance(t.shape[0], Lit))
    if name is None:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    to, source = d.dice.shuffled(range(size))[:2]
    rest = d.places(array.type.shape[1:], (name,))
    if rest is None:
        return
    d.fixed.append(d.b.apply("index", array, i64(source), *rest))
    e = amount(d, array.type.dtype, (name,))
    d.fixed.pop()
    d.now[name] = d.b.apply("update", array, changed(d, d.b.apply("index", array, i64(to), *rest), e), i64(to), *rest)


def chain(d: Draft) -> None:
    """Along a vector each element changes by its neighbour, one after the other."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST > MOST_WORK:
        return
    size = d.now[name].type.shape[0]
    count = d.b.apply("sub", size, i64(1))
    ahead = d.dice.chance(0.5)

    def body(b: Builder, i: Var, array: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = count
        after = b.apply("add", i, i64(1))
        to, source = (after, i) if ahead else (i, after)
        inner.fixed += [i, b.apply("index", array, source)]
        e = amount(inner, array.type.dtype, (name,))
        return (b.apply("update", array, changed(inner, b.apply("index", array, to), e), to),)

    (d.now[name],) = d.b.for_(count, (d.now[name],), body)


def whole(d: Draft) -> None:
    """All elements of an array change at once."""
    name = d.target(lambda t: bool(t.shape))
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    d.now[name] = mapped(d, d.now[name], name)


def mapped(d: Draft, array: Atom, name: str) -> Atom:
    size, mirrored = array.type.shape[0], d.dice.chance(0.1)

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: d.now[name]}, LONGEST)
        inner.counters[i] = size
        inner.fixed.append(i)
        row = b.apply("index", array, b.apply("sub", b.apply("sub", size, i64(1)), i) if mirrored else i)
        if row.type.shape:
            return (mapped(inner, row, name),)
        if d.dice.chance(0.1):
            return (b.apply("neg", row),)
        return (changed(inner, row, amount(inner, row.type.dtype, (name,), 1)),)

    return d.b.map_(size, body)[0]


def span(d: Draft) -> None:
    """A part of a small array changes, perhaps by another part of it."""
    name = d.target(lambda t: bool(t.shape) and isinstance(t.shape[0], Lit) and int(t.shape[0].value) > 2)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    width = size // 2
    start = d.dice.below(size - width + 1)
    stride = d.dice.pick((1, 1, -1))
    first = start if stride == 1 else start + width - 1
    part = d.b.apply("slice", array, i64(first), i64(width), i64(stride))
    if start + 2 * width <= size:
        d.fixed.append(d.b.apply("slice", array, i64(start + width), i64(width), i64(1)))
    made = mapped(d, part, name)
    if start + 2 * width <= size:
        d.fixed.pop()
    d.now[name] = d.b.apply("update_slice", array, made, i64(first), i64(stride))


def tally(d: Draft) -> None:
    """A histogram by addition; some keys are out of range."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST > MOST_WORK:
        return
    array = d.now[name]
    zero = Lit(0, array.type.dtype) if array.type.dtype.is_int else real(array.type.dtype, 0.0)
    bound = i64(d.dice.between(1, LONGEST))

    def body(b: Builder, i: Var) -> tuple[Atom, Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = bound
        inner.fixed.append(i)
        key = b.apply("sub", b.apply("mod", amount(inner, I64, (name,), 1), i64(LONGEST + 2)), i64(1))
        return key, amount(inner, array.type.dtype, (name,), 1)

    op = "max" if d.dice.chance(d.kind.careless) else "add"
    (d.now[name],) = d.b.hist(bound, op, (zero,), (array,), 1, body)


def pieces(d: Draft) -> None:
    """A small array is taken apart; its elements change by each other, and are put together again."""
    name = d.target(lambda t: t.rank == 1 and isinstance(t.shape[0], Lit))
    if name is None:
        return
    array = d.now[name]
    size = int(array.type.shape[0].value) if isinstance(array.type.shape[0], Lit) else 0
    parts: list[Atom] = [d.b.apply("index", array, i64(k)) for k in range(size)]
    for _ in range(d.dice.between(1, 3)):
        k = d.dice.below(size)
        others = [x for j, x in enumerate(parts) if j != k]
        d.fixed += others
        parts[k] = changed(d, parts[k], amount(d, array.type.dtype, (name,), 1))
        del d.fixed[-len(others) :]
    d.now[name] = d.b.apply("stack", *parts)


def shape(d: Draft) -> None:
    """A matrix changes in another order of its elements."""
    name = d.target(lambda t: t.rank == 2)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    if d.dice.chance(0.5):
        turned = d.b.apply("transpose", array, attrs=(1, 0))
        d.now[name] = d.b.apply("transpose", mapped(d, turned, name), attrs=(1, 0))
    else:
        flat = d.b.apply("reshape", array, d.b.apply("mul", *array.type.shape))
        d.now[name] = d.b.apply("reshape", mapped(d, flat, name), *array.type.shape)


def temporary(d: Draft) -> None:
    """Something is computed, used by other statements that do not change what it reads, and dropped."""
    names = d.some(2)
    vectors = d.readable(names, lambda t: t.rank == 1)
    if not names or not vectors or d.work * LONGEST > MOST_WORK:
        return
    source = d.dice.pick(vectors)
    size = source.type.shape[0]

    def body(b: Builder, i: Var) -> tuple[Atom]:
        return (b.apply("add", b.apply("index", source, i), literal(d, source.type.dtype)),)

    zero = Lit(0, source.type.dtype) if source.type.dtype.is_int else real(source.type.dtype, 0.0)
    made = d.b.scan(size, "add", (zero,), body) if d.dice.chance(0.5) else d.b.map_(size, body)
    inner = d.inner(d.b, {name: d.now[name] for name in names})
    inner.fixed.append(made[0])
    for make in d.dice.shuffled((step, element, whole))[:2]:
        make(inner)
    d.now |= {name: inner.now[name] for name in names}


def rounded_elements(d: Draft) -> None:
    """The elements of a vector of integers change by floats that are rounded."""
    name = d.target(lambda t: t.rank == 1 and t.dtype is I64)
    if name is None or not d.kind.whole or d.work * LONGEST > MOST_WORK:
        return
    array = d.now[name]

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = array.type.shape[0]
        inner.fixed.append(i)
        return (changed(inner, b.apply("index", array, i), rounded_amount(inner, (name,))),)

    (d.now[name],) = d.b.map_(array.type.shape[0], body)
