"""Values for all iterations of the maps around them at once.

An `Axis` is an open map: its number grows with its depth. A `Value` is one array whose leading dimensions are
the axes on which it depends, outermost first, followed by its own dimensions. Since the innermost open axis is
always the last of them, closing a map moves nothing: its axis just becomes the first own dimension.

Three forms are kept unevaluated as long as possible: an integer that is affine in the axes (`Affine`), which makes
reads into slices; a product of floats that may be summed over axes (`Product`), which makes contractions; and sums of
such products.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from ...ir.types import BOOL, F32, F64, I32, I64, DType
from .library import jax, jnp, lax

_NUMPY = {BOOL: np.bool_, I32: np.int32, I64: np.int64, F32: np.float32, F64: np.float64}

# A sum of products over at least so many terms is a contraction, however few elements it has.
_LONG = 4


def jax_dtype(dtype: DType) -> Any:
    """The type of JAX's numbers: without x64 those of 64 bits have 32."""
    return jax.dtypes.canonicalize_dtype(_NUMPY[dtype])


def is_known(array: Any) -> bool:
    """Is this a number of the program's text?"""
    return isinstance(array, np.ndarray | np.generic)


@dataclass(frozen=True, slots=True, order=True)
class Axis:
    """An open map of `size` iterations."""

    number: int
    size: int


Axes = tuple[Axis, ...]

_numbers = itertools.count()


def new_axis(size: int) -> Axis:
    """An axis inside all those that are open."""
    return Axis(next(_numbers), size)


