"""Reading the arguments of NumPy functions: axes, shapes, dtypes, nested lists as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from ...errors import NotStaticError, ShapeError
from ...ir.build import Builder, Indexed
from ...ir.core import Map
from ...ir.types import BOOL, F32, F64, I32, I64, Atom, DType, Lit, i64
from ..context import Context, describe
from ..promote import promote
from ..values import ArrayRef, Grown, Value
from .atoms import NUMPY_DTYPE, ZERO, plus
from .nest import Atoms, Pull, pull_atom, recast, whole

_DTYPES: dict[object, DType] = {
    bool: BOOL, int: I64, float: F64,
    np.bool_: BOOL, np.int32: I32, np.int64: I64, np.float32: F32, np.float64: F64, np.intp: I64,
}  # fmt: skip
_BY_NUMPY = {dtype: ours for ours, dtype in NUMPY_DTYPE.items()}


def dtype_of(c: Context, spec: Value) -> DType:
    """The element type that a `dtype=` argument names."""
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, type) and spec in _DTYPES:
        return _DTYPES[spec]
    try:
        found = _BY_NUMPY.get(np.dtype(spec))
    except TypeError:
        found = None
    if found is None:
        c.refuse(
            f"the element type {getattr(spec, '__name__', spec)!s} is not in the language",
            fix="use bool, int32, int64, float32 or float64",
        )
    return found


def one_axis(c: Context, axis: Value, rank: int) -> int:
    """A single axis, counted from the end when negative."""
    number = c.need_int(axis, "an axis")
    if not -rank <= number < rank:
        _bad_axis(c, number, rank)
    return number % rank


def axes_of(c: Context, axis: Value, rank: int) -> tuple[int, ...]:
    """The axes that `axis=` names, in order; all of them for None."""
    if axis is None:
        return tuple(range(rank))
    several = c.items(axis)
    if several is None:
        return (one_axis(c, axis, rank),)
    found = sorted(one_axis(c, a, rank) for a in several)
    if len(set(found)) != len(found):
        c.refuse("an axis is named twice", error=ShapeError)
    return tuple(found)


def _bad_axis(c: Context, axis: int, rank: int) -> NoReturn:
    c.refuse(f"axis {axis} does not exist in an array of {rank} dimensions", error=ShapeError)


def sizes_of(c: Context, shape: Value) -> Atoms:
    """A `shape=` argument: one size or a tuple of sizes, each checked not to be negative."""
    parts = c.items(shape)
    return tuple(size_of(c, n) for n in (parts if parts is not None else (shape,)))


def size_of(c: Context, value: Value) -> Atom:
    """One size."""
    known = c.static_int(value)
    if known is not None:
        if known < 0:
            c.refuse("negative dimensions are not allowed", error=ShapeError)
        return i64(known)
    if c.is_array(value) or not c.dtype(value).is_int:
        c.refuse(f"a size must be an integer, not {describe(value)}")
    atom = c.atom(value, I64)
    if (c.sizes.least(atom) or -1) < 0:
        c.b.check("nonneg", atom, info="negative dimensions are not allowed")
        c.sizes.at_least_constant(atom, 0)
    return atom


def integer(c: Context, value: Value, what: str) -> Atom:
    """An integer number as i64."""
    if c.is_array(value) or c.dtype(value).is_float:
        c.refuse(f"{what} must be an integer, not {describe(value)}")
    return c.atom(value, I64)


def array_like(c: Context, value: Value) -> Value:
    """A number or array as it is; nested lists and tuples of numbers as a new array."""
    if (grown := c.grown(value)) is not None:
        return c.fresh(side_by_side(c, grown))
    items = c.items(value)
    if items is None:
        if not c.is_array(value) and not c.is_scalar(value):
            c.refuse(f"a number or an array is needed here, not {describe(value)}")
        return value
    if not items:
        return c.fresh(c.b.apply("replicate", c.atom(0.0), i64(0)))
    return c.fresh(stacked(c, [array_like(c, item) for item in items]))


def side_by_side(c: Context, grown: Grown) -> Atom:
    """A list of run-time length as one array; the parts of tuples lie along the second axis."""
    rows = [_used(c, column, grown.length) for column in grown.columns]
    if grown.make is None:
        return rows[0]
    together = stacked(c, [c.fresh(row) for row in rows])
    return c.b.apply("transpose", together, attrs=(1, 0, *range(2, together.type.rank)))


def _used(c: Context, column: ArrayRef, length: Value) -> Atom:
    whole, used = c.read(column), c.atom(length)
    if c.sizes.same(whole.type.shape[0], used):
        return whole
    return c.b.apply("slice", whole, ZERO, used, i64(1))


def map_rows(c: Context, size: Atom, body: Indexed) -> Atoms:
    """A map whose elements must have one shape."""
    columns = c.b.map_(size, body)
    expr = c.b.stms[-1].expr
    assert isinstance(expr, Map)
    inside = {*expr.body.params, *(var for stm in expr.body.body.stms for var in stm.vars)}
    if any(n in inside for column in columns for n in column.type.shape):
        c.refuse(
            "the elements have different sizes",
            error=NotStaticError,
            why="they lie side by side in one array",
            fix="give them the same size, or use a loop",
        )
    return columns


def as_numpy(c: Context, value: Value) -> Value:
    """What `np.asarray` makes of an operand: a Python number is a NumPy scalar of its own type."""
    value = array_like(c, value)
    return c.fresh(c.atom(value)) if c.is_weak(value) else value


def stacked(c: Context, values: Sequence[Value], dtype: DType | None = None) -> Atom:
    """Values of one shape side by side along a new leading axis."""
    # In a list Python numbers are as strong as NumPy's.
    dtype = dtype or promote([c.dtype(value) for value in values], ())
    first = c.shape(values[0])
    for value in values[1:]:
        if len(c.shape(value)) != len(first):
            c.refuse("the elements have different numbers of dimensions", error=ShapeError)
        first = tuple(c.equal_sizes(m, n) for m, n in zip(first, c.shape(value), strict=True))
    return c.b.apply("stack", *(contents(c, value, dtype, first) for value in values))


def contents(c: Context, value: Value, dtype: DType | None = None, shape: Atoms | None = None) -> Atom:
    """A number or array as an atom of the type, under equal sizes when given."""
    if not c.is_array(value):
        return c.atom(value, dtype)
    atom: Atom = c.read(value)
    if dtype is not None and dtype is not atom.type.dtype:
        atom = whole(c.b, pull_atom(atom).to(dtype))
    return atom if shape is None else recast(c.b, atom, shape)


def pull(c: Context, value: Value, dtype: DType | None = None) -> Pull:
    """A number, array or nested list by its elements, converted to a type."""
    value = array_like(c, value)
    if c.is_array(value):
        source = pull_atom(c.read(value))
        return source if dtype is None else source.to(dtype)
    if dtype is I32 and c.is_weak(value) and c.dtype(value) is I64:
        _check_fits(c, value)
    return pull_atom(c.atom(value, dtype or c.dtype(value)))


def _check_fits(c: Context, value: Value) -> None:
    """A Python integer that meets 32-bit integers must be one of them, as in NumPy."""
    known = c.static_int(value)
    if known is not None:
        if not -(1 << 31) <= known < 1 << 31:
            c.refuse(f"the Python integer {known} is out of bounds for int32", fix="use 64-bit integers")
        return
    wide = c.atom(value)
    narrow = c.b.apply("convert", c.b.apply("convert", wide, attrs=(I32,)), attrs=(I64,))
    c.b.check("overflow", c.b.apply("eq", wide, narrow), info="Python integer out of bounds for int32")


def count(c: Context, shape: Atoms) -> Atom:
    """The number of elements of a shape."""
    total: Atom = i64(1)
    for size in shape:
        total = c.sizes.mul(c.b, total, size)
    return total


def in_range(b: Builder, index: Atom, size: Atom) -> Atom:
    """An index counted from the end when negative, checked to be in range."""
    if isinstance(index, Lit):
        wrapped: Atom = index if index.value >= 0 else plus(b, index, size)
    else:
        wrapped = b.apply("select", b.apply("lt", index, ZERO), plus(b, index, size), index)
    b.check("bounds", wrapped, size)
    return wrapped


def flag(c: Context, value: Value, what: str) -> bool:
    """A True or False that must be known now."""
    return bool(c.need_int(value, what))


def only_options(c: Context, name: str, options: dict[str, Value], *harmless: str) -> None:
    """Refuse options of a NumPy function, except those that change nothing here."""
    for option, value in options.items():
        if option not in harmless and value is not None:
            c.refuse(f"{name} is compiled without its option {option}=", fix="leave the option out")
