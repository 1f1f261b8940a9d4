"""Arrays seen under another shape: views where NumPy makes views, copies where it copies."""

from __future__ import annotations

import numpy as np

from ...errors import ShapeError
from ...ir.types import Atom, Lit, i64
from .. import views
from ..context import Context
from ..registry import attribute, implements, method
from ..sizes import Linear
from ..values import ArrayRef, Span, Value
from .arguments import array_like, axes_of, contents, count, one_axis, only_options, pull, size_of, sizes_of
from .atoms import ONE, ZERO
from .elementwise import broadcast
from .nest import Atoms, stretched, whole


def need_array(c: Context, value: Value) -> ArrayRef:
    """An array; numbers become arrays of no use to views, so they are refused."""
    value = array_like(c, value)
    if not isinstance(value, ArrayRef):
        c.refuse("an array of at least one dimension is needed here")
    return value


@implements(np.transpose, np.permute_dims)
def transpose(c: Context, a: Value, axes: Value = None) -> Value:
    """A view with the axes in another order; reversed when none is given."""
    a = array_like(c, a)
    if not isinstance(a, ArrayRef):
        return a
    rank = len(c.shape(a))
    if axes is None:
        return views.transposed(a, tuple(reversed(range(rank))))
    order = tuple(one_axis(c, axis, rank) for axis in c.items(axes) or (axes,))
    if sorted(order) != list(range(rank)):
        c.refuse("the axes of a transposition must name every axis once", error=ShapeError)
    return views.transposed(a, order)


@method("transpose")
def transpose_method(c: Context, a: Value, *axes: Value) -> Value:
    """`a.transpose(1, 0)` or `a.transpose((1, 0))`."""
    if len(axes) == 1:
        return transpose(c, a, axes[0])
    return transpose(c, a, axes or None)


@attribute("T")
def transposed(c: Context, a: Value) -> Value:
    """The axes reversed."""
    return transpose(c, a)


@implements(np.matrix_transpose)
@attribute("mT")
def matrix_transpose(c: Context, a: Value) -> Value:
    """The last two axes exchanged."""
    return swapaxes(c, a, -1, -2)


@implements(np.swapaxes)
@method("swapaxes")
def swapaxes(c: Context, a: Value, axis1: Value, axis2: Value) -> Value:
    """Two axes exchanged."""
    a = need_array(c, a)
    rank = len(c.shape(a))
    order = list(range(rank))
    i, j = one_axis(c, axis1, rank), one_axis(c, axis2, rank)
    order[i], order[j] = order[j], order[i]
    return views.transposed(a, tuple(order))


