"""Powers of affine maps by squaring: the map x -> A x + b applied n times, in the logarithm of n steps.

    (A, b) after (C, d)  is  (A C, A d + b)

The bits of n are taken from the highest down: the map of the bits so far is squared, and the map itself is applied
after that where the bit is set. So nothing is computed that the result does not need, and nothing overflows in vain,
which a derivative would feel. Entries that are zero in all powers, and ones on the diagonal that stay, are not
computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder, is_literal
from ..ir.core import For
from ..ir.types import I64, Atom, Lit, Type, i64, zero
from ..records import dataclass
from .graph import Graph, Node

# (row, column); the column behind the last holds b.
Place = tuple[int, int]
# The first part of the names that powers are bound to.
POWER = "power"


@dataclass(frozen=True, slots=True)
class Shape:
    """Which entries there are: the map's own, those of its powers, and the ones on the diagonal that stay.

    Where the map goes by `steps`, entries are those of A - I: of x = x + h f(x), 1 + h would not have the digits of h.
    """

    size: int
    own: tuple[Place, ...]
    varying: tuple[Place, ...]
    ones: tuple[Place, ...]
    steps: bool = False


def shape_of(size: int, entries: Mapping[Place, Node], steps: bool) -> Shape:
    """The shape of a map of `size` unknowns."""
    reach = set(entries)
    for middle in range(size):
        for row in range(size):
            if (row, middle) in reach:
                reach |= {(row, column) for column in range(size + 1) if (middle, column) in reach}
    ones = [
        (row, row)
        for row in range(size)
        if not steps
        and (row, row) in entries
        and entries[row, row].value == 1
        and not any((row, other) in reach and (other, row) in reach for other in range(size) if other != row)
    ]
    varying = sorted(reach - set(ones))
    return Shape(size, tuple(sorted(entries)), tuple(varying), tuple(ones), steps)


def power(g: Graph, count: Node, size: int, entries: Mapping[Place, Node], *, steps: bool = False) -> dict[Place, Node]:
    """The entries of the map applied `count` times, which is at least 1; with `steps`, those of A - I."""
    shape = shape_of(size, entries, steps)
    dtype = next(iter(entries.values())).dtype
    args = (count, *(entries[place] for place in shape.own))
    found = {place: g.power(args, (shape, k), dtype) for k, place in enumerate(shape.varying)}
    return found | {place: g.const(1, dtype) for place in shape.ones}


def emit(b: Builder, shape: Shape, count: Atom, own: Sequence[Atom]) -> Sequence[Atom]:
    """The varying entries of the map applied `count` times, at least once."""
    dtype = own[0].type.dtype
    one = Lit(1.0 if dtype.is_float else 1, dtype)
    given = dict(zip(shape.own, own, strict=True))

    def step(b: Builder, turn: Atom, *atoms: Atom) -> Sequence[Atom]:
        entries = dict(zip(shape.varying, atoms, strict=True)) | dict.fromkeys(shape.ones, one)
        bit = b.apply("and", b.apply("shr", count, b.apply("sub", highest, turn)), i64(1))
        squared = _after(b, shape, entries, entries)
        more = b.apply("eq", bit, i64(1))
        return b.if_(
            more, lambda b: _listed(shape, _after(b, shape, given, squared)), lambda _: _listed(shape, squared)
        )

    bits = _bits_below_the_highest(b, count)
    highest = b.apply("sub", bits, i64(1))
    start = _listed(shape, given)
    types = [atom.type for atom in start]
    body = b.lam((Type(I64), *types), step, hints=("turn",))
    return b.bind(types, For(bits, tuple(start), body), POWER)


def _listed(shape: Shape, entries: Mapping[Place, Atom]) -> list[Atom]:
    """The varying entries in order; those that only higher powers have are still zero."""
    dtype = next(iter(entries.values())).type.dtype
    return [entries.get(place, zero(dtype)) for place in shape.varying]


def _bits_below_the_highest(b: Builder, count: Atom) -> Atom:
    def more(b: Builder, left: Atom, _bits: Atom) -> Sequence[Atom]:
        return (b.apply("gt", left, i64(1)),)

    def shift(b: Builder, left: Atom, bits: Atom) -> Sequence[Atom]:
        return b.apply("shr", left, i64(1)), b.apply("add", bits, i64(1))

    return b.while_((count, i64(0)), more, shift)[1]


def _after(b: Builder, shape: Shape, first: Mapping[Place, Atom], second: Mapping[Place, Atom]) -> dict[Place, Atom]:
    """The entries of one map after another; `first` has the ones that stay if it lists them."""
    made: dict[Place, Atom] = {}
    for row, column in (*shape.varying, *shape.ones):
        terms = [
            _times(b, first[row, k], second[k, column])
            for k in range(shape.size)
            if (row, k) in first and (k, column) in second
        ]
        if shape.steps:
            # (I + P)(I + Q) is I + P + Q + P Q.
            terms += [side[row, column] for side in (second, first) if (row, column) in side]
        elif column == shape.size and (row, column) in first:
            terms.append(first[row, column])
        if terms:
            total = terms[0]
            for term in terms[1:]:
                total = b.apply("add", total, term)
            made[row, column] = total
    return made


def _times(b: Builder, x: Atom, y: Atom) -> Atom:
    if is_literal(x, 1):
        return y
    return x if is_literal(y, 1) else b.apply("mul", x, y)
