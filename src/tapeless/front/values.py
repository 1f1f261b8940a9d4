"""What a Python expression is worth while the front end executes a function abstractly.

*Static* values are ordinary Python objects, known now: ints, floats, bools, strings, None, functions,
modules, types, dtypes, and tuples (named tuples too) of values. *Dynamic* values stand for what is known only
when the compiled code runs: `Scalar` and `ArrayRef`. Mutable objects are *references*; their contents
live in the store of the context, so that control flow can copy, merge and roll back the whole state:

    Cell      -> the current IR variable of a whole array
    ListRef   -> a tuple of values, or a `Grown`
    DictRef   -> a dict from static keys to values
    ObjectRef -> a dict from field names to values (an instance of a dataclass)

An array value is a cell and a view of it, so slices alias their base exactly as in NumPy: reading a view
reads the cell's current variable, writing through a view updates it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias, TypeGuard

from ..ir.types import Atom, DType, Type
from ..records import dataclass, field

# Any static Python object, or one of the classes of this file.
Value: TypeAlias = Any


def is_tuple(value: Value) -> TypeGuard[tuple[Value, ...]]:
    """A tuple or named tuple of values."""
    return isinstance(value, tuple)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A run-time number. `weak` marks a Python number (NEP 50): int is i64, float f64, bool bool."""

    atom: Atom
    weak: bool

    @property
    def dtype(self) -> DType:
        return self.atom.type.dtype


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The memory of one array; compared by identity.

    `origins` are the cells that this one may or may not be the same array as (after a merge of two
    paths that bound a name to different arrays): a write to one makes the contents of the other unknown.
    """

    type: Type
    name: str = ""
    origins: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class At:
    """A dimension indexed away; the index is in range."""

    index: Atom


@dataclass(frozen=True, slots=True)
class Span:
    """Elements start, start + step, ... of a dimension; all in range."""

    start: Atom
    size: Atom
    step: Atom


@dataclass(frozen=True, slots=True)
class Select:
    """A selector per dimension of what lies below; each result axis is a span's position or None, a new axis."""

    dims: tuple[At | Span, ...]
    axes: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Reshape:
    """The same elements in row-major order under another shape."""

    shape: tuple[Atom, ...]


View: TypeAlias = tuple[Select | Reshape, ...]


@dataclass(frozen=True, slots=True)
class ArrayRef:
    """An array: the view `view` of the memory `cell`; an empty view is the whole cell."""

    cell: Cell
    view: View = ()

    @property
    def dtype(self) -> DType:
        return self.cell.type.dtype


@dataclass(frozen=True, slots=True, eq=False)
class ListRef:
    """A Python list; its contents are a tuple, or a `Grown` when its length is known only at run time."""


@dataclass(slots=True, eq=False)
class Room:
    """Place for so many appends in each step of the loop at a depth; `used` counts those met in the current step."""

    depth: int
    limit: int
    used: int = 0


@dataclass(frozen=True, slots=True)
class Grown:
    """The contents of a list whose length is known only at run time: the first `length` rows of `columns`.

    An element is one row, or a tuple (`make`) of the rows of several columns. Per column, `weak` says that its numbers
    are Python's, `lists` how many of its inner dimensions are lists in lists. `room` is what the loop around has added
    to the columns for what it appends; `inner` marks a list that is an element of another and keeps its length.
    """

    columns: tuple[ArrayRef, ...]
    weak: tuple[bool, ...]
    lists: tuple[int, ...]
    length: Value
    make: Any = None
    room: Room | None = None
    inner: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DictRef:
    """A Python dict with static keys."""


@dataclass(frozen=True, slots=True, eq=False)
class ObjectRef:
    """An instance of a dataclass."""

    cls: type


Ref: TypeAlias = Cell | ListRef | DictRef | ObjectRef


@dataclass(frozen=True, slots=True)
class Stale:
    """The contents of a cell nobody can know, because another array that may be the same was written."""

    reason: str


@dataclass(frozen=True, slots=True)
class Undefined:
    """A local name without a value on any path that leads here."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A name that has a value only when `defined` holds at run time."""

    value: Value
    defined: Atom


@dataclass(frozen=True, slots=True)
class Clash:
    """A variable, or the contents of an object, with two incompatible types; refused when it is read."""

    reason: str


@dataclass(frozen=True, slots=True)
class SliceValue:
    """`start:stop:step` with values."""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class RangeValue:
    """`range(start, stop, step)`."""

    start: Value
    stop: Value
    step: Value


@dataclass(frozen=True, slots=True)
class Zipped:
    """An iterator over other iterables: `zip`, `enumerate` (a zip with a count from `start`), `reversed`, `map` (of the
    function `start`), `product`, `pairwise`, `count` (from `start`)."""

    kind: str
    parts: tuple[Value, ...]
    start: Value = 0


@dataclass(frozen=True, slots=True)
class Once:
    """An iterator under a name: reading the name uses it up."""

    iterator: Value


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A function of the user's: its syntax, its defaults and where its free names are looked up.

    `scope` resolves a free name to a value, or to `Undefined`. `internal` marks our own library functions, whose
    errors are shown at the user's call.
    """

    node: ast.FunctionDef | ast.Lambda
    name: str
    file: str
    scope: Callable[[str], Value]
    defaults: tuple[Value, ...] = ()
    kw_defaults: dict[str, Value] = field(default_factory=dict[str, Value])
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """`receiver.name` about to be called."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial` of a function value."""

    function: Value
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
