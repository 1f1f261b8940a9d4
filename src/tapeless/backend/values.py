"""What a variable of the program is while code is written: a scalar or an array, in one lane or many.

Inside a vectorised region W iterations run side by side, one per lane. A scalar is then
    uniform   the same in every lane, kept as one scalar (`step` is "0"),
    linear    base + lane * step, an i64 kept as two uniform numbers (indices mostly are), or
    varying   one LLVM vector of W values (`step` is ""); `near` when it is linear but for a few places, as
              the index of a neighbour on a ring is.
An array is a pointer with strides: element (i, j) stands at offset + i * strides[0] + j * strides[1].
`Region` is the memory behind it. Lane-private memory holds the W lanes of an element side by side.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..ir.types import DType, Var
from ..records import dataclass, field

VARYING = ""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar; the text of a linear one is its value in lane 0.

    A varying index that was made by adding literals to another vector remembers that one and their sum (`origin`).
    """

    dtype: DType
    text: str
    step: str = "0"
    near: bool = False
    origin: tuple[str, int] | None = field(default=None, compare=False)

    @property
    def is_uniform(self) -> bool:
        return self.step == "0"

    @property
    def is_varying(self) -> bool:
        return self.step == VARYING

    @property
    def literal(self) -> int | None:
        """The value of an integer constant."""
        return as_literal(self.text) if self.is_uniform else None


def as_literal(text: str) -> int | None:
    """The integer that an LLVM operand spells, if it does."""
    return int(text) if text.lstrip("-").isdigit() else None


def size(value: int) -> Scalar:
    """The literal i64 as a value."""
    return Scalar(DType.I64, str(value))


class Region:
    """A piece of memory that arrays live in, compared by identity.

    given: the caller's, read only unless donated; stack: a few elements in the function's frame;
    slot: a buffer owned through a slot of the frame, which may change hands; part: inside another
    array that is being built. `level` counts the divergent branches around the place where it was
    made, `names` are the variables bound to it, `held` keeps its slot from being used again, and
    nobody writes `constant` memory while the function runs.
    """

    __slots__ = ("constant", "held", "kind", "level", "names", "owner", "private", "scope", "writable")

    def __init__(
        self,
        kind: Literal["given", "stack", "slot", "part"],
        *,
        writable: bool,
        private: bool = False,
        level: int = 0,
        owner: str = "",
        scope: int = 0,
    ) -> None:
        self.kind = kind
        self.constant = kind == "given" and not writable
        self.writable = writable
        self.private = private
        self.level = level
        self.owner = owner
        self.scope = scope
        self.names: list[Var] = []
        self.held = 0


@dataclass(frozen=True, slots=True)
class Array:
    """An array in memory; sizes, strides and offset are i64 and count elements.

    `packed` means that the elements follow one another in row-major order from the offset on. `adds` marks an
    accumulator, whose elements are added to instead of overwritten (`adding.py`), `replaces` an array of which each
    element is overwritten by one that is made of it: none may be computed twice.
    """

    dtype: DType
    region: Region
    pointer: str
    offset: Scalar
    dims: tuple[Scalar, ...]
    strides: tuple[Scalar, ...]
    packed: bool
    adds: Literal["", "alone", "across"] = ""
    replaces: bool = False

    @property
    def rank(self) -> int:
        return len(self.dims)


Value: TypeAlias = Scalar | Array
