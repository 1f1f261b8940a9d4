"""The elements of lists whose length is known only at run time, which lie side by side in arrays (`values.Grown`).

An element is taken apart into the rows of the columns (`parts_of`), read, written, appended. How such lists are made is
in `grown`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NoReturn

from ..errors import NotStaticError, OperandError
from ..ir.types import Atom, DType, boolean, i64
from ..records import dataclass, replace
from . import gather, views
from .context import Context, describe
from .control import PathEndsError
from .numpy.arguments import array_like, contents, stacked
from .numpy.nest import pull_atom, recast, whole
from .promote import promote
from .selectors import position, view
from .sizes import Linear
from .values import ArrayRef, At, Cell, Grown, ListRef, Scalar, SliceValue, Span, Value, is_tuple

ZERO, ONE = i64(0), i64(1)


@dataclass(frozen=True, slots=True)
class Part:
    """A number or array that is an element of a list, or a part of a tuple that is one.

    `holds` are the arrays that the list shares with whoever wrote the element.
    """

    atom: Atom
    weak: bool
    lists: int
    holds: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class RowType:
    """What the columns of a list must hold: element types and, as linear forms, inner sizes."""

    dtypes: tuple[DType, ...]
    sizes: tuple[tuple[Linear, ...], ...]
    weak: tuple[bool, ...]
    lists: tuple[int, ...]
    make: type | None


class NeedsRoomError(Exception):
    """An append does not fit into the columns of a list, which must hold rows of another type."""

    def __init__(self, ref: ListRef, row: RowType) -> None:
        super().__init__()
        self.ref, self.row = ref, row


# -- elements as columns --------------------------------------------------------------------------


def parts_of(c: Context, value: Value) -> tuple[type | None, tuple[Part, ...]]:
    """An element as the rows of its columns."""
    if is_tuple(value):
        if not value or any(is_tuple(item) for item in value):
            _refuse_element(c, value)
        return type(value), tuple(_part(c, item) for item in value)
    return None, (_part(c, value),)


def gathered(c: Context, items: Sequence[Value]) -> Grown:
    """Values known one by one as a list of run-time length."""
    rows = [parts_of(c, item) for item in items]
    make, first = rows[0]
    if any(other != make or [p.lists for p in parts] != [p.lists for p in first] for other, parts in rows):
        c.refuse("the elements of this list are of different kinds", error=NotStaticError)
    columns = [
        c.fresh(stacked(c, [c.fresh(part.atom, part.weak) for part in column]))
        for column in zip(*(parts for _, parts in rows), strict=True)
    ]
    holds = [frozenset[Cell]().union(*(part.holds for part in col)) for col in zip(*(p for _, p in rows), strict=True)]
    weak = [all(part.weak for part in col) for col in zip(*(p for _, p in rows), strict=True)]
    cells = [column_of(c, c.read(column), held) for column, held in zip(columns, holds, strict=True)]
    return Grown(tuple(cells), tuple(weak), tuple(part.lists for part in first), len(items), make)


def inner_parts(c: Context, value: Value) -> tuple[type | None, tuple[Part, ...]]:
    """A list inside a comprehension as rows: each of its columns is a row of the outer list's."""
    grown = c.grown(value) or gathered(c, c.items(value) or ())
    used = [span_of(c, column, SliceValue(None, grown.length, None)) for column in grown.columns]
    parts = [Part(c.read(row), weak, lists + 1, frozenset((row.cell, *row.cell.origins)))
             for row, weak, lists in zip(used, grown.weak, grown.lists, strict=True)]  # fmt: skip
    return grown.make, tuple(parts)


def _part(c: Context, value: Value) -> Part:
    if isinstance(value, ListRef):
        weak, depth = nesting(c, value)
        return Part(contents(c, array_like(c, value)), weak, depth)
    if isinstance(value, ArrayRef):
        return Part(contents(c, value), False, 0, frozenset((value.cell, *value.cell.origins)))
    if not c.is_scalar(value):
        _refuse_element(c, value)
    return Part(c.atom(value), c.is_weak(value), 0)


