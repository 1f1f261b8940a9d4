"""Example arguments made from types, so that a function can be looked at without being called.

In: the annotations and defaults of a function, or types as text in place of the annotations. Out: one value for each
positional parameter. Only its type matters to the compiler: numbers are 1, arrays are ones, `:` is an arbitrary size.

    bool int float                 Python numbers
    boolean i32 i64 f32 f64        NumPy scalars
    f64[:], i64[:, 3]              arrays; a number fixes a size
"""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any

import numpy as np

from ..front.annotations import ArrayType, boolean, f32, f64, i32, i64
from ..runtime.signature import DTYPES

_ARRAYS = {"boolean": boolean, "i32": i32, "i64": i64, "f32": f32, "f64": f64}
_NUMBERS: dict[str, type] = {"bool": bool, "int": int, "float": float}
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
# Any size but 1, which would be compiled for itself.
_SOME_SIZE = 4


def examples(function: FunctionType) -> list[Any]:
    """One value for each positional parameter; `ValueError` when neither an annotation nor a default tells its type."""
    annotations = _annotations(function)
    return [_of_parameter(p, annotations.get(p.name)) for p in _positional(function)]


def annotated(function: FunctionType, types: str) -> FunctionType:
    """A copy of a function whose first parameters are annotated with a comma-separated list of types.

    >>> def scale(x, k): return x * k
    >>> examples(annotated(scale, "f64[2], int"))
    [array([1., 1.]), 1]
    """
    names = [p.name for p in _positional(function)]
    given = _types(types)
    if len(given) > len(names):
        raise ValueError(f"{len(given)} types are given, but {function.__name__} has {len(names)} parameters")
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__annotations__ = _annotations(function) | dict(zip(names, given, strict=False))
    return copy


def _annotations(function: FunctionType) -> dict[str, Any]:
    try:
        return inspect.get_annotations(function, eval_str=True)
    except (NameError, SyntaxError, TypeError, AttributeError):
        # Annotations that cannot be evaluated say nothing to us.
        return {}


def _positional(function: FunctionType) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(function).parameters.values() if p.kind in _POSITIONAL]


def _of_parameter(parameter: inspect.Parameter, annotation: Any) -> Any:
    if isinstance(annotation, ArrayType):
        sizes = tuple(_SOME_SIZE if size is None else size for size in annotation.dims)
        return np.ones(sizes, DTYPES[annotation.dtype.value])[()]
    if annotation in _NUMBERS.values():
        return annotation(1)
    if parameter.default is not inspect.Parameter.empty:
        return parameter.default
    raise ValueError(f"nothing tells the type of the parameter {parameter.name!r}")


def _types(text: str) -> list[Any]:
    try:
        tree = ast.parse(f"({text},)", mode="eval").body
    except SyntaxError:
        raise ValueError(f"{text!r} is not a list of types such as 'f64[:], f64[:, 3], int'") from None
    assert isinstance(tree, ast.Tuple)
    return [_type(node) for node in tree.elts]


def _type(node: ast.expr) -> Any:
    match node:
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Name(id=name) if name in _ARRAYS:
            return _ARRAYS[name]
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=sizes)) if name in _ARRAYS:
            return _ARRAYS[name][tuple(_size(size) for size in sizes)]
        case ast.Subscript(value=ast.Name(id=name), slice=size) if name in _ARRAYS:
            return _ARRAYS[name][_size(size)]
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is not a type; the types are {', '.join(_NUMBERS | _ARRAYS)}")


def _size(node: ast.expr) -> Any:
    match node:
        case ast.Slice(lower=None, upper=None, step=None):
            return slice(None)
        case ast.Constant(value=int(size)):
            return size
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is not a size; a size is a number or ':'")
