"""The numeric builtins, and the functions of `math` over sequences."""

from __future__ import annotations

import builtins
import functools
import math

import numpy as np

from ...ir.types import BOOL, F64, I64, Atom, DType, boolean
from .. import special_methods
from ..context import Context, describe
from ..grown import taken
from ..registry import implements
from ..values import Value, Zipped
from .arguments import array_like, pull
from .arithmetic import binary
from .atoms import ZERO, convert, literal
from .choosing import round_ as numpy_round
from .elementwise import apply_ufunc
from .math_names import whole_number
from .nest import fold
from .reductions import reduce_axes
from .ufuncs import UFUNCS


@implements(math.prod)
def prod(c: Context, iterable: Value, *, start: Value = 1) -> Value:
    """The product of a sequence."""
    return _accumulate(c, iterable, start, "Mult", ("mul", 1))


@implements(builtins.sum)
def sum_(c: Context, iterable: Value, start: Value = 0) -> Value:
    """The sum of a sequence."""
    return _accumulate(c, iterable, start, "Add", ("add", 0))


def _accumulate(c: Context, iterable: Value, start: Value, op: str, fold_op: tuple[str, int]) -> Value:
    iterable = taken(c, iterable)
    if (grown := c.grown(iterable)) is not None:
        return _accumulate_array(c, array_like(c, iterable), start, op, fold_op, weak=grown.weak[0])
    items = c.items(iterable)
    if items is None and c.is_array(iterable):
        return _accumulate_array(c, iterable, start, op, fold_op)
    if items is None:
        c.refuse(f"a tuple, list or array is needed here, not {describe(iterable)}")
    total = start
    for item in items:
        total = binary(c, op, total, item)
    return total


def _accumulate_array(
    c: Context, array: Value, start: Value, op: str, fold_op: tuple[str, int], *, weak: bool = False
) -> Value:
    p = pull(c, array, I64 if weak and c.dtype(array) is BOOL else None)
    if p.dtype is BOOL:
        c.refuse("the builtin sum of a boolean array is not compiled", fix="use np.sum or np.count_nonzero")
    neutral = literal(fold_op[1], p.dtype)
    total = reduce_axes(c, p, 0, False, fold_op[0], neutral)
    return binary(c, op, start, c.fresh(total, weak))


@implements(builtins.abs)
def abs_(c: Context, x: Value) -> Value:
    """The absolute value."""
    if isinstance(x, bool | int | float):
        return abs(x)
    if (special := special_methods.unary(c, "__abs__", x)) is not None:
        return special[0]
    if c.is_weak(x):
        return c.fresh(c.b.apply("abs", c.atom(x, I64 if c.dtype(x) is BOOL else None)), weak=True)
    return apply_ufunc(c, UFUNCS[np.absolute], (x,))


@implements(functools.reduce)
def reduce_(c: Context, function: Value, iterable: Value, initial: Value = None) -> Value:
    """The elements of a tuple or list combined from the left."""
    items = c.items(taken(c, iterable))
    if items is None:
        c.refuse(f"functools.reduce takes a tuple or list, not {describe(iterable)}", fix="use a loop, or tp.reduce")
    if initial is None and not items:
        c.refuse("functools.reduce needs at least one value")
    total, rest = (items[0], items[1:]) if initial is None else (initial, items)
    for item in rest:
        total = c.call(function, (total, item))
    return total


@implements(builtins.round)
def round_(c: Context, number: Value, ndigits: Value = None) -> Value:
    """Rounded half to even; an int when no digits are asked for."""
    if isinstance(number, bool | int | float) and (ndigits is None or isinstance(ndigits, int)):
        return round(number, ndigits)
    if c.is_array(number):
        return numpy_round(c, number, ndigits or 0)
    if not c.dtype(number).is_float:
        return c.fresh(c.atom(number, I64), weak=True)
    if ndigits is None:
        return whole_number(c, c.b.apply("rint", c.atom(number, F64)))
    if c.is_weak(number):
        c.refuse(
            "round(x, digits) of a Python float is not compiled",
            why="Python rounds the decimal representation exactly",
            fix="use np.round(x, digits)",
        )
    return numpy_round(c, number, ndigits)


@implements(builtins.pow)
def builtin_pow(c: Context, base: Value, exp: Value, mod: Value = None) -> Value:
    """base ** exp."""
    if mod is not None:
        c.refuse("pow with a modulus is not compiled", fix="multiply and reduce in a loop")
    return binary(c, "Pow", base, exp)


@implements(builtins.divmod)
def divmod_(c: Context, x: Value, y: Value) -> Value:
    """Quotient and remainder."""
    return binary(c, "FloorDiv", x, y), binary(c, "Mod", x, y)


@implements(builtins.float)
def float_(c: Context, x: Value = 0.0) -> Value:
    """A number as a Python float."""
    if isinstance(x, bool | int | float):
        return float(x)
    return c.fresh(_single(c, x, F64), weak=True)


@implements(builtins.int)
def int_(c: Context, x: Value = 0) -> Value:
    """A number as a Python int, truncated."""
    if isinstance(x, bool | int):
        return int(x)
    if not c.is_array(x) and not c.dtype(x).is_float:
        return c.fresh(c.atom(x, I64), weak=True)
    atom = _single(c, x, None)
    if not atom.type.dtype.is_float:
        return c.fresh(convert(c.b, atom, I64), weak=True)
    return whole_number(c, c.b.apply("trunc", convert(c.b, atom, F64)))


@implements(builtins.bool)
def bool_(c: Context, x: Value = False) -> Value:
    """The truth of a value."""
    truth = c.truth(x)
    return truth if isinstance(truth, bool) else c.fresh(truth, weak=True)


def _single(c: Context, x: Value, dtype: DType | None) -> Atom:
    if not c.is_array(x):
        return c.atom(x, dtype)
    element = c.b.apply("index", c.read(x), *(ZERO for _ in c.shape(x)))
    c.truth(x)
    return convert(c.b, element, dtype or element.type.dtype)


@implements(builtins.any)
def any_(c: Context, iterable: Value) -> Value:
    """Is any of a sequence true?"""
    return _logical(c, iterable, "or", False)


@implements(builtins.all)
def all_(c: Context, iterable: Value) -> Value:
    """Are all of a sequence true?"""
    return _logical(c, iterable, "and", True)


def _logical(c: Context, iterable: Value, op: str, neutral: bool) -> Value:
    if isinstance(iterable, Zipped):
        c.refuse("any and all of an iterator are not compiled", fix="use a generator: any(f(v) for v in xs)")
    items = None if c.grown(iterable) else c.items(iterable)
    if items is None:
        p = pull(c, iterable, BOOL)
        if p.rank != 1:
            c.refuse("any and all of an array need one dimension", fix="use np.any or np.all")
        return c.fresh(fold(c.b, p.shape, op, (boolean(neutral),), lambda b, i: (p.at(b, i),))[0], weak=True)
    result: bool | Atom = neutral
    for item in items:
        truth = c.truth(item)
        if isinstance(truth, bool):
            if truth is not neutral:
                return truth
            continue
        result = truth if isinstance(result, bool) else c.b.apply(op, result, truth)
    return result if isinstance(result, bool) else c.fresh(result, weak=True)
