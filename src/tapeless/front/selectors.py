"""Basic indices as selectors: integers, slices, `None`.

Integer indices are normalised (negative ones count from the end) and checked at the user's position, unless the facts
about sizes prove them in range. Slices are clamped as Python does; the usual forms (`x[1:]`, `x[:-1]`, `x[::2]`) give
plain sums.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import OperandError, StaticIndexError
from ..ir.types import I64, Atom, Lit, boolean, i64
from . import views
from .context import Context, describe
from .values import ArrayRef, At, Scalar, SliceValue, Span, Value

ZERO, ONE = i64(0), i64(1)


def view(c: Context, array: ArrayRef, parts: Sequence[Value]) -> ArrayRef:
    """The view that basic indices select; dimensions indexed by arrays are taken whole."""
    dims: list[At | Span] = []
    axes: list[int | None] = []
    array = _without_cut_axes(c, array, parts)
    shape = c.shape(array)
    for part in parts:
        if part is None:
            axes.append(None)
            continue
        size = shape[len(dims)]
        if isinstance(part, SliceValue | ArrayRef):
            axes.append(len(dims))
            dims.append(span(c, part, size) if isinstance(part, SliceValue) else Span(ZERO, size, ONE))
        else:
            dims.append(At(position(c, part, size)))
    return views.selected(c.b, c.sizes, array, tuple(dims), tuple(axes))


def _without_cut_axes(c: Context, array: ArrayRef, parts: Sequence[Value]) -> ArrayRef:
    """An axis that is only in the view, made by `None`, cannot be shortened there: such a part is taken from a copy."""
    new_axes = views.new_axes(array)
    indexed = [part for part in parts if part is not None]
    for axis, part in enumerate(indexed):
        if axis in new_axes and isinstance(part, SliceValue) and span(c, part, ONE).size != ONE:
            return c.fresh(c.read(array), shares=array)
    return array


def position(c: Context, index: Value, size: Atom) -> Atom:
    """An integer index as an i64 in range: normalised and checked."""
    if isinstance(index, bool | float) or not isinstance(index, int | Scalar) or not c.dtype(index).is_int:
        c.refuse(
            f"an index must be an integer, a slice, None or an array, not {describe(index)}",
            error=StaticIndexError,
            fix="convert with int(...)" if isinstance(index, float | Scalar) else "",
        )
    atom = c.atom(index, I64)
    atom = normalised(c, atom, size)
    if c.sizes.first_time("bounds", atom, size) and not c.sizes.in_range(atom, size):
        c.b.check("bounds", atom, size)
        # From here on the dimension is known to be long enough for this index.
        c.sizes.at_least_constant(size, max(c.sizes.least(atom) or 0, 0) + 1)
    return atom


def normalised(c: Context, index: Atom, size: Atom) -> Atom:
    """A negative index counts from the end."""
    if isinstance(index, Lit):
        return index if int(index.value) >= 0 else c.sizes.add(c.b, index, size)
    low = c.sizes.least(index)
    # The index n - 1 is negative only in an empty dimension, where every index is out of range.
    if (low is not None and low >= 0) or c.sizes.same(c.sizes.add(c.b, index, ONE), size):
        return index
    if c.sizes.at_least(i64(-1), index):
        return c.sizes.add(c.b, index, size)
    b, sizes = c.b, c.sizes
    return sizes.apply(b, "select", sizes.apply(b, "lt", index, ZERO), sizes.add(b, index, size), index)


def span(c: Context, part: SliceValue, size: Atom) -> Span:
    """A slice of a dimension, clamped to it."""
    step = 1 if part.step is None else c.static_int(part.step)
    if step is None:
        return _span_by_any_step(c, part, size)
    if step == 0:
        c.refuse("slice step cannot be zero", error=StaticIndexError)
    b, sizes = c.b, c.sizes
    if step > 0:
        # A start beyond the end, or a stop before the start, gives length zero without further clamping.
        start = ZERO if part.start is None else sizes.max(b, _bound(c, part.start, size), ZERO)
        stop = size if part.stop is None else sizes.min(b, _bound(c, part.stop, size), size)
        return Span(start, _length(c, start, stop, step), i64(step))
    last, before = sizes.sub(b, size, ONE), i64(-1)
    start = last if part.start is None else sizes.min(b, _bound(c, part.start, size), last)
    stop = before if part.stop is None else sizes.max(b, _bound(c, part.stop, size), before)
    return Span(start, _length(c, stop, start, -step), i64(step))


def _span_by_any_step(c: Context, part: SliceValue, size: Atom) -> Span:
    """A slice whose step is known only at run time, perhaps negative."""
    b, sizes = c.b, c.sizes
    if not isinstance(part.step, Scalar) or not part.step.dtype.is_int:
        c.refuse(f"the step of a slice must be an integer, not {describe(part.step)}", error=OperandError)
    step = c.atom(part.step, I64)
    forward = (sizes.least(step) or 0) >= 1
    if not forward:
        b.check("raise", b.apply("ne", step, ZERO), info="ValueError: slice step cannot be zero")
    up = boolean(True) if forward else b.apply("gt", step, ZERO)

    def by_direction(above: Atom, below: Atom) -> Atom:
        return above if forward or above == below else b.apply("select", up, above, below)

    # Going up, bounds lie in [0, size]; going down, in [-1, size - 1].
    low, high = by_direction(ZERO, i64(-1)), by_direction(size, sizes.sub(b, size, ONE))

    def clamped(bound: Value, missing: Atom) -> Atom:
        if bound is None:
            return missing
        return sizes.min(b, sizes.max(b, _bound(c, bound, size), low), high)

    start, stop = clamped(part.start, by_direction(ZERO, high)), clamped(part.stop, by_direction(size, low))
    distance = by_direction(sizes.sub(b, stop, start), sizes.sub(b, start, stop))
    width = by_direction(step, b.apply("neg", step))
    last = b.apply("floordiv", sizes.sub(b, distance, ONE), width)
    return Span(start, sizes.max(b, sizes.add(b, last, ONE), ZERO), step)


def _bound(c: Context, bound: Value, size: Atom) -> Atom:
    """A bound of a slice, counted from the end when negative."""
    if isinstance(bound, bool) or not isinstance(bound, int | Scalar) or not c.dtype(bound).is_int:
        c.refuse(f"the bounds of a slice must be integers, not {describe(bound)}", error=OperandError)
    return normalised(c, c.atom(bound, I64), size)


def _length(c: Context, low: Atom, high: Atom, step: int) -> Atom:
    """How many elements from low up to high (exclusive) by step, at least zero."""
    b, sizes = c.b, c.sizes
    distance = sizes.sub(b, high, low)
    if step == 1:
        return sizes.max(b, distance, ZERO)
    if isinstance(distance, Lit):
        return i64(max(0, -(-int(distance.value) // step)))
    rounded = sizes.apply(b, "floordiv", sizes.add(b, distance, i64(step - 1)), i64(step))
    if (low_bound := sizes.least(distance)) is not None and low_bound >= 0:
        sizes.at_least_constant(rounded, 0)
        return rounded
    return sizes.max(b, rounded, ZERO)
