"""Indexing by arrays: integer arrays read and write many places at once, boolean masks choose elements.

Reading by integer arrays is a nest of maps over the broadcast index space; writing is a `Scatter`, in which a later
duplicate wins as in NumPy. A mask that is written through becomes a choice at every element; a mask that is read gives
an array whose size is computed at run time, filled by a scatter to the running count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import NotStaticError, ShapeError
from ..ir.build import Builder
from ..ir.types import BOOL, I64, Atom, i64, zero
from . import views
from .context import Context, describe
from .numpy.arguments import count, in_range, pull
from .numpy.atoms import convert, require_whole
from .numpy.elementwise import broadcast
from .numpy.nest import Pull, array_of, flat_position, pull_atom, recast, stretched, unflatten
from .selectors import view
from .values import ArrayRef, Scalar, SliceValue, Value

Atoms = tuple[Atom, ...]
ZERO, ONE = i64(0), i64(1)


def is_advanced(parts: Sequence[Value]) -> bool:
    """Does the index contain an array?"""
    return any(isinstance(part, ArrayRef) for part in parts)


def dimensions(c: Context, part: Value) -> int:
    """How many dimensions of the array an entry of an index stands for."""
    if part is None or part is Ellipsis:
        return 0
    return c.rank(part) if isinstance(part, ArrayRef) and part.dtype is BOOL else 1


def fill(c: Context, target: ArrayRef, new: Value) -> None:
    """Assign to all elements of a view, broadcasting and converting as NumPy does."""
    shape, dtype = c.shape(target), target.dtype
    if dtype.is_int and isinstance(new, Scalar | float | np.floating) and c.dtype(new).is_float:
        require_whole(c.b, c.atom(new), dtype)
    if not shape:
        c.write(target, c.atom(new, dtype))
        return
    source = pull(c, new, dtype)
    source = _without_leading_ones(source, len(shape))
    if source.rank > len(shape):
        c.refuse(f"{describe(new)} does not fit into {describe(target)}", error=ShapeError)
    if source.rank == 0:
        c.write(target, c.b.apply("replicate", source.at(c.b, ()), *shape))
        return
    _require_fit(c, source.shape, shape)
    if source.array is not None and source.rank == len(shape) and ONE not in _stretching(source.shape, shape):
        c.write(target, recast(c.b, source.array, shape))
    else:
        c.write(target, array_of(c.b, shape, stretched(source, shape).at))


def _stretching(have: Atoms, need: Atoms) -> Atoms:
    return tuple(m for m, n in zip(have, need, strict=True) if m == ONE and n != ONE)


def _without_leading_ones(source: Pull, rank: int) -> Pull:
    extra = source.rank - rank
    if extra <= 0 or any(n != ONE for n in source.shape[:extra]):
        return source
    return source.moved(source.shape[extra:], lambda _, index: (*(ZERO,) * extra, *index))


def _require_fit(c: Context, have: Atoms, need: Atoms) -> None:
    for m, n in zip(have, need[len(need) - len(have) :], strict=True):
        if m != ONE:
            c.equal_sizes(m, n)


# -- integer arrays -------------------------------------------------------------------------------


class Places:
    """The places that an index with integer arrays names: a view, and where its axes come from.

    The result has the axes `before`, the broadcast axes of the index arrays, then the axes `after`.
    """

    def __init__(self, c: Context, array: ArrayRef, parts: Sequence[Value]) -> None:
        self.c = c
        self.view = view(c, array, parts)
        kept = [part for part in parts if part is None or isinstance(part, ArrayRef | SliceValue)]
        self.chosen = [axis for axis, part in enumerate(kept) if isinstance(part, ArrayRef)]
        self.keys = [pull_atom(c.read(part)).to(I64) for part in kept if isinstance(part, ArrayRef)]
        self.common = broadcast(c, [key.shape for key in self.keys])
        others = [axis for axis in range(len(kept)) if axis not in self.chosen]
        start = _first(parts)
        self.before = [axis for axis in others if axis < start]
        self.after = [axis for axis in others if axis >= start]
        sizes = c.shape(self.view)
        self.shape = (*(sizes[a] for a in self.before), *self.common, *(sizes[a] for a in self.after))

    def indices(self, b: Builder, common: Atoms) -> list[Atom]:
        """The checked indices of the chosen axes for an index into the broadcast axes."""
        sizes = self.c.shape(self.view)
        found = [stretched(key, self.common).at(b, common) for key in self.keys]
        return [in_range(b, index, sizes[axis]) for index, axis in zip(found, self.chosen, strict=True)]

    def split(self, index: Atoms) -> tuple[Atoms, Atoms, Atoms]:
        first, middle = len(self.before), len(self.before) + len(self.common)
        return index[:first], index[first:middle], index[middle:]


def _first(parts: Sequence[Value]) -> int:
    """The axis where the broadcast axes go: in place when the advanced entries stand together, else first."""
    advanced = [k for k, part in enumerate(parts) if not (part is None or isinstance(part, SliceValue))]
    if advanced[-1] - advanced[0] + 1 != len(advanced):
        return 0
    return advanced[0]


def read(c: Context, array: ArrayRef, parts: Sequence[Value]) -> Value:
    """`array[parts]` where some parts are arrays: always a new array."""
    if any(isinstance(part, ArrayRef) and part.dtype is BOOL for part in parts):
        return _read_mask(c, array, parts)
    _require_integers(c, parts)
    places = Places(c, array, parts)
    base = c.read(places.view)

    def at(b: Builder, index: Atoms) -> Atom:
        before, common, after = places.split(index)
        where: dict[int, Atom] = dict(zip(places.chosen, places.indices(b, common), strict=True))
        where.update(zip(places.before, before, strict=True))
        where.update(zip(places.after, after, strict=True))
        return b.apply("index", base, *(where[axis] for axis in range(len(where))))

    return c.fresh(array_of(c.b, places.shape, at))


def write(c: Context, array: ArrayRef, parts: Sequence[Value], new: Value) -> None:
    """`array[parts] = new` where some parts are arrays."""
    if any(isinstance(part, ArrayRef) and part.dtype is BOOL for part in parts):
        _write_mask(c, array, parts, new)
        return
    _require_integers(c, parts)
    places = Places(c, array, parts)
    source = _without_leading_ones(pull(c, new, array.dtype), len(places.shape))
    _require_fit(c, source.shape, places.shape)
    value = stretched(source, places.shape)
    order = (*places.chosen, *places.before, *places.after)
    target = views.transposed(places.view, order) if order != tuple(range(len(order))) else places.view
    rest = c.shape(target)[len(places.chosen) :]

    def body(b: Builder, k: Atom) -> Sequence[Atom]:
        common = unflatten(b, places.common, k)
        keys = places.indices(b, common)
        split = len(places.before)

        def at(b: Builder, index: Atoms) -> Atom:
            return value.at(b, (*index[:split], *common, *index[split:]))

        return (*keys, array_of(b, rest, at))

    total = count(c, places.common)
    c.write(target, c.b.scatter(total, c.read(target), len(places.chosen), body))


def _require_integers(c: Context, parts: Sequence[Value]) -> None:
    for part in parts:
        if isinstance(part, ArrayRef) and not part.dtype.is_int:
            c.refuse(
                f"arrays used as indices must be of integers or booleans, not {part.dtype!r}",
                error=ShapeError,
                fix="convert with .astype(int)",
            )


# -- masks ----------------------------------------------------------------------------------------


class Mask:
    """A boolean index: which leading places are chosen, their number and the running count."""

    def __init__(self, c: Context, array: ArrayRef, parts: Sequence[Value]) -> None:
        mask, *others = parts
        whole = SliceValue(None, None, None)
        if not isinstance(mask, ArrayRef) or any(part != whole for part in others):
            c.refuse(
                "a mask must be the first and only index",
                error=NotStaticError,
                fix="index in two steps, or use np.where",
            )
        self.rank = c.rank(mask)
        self.lead, self.rest = c.shape(array)[: self.rank], c.shape(array)[self.rank :]
        for m, n in zip(c.shape(mask), self.lead, strict=True):
            c.equal_sizes(m, n)
        self.total = count(c, self.lead)
        flat = c.read(mask) if self.rank == 1 else c.b.apply("reshape", c.read(mask), self.total)
        self.flat = recast(c.b, flat, (self.total,))

    def chosen(self, b: Builder, k: Atom) -> Atom:
        return b.apply("index", self.flat, k)

    def running(self, b: Builder) -> Atom:
        """The running count: its value at a chosen place is one more than the place's position in the result."""
        return b.scan(self.total, "add", (ZERO,), lambda b, k: (convert(b, self.chosen(b, k), I64),))[0]

    def number(self, b: Builder) -> Atom:
        return b.reduce(self.total, "add", (ZERO,), lambda b, k: (convert(b, self.chosen(b, k), I64),))[0]


