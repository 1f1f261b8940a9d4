"""The partial results of a reduction, one for each block of its index.

Accumulators that are numbers of one type share a table, a row per block: so there is one array to allocate and to
hand to the nest, however many accumulators there are. An accumulator that is an array has partial results of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import Atom, DType
from ..records import dataclass, replace
from . import memory
from .emitter import Emitter
from .values import Array, Scalar, Value, size


@dataclass(frozen=True, slots=True)
class Partials:
    """Arrays with a row per block, and for each accumulator the number of its array and its place in a row."""

    arrays: tuple[Array, ...]
    places: tuple[tuple[int, tuple[Scalar, ...]], ...]

    def given(self, arrays: Sequence[Array]) -> Partials:
        """The same inside a nest, where the arrays are these."""
        return replace(self, arrays=tuple(arrays))

    def put(self, e: Emitter, block: Scalar, values: Sequence[Value]) -> None:
        """Write what the accumulators are after a block."""
        for (number, place), value in zip(self.places, values, strict=True):
            memory.put(e, self.arrays[number], (block, *place), value)

    def numbers(self, e: Emitter, block: Scalar) -> list[Scalar | None]:
        """Those of the partial results of a block that are numbers."""
        return [memory.element(e, self.arrays[n], (block, *place)) if place else None for n, place in self.places]

    def rows(self, e: Emitter, block: Scalar) -> list[Array | None]:
        """Those that are arrays."""
        return [None if place else memory.part(e, self.arrays[n], (block,)) for n, place in self.places]


def allocate(e: Emitter, neutral: Sequence[Atom], blocks: Scalar) -> Partials:
    """Memory for the partial results of so many blocks."""
    columns: dict[DType, int] = {}
    for atom in neutral:
        if not atom.type.shape:
            columns[atom.type.dtype] = columns.get(atom.type.dtype, 0) + 1
    arrays = [memory.allocate(e, dtype, (blocks, size(count))) for dtype, count in columns.items()]
    tables, taken = list(columns), dict.fromkeys(columns, 0)
    places: list[tuple[int, tuple[Scalar, ...]]] = []
    for atom in neutral:
        dtype = atom.type.dtype
        if atom.type.shape:
            places.append((len(arrays), ()))
            arrays.append(memory.allocate(e, dtype, (blocks, *e.sizes(atom.type.shape))))
        else:
            places.append((tables.index(dtype), (size(taken[dtype]),)))
            taken[dtype] += 1
    return Partials(tuple(arrays), tuple(places))