@implements(np.moveaxis)
def moveaxis(c: Context, a: Value, source: Value, destination: Value) -> Value:
    """Axes moved to other places, the rest in order."""
    a = need_array(c, a)
    rank = len(c.shape(a))
    sources = [one_axis(c, axis, rank) for axis in c.items(source) or (source,)]
    targets = [one_axis(c, axis, rank) for axis in c.items(destination) or (destination,)]
    order = [axis for axis in range(rank) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return views.transposed(a, tuple(order))


@implements(np.reshape)
def reshape(c: Context, a: Value, shape: Value, order: Value = "C") -> Value:
    """The same elements under another shape; one size may be -1."""
    if order != "C":
        c.refuse("only row-major order is compiled", fix="transpose before or after")
    a = array_like(c, a)
    old = c.shape(a)
    parts = c.items(shape)
    asked = parts if parts is not None else (shape,)
    unknown = [k for k, n in enumerate(asked) if c.static_int(n) == -1]
    known = [ONE if k in unknown else size_of(c, n) for k, n in enumerate(asked)]
    if len(unknown) > 1:
        c.refuse("only one size of a reshape can be -1", error=ShapeError)
    if unknown:
        known[unknown[0]] = _missing(c, old, tuple(known))
    else:
        c.equal_sizes(count(c, old), count(c, tuple(known)))
    return with_shape(c, a, tuple(known))


@method("reshape")
def reshape_method(c: Context, a: Value, *shape: Value, order: Value = "C") -> Value:
    """`a.reshape(2, 3)` or `a.reshape((2, 3))`."""
    return reshape(c, a, shape if len(shape) != 1 else shape[0], order)


def with_shape(c: Context, a: Value, shape: Atoms) -> Value:
    """A value under a shape of as many elements: a view of contiguous memory, else what may be a view or a copy."""
    if not isinstance(a, ArrayRef):
        return c.fresh(c.b.apply("replicate", c.atom(a), *shape) if shape else c.atom(a))
    if not shape:
        return c.fresh(c.b.apply("index", c.read(a), *(ZERO for _ in c.shape(a))))
    if views.is_contiguous(a):
        return views.reshaped(a, shape)
    if c.shape(a) == shape:
        return a
    return c.fresh(c.b.apply("reshape", c.read(a), *shape), shares=a)


def _missing(c: Context, old: Atoms, known: Atoms) -> Atom:
    """The size that makes the number of elements right."""
    rest = list(old)
    divisors = [n for n in known if n != ONE]
    for n in tuple(divisors):
        if n in rest:
            rest.remove(n)
            divisors.remove(n)
    total, divisor = count(c, tuple(rest)), count(c, tuple(divisors))
    if divisor == ONE:
        return total
    exact = _divided(c, total, divisor)
    if exact is not None:
        return exact
    size = c.sizes.apply(c.b, "floordiv", total, divisor)
    c.sizes.at_least_constant(size, 0)
    c.equal_sizes(total, c.sizes.mul(c.b, size, divisor))
    return size


def _divided(c: Context, total: Atom, divisor: Atom) -> Atom | None:
    """The quotient where every term of the total is a multiple of a literal divisor."""
    if not isinstance(divisor, Lit) or not divisor.value:
        return None
    form, k = c.sizes.linear(total), int(divisor.value)
    if form.const % k or any(coef % k for _, coef in form.terms):
        return None
    result: Atom = i64(form.const // k)
    for var, coef in Linear(0, form.terms).terms:
        result = c.sizes.add(c.b, result, c.sizes.mul(c.b, i64(coef // k), var))
    return result


@implements(np.ravel)
@method("ravel")
def ravel(c: Context, a: Value, order: Value = "C") -> Value:
    """All elements as one dimension, a view when memory allows."""
    a = array_like(c, a)
    if order != "C":
        c.refuse("only row-major order is compiled", fix="transpose first")
    if isinstance(a, ArrayRef) and len(c.shape(a)) == 1:
        return a
    return with_shape(c, a, (count(c, c.shape(a)),))


@method("flatten")
def flatten(c: Context, a: Value, order: Value = "C") -> Value:
    """A copy of all elements as one dimension."""
    return c.fresh(c.read(ravel(c, a, order)))


@implements(np.expand_dims)
def expand_dims(c: Context, a: Value, axis: Value) -> Value:
    """A view with new axes of size one."""
    a = array_like(c, a)
    several = c.items(axis)
    rank = len(c.shape(a)) + (1 if several is None else len(several))
    new = axes_of(c, axis, rank)
    old = iter(range(rank - len(new)))
    if not isinstance(a, ArrayRef):
        return with_shape(c, a, (ONE,) * rank)
    return _select_axes(c, a, tuple(None if d in new else next(old) for d in range(rank)))


@implements(np.squeeze)
@method("squeeze")
def squeeze(c: Context, a: Value, axis: Value = None) -> Value:
    """A view without axes of size one."""
    a = array_like(c, a)
    shape = c.shape(a)
    gone = tuple(d for d, n in enumerate(shape) if n == ONE) if axis is None else axes_of(c, axis, len(shape))
    for d in gone:
        if shape[d] != ONE:
            c.refuse("only axes of size one can be squeezed", error=ShapeError)
    return with_shape(c, a, tuple(n for d, n in enumerate(shape) if d not in gone)) if gone else a


def _select_axes(c: Context, a: ArrayRef, axes: tuple[int | None, ...]) -> ArrayRef:
    dims = tuple(Span(ZERO, n, ONE) for n in c.shape(a))
    return views.selected(c.b, c.sizes, a, dims, axes)


@implements(np.flip)
def flip(c: Context, m: Value, axis: Value = None) -> Value:
    """A view with the order of elements reversed along axes."""
    a = need_array(c, m)
    turned = axes_of(c, axis, len(c.shape(a)))
    dims = tuple(
        Span(c.sizes.sub(c.b, n, ONE), n, i64(-1)) if d in turned else Span(ZERO, n, ONE)
        for d, n in enumerate(c.shape(a))
    )
    return views.selected(c.b, c.sizes, a, dims, tuple(range(len(dims))))


@implements(np.flipud)
def flipud(c: Context, m: Value) -> Value:
    """Reversed along the first axis."""
    return flip(c, m, 0)


@implements(np.fliplr)
def fliplr(c: Context, m: Value) -> Value:
    """Reversed along the second axis."""
    return flip(c, m, 1)


@implements(np.broadcast_to)
def broadcast_to(c: Context, array: Value, shape: Value) -> Value:
    """A value stretched to a shape."""
    target = sizes_of(c, shape)
    p = pull(c, array)
    if broadcast(c, [p.shape, target]) != tuple(map(c.sizes.canonical, target)) and p.rank > len(target):
        c.refuse("the array has more dimensions than the shape", error=ShapeError)
    return c.fresh(whole(c.b, stretched(p, target)))


@implements(np.broadcast_arrays)
def broadcast_arrays(c: Context, *args: Value) -> Value:
    """All values stretched to their common shape."""
    pulls = [pull(c, x) for x in args]
    shape = broadcast(c, [p.shape for p in pulls])
    return tuple(c.fresh(whole(c.b, stretched(p, shape))) for p in pulls)


@implements(np.atleast_1d)
def atleast_1d(c: Context, *arys: Value) -> Value:
    """Numbers as arrays of one element."""
    return _at_least(c, arys, 1)


@implements(np.atleast_2d)
def atleast_2d(c: Context, *arys: Value) -> Value:
    """Vectors as matrices of one row."""
    return _at_least(c, arys, 2)


def _at_least(c: Context, arrays: tuple[Value, ...], rank: int) -> Value:
    results = tuple(
        with_shape(c, a, (ONE,) * (rank - len(c.shape(a))) + c.shape(a)) if len(c.shape(a)) < rank else a
        for a in (array_like(c, x) for x in arrays)
    )
    return results[0] if len(results) == 1 else results


@implements(np.shape)
@attribute("shape")
def shape_(c: Context, a: Value) -> Value:
    """The sizes, as Python ints."""
    return tuple(c.number(n) for n in c.shape(array_like(c, a)))


@implements(np.ndim)
@attribute("ndim")
def ndim(c: Context, a: Value) -> Value:
    """The number of dimensions."""
    return len(c.shape(array_like(c, a)))


@implements(np.size)
@attribute("size")
def size(c: Context, a: Value, axis: Value = None) -> Value:
    """The number of elements, or of those along an axis."""
    shape = c.shape(array_like(c, a))
    return c.number(count(c, shape) if axis is None else shape[one_axis(c, axis, len(shape))])


@method("copy")
@implements(np.copy)
def copy(c: Context, a: Value, **options: Value) -> Value:
    """The same elements in memory of their own."""
    only_options(c, "copy", options, "order")
    return c.fresh(contents(c, array_like(c, a)))
