"""Choosing among values: `where`, `select`, `clip`, rounding to decimals, sorting, counting.

Sorting is the operation `argsort` followed by a gather, so it is stable and puts NaN last.
"""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ...ir.build import Builder
from ...ir.types import BOOL, F64, I64, Atom
from ..context import Context
from ..prelude.selection import nonzero
from ..registry import implements, method
from ..values import Value
from .arguments import array_like, contents, integer, one_axis, only_options, pull
from .atoms import ONE, ZERO, literal
from .elementwise import deliver, elementwise
from .nest import Atoms, array_of, pull_atom
from .reductions import Split, max_, min_
from .shapes import moveaxis, ravel
from .ufuncs import by_op


@implements(np.where)
def where(c: Context, condition: Value, x: Value = None, y: Value = None) -> Value:
    """Elements of x where the condition holds, else of y; the indices where it holds when neither is given."""
    if x is None and y is None:
        return c.call(nonzero, (condition,))
    if x is None or y is None:
        c.refuse("np.where takes both x and y, or neither", error=ShapeError)
    x, y = array_like(c, x), array_like(c, y)
    dtype = c.promote(x, y)
    pulls = [pull(c, condition, BOOL), pull(c, x, dtype), pull(c, y, dtype)]
    return c.fresh(elementwise(c, pulls, by_op("select")))


@implements(np.select)
def select(c: Context, condlist: Value, choicelist: Value, default: Value = 0) -> Value:
    """Elements of the choice whose condition holds first."""
    conditions, choices = c.items(condlist), c.items(choicelist)
    if not conditions or not choices or len(conditions) != len(choices):
        c.refuse("np.select needs as many conditions as choices, at least one", error=ShapeError)
    values = [array_like(c, x) for x in (*choices, default)]
    dtype = c.promote(*values)
    result = values[-1]
    for condition, choice in zip(reversed(conditions), reversed(values[:-1]), strict=True):
        pulls = [pull(c, condition, BOOL), pull(c, choice, dtype), pull(c, result, dtype)]
        result = c.fresh(elementwise(c, pulls, by_op("select")))
    return result


@implements(np.clip)
@method("clip")
def clip(
    c: Context, a: Value, a_min: Value = None, a_max: Value = None, out: Value = None, *,
    min: Value = None, max: Value = None,
) -> Value:  # fmt: skip
    """Numbers kept within limits."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    value = array_like(c, a)
    given = [value, *(array_like(c, limit) for limit in (low, high) if limit is not None)]
    dtype = c.promote(*given)
    ops = [*(["max"] if low is not None else []), *(["min"] if high is not None else [])]

    def kernel(b: Builder, x: Atom, *limits: Atom) -> Atom:
        for op, limit in zip(ops, limits, strict=True):
            x = b.apply({"max": "or", "min": "and"}[op] if dtype is BOOL else op, x, limit)
        return x

    return deliver(c, elementwise(c, [pull(c, x, dtype) for x in given], kernel), out)


@implements(np.round, np.around)
@method("round")
def round_(c: Context, a: Value, decimals: Value = 0, out: Value = None) -> Value:
    """Rounded to a number of decimals, half to even."""
    value, places = array_like(c, a), c.need_int(decimals, "the number of decimals")
    if c.dtype(value) is BOOL:
        c.refuse("rounding booleans would be half precision", fix="convert to numbers first")
    if not c.dtype(value).is_float:
        if places < 0:
            c.refuse("rounding integers to tens is not compiled", fix="divide, round and multiply floats")
        return deliver(c, contents(c, value), out)
    scale = literal(10.0 ** abs(places), c.dtype(value))
    up, down = ("mul", "div") if places >= 0 else ("div", "mul")

    def kernel(b: Builder, x: Atom) -> Atom:
        if not places:
            return b.apply("rint", x)
        return b.apply(down, b.apply("rint", b.apply(up, x, scale)), scale)

    return deliver(c, elementwise(c, [pull(c, value)], kernel), out)


@implements(np.argsort)
@method("argsort")
def argsort(c: Context, a: Value, axis: Value = -1, **options: Value) -> Value:
    """The order that sorts along an axis; equal elements stay in order."""
    only_options(c, "np.argsort", options, "kind", "stable")
    value = array_like(c, a)
    if axis is None:
        value, axis = ravel(c, value), 0
    rank = len(c.shape(value))
    along = one_axis(c, axis, rank)
    if along == rank - 1:
        return c.fresh(c.b.apply("argsort", c.read(value)))
    order = c.fresh(c.b.apply("argsort", c.read(moveaxis(c, value, along, -1))))
    return c.fresh(c.read(moveaxis(c, order, -1, along)))


@implements(np.sort)
def sort(c: Context, a: Value, axis: Value = -1, **options: Value) -> Value:
    """A sorted copy along an axis, NaN last."""
    only_options(c, "np.sort", options, "kind", "stable")
    value = array_like(c, a)
    if axis is None:
        value, axis = ravel(c, value), 0
    return c.fresh(_sorted(c, value, axis))


@method("sort")
def sort_in_place(c: Context, a: Value, axis: Value = -1, **options: Value) -> None:
    """Sort the array itself."""
    only_options(c, "sort", options, "kind", "stable")
    c.write(a, _sorted(c, a, axis))


def _sorted(c: Context, value: Value, axis: Value) -> Atom:
    p, order = pull(c, value), pull(c, argsort(c, value, axis))
    along = one_axis(c, axis, p.rank)
    split = Split(p.shape, (along,))

    def at(b: Builder, index: Atoms) -> Atom:
        kept = tuple(i for d, i in enumerate(index) if d != along)
        return p.at(b, split.merge(kept, (order.at(b, index),)))

    return array_of(c.b, p.shape, at)


@implements(np.bincount)
def bincount(c: Context, x: Value, weights: Value = None, minlength: Value = 0) -> Value:
    """How often each integer occurs, or the sum of the weights of its occurrences."""
    keys = pull(c, x)
    if keys.rank != 1 or keys.dtype.is_float:
        c.refuse("np.bincount takes a vector of integers", error=ShapeError)
    keys = keys.to(I64)
    lowest = c.atom(min_(c, array_like(c, x), initial=0))
    c.b.check("nonneg", _as_i64(c, lowest), info="'list' argument must have no negative elements")
    top = _as_i64(c, c.atom(max_(c, array_like(c, x), initial=-1)))
    size = c.sizes.max(c.b, c.sizes.add(c.b, top, ONE), integer(c, minlength, "minlength"))
    size = c.sizes.max(c.b, size, ZERO)
    dtype = I64 if weights is None else F64
    dest = c.b.apply("replicate", literal(0, dtype), size)
    given = pull_atom(literal(1, I64)) if weights is None else pull(c, weights, F64)
    if given.rank:
        c.equal_sizes(keys.shape[0], given.shape[0])

    def body(b: Builder, i: Atom) -> tuple[Atom, Atom]:
        return keys.at(b, (i,)), given.at(b, (i,) if given.rank else ())

    return c.fresh(c.b.hist(keys.shape[0], "add", (literal(0, dtype),), (dest,), 1, body)[0])


def _as_i64(c: Context, atom: Atom) -> Atom:
    return atom if atom.type.dtype is I64 else c.b.apply("convert", atom, attrs=(I64,))
