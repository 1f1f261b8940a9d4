"""Binding names: plain targets, unpacking with stars, items and fields."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..errors import OperandError, UnpackError, UnsupportedSyntaxError
from ..ir.types import Atom, Lit, i64
from .context import Context, describe
from .frame import HIDDEN
from .grown import taken
from .indexing import store, subscript
from .objects import set_field
from .rows import element
from .values import ArrayRef, DictRef, Grown, Once, Value, Zipped


def assign(c: Context, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    match target:
        case ast.Name(id=name) if name.startswith(HIDDEN):
            c.frame.hidden[name] = value
        case ast.Name(id=name):
            c.frame.names[name] = Once(value) if isinstance(value, Zipped) else value
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            _unpack(c, parts, value)
        case ast.Subscript():
            base = c.eval(target.value)
            index = c.eval(target.slice)
            c.b.pos = c.position(target)
            store(c, base, index, value)
        case ast.Attribute(attr=attr):
            set_field(c, c.eval(target.value), attr, value)
        case _:
            c.refuse("this cannot be assigned to", error=UnsupportedSyntaxError)


def _unpack(c: Context, parts: Sequence[ast.expr], value: Value) -> None:
    stars = [k for k, part in enumerate(parts) if isinstance(part, ast.Starred)]
    items = _elements(c, value, None if stars else len(parts))
    if not stars:
        if len(items) != len(parts):
            c.refuse(f"{len(items)} values cannot be unpacked into {len(parts)} names", error=UnpackError)
        for part, item in zip(parts, items, strict=True):
            assign(c, part, item)
        return
    star, after = stars[0], len(parts) - stars[0] - 1
    if len(items) < star + after:
        c.refuse(f"{len(items)} values are too few for {len(parts) - 1} names", error=UnpackError)
    middle = c.new_list(items[star : len(items) - after])
    starred = parts[star]
    assert isinstance(starred, ast.Starred)
    for part, item in zip(parts[:star], items, strict=False):
        assign(c, part, item)
    assign(c, starred.value, middle)
    for part, item in zip(parts[star + 1 :], items[len(items) - after :], strict=True):
        assign(c, part, item)


def _elements(c: Context, value: Value, wanted: int | None) -> tuple[Value, ...]:
    """The elements to unpack; an array must have as many as there are names, which is checked at run time."""
    value = taken(c, value)
    if (grown := c.grown(value)) is not None:
        return _rows(c, grown, wanted)
    items = tuple(c.held(value)) if isinstance(value, DictRef) else c.items(value)
    if items is not None:
        return items
    if not isinstance(value, ArrayRef):
        c.refuse(f"{describe(value)} cannot be unpacked", error=OperandError)
    count = _count(c, c.shape(value)[0], wanted)
    return tuple(subscript(c, value, k) for k in range(count))


def _rows(c: Context, grown: Grown, wanted: int | None) -> tuple[Value, ...]:
    count = _count(c, c.atom(grown.length), wanted)
    return tuple(element(c, grown, i64(k)) for k in range(count))


def _count(c: Context, size: Atom, wanted: int | None) -> int:
    """The number of elements to unpack, checked at run time where it is not known."""
    if isinstance(size, Lit):
        return int(size.value)
    if wanted is None:
        c.refuse(
            "an array of unknown length cannot be unpacked with a star",
            error=UnpackError,
            fix="use slices: first, rest = x[0], x[1:]",
        )
    c.b.check("equal", size, i64(wanted), info="the number of values to unpack")
    c.sizes.unify(size, i64(wanted))
    return wanted
