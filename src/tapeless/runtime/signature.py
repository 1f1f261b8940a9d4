"""What the entry point must know of a compiled function: its parameters, results and outputs.

parameter   a Python int, float or bool; a NumPy scalar; or an array
result      what the kernel leaves in a result slot, in the order of the program's results
output      what the caller gets: result k (k >= 0), or argument k itself, written as ~k
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ..records import dataclass

Kind: TypeAlias = Literal["int", "float", "bool", "scalar", "array"]

DTYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
_PYTHON = {"int": "i64", "float": "f64", "bool": "bool"}

ANY = -1  # a symbolic size: anything but 1


def same(slot: int) -> int:
    """The size that stands in an earlier argument slot (a scalar takes one slot, an array one more per dimension)."""
    return -2 - slot


def dims(shapes: Sequence[Sequence[int | str]]) -> list[tuple[int, ...]]:
    """`Param.dims` for the shapes of all parameters in order, each size a number or a name; a name means one size."""
    known: dict[str, int] = {}
    slot, found = 0, list[tuple[int, ...]]()
    for shape in shapes:
        codes: list[int] = []
        for position, size in enumerate(shape, slot + 1):
            if isinstance(size, int):
                codes.append(size)
            else:
                codes.append(same(known[size]) if size in known else ANY)
                known.setdefault(size, position)
        found.append(tuple(codes))
        slot += 1 + len(shape)
    return found


@dataclass(frozen=True, slots=True)
class Param:
    """One argument. `dims` holds a literal size, `ANY` or `same(...)` per dimension; `written` means in place."""

    kind: Kind
    dtype: str
    dims: tuple[int, ...] = ()
    written: bool = False

    def __post_init__(self) -> None:
        _validate(self.kind, self.dtype, len(self.dims))
        if self.written and self.kind != "array":
            raise ValueError("only an array can be written")


@dataclass(frozen=True, slots=True)
class Result:
    """One result of the kernel. `donor` is the parameter whose memory holds it (a donated array)."""

    kind: Kind
    dtype: str
    rank: int = 0
    donor: int | None = None

    def __post_init__(self) -> None:
        _validate(self.kind, self.dtype, self.rank)


@dataclass(frozen=True, slots=True)
class Signature:
    """The whole call. With no output the caller gets None, with one that output, with more a tuple."""

    params: tuple[Param, ...]
    results: tuple[Result, ...]
    outputs: tuple[int, ...]

    def __post_init__(self) -> None:
        for result in self.results:
            if result.donor is not None and not self.params[result.donor].written:
                raise ValueError(f"parameter {result.donor} holds a result but is not written")
        if any(not -len(self.params) <= k < len(self.results) for k in self.outputs):
            raise ValueError("an output is neither a result nor an argument")


def _validate(kind: Kind, dtype: str, rank: int) -> None:
    if dtype not in DTYPES:
        raise ValueError(f"unknown element type {dtype!r}")
    if (kind == "array") != (rank > 0):
        raise ValueError(f"{kind} of rank {rank}")
    if _PYTHON.get(kind, dtype) != dtype:
        raise ValueError(f"a Python {kind} is held as {_PYTHON[kind]}, not {dtype}")
