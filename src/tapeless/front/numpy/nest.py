"""Arrays given by their elements, and the nests of `map` and `reduce` that compute them.

A `Pull` is a shape and a function from indices to the element there. Indexing, broadcasting, transposing and
elementwise functions only compose such functions; `array_of` then makes one nest of one-dimensional maps,
`fold` one nest of reductions. So a whole NumPy call becomes a single nest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...ir.build import Body, Builder
from ...ir.core import Lambda
from ...ir.types import Atom, DType
from ...records import dataclass
from .atoms import ONE, ZERO, convert, plus, quotient, remainder, times

Atoms: TypeAlias = tuple[Atom, ...]
At: TypeAlias = Callable[[Builder, Atoms], Atom]


@dataclass(frozen=True, slots=True)
class Pull:
    """An array by its elements: `at(b, indices)` emits the element into `b`.

    `array` is the atom that already holds exactly these elements, when there is one.
    """

    dtype: DType
    shape: Atoms
    at: At
    array: Atom | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)

    def to(self, dtype: DType) -> Pull:
        """The same elements converted."""
        if dtype is self.dtype:
            return self
        return Pull(dtype, self.shape, lambda b, index: convert(b, self.at(b, index), dtype))

    def moved(self, shape: Atoms, where: Callable[[Builder, Atoms], Atoms]) -> Pull:
        """An array of another shape whose elements are read from this one at `where(b, indices)`."""
        return Pull(self.dtype, shape, lambda b, index: self.at(b, where(b, index)))


def pull_atom(atom: Atom) -> Pull:
    """A scalar, or an array variable read by `index`."""
    type = atom.type
    if not type.is_array:
        return Pull(type.dtype, (), lambda _b, _index: atom, atom)
    return Pull(type.dtype, type.shape, lambda b, index: b.apply("index", atom, *index), atom)


def array_of(b: Builder, shape: Atoms, at: At) -> Atom:
    """The array with the element `at(b, indices)` everywhere: a nest of maps, or just the scalar."""
    return arrays_of(b, shape, lambda b, index: (at(b, index),))[0]


def whole(b: Builder, pull: Pull) -> Atom:
    """The value of a pull."""
    return array_of(b, pull.shape, pull.at) if pull.array is None else pull.array


def recast(b: Builder, array: Atom, shape: Atoms) -> Atom:
    """The same array under sizes that are known to be equal to its own, for operations that compare types."""
    return array if array.type.shape == shape else b.apply("reshape", array, *shape)


def arrays_of(b: Builder, shape: Atoms, at: Callable[[Builder, Atoms], Sequence[Atom]]) -> Atoms:
    """Several arrays of one shape, computed together."""

    def level(b: Builder, dim: int, index: Atoms) -> Sequence[Atom]:
        if dim == len(shape):
            return at(b, index)
        return b.map_(shape[dim], lambda b, i: level(b, dim + 1, (*index, i)))

    return tuple(level(b, 0, ()))


def fold(
    b: Builder,
    sizes: Atoms,
    op: str | Body | Lambda,
    neutral: Sequence[Atom],
    at: Callable[[Builder, Atoms], Sequence[Atom]],
) -> Atoms:
    """All elements over an index space combined in row-major order: a nest of reductions."""

    def level(b: Builder, dim: int, index: Atoms) -> Sequence[Atom]:
        if dim == len(sizes):
            return at(b, index)
        return b.reduce(sizes[dim], op, neutral, lambda b, i: level(b, dim + 1, (*index, i)))

    return tuple(level(b, 0, ()))


def broadcast_index(index: Atoms, shape: Atoms) -> Atoms:
    """Where an array of this shape is read for an index of the broadcast result."""
    own = index[len(index) - len(shape) :]
    return tuple(ZERO if n == ONE else i for i, n in zip(own, shape, strict=True))


def stretched(pull: Pull, shape: Atoms) -> Pull:
    """The pull broadcast to a shape that it fits."""
    if pull.shape == shape:
        return pull
    return pull.moved(shape, lambda _, index: broadcast_index(index, pull.shape))


def flat_position(b: Builder, shape: Atoms, index: Atoms) -> Atom:
    """The position of an index in row-major order."""
    flat: Atom = ZERO
    for i, n in zip(index, shape, strict=True):
        flat = plus(b, times(b, flat, n), i)
    return flat


def unflatten(b: Builder, shape: Atoms, flat: Atom) -> Atoms:
    """The index of a position in row-major order."""
    index: list[Atom] = []
    for n in reversed(shape[1:]):
        index.append(remainder(b, flat, n))
        flat = quotient(b, flat, n)
    return (flat, *reversed(index)) if shape else ()
