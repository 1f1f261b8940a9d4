"""The builtins that put values in order: min, max, sorted.

Values of static length are compared one by one and may be of any kind where a key is given; arrays and lists of
run-time length become reductions and sorts, or a loop of the prelude where a key is given.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import NotStaticError, TypeConflictError
from ...ir.types import F32, I32, DType
from ..conditions import compare
from ..context import Context, describe
from ..control import branch
from ..grown import taken
from ..prelude import choice
from ..registry import implements
from ..values import Clash, Grown, Value
from .arguments import array_like, pull
from .atoms import ZERO, literal
from .choosing import sort
from .preludes import require_nonempty
from .reductions import max_ as largest
from .reductions import min_ as smallest
from .reductions import reduce_axes


@implements(builtins.min)
def min_(c: Context, *values: Value, **options: Value) -> Value:
    """The smallest; of equals and of NaN the first, as Python's comparisons decide."""
    return _extreme(c, values, "Lt", **options)


@implements(builtins.max)
def max_(c: Context, *values: Value, **options: Value) -> Value:
    """The largest; of equals and of NaN the first, as Python's comparisons decide."""
    return _extreme(c, values, "Gt", **options)


def _extreme(c: Context, values: tuple[Value, ...], better: str, key: Value = None, **options: Value) -> Value:
    if len(values) == 1:
        found = taken(c, values[0])
        items = None if c.grown(found) else c.items(found)
        if items is None:
            return _extreme_at_run_time(c, found, better, key, options)
        values = items
    if not values:
        if "default" in options:
            return options["default"]
        c.refuse("min and max need at least one value")
    best = values[0]
    if key is None:
        for value in values[1:]:
            best = chosen(c, compare(c, better, value, best), value, best)
        return best
    rank = c.call(key, (best,))
    for value in values[1:]:
        mine = c.call(key, (value,))
        wins = compare(c, better, mine, rank)
        best, rank = chosen(c, wins, value, best), chosen(c, wins, mine, rank)
    return best


def _extreme_at_run_time(c: Context, values: Value, better: str, key: Value, options: dict[str, Value]) -> Value:
    if "default" in options:
        c.refuse("min and max of something of run-time length are compiled without default=", fix="test len(...) first")
    if key is not None:
        return c.call(choice.smallest_by if better == "Lt" else choice.largest_by, (values, key))
    grown = c.grown(values)
    best = _extreme_of_array(c, array_like(c, values), better)
    return best if grown is None else c.fresh(c.atom(best), weak=grown.weak[0])


def _extreme_of_array(c: Context, array: Value, better: str) -> Value:
    """Python's min and max of a vector: no NaN is better than what was there, but none is better than a first NaN."""
    p = pull(c, array)
    if p.rank != 1:
        c.refuse("min and max of an array need one dimension", fix="use np.min or np.max")
    if not p.dtype.is_float:
        return (smallest if better == "Lt" else largest)(c, array)
    require_nonempty(c, c.number(p.shape[0]))
    op, worst = ("fmin", math.inf) if better == "Lt" else ("fmax", -math.inf)
    best = reduce_axes(c, p, 0, False, op, literal(worst, p.dtype))
    first = p.at(c.b, (ZERO,))
    return c.fresh(c.b.apply("select", c.b.apply("isnan", first), first, best))


def chosen(c: Context, wins: Value, value: Value, other: Value) -> Value:
    """`value if wins else other`."""
    truth = c.truth(wins)
    if isinstance(truth, bool):
        return value if truth else other
    if not (c.is_scalar(value) and c.is_scalar(other)):
        result = branch(c, truth, lambda: value, lambda: other, c.frame.names.keys())
        if isinstance(result, Clash):
            c.refuse(f"the values to choose from do not fit: {result.reason}", error=TypeConflictError)
        return result
    weak = c.is_weak(value) and c.is_weak(other)
    if c.dtype(value) is not c.dtype(other) and not (c.is_weak(value) or c.is_weak(other)):
        c.refuse(f"the type of the result depends on run-time values: {describe(other)} or {describe(value)}")
    dtype = c.promote(other, value)
    for number in (value, other):
        if not weak and c.is_weak(number):
            _require_exact(c, number, dtype)
    return c.fresh(c.b.apply("select", truth, c.atom(value, dtype), c.atom(other, dtype)), weak)


_NARROW: dict[DType, Any] = {F32: np.float32, I32: np.int32}


def _require_exact(c: Context, number: Value, dtype: DType) -> None:
    """Python hands out the Python number itself: it must be the same number in the type of the other."""
    if dtype not in _NARROW:
        return
    with np.errstate(all="ignore"):
        exact = isinstance(number, int | float) and np.array_equal(
            np.array(number).astype(_NARROW[dtype]), number, equal_nan=True
        )
    if not exact:
        name = _NARROW[dtype].__name__
        c.refuse(
            f"the Python number is not exact in the type of the other, {name}",
            why="min and max give one of their arguments as it is, and a result has one type",
            fix=f"convert it: np.{name}(...), or use np.minimum and np.maximum",
        )


# -- sorting --------------------------------------------------------------------------------------


@implements(builtins.sorted)
def sorted_(c: Context, iterable: Value, *, key: Value = None, reverse: Value = False) -> Value:
    """A list of the same values in order; equal ones stay in order."""
    if not isinstance(reverse, bool):
        c.refuse("reverse= must be known while compiling", error=NotStaticError)
    found = taken(c, iterable)
    items = None if c.grown(found) else c.items(found)
    if items is None:
        return _sorted_at_run_time(c, found, key, reverse)
    ordered = list(items)
    ranks = ordered if key is None else [c.call(key, (item,)) for item in ordered]
    if len(ordered) > 2:
        _refuse_nan(c, ranks)
    return c.new_list(_exchanged(c, ordered, list(ranks), "Gt" if reverse else "Lt"))


def _exchanged(c: Context, values: list[Value], ranks: list[Value], before: str) -> list[Value]:
    """Sort by exchanging neighbours."""
    for last in range(1, len(values)):
        for k in range(last, 0, -1):
            swap = compare(c, before, ranks[k], ranks[k - 1])
            for row in (values, ranks):
                left, right = row[k - 1 : k + 1]
                row[k - 1 : k + 1] = chosen(c, swap, right, left), chosen(c, swap, left, right)
    return values


def _refuse_nan(c: Context, items: Sequence[Value]) -> None:
    """Where Python puts what is near a NaN depends on its algorithm."""
    for item in items:
        if c.is_scalar(item) and c.dtype(item).is_float and not isinstance(item, float):
            number = c.b.apply("not", c.b.apply("isnan", c.atom(item)))
            c.b.check("raise", number, info="ValueError: sorted() of NaN is not compiled")


def _sorted_at_run_time(c: Context, values: Value, key: Value, reverse: bool) -> Value:
    grown, array = c.grown(values), array_like(c, values)
    if key is not None or c.rank(array) != 1:
        c.refuse("sorted of something of run-time length takes numbers and no key", fix="use np.argsort")
    if c.dtype(array).is_float:
        c.call(choice.require_numbers, (array,))
    ordered = c.call(choice.descending, (array,)) if reverse else sort(c, array)
    weak = grown is not None and grown.weak[0]
    return c.new_list(Grown((ordered,), (weak,), (0,), c.number(c.shape(ordered)[0])))
