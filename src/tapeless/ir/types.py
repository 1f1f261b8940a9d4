"""Scalar types, array types with symbolic sizes, and the atoms they are made of.

A type is a scalar type and a shape. Each entry of a shape is an *atom* of type i64: a literal,
or a variable that is in scope where the type is used. So `f64[n, 3]` mentions the very variable
`n` that the program computes with, and two arrays have equal size when they mention the same
atom (Futhark's size types; facts/array_ad.md 1.1). Tuples do not exist: they are flattened.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import SupportsInt, TypeAlias

from ..errors import IRError
from ..records import dataclass


class DType(Enum):
    """The five scalar types, in promotion order."""

    BOOL = "bool"
    I32 = "i32"
    I64 = "i64"
    F32 = "f32"
    F64 = "f64"

    # Members are compared by identity; these are asked for often.
    __hash__ = object.__hash__

    def __init__(self, name: str) -> None:
        self.is_float = name[0] == "f"
        self.is_int = name[0] == "i"

    @property
    def itemsize(self) -> int:
        """Bytes of one element in memory."""
        return {"bool": 1, "i32": 4, "i64": 8, "f32": 4, "f64": 8}[self.value]

    def __repr__(self) -> str:
        return self.value


BOOL, I32, I64, F32, F64 = DType.BOOL, DType.I32, DType.I64, DType.F32, DType.F64


@dataclass(frozen=True, slots=True)
class Type:
    """An element type and a shape; a scalar when the shape is empty."""

    dtype: DType
    shape: tuple[Atom, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_array(self) -> bool:
        return bool(self.shape)

    def drop(self, dims: int) -> Type:
        """The type of an element after `dims` leading dimensions were indexed away."""
        return Type(self.dtype, self.shape[dims:])

    def stacked(self, size: Atom) -> Type:
        """The type of `size` such values in one array."""
        return Type(self.dtype, (size, *self.shape))

    def __repr__(self) -> str:
        if not self.shape:
            return self.dtype.value
        return f"{self.dtype.value}[{', '.join(map(repr, self.shape))}]"


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """A variable; its name is unique within a function."""

    name: str
    type: Type

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Var) and self.name == other.name and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Lit:
    """A literal scalar. NaN equals NaN here, and 0.0 differs from -0.0: identity of bits."""

    value: bool | int | float
    dtype: DType

    @property
    def type(self) -> Type:
        return Type(self.dtype)

    def __eq__(self, other: object) -> bool:
        # repr tells -0.0 from 0.0 and is equal for all NaNs.
        return isinstance(other, Lit) and self.dtype is other.dtype and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(self.value) if self.value == self.value else 0  # NaN differs from itself

    def __repr__(self) -> str:
        return repr(self.value)


Atom: TypeAlias = Var | Lit


def i64(value: int) -> Lit:
    """The literal i64 `value`: sizes, indices, counts."""
    return Lit(int(value), I64)


def f64(value: float) -> Lit:
    return Lit(float(value), F64)


def boolean(value: bool) -> Lit:
    return Lit(bool(value), BOOL)


def zero(dtype: DType) -> Lit:
    """The literal zero (or False) of a scalar type."""
    return Lit({DType.BOOL: False, DType.I32: 0, DType.I64: 0}.get(dtype, 0.0), dtype)


def extents(sizes: Sequence[SupportsInt]) -> tuple[int, ...]:
    """The shape that sizes stand for: none is negative.

    Except that where there are no rows their size means nothing, as with what a loop keeps that never runs: it is 0.
    """
    shape = tuple(int(size) for size in sizes)
    if any(size < 0 and 0 not in shape[:k] for k, size in enumerate(shape)):
        raise IRError(f"a size is negative: {shape}")
    return tuple(max(0, size) for size in shape)
