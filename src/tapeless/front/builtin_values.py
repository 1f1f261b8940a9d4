"""The builtins that make or ask about values of the front end: range, zip, len, isinstance, tuple, ..."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import itertools
from types import FunctionType
from typing import Any

import numpy as np

from ..errors import OperandError
from ..ir.types import BOOL, F32, F64, I32, I64
from . import special_methods
from .attributes import get_attribute
from .context import Context, describe
from .grown import listed
from .iteration import Steps, iterate, static_items, unrolled
from .registry import implements
from .values import ArrayRef, Closure, DictRef, ListRef, ObjectRef, Partial, RangeValue, Scalar, Value, Zipped, is_tuple

_NUMPY_CLASS: dict[Any, type] = {BOOL: np.bool_, I32: np.int32, I64: np.int64, F32: np.float32, F64: np.float64}


@implements(builtins.range)
def range_(c: Context, first: Value, second: Value = None, step: Value = 1) -> Value:
    start, stop = (0, first) if second is None else (first, second)
    for part in (start, stop, step):
        if not c.is_scalar(part) or c.dtype(part).is_float:
            c.refuse(f"range() needs integers, not {describe(part)}", error=OperandError, fix="convert with int(...)")
    return RangeValue(start, stop, step)


@implements(builtins.len)
def len_(c: Context, value: Value) -> Value:
    match value:
        case ArrayRef():
            return c.number(c.shape(value)[0])
        case RangeValue():
            steps = iterate(c, value)
            assert isinstance(steps, Steps)
            return c.number(steps.count)
        case ListRef() if grown := c.grown(value):
            return grown.length
        case DictRef():
            return len(c.held(value))
        case str():
            return len(value)
        case _ if special := special_methods.call(c, value, "__len__"):
            return special[0]
        case _:
            items = c.items(value)
            if items is None:
                c.refuse(f"{describe(value)} has no len()", error=OperandError)
            return len(items)


@implements(builtins.enumerate)
def enumerate_(c: Context, iterable: Value, start: Value = 0) -> Value:
    return Zipped("enumerate", (iterable,), start)


@implements(builtins.zip)
def zip_(c: Context, *iterables: Value, strict: Value = False) -> Value:
    return Zipped("zip strict" if strict else "zip", iterables)


@implements(builtins.reversed)
def reversed_(c: Context, iterable: Value) -> Value:
    return Zipped("reversed", (iterable,))


@implements(builtins.map)
def map_(c: Context, function: Value, *iterables: Value) -> Value:
    return Zipped("map", iterables, function)


@implements(itertools.product)
def product_(c: Context, *iterables: Value, repeat: Value = 1) -> Value:
    return Zipped("product", iterables * c.need_int(repeat, "repeat"))


@implements(np.ndindex)
def ndindex(c: Context, *shape: Value) -> Value:
    sizes = shape if len(shape) != 1 or c.items(shape[0]) is None else c.items(shape[0]) or ()
    return Zipped("product", tuple(RangeValue(0, size, 1) for size in sizes))


@implements(np.ndenumerate)
def ndenumerate(c: Context, array: Value) -> Value:
    if not isinstance(array, ArrayRef):
        c.refuse(f"np.ndenumerate needs an array, not {describe(array)}", error=OperandError)
    ranges = tuple(RangeValue(0, c.number(size), 1) for size in c.shape(array))
    return Zipped("map", (Zipped("product", ranges),), Partial(_place_and_value, (array,), {}))


def _place_and_value(array: Value, index: Value) -> Value:
    return index, array[index]


@implements(itertools.pairwise)
def pairwise(c: Context, iterable: Value) -> Value:
    return Zipped("pairwise", (iterable,))


@implements(itertools.count)
def count(c: Context, start: Value = 0) -> Value:
    return Zipped("count", (), start)


@implements(itertools.combinations)
def combinations(c: Context, iterable: Value, r: Value) -> Value:
    return tuple(itertools.combinations(static_items(c, iterable), c.need_int(r, "the length of a combination")))


@implements(itertools.permutations)
def permutations(c: Context, iterable: Value, r: Value = None) -> Value:
    length = None if r is None else c.need_int(r, "the length of a permutation")
    return tuple(itertools.permutations(static_items(c, iterable), length))


@implements(builtins.tuple)
def tuple_(c: Context, iterable: Value = ()) -> Value:
    return tuple(static_items(c, iterable))


@implements(builtins.list)
def list_(c: Context, iterable: Value = ()) -> Value:
    known = unrolled(c, iterable)
    return listed(c, iterable) if known is None else c.new_list([known.at(k) for k in range(known.length)])


@implements(builtins.dict)
def dict_(c: Context, other: Value = None, **entries: Value) -> Value:
    if other is None:
        contents = {}
    elif isinstance(other, DictRef):
        contents = dict(c.held(other))
    else:
        contents = dict(static_items(c, pair) for pair in static_items(c, other))
    return c.new_object(DictRef(), {**contents, **entries})


@implements(builtins.isinstance)
def isinstance_(c: Context, value: Value, classes: Value) -> Value:
    wanted = classes if is_tuple(classes) else (classes,)
    mine = class_of(value)
    return any(issubclass(mine, cls) for cls in wanted)


@implements(builtins.type)
def type_(c: Context, value: Value) -> Value:
    return class_of(value)


def class_of(value: Value) -> type[Any]:
    """The class that the value would have in plain Python."""
    match value:
        case ArrayRef():
            return np.ndarray
        case Scalar(weak=True):
            return {BOOL: bool, I64: int}.get(value.dtype, float)
        case Scalar():
            return _NUMPY_CLASS[value.dtype]
        case ListRef():
            return list
        case DictRef():
            return dict
        case ObjectRef(cls):
            return cls
        case RangeValue():
            return range
        case Closure():
            return FunctionType
        case Partial():
            return functools.partial
        case _:
            return value.__class__


@implements(builtins.callable)
def callable_(c: Context, value: Value) -> Value:
    return isinstance(value, Closure | Partial) or callable(value)


@implements(builtins.hasattr)
def hasattr_(c: Context, value: Value, name: Value) -> Value:
    match value:
        case ObjectRef(cls):
            return name in c.held(value) or hasattr(cls, name)
        case ArrayRef() | Scalar() | ListRef() | DictRef() | RangeValue() | Closure() | Partial():
            return hasattr(class_of(value), name)
        case _:
            return hasattr(value, name)


@implements(builtins.getattr)
def getattr_(c: Context, value: Value, name: Value, *default: Value) -> Value:
    if default and not hasattr_(c, value, name):
        return default[0]
    return get_attribute(c, value, name)


@implements(functools.partial)
def partial_(c: Context, function: Value, *args: Value, **kwargs: Value) -> Value:
    return Partial(function, args, kwargs)


@implements(dataclasses.replace)
def replace_(c: Context, obj: Value, **changes: Value) -> Value:
    if not isinstance(obj, ObjectRef):
        c.refuse(f"dataclasses.replace needs a dataclass, not {describe(obj)}", error=OperandError)
    return c.new_object(ObjectRef(obj.cls), {**c.held(obj), **changes})


@implements(builtins.print)
def print_(c: Context, *values: Value, **options: Value) -> Value:
    c.refuse(
        "print cannot be compiled",
        why="compiled code has no access to the console",
        fix="return the value and print it outside, or call f.python(...) to debug",
    )
