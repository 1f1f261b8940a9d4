"""Elements put together and moved around: joining, repeating, rolling, padding, taking.

Joining is the operation `concat`; the others say for each element of the result where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import ShapeError
from ...ir.build import Builder
from ...ir.types import I64, Atom, i64
from ..context import Context
from ..registry import implements, method
from ..values import Value
from .arguments import array_like, contents, dtype_of, in_range, integer, one_axis, pull, size_of, stacked
from .atoms import ONE, ZERO, literal, minus, plus, quotient, remainder
from .nest import Atoms, Pull, array_of, whole
from .shapes import expand_dims, moveaxis, ravel, with_shape


def _sequence(c: Context, arrays: Value) -> list[Value]:
    """The arrays of a tuple or list, or the rows of one array."""
    items = c.items(arrays)
    if items is None:
        c.refuse("a tuple or list of arrays is needed here", fix="np.reshape joins the rows of one array")
    if not items:
        c.refuse("at least one array is needed", error=ShapeError)
    return [array_like(c, x) for x in items]


def _run_time_rows(c: Context, arrays: Value) -> Value:
    """A list of run-time length of arrays, stacked, or None for anything else."""
    if c.grown(arrays) is None:
        return None
    rows = array_like(c, arrays)
    c.b.check("nonempty", c.shape(rows)[0])
    return rows


def _end_to_end(c: Context, rows: Value, axis: Value) -> Value:
    """The rows of a stack one after another."""
    first, *rest = c.shape(rows)
    if not rest or axis != 0:
        c.refuse(
            "arrays of a list of run-time length are joined along their first axis only",
            fix="use np.stack, then np.reshape and np.transpose",
        )
    return with_shape(c, rows, (c.sizes.mul(c.b, first, rest[0]), *rest[1:]))


@implements(np.concatenate, np.concat)
def concatenate(c: Context, arrays: Value, axis: Value = 0, *, dtype: Value = None) -> Value:
    """Arrays one after another along an axis."""
    if (rows := _run_time_rows(c, arrays)) is not None:
        return _end_to_end(c, rows, axis)
    parts = _sequence(c, arrays)
    if axis is None:
        parts, axis = [ravel(c, x) for x in parts], 0
    rank = len(c.shape(parts[0]))
    if not rank or any(len(c.shape(x)) != rank for x in parts):
        c.refuse("the arrays to be joined need one number of dimensions, at least one", error=ShapeError)
    return c.fresh(joined(c, parts, one_axis(c, axis, rank), dtype))


def joined(c: Context, parts: Sequence[Value], axis: int, dtype: Value = None) -> Atom:
    """The operation `concat` after promotion and agreement of the other sizes."""
    to = c.promote(*parts) if dtype is None else dtype_of(c, dtype)
    common = c.shape(parts[0])
    total = common[axis]
    for part in parts[1:]:
        shape = c.shape(part)
        common = tuple(
            m if d == axis else c.equal_sizes(m, n) for d, (m, n) in enumerate(zip(common, shape, strict=True))
        )
        total = c.sizes.add(c.b, total, shape[axis])
    atoms = [contents(c, part, to, (*common[:axis], c.shape(part)[axis], *common[axis + 1 :])) for part in parts]
    return c.b.apply("concat", *atoms, total, attrs=(axis,))


@implements(np.stack)
def stack(c: Context, arrays: Value, axis: Value = 0) -> Value:
    """Arrays of one shape side by side along a new axis."""
    result = _run_time_rows(c, arrays) or c.fresh(stacked(c, _sequence(c, arrays)))
    where = one_axis(c, axis, len(c.shape(result)))
    return c.fresh(c.read(moveaxis(c, result, 0, where))) if where else result


@implements(np.vstack)
def vstack(c: Context, tup: Value) -> Value:
    """Rows one below the other."""
    if (rows := _run_time_rows(c, tup)) is not None:
        return rows if len(c.shape(rows)) == 2 else _end_to_end(c, rows, 0)
    parts = [with_shape(c, x, (ONE,) * (2 - len(c.shape(x))) + c.shape(x)) for x in _sequence(c, tup)]
    return concatenate(c, tuple(parts), 0)


@implements(np.hstack)
def hstack(c: Context, tup: Value) -> Value:
    """Columns one after the other; vectors end to end."""
    if (rows := _run_time_rows(c, tup)) is not None:
        return _end_to_end(c, rows, 0 if len(c.shape(rows)) == 2 else 1)
    parts = [with_shape(c, x, (ONE,)) if not c.shape(x) else x for x in _sequence(c, tup)]
    return concatenate(c, tuple(parts), 0 if len(c.shape(parts[0])) == 1 else 1)


@implements(np.column_stack)
def column_stack(c: Context, tup: Value) -> Value:
    """Vectors as the columns of a matrix."""
    if (rows := _run_time_rows(c, tup)) is not None:
        return c.fresh(c.read(moveaxis(c, rows, 0, 1))) if len(c.shape(rows)) == 2 else _end_to_end(c, rows, 1)
    parts = [expand_dims(c, x, 1) if len(c.shape(x)) == 1 else x for x in _sequence(c, tup)]
    return concatenate(c, tuple(parts), 1)


@implements(np.dstack)
def dstack(c: Context, tup: Value) -> Value:
    """Arrays one behind the other along a third axis."""
    parts = [_three_dimensional(c, x) for x in _sequence(c, tup)]
    return concatenate(c, tuple(parts), 2)


def _three_dimensional(c: Context, x: Value) -> Value:
    shape = c.shape(x)
    if len(shape) >= 3:
        return x
    return with_shape(c, x, (*((ONE,) * (len(shape) < 2)), *shape, *((ONE,) * (3 - max(len(shape), 2)))))


@implements(np.append)
def append(c: Context, arr: Value, values: Value, axis: Value = None) -> Value:
    """An array followed by values."""
    return concatenate(c, (array_like(c, arr), array_like(c, values)), axis)


def _moved(c: Context, p: Pull, axis: int, size: Atom, where: Callable[[Builder, Atom], Atom]) -> Value:
    """An array whose index along one axis is read from `where(b, i)`."""
    shape = (*p.shape[:axis], size, *p.shape[axis + 1 :])
    moved = p.moved(shape, lambda b, index: (*index[:axis], where(b, index[axis]), *index[axis + 1 :]))
    return c.fresh(whole(c.b, moved))


def _along(c: Context, a: Value, axis: Value) -> tuple[Pull, int]:
    """An array and the axis to work along; of the flattened array when the axis is None."""
    a = array_like(c, a)
    if axis is None:
        a, axis = ravel(c, a), 0
    p = pull(c, a)
    return p, one_axis(c, axis, p.rank)


@implements(np.roll)
def roll(c: Context, a: Value, shift: Value, axis: Value = None) -> Value:
    """Elements moved on along an axis, those that fall off put in front."""
    shifts, axes = c.items(shift), c.items(axis)
    if shifts is not None or axes is not None:
        pairs = zip(shifts or (shift,) * len(axes or ()), axes or (axis,) * len(shifts or ()), strict=True)
        for one, along in pairs:
            a = roll(c, a, one, along)
        return a
    a = array_like(c, a)
    p, along = _along(c, a, axis)
    n = p.shape[along]
    by = remainder(c.b, integer(c, shift, "the shift"), n)

    def where(b: Builder, i: Atom) -> Atom:
        back = minus(b, i, by)
        return b.apply("select", b.apply("lt", back, ZERO), plus(b, back, n), back) if by != ZERO else i

    rolled = _moved(c, p, along, n, where)
    return with_shape(c, rolled, c.shape(a)) if axis is None else rolled


@implements(np.repeat)
@method("repeat")
def repeat(c: Context, a: Value, repeats: Value, axis: Value = None) -> Value:
    """Each element several times."""
    if c.is_array(repeats) or c.items(repeats) is not None:
        c.refuse("np.repeat is compiled for one number of repeats", why="else the size depends on run-time values")
    p, along = _along(c, a, axis)
    times = size_of(c, repeats)
    return _moved(c, p, along, c.sizes.mul(c.b, p.shape[along], times), lambda b, i: quotient(b, i, times))


@implements(np.tile)
def tile(c: Context, A: Value, reps: Value) -> Value:
    """The whole array several times along each axis."""
    value = array_like(c, A)
    items = c.items(reps)
    times = [size_of(c, n) for n in (items if items is not None else (reps,))]
    rank = max(len(times), len(c.shape(value)))
    times = [ONE] * (rank - len(times)) + times
    p = pull(c, with_shape(c, value, (ONE,) * (rank - len(c.shape(value))) + c.shape(value)))
    shape = tuple(c.sizes.mul(c.b, n, k) for n, k in zip(p.shape, times, strict=True))

    def where(b: Builder, index: Atoms) -> Atoms:
        return tuple(i if k == ONE else remainder(b, i, n) for i, n, k in zip(index, p.shape, times, strict=True))

    return c.fresh(whole(c.b, p.moved(shape, where)))


@implements(np.pad)
def pad(c: Context, array: Value, pad_width: Value, mode: Value = "constant", constant_values: Value = 0) -> Value:
    """An array with a margin: constant, edge, wrap, reflect or symmetric."""
    p = pull(c, array)
    if mode not in ("constant", "edge", "wrap", "reflect", "symmetric"):
        c.refuse(f"np.pad is compiled without mode={mode!r}", fix="constant, edge, wrap, reflect and symmetric are")
    for axis, (before, after) in enumerate(_margins(c, pad_width, p.rank)):
        p = _padded(c, p, axis, before, after, mode, c.atom(constant_values, p.dtype) if mode == "constant" else None)
    return c.fresh(whole(c.b, p))


def _margins(c: Context, pad_width: Value, rank: int) -> list[tuple[Atom, Atom]]:
    items = c.items(pad_width)
    if items is None:
        width = size_of(c, pad_width)
        return [(width, width)] * rank
    if all(c.items(item) is None for item in items):
        if len(items) not in (1, 2):
            c.refuse("the margins must be one number, a pair, or a pair per axis", error=ShapeError)
        return [(size_of(c, items[0]), size_of(c, items[-1]))] * rank
    pairs = [c.items(item) or (item,) for item in items]
    if len(pairs) not in (1, rank):
        c.refuse("the margins must be one number, a pair, or a pair per axis", error=ShapeError)
    margins = [(size_of(c, pair[0]), size_of(c, pair[-1])) for pair in pairs]
    return margins * rank if len(margins) == 1 else margins


def _padded(c: Context, p: Pull, axis: int, before: Atom, after: Atom, mode: str, constant: Atom | None) -> Pull:
    if before == ZERO and after == ZERO:
        return p
    n = p.shape[axis]
    size = c.sizes.add(c.b, c.sizes.add(c.b, before, n), after)
    shape = (*p.shape[:axis], size, *p.shape[axis + 1 :])
    if constant is None and c.sizes.least(n) in (None, 0):
        c.b.check("nonempty", n, info="can't extend empty axis using modes other than 'constant'")
    last = c.sizes.sub(c.b, n, ONE)

    def at(b: Builder, index: Atoms) -> Atom:
        inner = minus(b, index[axis], before)
        source = inner if constant is not None else _continued(b, inner, n, last, mode)

        def read(b: Builder) -> tuple[Atom]:
            return (p.at(b, (*index[:axis], source, *index[axis + 1 :])),)

        if constant is None:
            return read(b)[0]
        inside = b.apply("and", b.apply("ge", inner, ZERO), b.apply("lt", inner, n))
        margin: tuple[Atom] = (constant,)
        return b.if_(inside, read, lambda _: margin)[0]

    return Pull(p.dtype, shape, at)


def _continued(b: Builder, i: Atom, n: Atom, last: Atom, mode: str) -> Atom:
    """Where a position outside falls when the axis is continued by its edge, periodically or by reflection."""
    if mode == "edge":
        return b.apply("max", b.apply("min", i, last), ZERO)
    if mode == "wrap":
        return b.apply("mod", i, n)
    period = b.apply("max", b.apply("mul", i64(2), last if mode == "reflect" else n), ONE)
    phase = b.apply("mod", i, period)
    shift = period if mode == "reflect" else minus(b, period, ONE)
    return b.apply("min", phase, b.apply("sub", shift, phase))


@implements(np.take)
@method("take")
def take(c: Context, a: Value, indices: Value, axis: Value = None, out: Value = None, mode: Value = "raise") -> Value:
    """Elements at indices along an axis."""
    if out is not None or mode != "raise":
        c.refuse("np.take is compiled without out= and mode=")
    p, along = _along(c, a, axis)
    where = pull(c, indices)
    if not where.dtype.is_int:
        c.refuse("indices must be integers")
    where = where.to(I64)

    def at(b: Builder, index: Atoms) -> Atom:
        chosen = in_range(b, where.at(b, index[along : along + where.rank]), p.shape[along])
        return p.at(b, (*index[:along], chosen, *index[along + where.rank :]))

    return c.fresh(array_of(c.b, (*p.shape[:along], *where.shape, *p.shape[along + 1 :]), at))


@implements(np.take_along_axis)
def take_along_axis(c: Context, arr: Value, indices: Value, axis: Value = -1) -> Value:
    """For each place, the element at an index along one axis."""
    p, along = _along(c, arr, axis)
    where = pull(c, indices).to(I64)
    if where.rank != p.rank:
        c.refuse("the indices need as many dimensions as the array", error=ShapeError)
    shape = tuple(
        n if d == along or m == ONE else m if n == ONE else c.equal_sizes(m, n)
        for d, (m, n) in enumerate(zip(p.shape, where.shape, strict=True))
    )

    def at(b: Builder, index: Atoms) -> Atom:
        chosen = in_range(b, where.at(b, index), p.shape[along])
        return p.at(b, (*index[:along], chosen, *index[along + 1 :]))

    return c.fresh(array_of(c.b, shape, at))


@implements(np.tril)
def tril(c: Context, m: Value, k: Value = 0) -> Value:
    """The lower triangle, zeros above."""
    return _triangle(c, m, k, "le")


@implements(np.triu)
def triu(c: Context, m: Value, k: Value = 0) -> Value:
    """The upper triangle, zeros below."""
    return _triangle(c, m, k, "ge")


def _triangle(c: Context, m: Value, k: Value, keep: str) -> Value:
    p, offset = pull(c, m), integer(c, k, "the diagonal")
    if p.rank < 2:
        c.refuse("a triangle needs at least two dimensions")

    def at(b: Builder, index: Atoms) -> Atom:
        kept = b.apply(keep, index[-1], plus(b, index[-2], offset))
        return b.apply("select", kept, p.at(b, index), literal(0, p.dtype))

    return c.fresh(array_of(c.b, p.shape, at))


@implements(np.diag)
def diag(c: Context, v: Value, k: Value = 0) -> Value:
    """The matrix with a given diagonal, or the diagonal of a matrix."""
    p = pull(c, v)
    offset = c.need_int(k, "the diagonal")
    down, right = i64(max(-offset, 0)), i64(max(offset, 0))
    if p.rank == 2:
        size = c.sizes.min(c.b, c.sizes.sub(c.b, p.shape[0], down), c.sizes.sub(c.b, p.shape[1], right))
        size = c.sizes.max(c.b, size, ZERO)
        return c.fresh(whole(c.b, p.moved((size,), lambda b, i: (plus(b, i[0], down), plus(b, i[0], right)))))
    if p.rank != 1:
        c.refuse("np.diag takes a vector or a matrix", error=ShapeError)
    size = c.sizes.add(c.b, p.shape[0], i64(abs(offset)))

    def at(b: Builder, index: Atoms) -> Atom:
        on = b.apply("eq", plus(b, index[0], right), plus(b, index[1], down))
        i = minus(b, index[0], down)
        return b.if_(on, lambda b: (p.at(b, (i,)),), lambda _: (literal(0, p.dtype),))[0]

    return c.fresh(array_of(c.b, (size, size), at))


@implements(np.diagonal)
@method("diagonal")
def diagonal(c: Context, a: Value, offset: Value = 0) -> Value:
    """The diagonal of a matrix."""
    if len(c.shape(a)) != 2:
        c.refuse("np.diagonal is compiled for matrices")
    return diag(c, a, offset)


@implements(np.meshgrid)
def meshgrid(c: Context, *xi: Value, indexing: Value = "xy") -> Value:
    """The coordinates of a grid."""
    pulls = [pull(c, ravel(c, array_like(c, x))) for x in xi]
    order = list(range(len(pulls)))
    if indexing == "xy" and len(pulls) > 1:
        order[0], order[1] = 1, 0
    shape = tuple(pulls[k].shape[0] for k in order)

    def grid(k: int) -> Value:
        place = order.index(k)
        return c.fresh(whole(c.b, pulls[k].moved(shape, lambda _, index: (index[place],))))

    return tuple(grid(k) for k in range(len(pulls)))