@dataclass(frozen=True, slots=True)
class Affine:
    """const + base + the sum of coefficient * axis; `base` is a number known only at run time, the same everywhere."""

    const: int
    terms: tuple[tuple[Axis, int], ...] = ()
    base: Any = None

    @property
    def axes(self) -> Axes:
        return tuple(axis for axis, _ in self.terms)

    @property
    def static(self) -> int | None:
        """The number itself, where it is known now."""
        return self.const if not self.terms and self.base is None else None

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The smallest and the largest value over the axes; None where that is known only at run time."""
        if self.base is not None or any(axis.size == 0 for axis in self.axes):
            return None
        ends = [c * (axis.size - 1) for axis, c in self.terms]
        return self.const + sum(min(0, e) for e in ends), self.const + sum(max(0, e) for e in ends)

    def array(self) -> Any:
        dtype = jax_dtype(I64)
        total: Any = np.asarray(self.const, dtype) if self.base is None else self.base + np.asarray(self.const, dtype)
        for k, (axis, c) in enumerate(self.terms):
            shape = [axis.size if j == k else 1 for j in range(len(self.terms))]
            total = total + lax.broadcasted_iota(dtype, shape, k) * np.asarray(c, dtype)
        return total


@dataclass(frozen=True, slots=True)
class Product:
    """The product of the factors, summed over some axes; it is zero where one of `masks` is, whatever the factors are.

    A contraction does not look at the masks: where a mask is zero so is a factor, and the product is zero unless
    another factor is not finite. Then it is NaN, as in JAX.
    """

    factors: tuple[Value, ...]
    masks: tuple[Value, ...] = ()
    summed: Axes = ()

    def array(self, axes: Axes) -> Any:
        if self.summed and self.is_contraction():
            labels = {axis: k for k, axis in enumerate(sorted({a for f in self.factors for a in f.axes}))}
            operands: list[Any] = []
            for factor in self.factors:
                operands += [factor.array, [labels[axis] for axis in factor.axes]]
            return jnp.einsum(*operands, [labels[axis] for axis in axes])
        return self._multiplied_out(axes)

    def _multiplied_out(self, axes: Axes) -> Any:
        everything = united(self.factors)
        total = self.factors[0]
        whole = aligned(total, everything)
        for factor in self.factors[1:]:
            whole = whole * aligned(factor, everything)
        for mask in self.masks:
            whole = jnp.where(aligned(mask, everything) == 0, 0, whole)
        left = [axis for axis in everything if axis not in self.summed]
        if self.summed:
            whole = jnp.sum(whole, axis=tuple(everything.index(axis) for axis in self.summed))
        order = [left.index(axis) for axis in axes]
        return whole if order == list(range(len(order))) else lax.transpose(jnp.asarray(whole), order)

    def is_contraction(self) -> bool:
        """Is it better not to write down all the products?"""
        if len(self.factors) < 2 or len(labels := united(self.factors)) > 50:
            return False
        shared = all(sum(axis in f.axes for f in self.factors) > 1 for axis in self.summed)
        total = prod(axis.size for axis in labels)
        largest = max(prod(axis.size for axis in f.axes) for f in self.factors)
        terms = prod(axis.size for axis in self.summed)
        return shared and terms > 1 and (terms >= _LONG or total > 4 * max(largest, total // terms))


@dataclass(slots=True, eq=False)
class Value:
    """A value of `rank` own dimensions for every iteration along `axes`.

    The own dimensions of a product that is not evaluated yet are closed axes, `own`.
    """

    axes: Axes
    rank: int
    known: Any = None
    affine: Affine | None = None
    product: Product | None = None
    terms: tuple[Value, ...] = ()
    own: Axes = ()

    @property
    def array(self) -> Any:
        """The array, which has a dimension for every axis and every own dimension."""
        if self.affine is not None:
            # Made again each time: one made inside a loop would not exist outside of it.
            return self.affine.array()
        if self.known is None:
            if self.product is not None:
                self.known = self.product.array((*self.axes, *self.own))
            else:
                x, y = (aligned(term, self.axes) for term in self.terms)
                self.known = x + y
        return self.known

    @property
    def static(self) -> int | None:
        return self.affine.static if self.affine is not None else None

    @property
    def shape(self) -> tuple[int, ...]:
        """The own dimensions."""
        if self.own:
            return tuple(axis.size for axis in self.own)
        return tuple(self.array.shape[len(self.axes) :]) if self.rank else ()

    @property
    def is_open(self) -> bool:
        """Is this a product that is not evaluated yet?"""
        return self.known is None and self.product is not None

    def renamed(self, names: Mapping[Axis, Axis]) -> Value:
        """An open product whose first own dimensions are other, open axes."""
        assert self.product is not None
        factors = tuple(_relabelled(factor, names) for factor in self.product.factors)
        masks = tuple(_relabelled(mask, names) for mask in self.product.masks)
        axes = tuple(sorted({*self.axes, *names.values()}))
        return Value(axes, self.rank - len(names), product=Product(factors, masks), own=self.own[len(names) :])

    def turned(self, order: Sequence[int]) -> Value:
        """An open product with its own dimensions in another order."""
        return replace(self, own=tuple(self.own[d] for d in order))


def _relabelled(factor: Value, names: Mapping[Axis, Axis]) -> Value:
    """A number for every iteration along axes of other names."""
    if not any(axis in names for axis in factor.axes):
        return factor
    labels = [names.get(axis, axis) for axis in factor.axes]
    axes = tuple(sorted(labels))
    order = [labels.index(axis) for axis in axes]
    array = factor.array if labels == list(axes) else lax.transpose(jnp.asarray(factor.array), order)
    return of_array(axes, array)


def of_affine(affine: Affine) -> Value:
    """An index; its axes are in order."""
    terms = tuple(sorted((axis, c) for axis, c in affine.terms if c))
    made = Affine(affine.const, terms, affine.base)
    return Value(made.axes, 0, affine=made)


def of_array(axes: Axes, array: Any) -> Value:
    return Value(axes, np.ndim(array) - len(axes), array)


def product(x: Value, y: Value, *, masked: bool = False) -> Value:
    """The product of two floats, not yet multiplied out; when masked it is zero where the second is."""
    parts = [_opened(x), _opened(y)]
    if sum(len(part.factors) for part in parts) > 6:
        parts = [Product((x,)), Product((y,))]
    masks = (y,) if masked else ()
    made = Product(parts[0].factors + parts[1].factors, parts[0].masks + parts[1].masks + masks)
    return Value(united((x, y)), 0, product=made)


def _opened(x: Value) -> Product:
    is_open = x.known is None and x.product is not None and not x.product.summed
    return x.product if is_open and x.product is not None else Product((x,))


def total(x: Value, y: Value) -> Value:
    """The sum of two floats, kept apart where one of them may become a contraction."""
    axes = united((x, y))
    if any(_is_open(each) for each in (x, y)):
        return Value(axes, 0, terms=(x, y))
    return of_array(axes, aligned(x, axes) + aligned(y, axes))


def _is_open(x: Value) -> bool:
    """Would a sum over axes of this value gain from seeing its factors?"""
    if x.known is not None:
        return False
    if x.product is None:
        return bool(x.terms)
    return len({f.axes for f in x.product.factors if f.axes}) > 1


def summed(x: Value, axis: Axis) -> Value:
    """The sum over the innermost axis."""
    if axis not in x.axes:
        count = of_array((), np.asarray(axis.size, _dtype(x)))
        return product(x, count) if x.rank == 0 and _is_float(x) else of_array(x.axes, x.array * count.array)
    rest = x.axes[:-1]
    if x.known is None and x.terms:
        return total(*(summed(term, axis) for term in x.terms))
    if x.known is None and x.product is not None:
        made = Product(x.product.factors, x.product.masks, (*x.product.summed, axis))
        return Value(rest, x.rank, product=made, own=x.own)
    return of_array(rest, jnp.sum(x.array, axis=len(rest), dtype=_dtype(x)))


def _dtype(x: Value) -> Any:
    return jnp.result_type(x.array)


def _is_float(x: Value) -> bool:
    return bool(jnp.issubdtype(_dtype(x), jnp.floating))


def united(values: Sequence[Value]) -> Axes:
    """All axes on which any of the values depends."""
    return tuple(sorted({axis for value in values for axis in value.axes}))


def aligned(value: Value, axes: Axes) -> Any:
    """The array with a dimension of size one for each of `axes` on which it does not depend."""
    if value.axes == axes or (not value.axes and not value.rank):
        return value.array
    missing = [k for k, axis in enumerate(axes) if axis not in value.axes]
    return lax.expand_dims(jnp.asarray(value.array), missing)


def spread(value: Value, axes: Axes) -> Any:
    """The array with a dimension of full size for each of `axes`."""
    array = jnp.asarray(aligned(value, axes))
    if value.axes == axes:
        return array
    own = array.shape[array.ndim - value.rank :]
    return jnp.broadcast_to(array, (*(axis.size for axis in axes), *own))


def closed(value: Value, axis: Axis) -> Value:
    """What a map over the innermost axis answers: its axis is the first own dimension."""
    if axis in value.axes:
        if value.is_open:
            return Value(value.axes[:-1], value.rank + 1, product=value.product, own=(axis, *value.own))
        return of_array(value.axes[:-1], value.array)
    array = lax.expand_dims(jnp.asarray(value.array), (len(value.axes),))
    shape = list(array.shape)
    shape[len(value.axes)] = axis.size
    return of_array(value.axes, jnp.broadcast_to(array, shape))
