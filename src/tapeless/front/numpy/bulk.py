"""`tp.map`, `tp.reduce`, `tp.scan`, `tp.hist`, `tp.scatter`: calls of the parallel operators.

Their plain Python meaning is in `tapeless.operators`. Elements are taken along the leading axis; functions given
to them are inlined into the bodies of the operators of the intermediate language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ... import operators
from ...errors import ShapeError
from ...ir.build import Builder
from ...ir.types import BOOL, I64, Atom, DType, Type
from ..context import Context, describe
from ..registry import implements
from ..values import Value
from .arguments import array_like, contents, map_rows, pull
from .atoms import NUMPY_DTYPE, convert, literal
from .elementwise import broadcast
from .nest import Atoms, array_of, pull_atom, stretched, whole
from .ufuncs import ASSOCIATIVE

Combine = Callable[..., Sequence[Atom]]


@implements(operators.prange)
def prange(c: Context, *bounds: Value) -> Value:
    """A range; whether its iterations are independent is found out from the program itself."""
    return c.call(range, bounds)


@implements(operators.map)
def map_(c: Context, f: Value, *arrays: Value) -> Value:
    """`f` of the elements, stacked."""
    columns = [_column(c, a) for a in arrays]
    if not columns:
        c.refuse("tp.map needs at least one array")
    size = _common_size(c, columns)
    is_tuple: list[bool] = []

    def body(b: Builder, i: Atom) -> Sequence[Atom]:
        with c.inside(b):
            result = c.call(f, [c.fresh(b.apply("index", a, i)) for a in columns])
            is_tuple.append(isinstance(result, tuple))
            parts: tuple[Value, ...] = result if is_tuple[-1] else (result,)
            return [contents(c, array_like(c, part)) for part in parts]

    results = tuple(c.fresh(x) for x in map_rows(c, size, body))
    return results if is_tuple[0] else results[0]


@implements(operators.reduce)
def reduce_(c: Context, op: Value, neutral: Value, xs: Value) -> Value:
    """The elements combined by an associative operator."""
    return _combined(c, op, neutral, xs, c.b.reduce)


@implements(operators.scan)
def scan_(c: Context, op: Value, neutral: Value, xs: Value) -> Value:
    """The inclusive prefixes of `tp.reduce`."""
    return _combined(c, op, neutral, xs, c.b.scan)


def _combined(c: Context, op: Value, neutral: Value, xs: Value, form: Callable[..., Atoms]) -> Value:
    several = isinstance(neutral, tuple)
    neutrals = (c.items(neutral) or ()) if several else (neutral,)
    columns = [_column(c, a) for a in ((c.items(xs) or ()) if several else (xs,))]
    if len(columns) != len(neutrals):
        c.refuse("as many arrays as neutral elements are needed", error=ShapeError)
    size = _common_size(c, columns)
    starts = [_accumulator(c, e, a) for e, a in zip(neutrals, columns, strict=True)]
    types = [x.type for x in starts]

    def element(b: Builder, i: Atom) -> Sequence[Atom]:
        rows = [b.apply("index", a, i) for a in columns]
        return [_as_type(b, row, type) for row, type in zip(rows, types, strict=True)]

    results = tuple(c.fresh(x) for x in form(size, combine(c, op, types, several), tuple(starts), element))
    return results if several else results[0]


def _accumulator(c: Context, neutral: Value, column: Atom) -> Atom:
    """The neutral element in the type and shape that combining it with an element gives."""
    element = c.fresh(_row_like(column))
    dtype = c.promote(neutral, element)
    p = pull(c, neutral, dtype)
    shape = broadcast(c, [p.shape, column.type.shape[1:]])
    if p.rank == 0 and shape:
        return c.b.apply("replicate", p.at(c.b, ()), *shape)
    return whole(c.b, stretched(p, shape))


def _row_like(column: Atom) -> Atom:
    return literal(0, column.type.dtype)


def _as_type(b: Builder, x: Atom, type: Type) -> Atom:
    if x.type.dtype is type.dtype and x.type.rank == type.rank:
        return x
    if not type.is_array:
        return convert(b, x, type.dtype)
    return array_of(b, type.shape, stretched(pull_atom(x).to(type.dtype), type.shape).at)


def combine(c: Context, op: Value, types: Sequence[Type], several: bool) -> Combine | str:
    """The operator as a lambda of accumulators and values."""
    scalar = all(not type.is_array for type in types)
    name = _direct(op, types[0].dtype) if not several and scalar else None
    if name is not None:
        return name

    def body(b: Builder, *args: Atom) -> Sequence[Atom]:
        with c.inside(b):
            left, right = ([c.fresh(x) for x in part] for part in (args[: len(types)], args[len(types) :]))
            result = c.call(op, [tuple(left), tuple(right)] if several else [left[0], right[0]])
            parts: tuple[Value, ...] = c.items(result) or () if several else (result,)
            if len(parts) != len(types):
                c.refuse(f"the operator must return {len(types)} values, not {describe(result)}", error=ShapeError)
            return [_kept(c, part, type) for part, type in zip(parts, types, strict=True)]

    return body


def _kept(c: Context, value: Value, type: Type) -> Atom:
    """A result of the operator in the type of the accumulator."""
    value = array_like(c, value)
    if c.promote(value, c.fresh(literal(0, type.dtype))) is not type.dtype:
        c.refuse(
            f"the operator gives {describe(value)} where the accumulator is {NUMPY_DTYPE[type.dtype]}",
            fix="give a neutral element of the wider type",
        )
    return _as_type(c.b, contents(c, value), type)


def _direct(op: Value, dtype: DType) -> str | None:
    """The operation of the language that a ufunc is on scalars of one type."""
    found = ASSOCIATIVE.get(op) if isinstance(op, np.ufunc) else None
    return None if found is None or (found[0] in ("and", "or", "xor") and dtype.is_float) else found[dtype is BOOL]


@implements(operators.hist)
def hist_(c: Context, op: Value, dest: Value, keys: Value, values: Value, neutral: Value = None) -> Value:
    """A copy of `dest` with every value combined into the element that its key names."""
    array, where, what, size = _keyed(c, dest, keys, values)
    dtype = array.type.dtype
    if neutral is None:
        known = operators.NEUTRAL.get(op) if isinstance(op, np.ufunc) else None
        if known is None:
            c.refuse(
                "tp.hist needs neutral=... for this operator",
                why="values are combined in parallel, starting from the neutral element",
                fix="pass the value e with op(e, x) == x",
            )
        neutral = known(NUMPY_DTYPE[dtype]).item()
    operator = combine(c, op, [Type(dtype)], False)

    def body(b: Builder, i: Atom) -> Sequence[Atom]:
        return where(b, i), what(b, i)

    return c.fresh(c.b.hist(size, operator, (c.atom(neutral, dtype),), (array,), 1, body)[0])


@implements(operators.scatter)
def scatter_(c: Context, dest: Value, keys: Value, values: Value) -> Value:
    """A copy of `dest` with every value stored where its key says; the last one wins."""
    array, where, what, size = _keyed(c, dest, keys, values)
    return c.fresh(c.b.scatter(size, array, 1, lambda b, i: (where(b, i), what(b, i))))


ByIndex = Callable[[Builder, Atom], Atom]


def _keyed(c: Context, dest: Value, keys: Value, values: Value) -> tuple[Atom, ByIndex, ByIndex, Atom]:
    """The destination, the key and the value at each index, and how many there are."""
    array = contents(c, array_like(c, dest))
    places, given = pull(c, keys), pull(c, values)
    if not array.type.is_array or places.rank != 1 or not places.dtype.is_int:
        c.refuse("an array and a vector of integer keys are needed", error=ShapeError)
    if c.promote(c.fresh(literal(0, given.dtype)), c.fresh(literal(0, array.type.dtype))) is not array.type.dtype:
        c.refuse("the values have a wider type than the destination", fix="convert one of them with .astype")
    size, rest = places.shape[0], array.type.shape[1:]
    if given.rank:
        c.equal_sizes(size, given.shape[0])
    rows = stretched(given.to(array.type.dtype), (size, *rest))

    def value(b: Builder, i: Atom) -> Atom:
        return array_of(b, rest, lambda b, index: rows.at(b, (i, *index)))

    return array, (lambda b, i: places.to(I64).at(b, (i,))), value, size


def _column(c: Context, value: Value) -> Atom:
    array = contents(c, array_like(c, value))
    if not array.type.is_array:
        c.refuse("elements are taken along the leading axis: a number has none")
    return array


def _common_size(c: Context, columns: Sequence[Atom]) -> Atom:
    size = columns[0].type.shape[0]
    for column in columns[1:]:
        size = c.equal_sizes(size, column.type.shape[0])
    return size
