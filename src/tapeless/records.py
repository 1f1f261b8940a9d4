"""Classes of named fields: `dataclass`, as in the standard library, for the compiler's own classes, which are many.

The standard library writes six functions for each class as text and has them compiled: that was more than half of the
time it took to load this compiler. And it fills frozen objects in through `object.__setattr__`, so that an object took
three times as long to make as a plain one; a program consists of thousands. Here the methods are shared, `__init__` is
a copy of one that was compiled before, with other names, and `frozen` is a promise that the type checker holds us to.

Fields have defaults, `field(default_factory=...)`, and `compare=False` and `repr=False`. Every class has slots.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import MISSING, field
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, Literal, TypeAlias, TypeVar, dataclass_transform

__all__ = ["dataclass", "field", "replace"]

C = TypeVar("C")
R = TypeVar("R")
Fields: TypeAlias = dict[str, dataclasses.Field[Any]]
_FIELDS = "__record_fields__"


@dataclass_transform(field_specifiers=(field,))
def dataclass(*, slots: Literal[True], frozen: bool = False, eq: bool = True) -> Callable[[type[C]], type[C]]:
    """A class with the fields it is annotated with, compared and printed by their values; hashed where it is frozen."""

    def make(cls: type[C]) -> type[C]:
        assert slots
        own = {name: _field_of(cls, name) for name in inspect.get_annotations(cls)}
        fields: Fields = getattr(cls, _FIELDS, {}) | own
        methods: dict[str, Any] = {"__init__": _init(fields, hasattr(cls, "__post_init__")), "__repr__": _repr(fields)}
        if eq:
            key = _key([name for name, part in fields.items() if part.compare])
            methods |= {"__eq__": _eq(key), "__hash__": _hash(key) if frozen else None}
        return _with_slots(cls, own, methods | {_FIELDS: fields, "__match_args__": tuple(fields)})

    return make


def replace(record: R, **changes: Any) -> R:
    """The same object but for some fields."""
    cls: Any = type(record)
    values = [changes.pop(name) if name in changes else getattr(record, name) for name in cls.__match_args__]
    return cls(*values, **changes)


def _field_of(cls: type, name: str) -> dataclasses.Field[Any]:
    given: Any = cls.__dict__.get(name, MISSING)
    return given if isinstance(given, dataclasses.Field) else field(default=given)  # pyright: ignore[reportUnknownVariableType]


def _with_slots(cls: type[C], own: Fields, methods: dict[str, Any]) -> type[C]:
    """The class again with slots, which cannot be given to one that is there; what it defines itself stays."""
    namespace = {name: value for name, value in cls.__dict__.items() if name not in own}
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    if namespace.get("__hash__", MISSING) is None:  # Python's own answer to a class that defines `__eq__` only
        del namespace["__hash__"]
    made: Any = type(cls)(cls.__name__, cls.__bases__, methods | namespace | {"__slots__": tuple(own)})
    made.__qualname__ = cls.__qualname__
    return made


# -- the methods --------------------------------------------------------------------------------------

_ABSENT: Any = object()


def _init(fields: Fields, then: bool) -> FunctionType:
    """`__init__`: that of a class whose fields are as many and of the same kind, with the names of these."""
    names = list(fields)
    factories = tuple([part.default_factory is not MISSING for part in fields.values()])
    code = _template(factories, then)
    renamed = {_plain(k): name for k, name in enumerate(names)}
    copy = code.replace(
        co_varnames=tuple([renamed.get(name, name) for name in code.co_varnames]),
        co_names=tuple([renamed.get(name, name) for name in code.co_names]),
    )
    scope = {"absent": _ABSENT} | {_factory(k): fields[names[k]].default_factory for k in range(len(names))}
    defaults = [_ABSENT if made else part.default for part, made in zip(fields.values(), factories, strict=True)]
    return FunctionType(copy, scope, "__init__", tuple([value for value in defaults if value is not MISSING]))


@cache
def _template(factories: tuple[bool, ...], then: bool) -> CodeType:
    """The code of an `__init__` of fields that have invented names."""
    names = [_plain(k) for k in range(len(factories))]
    lines = [
        f"self.{name} = {_factory(k)}() if {name} is absent else {name}" if made else f"self.{name} = {name}"
        for k, (name, made) in enumerate(zip(names, factories, strict=True))
    ]
    body = [*lines, "self.__post_init__()"] if then else lines
    text = f"def __init__({', '.join(['self', *names])}):\n " + "\n ".join(body or ["pass"])
    scope: dict[str, Any] = {}
    exec(compile(text, "<record>", "exec"), scope)
    return scope["__init__"].__code__


def _plain(k: int) -> str:
    return f"field_{k}"


def _factory(k: int) -> str:
    return f"factory_{k}"


def _key(names: list[str]) -> Callable[[Any], Any]:
    """What is compared: a tuple of values."""
    match names:
        case []:
            return lambda _record: ()
        case [name]:
            only = attrgetter(name)
            return lambda record: (only(record),)
        case _:
            return attrgetter(*names)


def _eq(key: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if self is other:
            return True
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    return __eq__


def _hash(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(key(self))

    return __hash__


def _repr(fields: Fields) -> Callable[[Any], str]:
    shown = [name for name, part in fields.items() if part.repr]

    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__
