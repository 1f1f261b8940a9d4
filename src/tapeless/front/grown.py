"""Lists whose length is known only at run time: how they are made (`values.Grown` is what they are).

    [e for t in s]         ->  a map over s
    [e] * n                ->  a replicate
    for t in s: ...        ->  room for one element per `append` and step is made before the loop,
        xs.append(e)           and each append writes the next element

The type of the elements is found while the loop is executed: an append of what does not fit raises `NeedsRoomError`,
and the loop is begun again with columns that hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from ..errors import NotStaticError
from ..ir.build import Builder
from ..ir.types import Atom, i64, zero
from ..records import replace
from . import gather
from .context import Context
from .iteration import Steps, iterate, unrolled
from .numpy.arguments import map_rows
from .rows import NeedsRoomError, Part, RowType, column_of, gathered, parts_of, span_of
from .sizes import Linear
from .values import ArrayRef, Cell, Grown, ListRef, RangeValue, Room, Scalar, SliceValue, Value, Zipped

ZERO = i64(0)
Rows: TypeAlias = Callable[[Context, Value], tuple[type | None, tuple[Part, ...]]]


def mapped(c: Context, steps: Steps, element: Callable[[Value], Value], rows: Rows = parts_of) -> ListRef:
    """The list of `element(v)` for the values of a run-time number of steps; `rows` takes elements apart."""
    found: list[tuple[type | None, tuple[Part, ...]]] = []

    def body(b: Builder, k: Atom) -> Sequence[Atom]:
        with c.inside(b):
            c.sizes.below(k, *steps.limits)
            found.append(rows(c, element(steps.at(k))))
            return [part.atom for part in found[-1][1]]

    outside = set(c.store)
    columns = map_rows(c, steps.count, body)
    make, parts = found[-1]
    cells = [column_of(c, column, part.holds & outside) for column, part in zip(columns, parts, strict=True)]
    return c.new_list(
        Grown(
            tuple(cells),
            tuple(part.weak for part in parts),
            tuple(part.lists for part in parts),
            c.number(steps.count),
            make,
        )
    )


def repeated(c: Context, items: Sequence[Value], times: Value) -> Value:
    """`[v] * n`."""
    if len(items) != 1 or not c.is_scalar(items[0]):
        c.refuse(
            "a list that is repeated a run-time number of times must hold one number",
            error=NotStaticError,
            why="repeated lists and arrays would be the same object under every index",
            fix="use a comprehension: [... for _ in range(n)]",
        )
    count = c.sizes.max(c.b, c.atom(times), ZERO)
    column = c.fresh(c.b.apply("replicate", c.atom(items[0]), count))
    return c.new_list(Grown((column,), (c.is_weak(items[0]),), (0,), c.number(count)))


def listed(c: Context, value: Value) -> ListRef:
    """`list(value)` of something of run-time length."""
    steps = iterate(c, value)
    assert isinstance(steps, Steps)
    return mapped(c, steps, lambda item: item)


def taken(c: Context, iterable: Value) -> Value:
    """The values of a range or an iterator as a tuple or a list; anything else as it is."""
    if not isinstance(iterable, Zipped | RangeValue):
        return iterable
    known = unrolled(c, iterable)
    return listed(c, iterable) if known is None else tuple(known.at(k) for k in range(known.length))


def joined(c: Context, lists: Sequence[Value]) -> ListRef:
    """The elements of several lists, tuples or arrays one after another, some of run-time length."""
    grown = [_as_grown(c, value) for value in lists if c.grown(value) or c.items(value) != ()]
    first = grown[0]
    if any((g.make, g.lists) != (first.make, first.lists) for g in grown):
        c.refuse("these lists have elements of different kinds", error=NotStaticError, fix="use np.concatenate")
    columns: list[ArrayRef] = []
    for k in range(len(first.columns)):
        parts = tuple(span_of(c, g.columns[k], SliceValue(None, g.length, None)) for g in grown)
        origins = frozenset[Cell]().union(*(g.columns[k].cell.origins for g in grown))
        columns.append(column_of(c, c.read(c.call(np.concatenate, (parts,))), origins))
    weak = tuple(all(g.weak[k] for g in grown) for k in range(len(first.columns)))
    return c.new_list(Grown(tuple(columns), weak, first.lists, c.number(c.shape(columns[0])[0]), first.make))


def extend(c: Context, ref: ListRef, more: Value) -> None:
    """`list += more` where one of them has run-time length, outside of a loop that has made room."""
    grown = c.grown(ref)
    if grown is not None and (grown.inner or grown.room):
        c.refuse(
            "this list cannot grow here",
            error=NotStaticError,
            why="a list in a list keeps its length, and a list that a loop appends to grows by `append` only",
            fix="use an array of the largest size and a count",
        )
    c.put(ref, c.store[joined(c, (ref, more))])


def _as_grown(c: Context, value: Value) -> Grown:
    known = c.grown(value)
    if known is not None:
        return known
    if c.items(value) is None:
        return _as_grown(c, listed(c, value))
    return gathered(c, c.items(value) or ())


# -- growing --------------------------------------------------------------------------------------


def with_room(c: Context, lists: dict[ListRef, int], steps: Atom, run: Callable[[], None]) -> None:
    """Execute a loop of so many steps with room in these lists for so many more elements each per step."""
    rows: dict[ListRef, RowType] = {}
    while not _ran_with_room(c, lists, steps, run, rows):
        pass
    for ref in lists:
        contents = c.grown(ref)
        c.put(ref, replace(contents, room=None) if contents and contents.columns else ())


def _ran_with_room(
    c: Context, lists: dict[ListRef, int], steps: Atom, run: Callable[[], None], rows: dict[ListRef, RowType]
) -> bool:
    """Try the loop with columns for rows of these types; what else is needed is added to them."""
    point, outside, rooms = c.mark(), _known_sizes(c), list(c.rooms)
    for ref, times in lists.items():
        c.rooms.append(Room(c.loop_depth + 1, times))
        more = c.sizes.mul(c.b, steps, i64(times))
        c.put(ref, replace(_roomy(c, ref, more, rows.get(ref), outside), room=c.rooms[-1]))
    try:
        run()
    except NeedsRoomError as needed:
        c.go_back(point)
        if needed.ref not in lists or rows.get(needed.ref) == needed.row:
            raise
        rows[needed.ref] = needed.row
        return False
    finally:
        c.rooms = rooms
    return True


def _known_sizes(c: Context) -> set[Atom]:
    """The variables that sizes of arrays made here may be computed from."""
    known: set[Atom] = {var for stm in c.b.stms for var in stm.vars}
    known.update(n for cell in c.store if isinstance(cell, Cell) for n in cell.type.shape)
    known.update(value.atom for value in c.frame.names.values() if isinstance(value, Scalar))
    return known


def _roomy(c: Context, ref: ListRef, more: Atom, row: RowType | None, outside: set[Atom]) -> Grown:
    before = c.grown(ref)
    if before is None and not c.held(ref):
        before = Grown((), (), (), 0)
    elif before is None:
        before = _as_grown(c, ref)
    if row is None:
        if not before.columns:
            return before
        row = _own_type(c, before)
    capacity = c.sizes.add(c.b, c.atom(before.length), more)
    columns: list[ArrayRef] = []
    for k, (dtype, sizes) in enumerate(zip(row.dtypes, row.sizes, strict=True)):
        inner = [_size(c, form, outside) for form in sizes]
        column = c.fresh(c.b.apply("replicate", zero(dtype), capacity, *inner))
        if before.columns:
            used = SliceValue(None, before.length, None)
            gather.fill(c, span_of(c, column, used), span_of(c, before.columns[k], used))
            column = column_of(c, c.read(column), before.columns[k].cell.origins)
        columns.append(column)
    return Grown(tuple(columns), row.weak, row.lists, before.length, row.make)


def _own_type(c: Context, grown: Grown) -> RowType:
    sizes = tuple(tuple(c.sizes.linear(n) for n in c.shape(column)[1:]) for column in grown.columns)
    dtypes = tuple(column.dtype for column in grown.columns)
    return RowType(dtypes, sizes, grown.weak, grown.lists, grown.make)


def _size(c: Context, form: Linear, outside: set[Atom]) -> Atom:
    """The size of a row, computed before the loop."""
    if any(var not in outside for var, _ in form.terms):
        c.refuse(
            "the size of the elements of this list is computed anew in each step",
            error=NotStaticError,
            why="elements of a list of run-time length lie side by side in one array",
            fix="use an array of the largest size and a count",
        )
    total: Atom = i64(form.const)
    for var, factor in form.terms:
        total = c.sizes.add(c.b, total, c.sizes.mul(c.b, var, i64(factor)))
    return total


class IrregularError(Exception):
    """A loop does not append as often in each step."""


class Regular:
    """Lists that every step of a loop appends to equally often: their lengths follow from the counter."""

    def __init__(self, c: Context, times: dict[ListRef, int], count: Atom) -> None:
        self.c, self.times, self.count = c, times, count
        self.first: dict[ListRef, Value] = {}

    def begin(self) -> None:
        self.first = {ref: self._contents(ref).length for ref in self.times}

    def begin_step(self, counter: Atom) -> None:
        for ref in self.times:
            self._set(ref, self._after(ref, counter))

    def end_step(self, counter: Atom) -> None:
        """Check the lengths; they are not carried from step to step."""
        after = self.c.sizes.add(self.c.b, counter, i64(1))
        for ref in self.times:
            if not self.c.sizes.same(self.c.atom(self._contents(ref).length), self.c.atom(self._after(ref, after))):
                raise IrregularError
            self._set(ref, self.first[ref])

    def end(self) -> None:
        for ref in self.times:
            self._set(ref, self._after(ref, self.count))

    def _after(self, ref: ListRef, steps: Atom) -> Value:
        sizes, b = self.c.sizes, self.c.b
        return self.c.number(sizes.add(b, self.c.atom(self.first[ref]), sizes.mul(b, steps, i64(self.times[ref]))))

    def _contents(self, ref: ListRef) -> Grown:
        contents = self.c.grown(ref)
        if contents is None:
            raise IrregularError
        return contents

    def _set(self, ref: ListRef, length: Value) -> None:
        self.c.put(ref, replace(self._contents(ref), length=length))
