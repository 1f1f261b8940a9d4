"""Small arrays taken apart into their elements, so that each element has a derivative, or none, of its own.

A Jacobian by an array of few elements is one by as many scalars. What depends on one of them only has no tangent in the
direction of another, where the array as a whole would have a tangent full of zeros. `Input` says what stands for a
variable to differentiate by; the elements of a result are found where the block stacks them up. `assembled` puts
the derivatives of elements together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Expr
from ..ir.types import Atom, DType, Lit, Type, Var, i64
from ..ir.walk import fresh
from ..passes.views import element_count
from ..records import dataclass
from .values import zeros

# So many elements of all inputs together are taken apart.
LIMIT = 32


@dataclass(frozen=True, slots=True)
class Side:
    """A value of this type, in one piece or in its elements."""

    type: Type
    is_whole: bool

    @property
    def inside(self) -> Atoms:
        """The shape of a piece."""
        return self.type.shape if self.is_whole else ()


@dataclass(frozen=True, slots=True)
class Input:
    """A variable of this type to differentiate by: `vars` are itself, or one scalar for each element."""

    type: Type
    vars: tuple[Var, ...]

    @property
    def is_whole(self) -> bool:
        """Is it an array in one piece?"""
        return self.vars[0].type.is_array

    def value(self, b: Builder) -> Atom:
        """The variable itself."""
        return self.vars[0] if self.is_whole else together(b, self.vars, self.type)

    def parts(self, b: Builder, atom: Atom) -> Atoms:
        """A value of this type as values of `vars`."""
        if self.is_whole or not self.type.is_array:
            return (atom,)
        return tuple(b.apply("index", atom, *map(i64, place)) for place in product(*map(range, _sizes(self.type))))


@dataclass(frozen=True, slots=True)
class Row:
    """A result: its elements in row-major order, or the array; `places` are theirs among those of all rows."""

    side: Side
    atoms: Atoms
    places: range

    @property
    def is_float(self) -> bool:
        return self.side.type.dtype.is_float


def inputs_of(types: Sequence[Type]) -> tuple[Input, ...]:
    """Fresh variables for values of these types, those of few elements taken apart."""
    counts = [element_count(type) or 0 for type in types]
    few = sum(count for count in counts if count <= LIMIT) <= LIMIT
    made: list[Input] = []
    for type, count in zip(types, counts, strict=True):
        parts = [Type(type.dtype)] * count if few and 0 < count <= LIMIT else [type]
        made.append(Input(type, tuple(fresh("x", part) for part in parts)))
    return tuple(made)


def rows_of(block: Block) -> list[Row]:
    """The results of a block in their elements, where those have names of their own."""
    defined = {var: stm.expr for stm in block.stms for var in stm.vars}
    rows: list[Row] = []
    count = 0
    for result in block.results:
        parts = _elements(defined, result)
        atoms = (result,) if parts is None else parts
        rows.append(Row(Side(result.type, parts is None), atoms, range(count, count + len(atoms))))
        count += len(atoms)
    return rows


def together(b: Builder, atoms: Sequence[Atom], type: Type) -> Atom:
    """The value of this type whose elements are these scalars, in row-major order."""
    if not type.is_array:
        return atoms[0]
    return reshaped(b, b.apply("stack", *atoms), type.shape)


def assembled(b: Builder, dtype: DType, row: Side, column: Side, cells: Sequence[Sequence[Atom | None]]) -> Atom:
    """The derivative of one value by another; its shape is that of the row followed by that of the column.

    `cells` has a line for each element of the row, or a single one for the whole, and in it a cell for each element of
    the column, or a single one. A cell that is None is zero.
    """
    shape = row.type.shape + column.type.shape
    if all(cell is None for line in cells for cell in line):
        return zeros(b, Type(dtype, shape))
    inside = Type(dtype, row.inside + column.inside)
    atoms = [zeros(b, inside) if cell is None else cell for line in cells for cell in line]
    if inside.shape == shape:
        return atoms[0]
    stacked = b.apply("stack", *atoms)
    if row.inside:
        return seed_last(b, reshaped(b, stacked, column.type.shape + row.inside), column.type.rank)
    return reshaped(b, stacked, shape)


def reshaped(b: Builder, array: Atom, shape: Atoms) -> Atom:
    return array if array.type.shape == shape else b.apply("reshape", array, *shape)


def seed_last(b: Builder, array: Atom, rank: int) -> Atom:
    """Move the `rank` leading dimensions, those of the seed, to the end."""
    order = (*range(rank, array.type.rank), *range(rank))
    return array if order == tuple(range(array.type.rank)) else b.apply("transpose", array, attrs=order)


def _sizes(type: Type) -> list[int]:
    return [int(size.value) for size in type.shape if isinstance(size, Lit)]


def _elements(defined: Mapping[Var, Expr], atom: Atom) -> Atoms | None:
    if not atom.type.is_array:
        return (atom,)
    match defined.get(atom) if isinstance(atom, Var) else None:
        case Apply("reshape", (source, *_)):
            return _elements(defined, source)
        case Apply("stack", args):
            parts = [_elements(defined, arg) for arg in args]
            return None if None in parts else tuple(x for part in parts if part is not None for x in part)
        case _:
            return None
