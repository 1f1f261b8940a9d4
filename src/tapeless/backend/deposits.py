"""Sums of arrays, added up in place: what a body computes goes straight into the accumulator.

An array whose `adds` is set is an accumulator: writing an element there adds to it. A body whose result is a map hands
the accumulator's rows to that map, and so on inwards, so that the array to be added never exists. Zeros around
a part (`update_slice` of zeros, as derivatives of reads make them) are not added at all.

In lanes the accumulator may be one for all lanes: then whole rows are computed lane-private, the lanes of W elements
are added up by a tree of shuffles, and one vector is added to the row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Block, If, Map
from ..ir.types import Atom, Lit, Var
from ..passes.uses import use_counts
from . import memory
from .arrays import slice_of
from .emitter import Emitter
from .outer import product
from .values import Array, Value


def run(e: Emitter, body: Block, targets: Sequence[Array | None]) -> tuple[Value, ...]:
    """Write a body; result k is added to target k, where there is one. Returns all results."""
    prepared = [
        var
        for target, atom in zip(targets, body.results, strict=True)
        if target is not None
        for var in prepare(e, body, atom, target)
    ]
    # The maps inside belong to this form: none of them is a nest of its own.
    saved, e.parallel = e.parallel, True
    try:
        values = e.block(body)
    finally:
        e.parallel = saved
    e.unprepare(prepared)
    for target, value in zip(targets, values, strict=True):
        if target is not None:
            assert isinstance(value, Array)
            memory.put_all(e, target, value)
    return values


def prepare(e: Emitter, block: Block, atom: Atom, place: Array) -> list[Var]:
    """Let the block add the result `atom` to `place` while it computes it; the variables whose place is given now."""
    maker = next((stm.expr for stm in block.stms if atom in stm.vars), None)
    if not isinstance(atom, Var) or use_counts(block)[atom.name] != 1:
        return []
    match maker:
        case Map() if _takes(e, place) or _is_product(maker, place):
            e.places[atom] = place
            return [atom]
        case If() if place.adds == "alone":
            e.places[atom] = place
            return [atom]
        case Apply("update", (Var() as base, value, *at)) if base in e.kernel.zeros and place.adds == "alone":
            e.places[atom] = place
            return [atom, *_idle(e, block, base), *_row(e, block, value, place, at)]
        case Apply("accumulate", (base, value, *at)) if place.adds == "alone":
            e.places[atom] = place
            more = _idle(e, block, base) if base in e.kernel.zeros else prepare(e, block, base, place)
            return [atom, *more, *_row(e, block, value, place, at)]
        case Apply("update_slice", (Var() as base, part, *pairs)) if base in e.kernel.zeros:
            e.places[atom] = place
            idle = _idle(e, block, base)
            here = _is_known(e, block, (*pairs, *part.type.shape))
            return [atom, *idle, *(prepare(e, block, part, _part(e, place, part, pairs)) if here else ())]
        case _:
            return []


def _idle(e: Emitter, block: Block, base: Atom) -> list[Var]:
    """Zeros to which a part is added need not exist, if that is their only use; only what the block makes itself."""
    if not isinstance(base, Var) or use_counts(block)[base.name] != 1:
        return []
    e.idle.add(base)
    return [base]


def _row(e: Emitter, block: Block, value: Atom, place: Array, at: Sequence[Atom]) -> list[Var]:
    """Let the block add the sub-array `value` at an index that is known by now."""
    if not value.type.shape or not _is_known(e, block, at):
        return []
    return prepare(e, block, value, memory.part(e, place, e.sizes(at)))


def _is_known(e: Emitter, block: Block, atoms: Sequence[Atom]) -> bool:
    """Are these numbers at hand before the block begins? Another copy of it may have bound its names."""
    bound = {var for stm in block.stms for var in stm.vars}
    return all(isinstance(atom, Lit) or (atom in e.env and atom not in bound) for atom in atoms)


def _part(e: Emitter, place: Array, part: Atom, pairs: Sequence[Atom]) -> Array:
    """Where `update_slice` at `pairs` adds a part."""
    at = e.sizes(pairs)
    return slice_of(e, place, e.sizes(part.type.shape), at[0::2], at[1::2])


def _is_product(maker: Map, place: Array) -> bool:
    """May all lanes together add a product to this row?"""
    return place.adds == "across" and place.rank == 1 and product(maker) is not None


def _takes(e: Emitter, place: Array) -> bool:
    """May a map add its elements to this place one by one? Rows that all lanes add to are computed first."""
    return place.rank > 1 if place.adds == "across" else place.region.private == (e.width > 1)
