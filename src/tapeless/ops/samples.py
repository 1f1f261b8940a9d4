"""A small program and random arguments for every operation, made from its record.

`cases(op)` gives one program per operand type (and attribute) that applies the operation once.
The completeness matrix runs them, and so can every test of one operation: the interpreter against
NumPy, a back end against the interpreter. Values are drawn from the record's domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.build import build
from ..ir.core import Function
from ..ir.numbers import NUMPY_TYPES
from ..ir.op import Op
from ..ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Type, Var, i64
from ..records import dataclass

Range = tuple[float, float]

_ANY: Range = (-4.0, 4.0)


@dataclass(frozen=True, slots=True)
class Case:
    """A program that applies one operation, and the range of each of its parameters."""

    function: Function
    ranges: tuple[Range, ...]

    def arguments(self, rng: np.random.Generator) -> list[Any]:
        """Random arguments from the domain."""
        params = self.function.params
        return [_draw(rng, param.type, range) for param, range in zip(params, self.ranges, strict=True)]


def cases(op: Op) -> tuple[Case, ...]:
    """The programs of an operation; none when it is not known how to make one."""
    if op.arity is None:
        return tuple(_array_case(op.name, dtype) for dtype in op.dtypes if op.name in _ARRAYS)
    if op.name == "select":
        return tuple(_scalar_case(op, (BOOL, dtype, dtype)) for dtype in op.dtypes)
    if op.name == "convert":
        return tuple(_scalar_case(op, (dtype,), (to,)) for dtype in op.dtypes for to in op.dtypes)
    if op.name == "bitcast":
        return tuple(_scalar_case(op, (dtype,), (_TWIN[dtype],)) for dtype in op.dtypes)
    return tuple(_scalar_case(op, (dtype,) * op.arity) for dtype in op.dtypes)


_TWIN = {I32: F32, F32: I32, I64: F64, F64: I64}


def _scalar_case(op: Op, dtypes: Sequence[DType], attrs: tuple[Any, ...] = ()) -> Case:
    params = tuple(Var(f"x.{k}", Type(dtype)) for k, dtype in enumerate(dtypes))
    ranges = op.domain.ranges
    program = _program(op.name, params, params, attrs)
    return Case(program, tuple(ranges[min(k, len(ranges) - 1)] for k in range(len(params))))


# operation -> shapes of the array operands, literal index operands, attributes
_ARRAYS: dict[str, tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...]]] = {
    "index": (((4, 3),), (2, 1), ()),
    "slice": (((7, 3),), (5, 3, -2, 1, 2, 1), ()),
    "update": (((4, 3), (3,)), (2,), ()),
    "update_slice": (((7, 3), (3, 3)), (6, -2), ()),
    "accumulate": (((4, 3), ()), (3, 0), ()),
    "transpose": (((2, 3, 4),), (), (2, 0, 1)),
    "reshape": (((2, 6),), (3, 4), ()),
    "replicate": (((2,),), (3, 2), ()),
    "concat": (((2, 3), (2, 1), (2, 3)), (7,), (1,)),
    "stack": (((2,), (2,), (2,)), (), ()),
    "iota": ((), (5,), ()),
    "argsort": (((2, 9),), (), ()),
}


def _array_case(name: str, dtype: DType) -> Case:
    shapes, literals, attrs = _ARRAYS[name]
    params = tuple(Var(f"a.{k}", Type(dtype, tuple(map(i64, shape)))) for k, shape in enumerate(shapes))
    program = _program(name, params, (*params, *map(i64, literals)), attrs)
    return Case(program, (_ANY,) * len(params))


def _program(op: str, params: tuple[Var, ...], args: Sequence[Atom], attrs: tuple[Any, ...]) -> Function:
    return build(f"apply_{op}", params, lambda b: (b.apply(op, *args, attrs=attrs),))


def _draw(rng: np.random.Generator, type: Type, range: Range) -> Any:
    shape = tuple(int(size.value) for size in type.shape if not isinstance(size, Var))
    storage, (low, high) = NUMPY_TYPES[type.dtype], range
    if type.dtype.is_float:
        values = rng.uniform(low, high, shape)
    elif type.dtype is BOOL:
        values = rng.integers(0, 2, shape)
    else:
        values = rng.integers(int(np.ceil(low)), int(np.floor(high)), shape, endpoint=True)
    drawn = np.asarray(values).astype(storage)
    return drawn if shape else drawn[()]
