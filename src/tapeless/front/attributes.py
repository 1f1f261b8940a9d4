"""Attributes and subscripts as expressions."""

from __future__ import annotations

import ast
import enum
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..errors import UnknownAttributeError, UnsupportedFunctionError
from . import registry
from .captured import attribute_of
from .context import Context, describe, expression
from .indexing import subscript
from .objects import get_field
from .suggest import suggestion
from .values import ArrayRef, DictRef, ListRef, Method, ObjectRef, Scalar, Value

# Objects outside the language whose attributes never change.
_CONSTANT = (type, np.dtype, np.finfo, np.iinfo, np.ufunc, enum.Enum, FunctionType)


@expression(ast.Attribute)
def attribute(c: Context, node: ast.Attribute) -> Value:
    return get_attribute(c, c.eval(node.value), node.attr)


def get_attribute(c: Context, value: Value, name: str) -> Value:
    """`value.name`."""
    match value:
        case ModuleType():
            return _of_module(c, value, name)
        case ArrayRef() | Scalar() | bool() | int() | float():
            return _of_number(c, value, name)
        case ObjectRef() | ListRef() | DictRef() | tuple():
            return get_field(c, value, name)
        case _ if isinstance(value, _CONSTANT) or registry.is_known(value):
            return _of_constant(c, value, name)
        case _ if name == "inv" and hasattr(value, "__inverse__"):
            return value.__inverse__
        case _ if name in ("keep", "undo") and hasattr(value, "__inverse__") and hasattr(value, name):
            return getattr(value, name)
        case _:
            c.refuse(
                f"attributes of {describe(value)} cannot be used in compiled code",
                error=UnknownAttributeError,
                why="only modules, arrays, named tuples, dataclasses and dicts are understood",
                fix="pass the value itself as an argument, or use a dataclass",
            )


def _of_constant(c: Context, value: Any, name: str) -> Value:
    if not hasattr(value, name):
        c.refuse(f"{describe(value)} has no attribute {name!r}", error=UnknownAttributeError)
    return _as_value(attribute_of(c, value, name) if isinstance(value, type) else getattr(value, name))


def _of_module(c: Context, module: ModuleType, name: str) -> Value:
    if not hasattr(module, name):
        c.refuse(
            f"the module {module.__name__} has no attribute {name!r}{suggestion(name, dir(module))}",
            error=UnknownAttributeError,
        )
    return _as_value(attribute_of(c, module, name))


def _as_value(value: Any) -> Value:
    """NumPy scalars among constants are known numbers."""
    number: Any = value
    return number.item() if isinstance(value, np.generic) else value


def _of_number(c: Context, value: Value, name: str) -> Value:
    found = registry.find_attribute(name)
    weak = c.is_weak(value)
    if found is not None and not weak:
        return found(c, value)
    if registry.find_method(name) is not None and not weak:
        return Method(value, name)
    exists = hasattr(np.ndarray, name)
    near = "" if exists else suggestion(name, registry.method_names())
    c.refuse(
        f"{describe(value)} has no attribute {name!r} in compiled code{near}",
        error=UnsupportedFunctionError if exists and not weak else UnknownAttributeError,
        fix=f"use the function np.{name}" if hasattr(np, name) else "",
    )


@expression(ast.Subscript)
def subscript_(c: Context, node: ast.Subscript) -> Value:
    value = c.eval(node.value)
    index = c.eval(node.slice)
    return subscript(c, value, index)
