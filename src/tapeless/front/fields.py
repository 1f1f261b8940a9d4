"""Numbers in fields of dataclass arguments: assigned by compiled code, written back when it returns.

Arguments are taken apart when a function is called, so an assigned field is one more result. The instances among the
arguments are numbered in the same order by both sides: by the front end, as references, and at a call, as objects. Code
that assigns fields takes them to be apart from each other: an instance that is passed twice is left to plain Python.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from ..records import dataclass
from .context import Context
from .leaves import opened_value
from .tree import open_container
from .values import ObjectRef, Value, is_tuple


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the instance with this number."""

    owner: int
    name: str


def objects_in(c: Context, value: Value) -> Iterator[ObjectRef]:
    """The instances of dataclasses in a value: each before what it holds."""
    if isinstance(value, ObjectRef):
        yield value
    opened = opened_value(c, value)
    for part in opened[2] if opened is not None else ():
        yield from objects_in(c, part)


def assigned_fields(c: Context, before: Sequence[dict[str, Value]]) -> tuple[tuple[Field, ...], list[Value]]:
    """The fields of arguments that were assigned, given what these held before; and what they hold now."""
    found = {
        Field(number, name): value
        for number, (ref, olds) in enumerate(zip(c.objects, before, strict=True))
        for name, value in c.held(ref).items()
        if value is not olds[name]
    }
    return tuple(found), list(found.values())


class Owners:
    """The instances in the arguments of a call, and in what its code captured."""

    def __init__(self, values: Sequence[Any], captured: Sequence[Any]) -> None:
        self._given = list(_instances(tuple(values)))
        self._captured = list(_instances(tuple(captured)))

    def are_separate(self, fields: Sequence[Field]) -> bool:
        """Is each instance that has a field of these reached in one way only?"""
        all_of_them = [id(owner) for owner in (*self._given, *self._captured)]
        return all(all_of_them.count(id(self._given[field.owner])) == 1 for field in fields)

    def assign(self, fields: Sequence[Field], values: Sequence[Any]) -> None:
        for field, value in zip(fields, values, strict=True):
            setattr(self._given[field.owner], field.name, value)


def _instances(value: Any) -> Iterator[Any]:
    """As `objects_in`, of the user's own values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and not is_tuple(value):
        yield value
    opened = open_container(value)
    for part in opened[2] if opened is not None else ():
        yield from _instances(part)
