"""Statements of random reversible programs that contain others: branches, counted loops, loops with conditions.

`grow` draws statements of all kinds by their weights in `TABLE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.build import Builder
from ..ir.core import Pos
from ..ir.types import I64, Atom, Lit, Var, i64
from . import reversible_arrays as arrays
from . import reversible_numbers as numbers
from . import reversible_parts as parts
from .reversible_values import LONGEST, MOST_WORK, Draft, amount, condition

DEEPEST = 3


def grow(d: Draft, steps: int) -> None:
    """Add about so many statements."""
    table = [p for p in TABLE if d.depth < DEEPEST or p not in NESTED]
    for _ in range(steps):
        make = d.dice.weighted(table, [TABLE[p] for p in table])
        with d.b.at(Pos(make.__name__, 1, 0, 1, 0)):
            make(d)


def branch(d: Draft) -> None:
    """A few variables change, in one of two ways."""
    names = d.some(3)
    if not names:
        return

    def arm(b: Builder) -> list[Atom]:
        inner = d.inner(b, {name: d.now[name] for name in names})
        grow(inner, d.dice.between(0, 2))
        return [inner.now[name] for name in names]

    d.now |= zip(names, d.b.if_(condition(d, names), arm, arm), strict=True)


def loop(d: Draft) -> None:
    """A few variables change again and again; perhaps along with a counter of its own that is dropped."""
    names = d.some(3)
    if not names or d.work * LONGEST > MOST_WORK:
        return
    count = _count(d, names)
    own: list[Atom] = [Lit(0, I64)] if d.dice.chance(0.3) else []

    def body(b: Builder, i: Var, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)), LONGEST)
        inner.counters[i] = count
        inner.fixed += [i, *carried[len(names) :]]
        after: list[Atom] = []
        if own:
            constant = inner.inner(b, {})
            after.append(b.apply("add", carried[-1], amount(constant, I64, tuple(d.now), 1)))
        grow(inner, d.dice.between(1, 3))
        return [*(inner.now[name] for name in names), *after]

    finals = d.b.for_(count, [*(d.now[name] for name in names), *own], body)
    d.now |= zip(names, finals, strict=False)


def _count(d: Draft, names: Sequence[str]) -> Atom:
    """How often: a literal, the size of an array, or what some integer says."""
    sizes = [size for atom in d.now.values() for size in atom.type.shape]
    match d.dice.below(3):
        case 0:
            return i64(d.dice.between(0, 4))
        case 1 if sizes:
            return d.dice.pick(sizes)
        case _:
            return d.b.apply("mod", amount(d, I64, names, 1), i64(LONGEST))


def repeat(d: Draft) -> None:
    """A few variables change while a condition holds, which nothing tells afterwards; at most so often."""
    names = d.some(3)
    if not names or not d.kind.loose or d.work * LONGEST > MOST_WORK:
        return

    def goes_on(b: Builder, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)))
        return [b.apply("and", condition(inner, ()), b.apply("lt", carried[-1], i64(LONGEST)))]

    def body(b: Builder, *carried: Var) -> list[Atom]:
        inner = d.inner(b, dict(zip(names, carried, strict=False)), LONGEST)
        grow(inner, d.dice.between(1, 3))
        return [*(inner.now[name] for name in names), b.apply("add", carried[-1], i64(1))]

    finals = d.b.while_([*(d.now[name] for name in names), i64(0)], goes_on, body)
    d.now |= zip(names, finals, strict=False)


NESTED = (branch, loop, repeat)
TABLE: dict[Callable[[Draft], None], float] = {
    numbers.step: 6, numbers.turn: 1, numbers.swap: 1, numbers.scale: 1, numbers.sandwich: 1.5, numbers.pair: 1.5,
    arrays.element: 4, arrays.neighbour: 1.5, arrays.chain: 1.5, arrays.whole: 2.5, arrays.span: 1, arrays.tally: 1.5,
    arrays.pieces: 1.5, arrays.shape: 1, arrays.temporary: 1, numbers.choice: 1.5, branch: 2, numbers.told: 1.5,
    loop: 4, repeat: 3, numbers.rounded: 3, arrays.rounded_elements: 2, parts.halves: 1.5,
    parts.reflection: 2, parts.recurrence: 1.5, parts.masked: 1.5,
}  # fmt: skip