def nesting(c: Context, value: Value) -> tuple[bool, int]:
    """Of a list in a list: are its numbers Python's, and how many levels of lists are there?"""
    grown = c.grown(value)
    if grown is not None:
        if grown.make is not None:
            _refuse_element(c, value)
        return grown.weak[0], 1 + grown.lists[0]
    items = c.items(value)
    if items is None:
        if not c.is_scalar(value):
            _refuse_element(c, value)
        return c.is_weak(value), 0
    if not items or not isinstance(value, ListRef):
        _refuse_element(c, value)
    inner = [nesting(c, item) for item in items]
    return all(weak for weak, _ in inner), 1 + inner[0][1]


def _refuse_element(c: Context, value: Value) -> NoReturn:
    c.refuse(
        f"{describe(value)} cannot be an element of a list whose length is known only at run time",
        error=NotStaticError,
        why="the elements lie side by side in arrays",
        fix="use numbers, arrays, or tuples of these",
    )


def column_of(c: Context, atom: Atom, origins: Collection[Cell]) -> ArrayRef:
    """A column with these contents, which may hold arrays that others hold too."""
    cell = Cell(atom.type, origins=frozenset(origins))
    c.store[cell] = atom
    return ArrayRef(cell)


# -- items ----------------------------------------------------------------------------------------


def element(c: Context, grown: Grown, index: Atom) -> Value:
    """The element at an index that is in range."""
    if not grown.columns:
        # Nothing was appended on any path that leads here.
        c.b.check("raise", boolean(False), info="IndexError: list index out of range")
        raise PathEndsError
    parts = [_element_of(c, grown, k, index) for k in range(len(grown.columns))]
    if grown.make is None:
        return parts[0]
    return tuple(parts) if grown.make is tuple else grown.make._make(parts)


def _element_of(c: Context, grown: Grown, k: int, index: Atom) -> Value:
    part = _row(c, grown.columns[k], index)
    if not c.rank(part):
        return Scalar(c.read(part), grown.weak[k])
    if not grown.lists[k]:
        return part
    length = c.number(c.shape(part)[0])
    return c.new_list(Grown((part,), (grown.weak[k],), (grown.lists[k] - 1,), length, inner=True))


def _row(c: Context, column: ArrayRef, index: Atom) -> ArrayRef:
    """The part of a column that belongs to one element."""
    dims = (At(index), *(Span(ZERO, n, ONE) for n in c.shape(column)[1:]))
    return views.selected(c.b, c.sizes, column, dims, tuple(range(1, len(dims))))


def span_of(c: Context, column: ArrayRef, index: SliceValue) -> ArrayRef:
    """Some rows of a column."""
    return view(c, column, (index, *(SliceValue(None, None, None) for _ in c.shape(column)[1:])))


def read_item(c: Context, grown: Grown, index: Value) -> Value:
    """`list[index]`: an element, or a list of some."""
    if not isinstance(index, SliceValue):
        return element(c, grown, position(c, index, c.atom(grown.length)))
    chosen = [span_of(c, span_of(c, column, SliceValue(None, grown.length, None)), index) for column in grown.columns]
    columns = tuple(column_of(c, c.read(part), {part.cell, *part.cell.origins} if c.rank(part) > 1 else frozenset())
                    for part in chosen)  # fmt: skip
    length = c.number(c.shape(columns[0])[0])
    return c.new_list(replace(grown, columns=columns, length=length, room=False))


def write_item(c: Context, ref: ListRef, grown: Grown, index: Value, new: Value) -> None:
    """`list[index] = new`."""
    if isinstance(index, SliceValue):
        c.refuse(
            "slices of a list of run-time length cannot be assigned", fix="make an array of the list: np.array(...)"
        )
    make, parts = parts_of(c, new)
    if any(part.atom.type.is_array and not part.lists for part in parts):
        c.refuse("arrays cannot be assigned to items of a list of run-time length", fix="use a two-dimensional array")
    _require_fit(c, grown, make, parts)
    where = position(c, index, c.atom(grown.length))
    for column, part in zip(grown.columns, parts, strict=True):
        gather.fill(c, _row(c, column, where), c.fresh(part.atom))
    c.put(ref, replace(grown, weak=_weaker(grown, parts)))


def _weaker(grown: Grown, parts: Sequence[Part]) -> tuple[bool, ...]:
    return tuple(weak and part.weak for weak, part in zip(grown.weak, parts, strict=True))


