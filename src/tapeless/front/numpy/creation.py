"""New arrays: filled, counted, evenly spaced, converted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...ir.build import Builder
from ...ir.types import F64, I64, Atom, DType, Lit, i64
from ..context import Context
from ..registry import attribute, implements, method
from ..values import ArrayRef, Value
from .arguments import (
    array_like,
    contents,
    count,
    dtype_of,
    flag,
    in_range,
    integer,
    only_options,
    pull,
    size_of,
    sizes_of,
)
from .atoms import NUMPY_DTYPE, ONE, ZERO, convert, literal, minus, plus
from .elementwise import deliver
from .nest import Atoms, array_of, stretched, whole


def filled(c: Context, shape: Atoms, element: Atom) -> Value:
    """An array with the same number everywhere."""
    return c.fresh(c.b.apply("replicate", element, *shape) if shape else element)


@implements(np.zeros, np.empty)
def zeros(c: Context, shape: Value, dtype: Value = float, **options: Value) -> Value:
    """Zeros; `empty` arrays are zero too."""
    only_options(c, "np.zeros", options, "order")
    return filled(c, sizes_of(c, shape), literal(0, dtype_of(c, dtype)))


@implements(np.ones)
def ones(c: Context, shape: Value, dtype: Value = None, **options: Value) -> Value:
    """Ones."""
    only_options(c, "np.ones", options, "order")
    return filled(c, sizes_of(c, shape), literal(1, F64 if dtype is None else dtype_of(c, dtype)))


@implements(np.full)
def full(c: Context, shape: Value, fill_value: Value, dtype: Value = None) -> Value:
    """One value everywhere."""
    return _full(c, sizes_of(c, shape), fill_value, dtype_of(c, dtype) if dtype is not None else None)


def _full(c: Context, shape: Atoms, value: Value, dtype: DType | None) -> Value:
    p = pull(c, value, dtype)
    if not p.rank:
        return filled(c, shape, p.at(c.b, ()))
    return c.fresh(whole(c.b, stretched(p, shape)))


@implements(np.zeros_like, np.empty_like)
def zeros_like(c: Context, a: Value, dtype: Value = None, *, shape: Value = None) -> Value:
    """Zeros in the shape and type of another array."""
    return _like(c, a, 0, dtype, shape)


@implements(np.ones_like)
def ones_like(c: Context, a: Value, dtype: Value = None, *, shape: Value = None) -> Value:
    """Ones in the shape and type of another array."""
    return _like(c, a, 1, dtype, shape)


@implements(np.full_like)
def full_like(c: Context, a: Value, fill_value: Value, dtype: Value = None, *, shape: Value = None) -> Value:
    """One value in the shape and type of another array."""
    return _like(c, a, fill_value, dtype, shape)


def _like(c: Context, a: Value, value: Value, dtype: Value, shape: Value) -> Value:
    a = array_like(c, a)
    sizes = c.shape(a) if shape is None else sizes_of(c, shape)
    return _full(c, sizes, value, c.dtype(a) if dtype is None else dtype_of(c, dtype))


@implements(np.eye)
def eye(c: Context, N: Value, M: Value = None, k: Value = 0, dtype: Value = float) -> Value:
    """Ones on a diagonal, zeros elsewhere."""
    rows = size_of(c, N)
    columns = rows if M is None else size_of(c, M)
    offset, to = integer(c, k, "the diagonal"), dtype_of(c, dtype)

    def element(b: Builder, index: Atoms) -> Atom:
        return convert(b, b.apply("eq", plus(b, index[0], offset), index[1]), to)

    return c.fresh(array_of(c.b, (rows, columns), element))


@implements(np.identity)
def identity(c: Context, n: Value, dtype: Value = None) -> Value:
    """The square identity matrix."""
    return eye(c, n, dtype=float if dtype is None else dtype)


@implements(np.arange)
def arange(c: Context, start: Value, stop: Value = None, step: Value = 1, dtype: Value = None) -> Value:
    """Evenly spaced numbers up to, and without, an end."""
    if stop is None:
        start, stop = 0, start
    kind = c.promote(start, stop, step)
    to = dtype_of(c, dtype) if dtype is not None else F64 if kind.is_float else I64
    size = _int_count(c, start, stop, step) if not kind.is_float else _float_count(c, start, stop, step)
    work = to if to.is_float or not kind.is_float else kind
    first, stride = c.atom(start, work), c.atom(step, work)
    if work.is_float and not (isinstance(first, Lit) and first.value == 0):
        # NumPy takes the distance of the first two elements, the second rounded as adding them rounds.
        own = c.promote(start, step)
        second = convert(c.b, c.b.apply("add", c.atom(start, own), c.atom(step, own)), work)
        stride = c.b.apply("sub", second, first)

    def element(b: Builder, index: Atoms) -> Atom:
        i = convert(b, index[0], work)
        if not work.is_float and stride == literal(1, work):
            return convert(b, plus(b, first, i) if work is I64 else b.apply("add", first, i), to)
        return convert(b, b.apply("add", first, b.apply("mul", i, stride)), to)

    return c.fresh(array_of(c.b, (size,), element))


def _int_count(c: Context, start: Value, stop: Value, step: Value) -> Atom:
    """max(0, ceil((stop - start) / step))."""
    first, last, stride = (c.atom(x, I64) for x in (start, stop, step))
    known = c.static_int(step)
    if known is None:
        c.b.check("nonzero", stride)
    elif known == 0:
        c.refuse("np.arange with a step of zero", why="it would never end")
    span = c.sizes.sub(c.b, last, first)
    if known == 1:
        return c.sizes.max(c.b, span, ZERO)
    if isinstance(span, Lit) and known is not None:
        return i64(max(0, -(-int(span.value) // known)))
    # ceil(a / s) = -floor(-a / s)
    floor = c.b.apply("floordiv", minus(c.b, ZERO, span), stride)
    return c.sizes.max(c.b, c.b.apply("neg", floor), ZERO)


def _float_count(c: Context, start: Value, stop: Value, step: Value) -> Atom:
    known = [x for x in (start, stop, step) if isinstance(x, int | float)]
    if len(known) == 3:
        return i64(max(0, math.ceil((stop - start) / step)))
    b = c.b
    first, last, stride = (c.atom(x, F64) for x in (start, stop, step))
    exact = b.apply("ceil", b.apply("div", b.apply("sub", last, first), stride))
    return c.sizes.max(b, convert(b, exact, I64), ZERO)


@implements(np.linspace)
def linspace(
    c: Context, start: Value, stop: Value, num: Value = 50, endpoint: Value = True, *, dtype: Value = None,
    **options: Value,
) -> Value:  # fmt: skip
    """`num` evenly spaced numbers from start to stop."""
    only_options(c, "np.linspace", options)
    work = c.promote(start, stop, 1.0)
    if c.is_array(start) or c.is_array(stop):
        c.refuse("np.linspace is compiled for numbers as ends")
    b, size, ends = c.b, size_of(c, num), flag(c, endpoint, "endpoint")
    first, last = c.atom(start, work), c.atom(stop, work)
    gaps = c.sizes.max(b, c.sizes.sub(b, size, ONE), ONE) if ends else size
    step = b.apply("div", b.apply("sub", last, first), convert(b, gaps, work))

    def element(b: Builder, index: Atoms) -> Atom:
        value: Atom = b.apply("add", b.apply("mul", convert(b, index[0], work), step), first)
        if ends:
            at_end = b.apply("and", b.apply("eq", index[0], gaps), b.apply("gt", index[0], ZERO))
            value = b.apply("select", at_end, last, value)
        return convert(b, value, work if dtype is None else dtype_of(c, dtype))

    return c.fresh(array_of(b, (size,), element))


@implements(np.array)
def array(c: Context, object: Value, dtype: Value = None, **options: Value) -> Value:
    """A new array from numbers, nested lists or another array."""
    only_options(c, "np.array", options, "copy", "order")
    value = array_like(c, object)
    return c.fresh(contents(c, value, None if dtype is None else dtype_of(c, dtype)))


@implements(np.asarray, np.ascontiguousarray, np.asanyarray)
def asarray(c: Context, a: Value, dtype: Value = None) -> Value:
    """An array as it is where the type allows, else a new one."""
    value = array_like(c, a)
    if isinstance(value, ArrayRef) and (dtype is None or dtype_of(c, dtype) is c.dtype(value)):
        return value
    return array(c, value, dtype)


@implements(np.astype)
@method("astype")
def astype(c: Context, x: Value, dtype: Value, **options: Value) -> Value:
    """A copy with another element type."""
    only_options(c, "astype", options)
    return c.fresh(contents(c, x, dtype_of(c, dtype)))


@attribute("dtype")
def dtype_attribute(c: Context, x: Value) -> Value:
    """The NumPy dtype, known while compiling."""
    return NUMPY_DTYPE[c.dtype(x)]


@attribute("itemsize")
def itemsize(c: Context, x: Value) -> Value:
    """Bytes of one element."""
    return c.dtype(x).itemsize


@attribute("nbytes")
def nbytes(c: Context, x: Value) -> Value:
    """Bytes of all elements."""
    return c.number(c.sizes.mul(c.b, count(c, c.shape(x)), i64(c.dtype(x).itemsize)))


@implements(np.finfo)
def finfo(c: Context, dtype: Value) -> Value:
    """The limits of a floating-point type, known while compiling."""
    found = dtype_of(c, dtype) if not c.is_scalar(dtype) and not c.is_array(dtype) else c.dtype(dtype)
    if not found.is_float:
        c.refuse("np.finfo describes floating-point types", fix="use np.iinfo for integers")
    return np.finfo(NUMPY_DTYPE[found].name)


@implements(np.iinfo)
def iinfo(c: Context, dtype: Value) -> Value:
    """The limits of an integer type, known while compiling."""
    found = dtype_of(c, dtype)
    if not found.is_int:
        c.refuse("np.iinfo describes integer types", fix="use np.finfo for floating-point numbers")
    return np.iinfo(NUMPY_DTYPE[found].name)


@method("item")
def item(c: Context, a: Value, *index: Value) -> Value:
    """The only element, or the one at an index, as a Python number."""
    if not c.is_array(a):
        return c.fresh(c.atom(a), weak=True)
    shape = c.shape(a)
    if len(index) != len(shape) and (index or any(n != ONE for n in shape)):
        c.refuse("item() needs an index per dimension, or an array of one element", fix="use a[i]")
    places = [integer(c, i, "an index") for i in index] or [ZERO] * len(shape)
    where = [in_range(c.b, i, n) for i, n in zip(places, shape, strict=True)]
    return c.fresh(c.b.apply("index", c.read(a), *where), weak=True)


@method("fill")
def fill(c: Context, a: Value, value: Value) -> None:
    """Store one number everywhere."""
    element = pull(c, value, c.dtype(a))
    c.write(a, whole(c.b, stretched(element, c.shape(a))))


@implements(np.copyto)
def copyto(c: Context, dst: Value, src: Value) -> None:
    """Store the elements of one array in another."""
    p = stretched(pull(c, src), c.shape(dst))
    deliver(c, whole(c.b, p), dst)


def _register_scalar_types() -> None:
    for ours, dtype in NUMPY_DTYPE.items():
        implements(dtype.type)(_scalar_type(ours))


def _scalar_type(dtype: DType) -> Callable[..., Value]:
    def make(c: Context, x: Value = 0) -> Value:
        return c.fresh(contents(c, array_like(c, x), dtype))

    return make


_register_scalar_types()
