"""Reductions and prefix sums along axes: maps over the kept axes of reductions over the others.

Integer and boolean sums are 64-bit, floating-point ones keep their type, as in NumPy. Smallest and largest
elements of nothing raise; the neutral elements are the infinities or the extreme integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.types import BOOL, F64, I64, Atom, DType, Lit, boolean, i64
from ...records import dataclass
from ..context import Context
from ..registry import implements, method
from ..values import Value
from .arguments import axes_of, count, dtype_of, flag, one_axis, pull
from .atoms import ONE, convert, highest, literal, lowest
from .elementwise import deliver
from .nest import Atoms, Pull, array_of, arrays_of, flat_position, fold, pull_atom, whole


@dataclass(frozen=True, slots=True)
class Split:
    """A shape divided into kept and reduced axes."""

    shape: Atoms
    reduced: tuple[int, ...]

    @property
    def kept_shape(self) -> Atoms:
        return tuple(n for d, n in enumerate(self.shape) if d not in self.reduced)

    @property
    def reduced_shape(self) -> Atoms:
        return tuple(self.shape[d] for d in self.reduced)

    @property
    def keepdims_shape(self) -> Atoms:
        return tuple(ONE if d in self.reduced else n for d, n in enumerate(self.shape))

    def merge(self, kept: Atoms, inner: Atoms) -> Atoms:
        """The index into the whole from those into the kept and the reduced axes."""
        outer, within = iter(kept), iter(inner)
        return tuple(next(within) if d in self.reduced else next(outer) for d in range(len(self.shape)))


def reduce_axes(
    c: Context, p: Pull, axis: Value, keepdims: Value, op: str, neutral: Atom, initial: Atom | None = None
) -> Atom:
    """The elements combined along axes."""
    split = Split(p.shape, axes_of(c, axis, p.rank))

    def at(b: Builder, kept: Atoms) -> Atom:
        total = fold(b, split.reduced_shape, op, (neutral,), lambda b, inner: (p.at(b, split.merge(kept, inner)),))[0]
        return total if initial is None else b.apply(op, initial, total)

    return with_dims(c, array_of(c.b, split.kept_shape, at), split, keepdims)


def with_dims(c: Context, result: Atom, split: Split, keepdims: Value) -> Atom:
    """Put axes of size one where axes were reduced, when asked."""
    if not flag(c, keepdims, "keepdims") or not split.reduced:
        return result
    return c.b.apply("reshape" if result.type.is_array else "replicate", result, *split.keepdims_shape)


@implements(np.sum)
@method("sum")
def sum_(
    c: Context, a: Value, axis: Value = None, dtype: Value = None, out: Value = None, keepdims: Value = False,
    initial: Value = None,
) -> Value:  # fmt: skip
    """The sum along axes."""
    return _arithmetic(c, a, axis, dtype, out, keepdims, initial, ("add", 0))


@implements(np.prod)
@method("prod")
def prod(
    c: Context, a: Value, axis: Value = None, dtype: Value = None, out: Value = None, keepdims: Value = False,
    initial: Value = None,
) -> Value:  # fmt: skip
    """The product along axes."""
    return _arithmetic(c, a, axis, dtype, out, keepdims, initial, ("mul", 1))


def _arithmetic(
    c: Context, a: Value, axis: Value, dtype: Value, out: Value, keepdims: Value, initial: Value, op: tuple[str, int]
) -> Value:
    p = pull(c, a)
    to = sum_type(p.dtype) if dtype is None else dtype_of(c, dtype)
    start = None if initial is None else c.atom(initial, to)
    return deliver(c, reduce_axes(c, p.to(to), axis, keepdims, op[0], literal(op[1], to), start), out)


def sum_type(dtype: DType) -> DType:
    """The type in which NumPy adds up."""
    return dtype if dtype.is_float else I64


@implements(np.mean)
@method("mean")
def mean(
    c: Context, a: Value, axis: Value = None, dtype: Value = None, out: Value = None, keepdims: Value = False
) -> Value:
    """The arithmetic mean along axes."""
    p = pull(c, a)
    to = dtype_of(c, dtype) if dtype is not None else p.dtype if p.dtype.is_float else F64
    total = reduce_axes(c, p.to(to), axis, keepdims, "add", literal(0, to))
    elements = convert(c.b, count(c, Split(p.shape, axes_of(c, axis, p.rank)).reduced_shape), to)
    sums = pull_atom(total)
    return deliver(c, array_of(c.b, sums.shape, lambda b, index: b.apply("div", sums.at(b, index), elements)), out)


@implements(np.min, np.amin)
@method("min")
def min_(
    c: Context, a: Value, axis: Value = None, out: Value = None, keepdims: Value = False, initial: Value = None
) -> Value:
    """The smallest element along axes; NaN if there is one."""
    return _extreme(c, a, axis, out, keepdims, initial, ("min", "and", highest))


@implements(np.max, np.amax)
@method("max")
def max_(
    c: Context, a: Value, axis: Value = None, out: Value = None, keepdims: Value = False, initial: Value = None
) -> Value:
    """The largest element along axes; NaN if there is one."""
    return _extreme(c, a, axis, out, keepdims, initial, ("max", "or", lowest))


def _extreme(
    c: Context, a: Value, axis: Value, out: Value, keepdims: Value, initial: Value,
    op: tuple[str, str, Callable[[DType], Lit]],
) -> Value:  # fmt: skip
    p = pull(c, a)
    start = None if initial is None else c.atom(initial, p.dtype)
    if start is None:
        _check_nonempty(c, Split(p.shape, axes_of(c, axis, p.rank)))
    name = op[1] if p.dtype is BOOL else op[0]
    return deliver(c, reduce_axes(c, p, axis, keepdims, name, op[2](p.dtype), start), out)


def _check_nonempty(c: Context, split: Split) -> None:
    """Only a reduced axis of size zero raises: a kept one of size zero leaves nothing to compute."""
    for size in split.reduced_shape:
        if c.sizes.least(size) is None or c.sizes.least(size) == 0:
            c.b.check("nonempty", size, info="zero-size array to reduction operation which has no identity")


@implements(np.any)
@method("any")
def any_(c: Context, a: Value, axis: Value = None, out: Value = None, keepdims: Value = False) -> Value:
    """Is any element true, along axes?"""
    return deliver(c, reduce_axes(c, pull(c, a, BOOL), axis, keepdims, "or", boolean(False)), out)


@implements(np.all)
@method("all")
def all_(c: Context, a: Value, axis: Value = None, out: Value = None, keepdims: Value = False) -> Value:
    """Are all elements true, along axes?"""
    return deliver(c, reduce_axes(c, pull(c, a, BOOL), axis, keepdims, "and", boolean(True)), out)


# Before NumPy 2.4 the count of all elements was a Python int.
_counted: Any = np.count_nonzero(np.zeros(1))
_COUNTS_IN_PYTHON = type(_counted) is int


@implements(np.count_nonzero)
def count_nonzero(c: Context, a: Value, axis: Value = None, *, keepdims: Value = False) -> Value:
    """How many elements are not zero."""
    counts = reduce_axes(c, pull(c, a, BOOL).to(I64), axis, keepdims, "add", i64(0))
    return c.fresh(counts, weak=axis is None and _COUNTS_IN_PYTHON)


@implements(np.argmin)
@method("argmin")
def argmin(c: Context, a: Value, axis: Value = None, out: Value = None, *, keepdims: Value = False) -> Value:
    """The index of the first smallest element."""
    return _arg_extreme(c, a, axis, out, keepdims, "lt", highest)


@implements(np.argmax)
@method("argmax")
def argmax(c: Context, a: Value, axis: Value = None, out: Value = None, *, keepdims: Value = False) -> Value:
    """The index of the first largest element."""
    return _arg_extreme(c, a, axis, out, keepdims, "gt", lowest)


def _arg_extreme(
    c: Context, a: Value, axis: Value, out: Value, keepdims: Value, better: str, worst: Callable[[DType], Lit]
) -> Value:
    p = pull(c, a)
    axes = axes_of(c, axis, p.rank)
    if axis is not None and len(axes) != 1:
        c.refuse("argmin and argmax take one axis, or None for all")
    split = Split(p.shape, axes)
    _check_nonempty(c, split)
    neutral = (worst(p.dtype), highest(I64))

    def at(b: Builder, kept: Atoms) -> Atom:
        def element(b: Builder, inner: Atoms) -> Sequence[Atom]:
            return p.at(b, split.merge(kept, inner)), flat_position(b, split.reduced_shape, inner)

        return fold(b, split.reduced_shape, _first_best(better), neutral, element)[1]

    return deliver(c, with_dims(c, array_of(c.b, split.kept_shape, at), split, keepdims), out)


def _first_best(better: str) -> Callable[[Builder, Atom, Atom, Atom, Atom], Sequence[Atom]]:
    """Of two (value, index) pairs the better, of equals the first; NaN is better than any number."""

    def op(b: Builder, x: Atom, i: Atom, y: Atom, j: Atom) -> Sequence[Atom]:
        wins, ties = b.apply(better, y, x), b.apply("eq", y, x)
        if x.type.dtype.is_float:
            x_nan, y_nan = b.apply("isnan", x), b.apply("isnan", y)
            wins = b.apply("or", wins, b.apply("and", y_nan, b.apply("not", x_nan)))
            ties = b.apply("or", ties, b.apply("and", y_nan, x_nan))
        second = b.apply("or", wins, b.apply("and", ties, b.apply("lt", j, i)))
        return b.apply("select", second, y, x), b.apply("select", second, j, i)

    return op


@implements(np.cumsum)
@method("cumsum")
def cumsum(c: Context, a: Value, axis: Value = None, dtype: Value = None, out: Value = None) -> Value:
    """The sums of all prefixes along an axis."""
    p = pull(c, a)
    to = sum_type(p.dtype) if dtype is None else dtype_of(c, dtype)
    return deliver(c, accumulated(c, p.to(to), axis, "add", literal(0, to)), out)


@implements(np.cumprod)
@method("cumprod")
def cumprod(c: Context, a: Value, axis: Value = None, dtype: Value = None, out: Value = None) -> Value:
    """The products of all prefixes along an axis."""
    p = pull(c, a)
    to = sum_type(p.dtype) if dtype is None else dtype_of(c, dtype)
    return deliver(c, accumulated(c, p.to(to), axis, "mul", literal(1, to)), out)


def accumulated(c: Context, p: Pull, axis: Value, op: str, neutral: Atom) -> Atom:
    """All prefixes combined along an axis; of the flattened array when the axis is None."""
    if axis is None and p.rank != 1:
        p = flattened(c, p)
    along = one_axis(c, 0 if axis is None else axis, p.rank)
    split = Split(p.shape, (along,))

    def row(b: Builder, kept: Atoms) -> Sequence[Atom]:
        return b.scan(p.shape[along], op, (neutral,), lambda b, i: (p.at(b, split.merge(kept, (i,))),))

    rows = arrays_of(c.b, split.kept_shape, row)[0]
    if along == p.rank - 1:
        return rows
    order = list(range(p.rank - 1))
    order.insert(along, p.rank - 1)
    return c.b.apply("transpose", rows, attrs=tuple(order))


def flattened(c: Context, p: Pull) -> Pull:
    """All elements in row-major order, as one dimension."""
    array = whole(c.b, p)
    if not array.type.is_array:
        return pull_atom(c.b.apply("replicate", array, ONE))
    return pull_atom(c.b.apply("reshape", array, count(c, array.type.shape)))