def _read_mask(c: Context, array: ArrayRef, parts: Sequence[Value]) -> Value:
    mask = Mask(c, array, parts)
    b, base = c.b, c.read(array)
    running, size = mask.running(b), mask.number(b)
    c.sizes.at_least_constant(size, 0)
    empty = b.apply("replicate", zero(array.dtype), size, *mask.rest)

    def body(b: Builder, k: Atom) -> Sequence[Atom]:
        place = b.apply("sub", b.apply("index", running, k), ONE)
        key = b.apply("select", mask.chosen(b, k), place, i64(-1))
        return key, b.apply("index", base, *unflatten(b, mask.lead, k))

    return c.fresh(b.scatter(mask.total, empty, 1, body))


def _write_mask(c: Context, array: ArrayRef, parts: Sequence[Value], new: Value) -> None:
    mask = Mask(c, array, parts)
    base = pull_atom(c.read(array))
    source = pull(c, new, array.dtype)
    if source.rank <= len(mask.rest):
        _require_fit(c, source.shape, mask.rest)
        value = stretched(source, mask.rest)
        running = None
    else:
        value, running = _in_order(c, mask, source), mask.running(c.b)

    def at(b: Builder, index: Atoms) -> Atom:
        flat = flat_position(b, mask.lead, index[: mask.rank])

        def new_element(b: Builder) -> Sequence[Atom]:
            where = index[mask.rank :]
            if running is not None:
                where = (b.apply("sub", b.apply("index", running, flat), ONE), *where)
            return (value.at(b, where),)

        return b.if_(mask.chosen(b, flat), new_element, lambda b: (base.at(b, index),))[0]

    c.write(array, array_of(c.b, (*mask.lead, *mask.rest), at))


def _in_order(c: Context, mask: Mask, source: Pull) -> Pull:
    """New elements given one after another for the chosen places."""
    if source.rank != 1 + len(mask.rest):
        c.refuse("the assigned array has too many dimensions for this mask", error=ShapeError)
    if source.shape[0] != ONE:
        c.equal_sizes(source.shape[0], mask.number(c.b))
    _require_fit(c, source.shape[1:], mask.rest)
    lead = source.shape[0]
    return stretched(source, (mask.total if lead == ONE else lead, *mask.rest))
