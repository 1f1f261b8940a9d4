"""Products of tensors: `dot_general`, and convolutions as sums over the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import Atom, boolean, i64
from ..numpy.atoms import ONE, ZERO, convert, literal, minus, plus, quotient, times
from ..numpy.nest import array_of, fold
from .convert import Walk, rule
from .types import ints, sizes, type_of


@rule("dot_general")
def _dot_general(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, y = args
    summed, batched = equation.params["dimension_numbers"]
    x_sum, y_sum, x_batch, y_batch = ints(summed[0]), ints(summed[1]), ints(batched[0]), ints(batched[1])
    x_free = [d for d in range(x.type.rank) if d not in (*x_sum, *x_batch)]
    y_free = [d for d in range(y.type.rank) if d not in (*y_sum, *y_batch)]
    result = type_of(equation.outvars[0].aval)

    def element(b: Builder, index: Atoms) -> Atom:
        batch, rest = index[: len(x_batch)], index[len(x_batch) :]
        x_rest, y_rest = rest[: len(x_free)], rest[len(x_free) :]

        def product(b: Builder, along: Atoms) -> Sequence[Atom]:
            left = _read(b, x, {**_at(x_batch, batch), **_at(x_free, x_rest), **_at(x_sum, along)})
            right = _read(b, y, {**_at(y_batch, batch), **_at(y_free, y_rest), **_at(y_sum, along)})
            return (b.apply("mul", convert(b, left, result.dtype), convert(b, right, result.dtype)),)

        along = tuple(x.type.shape[d] for d in x_sum)
        return fold(b, along, "add", (literal(0, result.dtype),), product)[0]

    return (array_of(walk.b, result.shape, element),)


def _at(dims: Sequence[int], index: Sequence[Atom]) -> dict[int, Atom]:
    return dict(zip(dims, index, strict=True))


def _read(b: Builder, x: Atom, where: dict[int, Atom]) -> Atom:
    return b.apply("index", x, *(where[d] for d in range(x.type.rank))) if x.type.is_array else x


@rule("conv_general_dilated")
def _convolution(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """Each element is the sum over the window and the features of its group; outside the input there are zeros."""
    image, kernel = args
    p = equation.params
    numbers = p["dimension_numbers"]
    image_dims, kernel_dims, out_dims = ints(numbers.lhs_spec), ints(numbers.rhs_spec), ints(numbers.out_spec)
    groups, batches = int(p["feature_group_count"]), int(p["batch_group_count"])
    out_shape = ints(equation.outvars[0].aval.shape)
    in_shape, kernel_shape = ints(equation.invars[0].aval.shape), ints(equation.invars[1].aval.shape)
    per_group = kernel_shape[kernel_dims[1]]
    out_features = out_shape[out_dims[1]]
    dtype = type_of(equation.outvars[0].aval).dtype
    space = range(len(out_dims) - 2)

    def element(b: Builder, index: Atoms) -> Atom:
        row, feature = index[out_dims[0]], index[out_dims[1]]

        def product(b: Builder, along: Atoms) -> Sequence[Atom]:
            group = quotient(b, feature, i64(out_features // groups)) if groups > 1 else ZERO
            part = quotient(b, feature, i64(out_features // batches)) if batches > 1 else ZERO
            where: dict[int, Atom] = {
                image_dims[0]: plus(b, times(b, part, i64(in_shape[image_dims[0]] // batches)), row),
                image_dims[1]: plus(b, times(b, group, i64(per_group)), along[0]),
            }
            tap: dict[int, Atom] = {kernel_dims[0]: feature, kernel_dims[1]: along[0]}
            inside: Atom = boolean(True)
            for d in space:
                at, fits = _tap(b, p, d, index[out_dims[2 + d]], along[1 + d], in_shape[image_dims[2 + d]])
                where[image_dims[2 + d]], tap[kernel_dims[2 + d]] = at, along[1 + d]
                inside = fits if inside == boolean(True) else b.apply("and", inside, fits)
            pixel = convert(b, _read(b, image, where), dtype)
            seen = b.apply("select", inside, pixel, literal(0, dtype))
            return (b.apply("mul", seen, convert(b, _read(b, kernel, tap), dtype)),)

        window = sizes([per_group, *(kernel_shape[kernel_dims[2 + d]] for d in space)])
        return fold(b, window, "add", (literal(0, dtype),), product)[0]

    return (array_of(walk.b, sizes(out_shape), element),)


def _tap(b: Builder, p: Any, d: int, i: Atom, k: Atom, size: int) -> tuple[Atom, Atom]:
    """Where window position k of output i reads along spatial dimension d, kept within the input, and is it there?"""
    stride, spread = int(p["window_strides"][d]), int(p["rhs_dilation"][d])
    gap, low = int(p["lhs_dilation"][d]), int(p["padding"][d][0])
    place = minus(b, plus(b, times(b, i, i64(stride)), times(b, k, i64(spread))), i64(low))
    step = i64(gap)
    at = quotient(b, place, step)
    fits: Atom = b.apply("and", b.apply("ge", place, ZERO), b.apply("lt", at, i64(size)))
    if gap > 1:
        fits = b.apply("and", fits, b.apply("eq", b.apply("mod", place, step), ZERO))
    return b.apply("min", b.apply("max", at, ZERO), minus(b, i64(size), ONE)), fits
