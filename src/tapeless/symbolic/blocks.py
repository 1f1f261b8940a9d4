"""Recurrences whose steps differ, several steps at once: x = a[i] x + b[i] depends on one step in `width` only.

    two steps     a1 (a0 x + b0) + b1  is  (a1 a0) x + (a1 b0 + b1)
    a block       the steps of a block are composed in pairs, pairs of pairs, ...: nothing waits for x

A loop over x alone takes the time in which one step's result gets to the next. The maps of a block do not depend on
x; they are computed side by side, and x goes through one map for each block. Where the matrix is the same in all
steps (rule C7), its powers are computed before the loop; else it is composed, too (rule C8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..ir.build import Builder, is_literal
from ..ir.core import For
from ..ir.types import F64, I64, Atom, DType, Lit, Type, boolean, i64, zero
from ..records import dataclass

# (row, column); the column behind the last holds b.
Place = tuple[int, int]
Entries = Mapping[Place, Atom]
# The entries at some places of the map of an iteration.
Read = Callable[[Builder, Atom, Sequence[Place]], Entries]
# The first part of the names that blocks are bound to.
BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which entries a map of `size` unknowns has, which of them change, and how many steps make a block."""

    size: int
    places: tuple[Place, ...]
    changing: tuple[Place, ...]
    width: int

    @property
    def fixed(self) -> bool:
        """Is the matrix the same in all steps?"""
        return all(column == self.size for _, column in self.changing)

    @property
    def matrix(self) -> tuple[Place, ...]:
        return tuple(place for place in self.places if place[1] < self.size)


def emit(b: Builder, blocks: Blocks, count: Atom, starts: Sequence[Atom], read: Read) -> list[Atom]:
    """The unknowns after `count` steps, at least one, and whether nothing overflowed or was lost on the way."""
    types = [start.type for start in starts]
    bits = blocks.width.bit_length() - 1
    rest = b.apply("and", count, i64(blocks.width - 1))
    rounds = b.apply("shr", count, i64(bits))
    powers = _powers(b, blocks, read(b, i64(0), blocks.matrix)) if blocks.fixed else []

    def single(b: Builder, i: Atom, *xs: Atom) -> Sequence[Atom]:
        return _applied(b, blocks, read(b, i, blocks.places), xs)

    def block(b: Builder, turn: Atom, *xs: Atom) -> Sequence[Atom]:
        first = b.apply("add", rest, b.apply("shl", turn, i64(bits)))
        wanted = [place for place in blocks.places if not blocks.fixed or place[1] == blocks.size]
        maps = [read(b, b.apply("add", first, i64(k)) if k else first, wanted) for k in range(blocks.width)]
        return _applied(b, blocks, _composed(b, blocks, maps, powers), xs)

    ends: Sequence[Atom] = starts
    for trips, step in ((rest, single), (rounds, block)):
        ends = b.bind(types, For(trips, tuple(ends), b.lam((Type(I64), *types), step, hints=("turn",))), BLOCKS)
    return [*ends, _good(b, blocks, count, ends, read)]


def _powers(b: Builder, blocks: Blocks, matrix: Entries) -> list[Entries]:
    """The matrix, its square, the square of that, ...: the last one for a block."""
    found: list[Entries] = [matrix]
    for _ in range(blocks.width.bit_length() - 1):
        found.append(_after(b, blocks.size, found[-1], found[-1], range(blocks.size)))
    return found


def _composed(b: Builder, blocks: Blocks, maps: Sequence[Entries], powers: Sequence[Entries]) -> Entries:
    """The map of all steps of a block, the first one first."""
    columns = [blocks.size] if blocks.fixed else range(blocks.size + 1)
    found, level = list(maps), 0
    while len(found) > 1:
        matrix: Entries = powers[level] if blocks.fixed else {}
        found = [
            _after(b, blocks.size, {**later, **matrix}, earlier, columns)
            for earlier, later in zip(found[::2], found[1::2], strict=True)
        ]
        level += 1
    return {**found[0], **powers[level]} if blocks.fixed else found[0]


def _after(b: Builder, size: int, later: Entries, earlier: Entries, columns: Sequence[int]) -> dict[Place, Atom]:
    """Some columns of one map after another: (A C, A d + b)."""
    made: dict[Place, Atom] = {}
    for row in range(size):
        for column in columns:
            terms = [
                _times(b, later[row, k], earlier[k, column])
                for k in range(size)
                if (row, k) in later and (k, column) in earlier
            ]
            if column == size and (row, size) in later:
                terms.append(later[row, size])
            if terms:
                made[row, column] = _total(b, terms)
    return made


def _applied(b: Builder, blocks: Blocks, entries: Entries, xs: Sequence[Atom]) -> list[Atom]:
    """A x + b."""
    size = blocks.size
    made = _after(b, size, entries, {(row, size): x for row, x in enumerate(xs)}, [size])
    return [made.get((row, size), zero(x.type.dtype)) for row, x in enumerate(xs)]


def _good(b: Builder, blocks: Blocks, count: Atom, ends: Sequence[Atom], read: Read) -> Atom:
    """Factors of which a block's product stays between the largest and smallest numbers, and an end that is finite.

    What is infinite or not a number on the way is not finite at the end.
    """
    dtype = ends[0].type.dtype
    if not dtype.is_float:
        return boolean(True)

    def within(b: Builder, i: Atom) -> Atom:
        entries = read(b, i, blocks.matrix)
        return _all(b, [_moderate(b, entries[place], dtype, blocks.width) for place in blocks.matrix])

    if blocks.fixed:
        factors = within(b, i64(0))
    else:
        factors = b.reduce(count, "and", (boolean(True),), lambda b, i: (within(b, i),))[0]
    finite = [b.apply("lt", b.apply("abs", end), Lit(float("inf"), dtype)) for end in ends]
    return _all(b, [factors, *finite])


def _moderate(b: Builder, factor: Atom, dtype: DType, width: int) -> Atom:
    """Zero, or of a size of which `width` factors have a product that is a normal number."""
    bits = (960 if dtype is F64 else 104) // width
    size = b.apply("abs", factor)
    large, small = Lit(2.0**bits, dtype), Lit(2.0**-bits, dtype)
    enough = b.apply("or", b.apply("ge", size, small), b.apply("eq", size, zero(dtype)))
    return b.apply("and", enough, b.apply("le", size, large))


def _all(b: Builder, tests: Sequence[Atom]) -> Atom:
    found: Atom = boolean(True)
    for test in tests:
        found = test if is_literal(found, True) else b.apply("and", found, test)
    return found


def _total(b: Builder, terms: Sequence[Atom]) -> Atom:
    total = terms[0]
    for term in terms[1:]:
        total = b.apply("add", total, term)
    return total


def _times(b: Builder, x: Atom, y: Atom) -> Atom:
    if is_literal(x, 1):
        return y
    return x if is_literal(y, 1) else b.apply("mul", x, y)
