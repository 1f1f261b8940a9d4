"""Subscripts of all kinds of values, for reading and for writing.

The result of basic indexing is a view that aliases its base (`selectors`); indexing by arrays is in `gather`.
Tuples, lists and dicts are indexed by what is known while compiling.
"""

from __future__ import annotations

from typing import Any

from ..errors import NotStaticError, OperandError, StaticIndexError, StaticKeyError
from . import gather, special_methods
from .context import Context, describe
from .numpy.arguments import array_like
from .rows import read_item, write_item
from .selectors import view
from .suggest import suggestion
from .values import ArrayRef, DictRef, ListRef, ObjectRef, Scalar, SliceValue, Value


def subscript(c: Context, value: Value, index: Value) -> Value:
    """`value[index]`."""
    match value:
        case ArrayRef():
            return _read_array(c, value, index)
        case ListRef() if grown := c.grown(value):
            return read_item(c, grown, index)
        case DictRef():
            return c.held(value)[_key(c, value, index)]
        case str():
            return value[c.need_int(index, "a position in a string")]
        case Scalar() if index in ((), Ellipsis):
            return value
        case _ if special := special_methods.call(c, value, "__getitem__", index):
            return special[0]
        case _:
            items = c.items(value)
            if items is None:
                c.refuse(f"{describe(value)} cannot be indexed", error=OperandError)
            return _read_sequence(c, value, items, index)


def store(c: Context, target: Value, index: Value, new: Value) -> None:
    """`target[index] = new`."""
    match target:
        case ArrayRef():
            parts = _parts(c, target, index)
            if gather.is_advanced(parts):
                gather.write(c, target, parts, new)
            else:
                gather.fill(c, view(c, target, parts), new)
        case ListRef() if grown := c.grown(target):
            write_item(c, target, grown, index, new)
        case ListRef():
            items = list(c.held(target))
            items[_position(c, items, index)] = new
            c.put(target, tuple(items))
        case DictRef():
            c.put(target, {**c.held(target), _static(c, index): new})
        case _ if special_methods.call(c, target, "__setitem__", index, new):
            return
        case _:
            c.refuse(f"{describe(target)} does not allow assignment to its items", error=OperandError)


def _read_array(c: Context, array: ArrayRef, index: Value) -> Value:
    parts = _parts(c, array, index)
    if gather.is_advanced(parts):
        return gather.read(c, array, parts)
    selected = view(c, array, parts)
    if c.rank(selected):
        return selected
    return Scalar(c.read(selected), weak=False)


def _parts(c: Context, array: ArrayRef, index: Value) -> list[Value]:
    """The index with one entry per dimension: `...` expanded, missing dimensions taken whole."""
    given: list[Value] = list(index) if isinstance(index, tuple) else [index]  # type: ignore[arg-type]
    parts: list[Value] = []
    used = sum(gather.dimensions(c, part) for part in given)
    rank = c.rank(array)
    if used > rank:
        c.refuse(f"too many indices: the array has {rank} dimensions, but {used} were indexed", error=StaticIndexError)
    rest = [SliceValue(None, None, None)] * (rank - used)
    for part in given:
        if part is Ellipsis:
            parts += rest
            rest = []
        else:
            parts.append(array_like(c, part) if isinstance(part, ListRef) else part)
    return parts + rest


# -- sequences and dicts of static length -----------------------------------------------------------


def _read_sequence(c: Context, value: Value, items: tuple[Value, ...], index: Value) -> Value:
    if isinstance(index, SliceValue):
        bounds = [None if b is None else c.need_int(b, "a bound of a tuple's slice") for b in _bounds(index)]
        part = items[slice(*bounds)]
        return c.new_list(part) if isinstance(value, ListRef) else tuple(part)
    return items[_position(c, items, index)]


def _bounds(index: SliceValue) -> tuple[Value, Value, Value]:
    return index.start, index.stop, index.step


def _position(c: Context, items: Any, index: Value) -> int:
    number = c.static_int(index)
    if number is None:
        c.refuse(
            "a tuple or list can only be indexed by integers known while compiling",
            error=NotStaticError,
            why="its elements are separate variables, not memory",
            fix="make an array of it: np.array(...)",
        )
    if not -len(items) <= number < len(items):
        c.refuse(f"index {number} is out of range for {len(items)} elements", error=StaticIndexError)
    return number


def _static(c: Context, key: Value) -> Any:
    if isinstance(key, Scalar | ArrayRef | ListRef | DictRef | ObjectRef):
        c.refuse(f"a dictionary key must be known while compiling, not {describe(key)}", error=NotStaticError)
    return key


def _key(c: Context, ref: DictRef, key: Value) -> Any:
    static, keys = _static(c, key), c.held(ref)
    if static not in keys:
        near = suggestion(static, [k for k in keys if isinstance(k, str)]) if isinstance(static, str) else ""
        c.refuse(f"the key {static!r} is not in the dict{near}", error=StaticKeyError)
    return static
