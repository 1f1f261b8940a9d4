"""Statements of random reversible programs that put arrays together again from parts of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import Atom, Lit, i64
from .reversible_arrays import mapped
from .reversible_values import LONGEST, MOST_WORK, Draft
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
