"""The places of an array that a branch or a loop may overwrite, as far as they are known outside of it.

In come the writes inside, each with its indices; out come the accesses, known before the statement runs, that cover
them all. A write is cut off behind its last leading index that is known: `a[i, j] = ...` in a loop over j concerns the
row `a[i]`. There are two ways to put the writes together: the part that all have in common, or the places one by one,
of which those inside others are left out. The smaller one is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.build import Builder, is_literal
from ..ir.core import Apply
from ..ir.types import Atom, Lit, Type, Var

# So many places are kept apart; more are kept as the part that they have in common.
MANY = 32


def covering(source: Var, writes: Sequence[Apply], inside: set[str]) -> list[Apply]:
    """Accesses to the array `source` that cover the writes and mention no name that is bound `inside`; else none."""
    shared = _shared(source, writes, inside)
    found = [_known(source, write, inside) for write in writes]
    places = _outermost([place for place in dict.fromkeys(found) if place is not None])
    if None in found or len(places) > MANY:
        return shared
    return places if not shared or _size(places) < _size(shared) else shared


def part_type(access: Apply) -> Type:
    """The type of what stands at the place of an access."""
    array, value, *place = access.args
    return value.type if access.op == "update_slice" else array.type.drop(len(place))


def _shared(source: Var, writes: Sequence[Apply], inside: set[str]) -> list[Apply]:
    """The part that the leading indices of all writes have in common."""
    places = [() if write.op == "update_slice" else write.args[2:] for write in writes]
    prefix: list[Atom] = []
    for atoms in zip(*places, strict=False):
        if any(atom != atoms[0] for atom in atoms) or not _is_known(atoms[0], inside):
            break
        prefix.append(atoms[0])
    return [_at(source, prefix)] if prefix else []


def _known(source: Var, write: Apply, inside: set[str]) -> Apply | None:
    """The write as far as its place is known; spans must have a fixed size, so that they can be in range or not."""
    _, value, *place = write.args
    known: list[Atom] = []
    if write.op != "update_slice":
        for atom in place:
            if not _is_known(atom, inside):
                break
            known.append(atom)
        return _at(source, known) if known else None
    triples: list[Atom] = []
    for start, step, size in zip(place[::2], place[1::2], value.type.shape, strict=False):
        if not (_is_known(start, inside) and _is_known(step, inside) and isinstance(size, Lit) and size.value > 0):
            break
        known += [start, step]
        triples += [start, size, step]
    if all(is_literal(size, 1) for size in triples[1::3]):
        return _at(source, known[::2]) if known else None
    return _access("update_slice", source, Builder().apply("slice", source, *triples), known)


def _at(source: Var, place: Sequence[Atom]) -> Apply:
    return _access("update", source, Builder().apply("index", source, *place), place)


def _access(op: str, source: Var, part: Var, place: Sequence[Atom]) -> Apply:
    """An access to a place. Of the part only the type is of interest: equal places are equal accesses."""
    return Apply(op, (source, Var("part", part.type), *place))


def _is_known(atom: Atom, inside: set[str]) -> bool:
    return not (isinstance(atom, Var) and atom.name in inside)


def _outermost(places: Sequence[Apply]) -> list[Apply]:
    """The places that are not inside others."""
    return [x for x in places if not any(_contains(y, x) for y in places if y is not x)]


def _contains(outer: Apply, inner: Apply) -> bool:
    """Are the indices of the one a beginning of those of the other?"""
    short, long = outer.args[2:], inner.args[2:]
    return outer.op == inner.op == "update" and len(short) < len(long) and long[: len(short)] == short


def _size(accesses: Sequence[Apply]) -> tuple[int, int]:
    """How much memory the places take: dimensions of unknown size, then elements per index of those."""
    types = [part_type(access) for access in accesses]
    open_dims = [sum(not isinstance(size, Lit) for size in type.shape) for type in types]
    worst = max(open_dims)
    fixed = [prod(int(size.value) for size in type.shape if isinstance(size, Lit)) for type in types]
    return worst, sum(count for count, dims in zip(fixed, open_dims, strict=True) if dims == worst)
