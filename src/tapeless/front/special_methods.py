"""Operators and protocols that a dataclass or a named tuple defines by special methods (`__add__`, `__len__`, ...).

`find` gives the method of a value's class, if it is the user's own. The comparisons that `@dataclass` generates compare
the fields as tuples; a generated method has no source and is told by its file name.
"""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType
from typing import Any

from .context import Context
from .values import ObjectRef, Value, is_tuple

_BINARY = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv", "Mod": "mod", "Pow": "pow",
    "MatMult": "matmul", "BitAnd": "and", "BitOr": "or", "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
_COMPARE = {"Eq": "__eq__", "NotEq": "__ne__", "Lt": "__lt__", "LtE": "__le__", "Gt": "__gt__", "GtE": "__ge__"}
_MIRROR = {"Eq": "Eq", "NotEq": "NotEq", "Lt": "Gt", "LtE": "GtE", "Gt": "Lt", "GtE": "LtE"}
_UNARY = {"USub": "__neg__", "UAdd": "__pos__", "Invert": "__invert__"}


def find(value: Value, name: str) -> Any:
    """The user's own special method of a value's class, or None."""
    cls: Any = value.cls if isinstance(value, ObjectRef) else type(value) if is_tuple(value) else None
    found = None if cls is None else inspect.getattr_static(cls, name, None)
    own = isinstance(found, FunctionType) and not is_generated(found)
    return found if own or (found is not None and hasattr(found, "__wrapped__")) else None


def is_generated(function: Any) -> bool:
    """Was this method written by `@dataclass` or `namedtuple`?"""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename.startswith("<")


def binary(c: Context, op: str, x: Value, y: Value) -> tuple[Value] | None:
    """`x op y` by a special method of either, in a tuple, or None where there is none."""
    name = _BINARY.get(op, "")
    candidates = [(x, y, f"__{name}__"), (y, x, f"__r{name}__")]
    if isinstance(x, ObjectRef) and isinstance(y, ObjectRef) and x.cls is not y.cls and issubclass(y.cls, x.cls):
        candidates.reverse()
    return _first(c, candidates)


def in_place(c: Context, op: str, x: Value, y: Value) -> tuple[Value] | None:
    """`x op= y` by a special method of x."""
    return _first(c, [(x, y, f"__i{_BINARY.get(op, '')}__")])


def compare(c: Context, op: str, x: Value, y: Value) -> tuple[Value] | None:
    """`x op y` for a comparison by a special method of either."""
    return _first(c, [(x, y, _COMPARE[op]), (y, x, _COMPARE[_MIRROR[op]])])


def unary(c: Context, op: str, x: Value) -> tuple[Value] | None:
    """`op x` by a special method."""
    method = find(x, _UNARY.get(op, op))
    return None if method is None else (c.call(method, (x,)),)


def call(c: Context, value: Value, name: str, *args: Value) -> tuple[Value] | None:
    """`value.name(*args)` by a special method."""
    method = find(value, name)
    return None if method is None else (c.call(method, (value, *args)),)


def _first(c: Context, candidates: list[tuple[Value, Value, str]]) -> tuple[Value] | None:
    for receiver, other, name in candidates:
        method = find(receiver, name)
        if method is not None:
            value = c.call(method, (receiver, other))
            if value is not NotImplemented:
                return (value,)
    return None


def compared_fields(c: Context, op: str, x: Value, y: Value) -> tuple[Value, Value] | None:
    """The tuples that a generated comparison of two instances of a dataclass compares."""
    if not (isinstance(x, ObjectRef) and isinstance(y, ObjectRef)) or x.cls is not y.cls:
        return None
    method = getattr(x.cls, "__eq__" if op == "NotEq" else _COMPARE[op], None)
    if method is None or not is_generated(method):
        return None
    names = [field.name for field in dataclasses.fields(x.cls) if field.compare]
    left, right = c.held(x), c.held(y)
    return tuple(left[name] for name in names), tuple(right[name] for name in names)