def _require_fit(c: Context, grown: Grown, make: type | None, parts: Sequence[Part]) -> None:
    if not _fits(c, grown, make, parts):
        c.refuse(
            "the new element has another type than the list",
            error=OperandError,
            why="all elements of a list of run-time length have one type",
            fix="begin with a list of that type, such as [0.0] * n for floats",
        )


def _fits(c: Context, grown: Grown, make: type | None, parts: Sequence[Part]) -> bool:
    return (
        len(parts) == len(grown.columns)
        and make is grown.make
        and all(
            promote([column.dtype, part.atom.type.dtype], ()) is column.dtype
            and part.lists == lists
            and part.atom.type.rank == c.rank(column) - 1
            for column, part, lists in zip(grown.columns, parts, grown.lists, strict=True)
        )
    )


# -- growing --------------------------------------------------------------------------------------


def append(c: Context, ref: ListRef, grown: Grown, value: Value) -> None:
    """`list.append(value)`, in a loop that has made room for it."""
    room = grown.room
    assert room is not None
    room.used += 1
    if room.depth != c.loop_depth or room.used > room.limit:
        c.refuse(
            "this list cannot grow here",
            error=NotStaticError,
            why="a loop makes room for what its own body appends, not for inner loops and other functions",
            fix="use an array of the largest size and a count",
        )
    make, parts = parts_of(c, value)
    if not _fits(c, grown, make, parts):
        raise NeedsRoomError(ref, _row_type(c, grown, make, parts))
    columns = tuple(_appended(c, column, grown.length, part) for column, part in zip(grown.columns, parts, strict=True))
    length = c.number(c.sizes.add(c.b, c.atom(grown.length), ONE))
    c.put(ref, replace(grown, columns=columns, weak=_weaker(grown, parts), length=length))


def _appended(c: Context, column: ArrayRef, length: Value, part: Part) -> ArrayRef:
    shape = c.shape(column)
    inner = tuple(c.equal_sizes(m, n) for m, n in zip(shape[1:], part.atom.type.shape, strict=True))
    new = whole(c.b, pull_atom(part.atom).to(column.dtype))
    row = _row(c, column, c.atom(length))
    # The list now holds the array; nothing is written into the array itself.
    new = recast(c.b, new, shape[1:]) if inner else new
    c.store[column.cell] = views.write(c.b, c.contents(column.cell), row.view, new)
    if part.holds <= column.cell.origins:
        return column
    return column_of(c, c.contents(column.cell), column.cell.origins | part.holds)


def _row_type(c: Context, grown: Grown, make: type | None, parts: Sequence[Part]) -> RowType:
    """The type that holds what is in the list and the new element."""
    dtypes = [part.atom.type.dtype for part in parts]
    weak = [part.weak for part in parts]
    if grown.columns:
        agree = make is grown.make and len(parts) == len(grown.columns)
        ranks = [part.atom.type.rank == c.rank(column) - 1 for part, column in zip(parts, grown.columns, strict=False)]
        if not agree or not all(ranks) or tuple(part.lists for part in parts) != grown.lists:
            c.refuse("the elements of this list are of different kinds", error=NotStaticError)
        dtypes = [promote([d, column.dtype], ()) for d, column in zip(dtypes, grown.columns, strict=True)]
        weak = [a and b for a, b in zip(weak, grown.weak, strict=True)]
    sizes = tuple(tuple(c.sizes.linear(n) for n in part.atom.type.shape) for part in parts)
    return RowType(tuple(dtypes), sizes, tuple(weak), tuple(part.lists for part in parts), make)


def flattened(c: Context, ref: ListRef) -> ListRef:
    """The elements of the lists in a list, one after another."""
    grown = c.grown(ref)
    assert grown is not None
    outer, inner = c.shape(grown.columns[0])[:2]
    length = c.sizes.mul(c.b, outer, inner)
    columns = [
        column_of(c, c.b.apply("reshape", c.read(column), length, *c.shape(column)[2:]), column.cell.origins)
        for column in grown.columns
    ]
    lists = tuple(depth - 1 for depth in grown.lists)
    return c.new_list(replace(grown, columns=tuple(columns), lists=lists, length=c.number(length)))
