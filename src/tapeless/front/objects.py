"""Lists, dicts, named tuples and dataclasses: their attributes, fields and methods."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType, MethodType
from typing import Any, NoReturn

from ..errors import NotStaticError, OperandError, StaticIndexError, StaticKeyError, UnknownAttributeError
from .captured import attribute_of
from .context import Context, describe
from .grown import extend, taken
from .rows import append
from .special_methods import is_generated
from .suggest import suggestion
from .values import DictRef, ListRef, Method, ObjectRef, Partial, Scalar, Value, is_tuple


def get_field(c: Context, value: Value, name: str) -> Value:
    """`value.name` of a list, dict, named tuple or dataclass."""
    match value:
        case ObjectRef(cls):
            return _get_of_object(c, value, cls, name)
        case _ if is_tuple(value) and name in getattr(value, "_fields", ()):
            return getattr(value, name)
        case _ if find_method(value, name):
            return Method(value, name)
        case _ if isinstance(found := inspect.getattr_static(value.__class__, name, None), FunctionType):
            return Partial(found, (value,), {})
        case _ if isinstance(found, property):
            return c.call(found.fget, (value,))
        case _:
            unknown(c, value, name, [n for kind, n in METHODS if isinstance(value, kind)])


def _get_of_object(c: Context, value: ObjectRef, cls: type, name: str) -> Value:
    fields: dict[str, Value] = c.held(value)
    if name in fields:
        return fields[name]
    if not hasattr(cls, name):
        unknown(c, value, name, list(fields))
    found = attribute_of(c, cls, name)
    if isinstance(found, property):
        return c.call(found.fget, (value,))
    jitted = not isinstance(found, MethodType) and hasattr(found, "__wrapped__")
    if (isinstance(found, FunctionType) or jitted) and not isinstance(inspect.getattr_static(cls, name), staticmethod):
        return Partial(found, (value,), {})
    return found


def set_field(c: Context, value: Value, name: str, new: Value) -> None:
    """`value.name = new`."""
    if not isinstance(value, ObjectRef):
        c.refuse(f"attributes of {describe(value)} cannot be assigned", error=UnknownAttributeError)
    if value.cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        c.refuse(
            f"{value.cls.__name__} is a frozen dataclass",
            error=UnknownAttributeError,
            fix="use dataclasses.replace(...)",
        )
    fields = c.held(value)
    if name not in value.cls.__dataclass_fields__:  # type: ignore[attr-defined]
        unknown(c, value, name, list(fields))
    if value in c.objects and not is_plain_field(value.cls, name):
        c.refuse(
            f"the field {name!r} of {describe(value)} that was passed in cannot be changed",
            why="its class has a __setattr__ or a property for it, which compiled code would not run",
            fix="make a new one and return it",
        )
    c.put(value, {**fields, name: new})


def is_plain_field(cls: type, name: str) -> bool:
    """Is assigning this field nothing but storing the value?"""
    kept: object = inspect.getattr_static(cls, name, None)
    return cls.__setattr__ is object.__setattr__ and (
        isinstance(kept, MemberDescriptorType) or not hasattr(type(kept), "__set__")
    )


def unknown(c: Context, value: Value, name: str, known: list[str]) -> NoReturn:
    """Refuse an attribute that does not exist."""
    c.refuse(
        f"{describe(value)} has no attribute {name!r}{suggestion(name, known)}",
        error=UnknownAttributeError,
    )


def construct(c: Context, cls: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """An instance of a dataclass, fields set as its `__init__` would."""
    if not is_generated(cls.__init__):
        made = c.new_object(ObjectRef(cls), {})
        c.call(cls.__init__, (made, *args), kwargs)
        return made
    fields = dataclasses.fields(cls)
    positional = [f.name for f in fields if f.init and not f.kw_only]
    if len(args) > len(positional):
        c.refuse(f"{cls.__name__} takes {len(positional)} arguments, but {len(args)} were given", error=OperandError)
    given = {**dict(zip(positional, args, strict=False)), **kwargs}
    contents: dict[str, Value] = {}
    for item in fields:
        if item.init and item.name in given:
            contents[item.name] = given.pop(item.name)
        elif item.default is not dataclasses.MISSING:
            contents[item.name] = item.default
        elif item.default_factory is not dataclasses.MISSING:
            contents[item.name] = c.call(item.default_factory, ())
        elif item.init:
            c.refuse(f"{cls.__name__} needs the field {item.name!r}", error=OperandError)
    if given:
        unknown_field = next(iter(given))
        c.refuse(
            f"{cls.__name__} has no field {unknown_field!r}{suggestion(unknown_field, contents)}", error=OperandError
        )
    made = c.new_object(ObjectRef(cls), contents)
    if isinstance(after := getattr(cls, "__post_init__", None), FunctionType):
        c.call(after, (made,))
    return made


def set_attribute(c: Context, value: Value, name: Value, new: Value) -> None:
    """The way in which frozen dataclasses set their own fields."""
    if not isinstance(value, ObjectRef) or name not in value.cls.__dataclass_fields__:  # type: ignore[attr-defined]
        c.refuse(f"attributes of {describe(value)} cannot be assigned", error=UnknownAttributeError)
    c.put(value, {**c.held(value), name: new})


# -- methods --------------------------------------------------------------------------------------

METHODS: dict[tuple[type, str], Callable[..., Value]] = {}


def _method(kind: type, name: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    def add(function: Callable[..., Value]) -> Callable[..., Value]:
        METHODS[kind, name] = function
        return function

    return add


def find_method(receiver: Value, name: str) -> Callable[..., Value] | None:
    """The implementation of `receiver.name(...)` for a list, dict or tuple."""
    return METHODS.get((tuple if is_tuple(receiver) else receiver.__class__, name))


@_method(ListRef, "append")
def _append(c: Context, ref: ListRef, item: Value) -> None:
    grown = c.grown(ref)
    if grown is None:
        c.put(ref, (*c.held(ref), item))
    elif grown.room:
        append(c, ref, grown, item)
    else:
        extend(c, ref, (item,))


@_method(ListRef, "extend")
def _extend(c: Context, ref: ListRef, items: Value) -> None:
    items = taken(c, items)
    more = None if c.grown(items) else c.items(items)
    if more is None or c.grown(ref):
        extend(c, ref, items)
    else:
        c.put(ref, (*c.held(ref), *more))


@_method(ListRef, "insert")
def _insert(c: Context, ref: ListRef, index: Value, item: Value) -> None:
    items = list(c.held(ref))
    items.insert(c.need_int(index, "the position in a list"), item)
    c.put(ref, tuple(items))


@_method(ListRef, "pop")
def _pop(c: Context, ref: ListRef, index: Value = -1) -> Value:
    items = list(c.held(ref))
    number = c.need_int(index, "the position in a list")
    if not -len(items) <= number < len(items):
        c.refuse("pop from an empty list or beyond its end", error=StaticIndexError)
    item = items.pop(number)
    c.put(ref, tuple(items))
    return item


@_method(ListRef, "sort")
def _sort(c: Context, ref: ListRef, *, key: Value = None, reverse: Value = False) -> None:
    c.put(ref, c.store[c.call(sorted, (ref,), {"key": key, "reverse": reverse})])


@_method(ListRef, "reverse")
def _reverse(c: Context, ref: ListRef) -> None:
    c.put(ref, c.held(ref)[::-1])


@_method(ListRef, "clear")
def _clear(c: Context, ref: ListRef) -> None:
    c.put(ref, ())


@_method(ListRef, "copy")
def _copy_list(c: Context, ref: ListRef) -> Value:
    return c.new_list(c.grown(ref) or c.held(ref))


@_method(tuple, "_replace")
def _replace(c: Context, value: Any, **changes: Value) -> Value:
    return value._replace(**changes)


@_method(DictRef, "items")
def _items(c: Context, ref: DictRef) -> Value:
    return tuple(c.held(ref).items())


@_method(DictRef, "keys")
def _keys(c: Context, ref: DictRef) -> Value:
    return tuple(c.held(ref))


@_method(DictRef, "values")
def _values(c: Context, ref: DictRef) -> Value:
    return tuple(c.held(ref).values())


@_method(DictRef, "get")
def _get(c: Context, ref: DictRef, key: Value, default: Value = None) -> Value:
    if isinstance(key, Scalar):
        c.refuse("a dictionary key must be known while compiling", error=NotStaticError)
    return c.held(ref).get(key, default)


@_method(DictRef, "update")
def _update(c: Context, ref: DictRef, other: Value = None, **changes: Value) -> None:
    more: dict[Any, Value] = c.held(other) if isinstance(other, DictRef) else {}
    c.put(ref, {**c.held(ref), **more, **changes})


@_method(DictRef, "pop")
def _pop_key(c: Context, ref: DictRef, key: Value) -> Value:
    contents = dict(c.held(ref))
    if key not in contents:
        c.refuse(f"the key {key!r} is not in the dict", error=StaticKeyError)
    value = contents.pop(key)
    c.put(ref, contents)
    return value


@_method(DictRef, "copy")
def _copy_dict(c: Context, ref: DictRef) -> Value:
    return c.new_object(DictRef(), dict(c.held(ref)))
