"""Types and constants of JAX as types and atoms of the IR."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np

from ...ir.build import Atoms, Builder
from ...ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type, i64
from ..numpy.atoms import literal

# Unsigned numbers that an i64 holds; inside programs for machine code that is what they are.
UNSIGNED = {"uint8": 8, "uint16": 16, "uint32": 32}
is_wide: ContextVar[bool] = ContextVar("is_wide", default=False)

DTYPES: dict[str, DType] = {"bool": BOOL, "int32": I32, "int64": I64, "float32": F32, "float64": F64}

# Constants of so many elements are written into the program, where they can be computed with.
WRITTEN = 4096


class UnrepresentableError(Exception):
    """A value of a type that the IR does not have: complex, unsigned or short numbers, random keys.

    Nobody outside sees it: the part with that value is left to JAX, or `to_ir` refuses the program.
    """


def dtype_of(dtype: Any) -> DType:
    """The scalar type for one of NumPy's."""
    found = DTYPES.get(str(dtype))
    if found is None and is_wide.get() and str(dtype) in UNSIGNED:
        return I64
    if found is None:
        raise UnrepresentableError(str(dtype))
    return found


def is_representable(aval: Any) -> bool:
    """Has the IR a type for values of this abstract value?"""
    name = str(getattr(aval, "dtype", ""))
    return name in DTYPES or (is_wide.get() and name in UNSIGNED)


def type_of(aval: Any) -> Type:
    """The type of values of this abstract value; its sizes are literals."""
    return Type(dtype_of(aval.dtype), sizes(aval.shape))


def sizes(shape: Any) -> Atoms:
    """A shape of integers as literals."""
    return tuple(i64(int(size)) for size in shape)


def ints(values: Any) -> list[int]:
    """Numbers of JAX's parameters, which may be NumPy's, as Python integers."""
    return [int(value) for value in values]


def constant(b: Builder, value: Any) -> Atom:
    """A concrete number or array, element by element."""
    array = np.asarray(value)
    dtype = dtype_of(array.dtype)

    def level(part: Any) -> Atom:
        if not part.ndim:
            return literal(part.item(), dtype)
        return b.apply("stack", *(level(each) for each in part))

    if array.size == 0:
        return b.apply("replicate", literal(0, dtype), *sizes(array.shape))
    if array.size > 1 and (array == array.flat[0]).all() and not (array == 0).any():
        return b.apply("replicate", literal(array.flat[0].item(), dtype), *sizes(array.shape))
    return level(array)
