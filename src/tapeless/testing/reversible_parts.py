"""Statements of random reversible programs of which no single equation tells what was there, but all together do."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.types import I64, Atom, Lit, Var, i64
from .reversible_arrays import mapped
from .reversible_numbers import changed
from .reversible_values import LONGEST, MOST_WORK, Draft, amount
from .scope import real


def halves(d: Draft) -> None:
    """Even and odd places of a vector, or its halves, change by each other's sums and change their order."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    small = d.b.apply("floordiv", array.type.shape[0], i64(2))
    large = d.b.apply("sub", array.type.shape[0], small)
    sizes, steps = ((large, small), 2) if d.dice.chance(0.5) else (d.dice.shuffled((large, small)), 1)
    starts = (i64(0), i64(1)) if steps == 2 else (i64(0), sizes[0])
    parts: list[Atom] = [d.b.apply("slice", array, x, n, i64(steps)) for x, n in zip(starts, sizes, strict=True)]
    for k in d.dice.shuffled(range(2)):
        d.fixed.append(_total(d, parts[1 - k]))
        parts[k] = mapped(d, parts[k], name)
        d.fixed.pop()
    d.now[name] = _together(d, array, d.dice.shuffled(parts), small)


def _total(d: Draft, part: Atom) -> Atom:
    """The sum of a part, which may be empty."""
    dtype = part.type.dtype
    zero = Lit(0, dtype) if dtype.is_int else real(dtype, 0.0)
    return d.b.reduce(part.type.shape[0], "add", (zero,), lambda b, i: (b.apply("index", part, i),))[0]


def _together(d: Draft, array: Atom, parts: Sequence[Atom], small: Atom) -> Atom:
    """Two parts one after the other, or one on the even places where it is the larger one."""
    first, second = parts
    if d.dice.chance(0.4):
        return d.b.apply("concat", first, second, array.type.shape[0], attrs=(0,))
    if d.dice.chance(0.5) and second.type.shape[0] == small:
        made = d.b.apply("update_slice", array, first, i64(0), i64(2))
        return d.b.apply("update_slice", made, second, i64(1), i64(2))
    made = d.b.apply("update_slice", array, first, i64(0), i64(1))
    return d.b.apply("update_slice", made, second, first.type.shape[0], i64(1))


def reflection(d: Draft) -> None:
    """A vector of floats changes by a sum over itself; never so that the sum is lost."""
    name = d.target(lambda t: t.rank == 1 and t.dtype.is_float)
    if name is None or not d.kind.smooth or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array = d.now[name]
    size, dtype = array.type.shape[0], array.type.dtype
    factor = real(dtype, d.dice.uniform(0.2, 2.0))

    def weight(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = size
        return (amount(inner, dtype, (name,), 1),)

    (weights,) = d.b.map_(size, weight)

    def summand(b: Builder, i: Var) -> tuple[Atom]:
        return (b.apply("mul", b.apply("index", array, i), b.apply("index", weights, i)),)

    (total,) = d.b.reduce(size, "add", (real(dtype, 0.0),), summand)
    scaled = d.b.apply("mul", total, factor)

    def element(b: Builder, i: Var) -> tuple[Atom]:
        less = b.apply("mul", scaled, b.apply("index", weights, i))
        return (b.apply("add", b.apply("index", array, i), less),)

    (d.now[name],) = d.b.map_(size, element)


def recurrence(d: Draft) -> None:
    """Each element of a vector changes by its neighbour as it was, all at once."""
    name = d.target(lambda t: t.rank == 1)
    if name is None or d.work * LONGEST**2 > 2 * MOST_WORK:
        return
    array, ahead = d.now[name], d.dice.chance(0.5)
    count = d.b.apply("max", d.b.apply("sub", array.type.shape[0], i64(1)), i64(0))

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = d.inner(b, {name: array}, LONGEST)
        inner.counters[i] = count
        after = b.apply("add", i, i64(1))
        to, source = (after, i) if ahead else (i, after)
        inner.fixed += [i, b.apply("index", array, source)]
        return (changed(inner, b.apply("index", array, to), amount(inner, array.type.dtype, (name,), 1)),)

    (made,) = d.b.map_(count, body)
    d.now[name] = d.b.apply("update_slice", array, made, i64(1 if ahead else 0), i64(1))


def masked(d: Draft) -> None:
    """Two integers exchange the bits of a mask."""
    names = d.dice.shuffled(d.open(lambda t: not t.shape and t.dtype is I64))[:2]
    if len(names) < 2:
        return
    x, y = (d.now[name] for name in names)
    mask = amount(d, I64, names)
    both = d.b.apply("and", d.b.apply("xor", x, y), mask)
    d.now |= {name: d.b.apply("xor", z, both) for name, z in zip(names, (x, y), strict=True)}
