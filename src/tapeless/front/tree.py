"""Arguments as trees of leaves: what a compiled function is specialised by.

Tuples, lists, dicts, named tuples and dataclasses are taken apart (`flatten`); their numbers and arrays are the leaves.
The *spec* of an argument says everything that the generated code depends on: the structure, and for each leaf its
element type, its flavour and which of its sizes are fixed. A size of one is always fixed, because it decides
broadcasting. Specs are hashable: the tuple of them is the key of a specialisation. All other objects are static, part
of the key themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ..errors import ArgumentError
from ..ir.types import BOOL, F32, F64, I32, I64, DType
from ..records import dataclass
from .values import is_tuple

DTYPES: dict[np.dtype[Any], DType] = {
    np.dtype(np.bool_): BOOL,
    np.dtype(np.int32): I32,
    np.dtype(np.int64): I64,
    np.dtype(np.float32): F32,
    np.dtype(np.float64): F64,
}
Flavour: TypeAlias = Literal["python", "numpy", "array"]


@dataclass(frozen=True, slots=True)
class Shared:
    """One of the sizes of a call that are equal; their `number` tells them from those that share another size."""

    number: int


Size: TypeAlias = int | Shared | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number or array; `dims` holds fixed sizes, None for sizes known only at run time."""

    dtype: DType
    flavour: Flavour
    dims: tuple[Size, ...] = ()


@dataclass(frozen=True, slots=True)
class Static:
    """An object that is known while compiling."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and type(self.value) is type(other.value) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> object:
        return self.value if isinstance(self.value, Hashable) else id(self.value)


@dataclass(frozen=True, slots=True)
class Node:
    """A container: its class, what the class needs besides the parts (keys, fields), the parts."""

    kind: type
    keys: tuple[Any, ...]
    parts: tuple[Spec, ...]


Spec: TypeAlias = Leaf | Static | Node


def flatten(value: object, *, fixed: bool = False, where: str = "argument") -> tuple[Spec, list[Any]]:
    """The spec of an object and its leaves in order. `fixed` fixes all sizes."""
    leaves: list[Any] = []
    return _spec(value, leaves, fixed, where), leaves


def _spec(value: Any, leaves: list[Any], fixed: bool, where: str) -> Spec:
    match value:
        case bool():
            return _leaf(value, leaves, Leaf(BOOL, "python"))
        case int() if type(value) is int:
            if not -(1 << 63) <= value < 1 << 63:
                raise ArgumentError(f"the {where} {value} does not fit in 64 bits", fix="use a float")
            return _leaf(value, leaves, Leaf(I64, "python"))
        case np.generic() | np.ndarray():
            return _leaf(value, leaves, _array(value, fixed, where))
        case float():
            return _leaf(value, leaves, Leaf(F64, "python"))
        case complex():
            raise ArgumentError(f"the {where} is complex", why="the language has no complex numbers yet")
        case _:
            opened = open_container(value)
            if opened is None:
                return Static(value)
            kind, keys, parts = opened
            return Node(kind, keys, tuple(_spec(part, leaves, fixed, where) for part in parts))


def _leaf(value: Any, leaves: list[Any], leaf: Leaf) -> Leaf:
    leaves.append(value)
    return leaf


def _array(value: Any, fixed: bool, where: str) -> Leaf:
    dtype = DTYPES.get(value.dtype.newbyteorder("="))
    if dtype is None:
        raise ArgumentError(
            f"the {where} is an array of {value.dtype}",
            why="the element types are bool, int32, int64, float32 and float64",
            fix="convert it, for instance with .astype(np.float64)",
        )
    if isinstance(value, np.matrix):
        raise ArgumentError(f"the {where} is a np.matrix, whose operators differ", fix="use np.asarray(...)")
    if value.ndim == 0:
        return Leaf(dtype, "numpy")
    return Leaf(dtype, "array", tuple(n if fixed or n == 1 else None for n in value.shape))


def spec_leaves(spec: Spec) -> Iterator[Leaf]:
    """The leaves of a spec, in order."""
    match spec:
        case Leaf():
            yield spec
        case Node(parts=parts):
            for part in parts:
                yield from spec_leaves(part)
        case Static():
            pass


def open_container(value: Any) -> tuple[type, tuple[Any, ...], Sequence[Any]] | None:
    """The class, keys and parts of a container, or None."""
    kind = value.__class__
    if is_tuple(value):
        return kind, getattr(value, "_fields", ()), value
    if kind is list:
        return list, (), value
    if kind is dict:
        return dict, tuple(value), tuple(value.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value))
        return kind, names, [getattr(value, name) for name in names]
    return None


def assemble(kind: Any, keys: tuple[Any, ...], parts: Sequence[Any]) -> Any:
    """The container again."""
    if kind is tuple:
        return tuple(parts)
    if kind is list:
        return list(parts)
    if kind is Rows:
        return _rows(keys, parts)
    if kind is dict:
        return dict(zip(keys, parts, strict=True))
    if issubclass(kind, tuple):
        return kind._make(parts)  # type: ignore[attr-defined]
    made = object.__new__(kind)
    for name, part in zip(keys, parts, strict=True):
        object.__setattr__(made, name, part)
    return made


class Rows:
    """The kind of a result that is a list of run-time length; its keys are what makes a row, then whether each part
    of it is a Python number."""


def _rows(keys: tuple[Any, ...], columns: Sequence[Any]) -> list[Any]:
    make, *weak = keys
    parts = [column.tolist() if python else list(column) for column, python in zip(columns, weak, strict=True)]
    if make is None:
        return parts[0]
    return [make(row) if make is tuple else make._make(row) for row in zip(*parts, strict=True)]


# -- results --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutLeaf:
    """The result number `index`, as a Python number, a NumPy scalar or an array."""

    index: int
    flavour: Flavour


@dataclass(frozen=True, slots=True)
class OutArgument:
    """The argument leaf number `index` itself, the same object."""

    index: int


@dataclass(frozen=True, slots=True)
class OutStatic:
    value: Any


@dataclass(frozen=True, slots=True)
class OutNode:
    kind: type
    keys: tuple[Any, ...]
    parts: tuple[Out, ...]


Out: TypeAlias = OutLeaf | OutArgument | OutStatic | OutNode


def unflatten(out: Out, results: Sequence[Any], arguments: Sequence[Any]) -> Any:
    """The value of a call from its results (already of the right flavour) and its argument leaves."""
    match out:
        case OutLeaf(index):
            return results[index]
        case OutArgument(index):
            return arguments[index]
        case OutStatic(value):
            return value
        case OutNode(kind, keys, parts):
            return assemble(kind, keys, [unflatten(part, results, arguments) for part in parts])


def out_leaves(out: Out) -> Iterator[OutLeaf]:
    """The leaves that are results, in order."""
    match out:
        case OutLeaf():
            yield out
        case OutNode(parts=parts):
            for part in parts:
                yield from out_leaves(part)
        case _:
            pass


def as_flavour(value: Any, flavour: Flavour) -> Any:
    """A NumPy scalar or array as the flavour asks."""
    return value.item() if flavour == "python" else value
