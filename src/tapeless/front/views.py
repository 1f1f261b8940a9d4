"""Views of arrays: their shapes, their composition, reading through them and writing through them.

A view is a list of layers from the memory outwards, each a `Select` (indices, spans, order of axes, new axes) or
a `Reshape`. Two selections in a row become one, so most views are a single layer.
Reading emits index, slice, transpose and reshape; writing puts the new elements back layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.build import Builder, is_literal
from ..ir.types import Atom, Type, Var, i64
from .sizes import Sizes
from .values import ArrayRef, At, Reshape, Select, Span, View

ZERO, ONE = i64(0), i64(1)


def shape(array: ArrayRef) -> tuple[Atom, ...]:
    """The shape that a view shows."""
    return layer_shape(array.view[-1]) if array.view else array.cell.type.shape


def layer_shape(layer: Select | Reshape) -> tuple[Atom, ...]:
    if isinstance(layer, Reshape):
        return layer.shape
    return tuple(ONE if axis is None else _span(layer, axis).size for axis in layer.axes)


def view_atoms(view: View) -> Iterator[Atom]:
    """The sizes and indices that a view is made of."""
    for layer in view:
        if isinstance(layer, Reshape):
            yield from layer.shape
            continue
        for dim in layer.dims:
            yield from (dim.index,) if isinstance(dim, At) else (dim.start, dim.size, dim.step)


def whole(sizes: tuple[Atom, ...]) -> Select:
    """The selection of everything."""
    return Select(tuple(Span(ZERO, n, ONE) for n in sizes), tuple(range(len(sizes))))


def transposed(array: ArrayRef, order: tuple[int, ...]) -> ArrayRef:
    """A view with its axes in another order."""
    layer = _top(array)
    new = Select(layer.dims, tuple(layer.axes[axis] for axis in order))
    return _with_top(array, new)


def reshaped(array: ArrayRef, sizes: tuple[Atom, ...]) -> ArrayRef:
    """A view with another shape of the same elements; only of contiguous views (`is_contiguous`)."""
    view = array.view
    if view and isinstance(view[-1], Reshape):
        view = view[:-1]
    return ArrayRef(array.cell, (*view, Reshape(sizes)))


def new_axes(array: ArrayRef) -> list[int]:
    """The axes of a view that are not in the memory."""
    return [k for k, axis in enumerate(_top(array).axes) if axis is None]


def is_contiguous(array: ArrayRef) -> bool:
    """Does the view surely show a contiguous piece of memory in row-major order?"""
    return all(isinstance(layer, Reshape) or _is_block(layer, below) for layer, below in _layers(array))


def selected(
    b: Builder, sizes: Sizes, array: ArrayRef, dims: tuple[At | Span, ...], axes: tuple[int | None, ...]
) -> ArrayRef:
    """A selection from what a view shows: a selector per axis of it, then the axes of the result."""
    layer = _top(array)
    base = list(layer.dims)
    inner: list[int | None] = []
    for axis, selector in zip(layer.axes, dims, strict=True):
        if axis is None:
            inner.append(None)
            continue
        span = _span(layer, axis)
        base[axis] = _compose(b, sizes, span, selector)
        inner.append(axis)
    return _with_top(array, Select(tuple(base), tuple(None if a is None else inner[a] for a in axes)))


def read(b: Builder, base: Var, view: View) -> Var:
    """The elements that a view shows."""
    value: Var = base
    for layer in view:
        value = _read_select(b, value, layer) if isinstance(layer, Select) else b.apply("reshape", value, *layer.shape)
    return value


def write(b: Builder, base: Var, view: View, new: Atom) -> Atom:
    """The memory after the elements that a view shows were replaced."""
    if not view:
        return new
    *below, layer = view
    if not below:
        return _write_layer(b, base, layer, new)
    under = read(b, base, tuple(below))
    return write(b, base, tuple(below), _write_layer(b, under, layer, new))


def _write_layer(b: Builder, under: Var, layer: Select | Reshape, new: Atom) -> Atom:
    if isinstance(layer, Reshape):
        return b.apply("reshape", new, *under.type.shape)
    return _write_select(b, under, layer, new)


def _read_select(b: Builder, base: Var, layer: Select) -> Var:
    value = base
    if any(isinstance(dim, Span) and not _is_whole(dim, n) for dim, n in zip(layer.dims, base.type.shape, strict=True)):
        value = b.apply("slice", value, *_triples(layer, base.type))
        layer = _after_slice(layer)
    indexed = [k for k, dim in enumerate(layer.dims) if isinstance(dim, At)]
    kept = [axis for axis in layer.axes if axis is not None]
    order = tuple(indexed + kept)
    if order != tuple(range(len(order))):
        value = b.apply("transpose", value, attrs=order)
    if indexed:
        value = b.apply("index", value, *(layer.dims[k].index for k in indexed))  # type: ignore[union-attr]
    if None in layer.axes:
        value = b.apply("reshape" if kept else "replicate", value, *layer_shape(layer))
    return value


def _triples(layer: Select, type: Type) -> list[Atom]:
    last = max(
        k for k, (dim, n) in enumerate(zip(layer.dims, type.shape, strict=True))
        if isinstance(dim, Span) and not _is_whole(dim, n)
    )  # fmt: skip
    triples: list[Atom] = []
    for dim, n in zip(layer.dims[: last + 1], type.shape, strict=False):
        triples += [dim.start, dim.size, dim.step] if isinstance(dim, Span) else [ZERO, n, ONE]
    return triples


def _after_slice(layer: Select) -> Select:
    dims = tuple(Span(ZERO, dim.size, ONE) if isinstance(dim, Span) else dim for dim in layer.dims)
    return Select(dims, layer.axes)


def _write_select(b: Builder, base: Var, layer: Select, new: Atom) -> Atom:
    if all(isinstance(dim, At) for dim in layer.dims) and new.type.is_array:
        new = b.apply("index", new, *(ZERO for _ in layer.axes))
    leading = 0
    while leading < len(layer.dims) and isinstance(layer.dims[leading], At):
        leading += 1
    rest = tuple(zip(layer.dims[leading:], base.type.shape[leading:], strict=True))
    in_order = layer.axes == tuple(range(leading, len(layer.dims)))
    if in_order and all(isinstance(dim, Span) and _is_whole(dim, n) for dim, n in rest):
        if not leading:
            return new
        return b.apply("update", base, new, *(dim.index for dim in layer.dims[:leading]))  # type: ignore[union-attr]
    if not new.type.is_array:
        return b.apply("update", base, new, *(dim.index for dim in layer.dims))  # type: ignore[union-attr]
    block = _to_block(b, layer, new)
    pairs: list[Atom] = []
    for dim in layer.dims:
        pairs += [dim.start, dim.step] if isinstance(dim, Span) else [dim.index, ONE]
    return b.apply("update_slice", base, block, *pairs)


def _to_block(b: Builder, layer: Select, new: Atom) -> Atom:
    """The new elements in the order and rank of the memory: axes put back, size-one axes added."""
    kept = [axis for axis in layer.axes if axis is not None]
    if None in layer.axes:
        new = b.apply(
            "reshape", new, *(n for n, axis in zip(layer_shape(layer), layer.axes, strict=True) if axis is not None)
        )
    back = tuple(sorted(range(len(kept)), key=lambda k: kept[k]))
    if back != tuple(range(len(back))):
        new = b.apply("transpose", new, attrs=back)
    if len(kept) != len(layer.dims):
        new = b.apply("reshape", new, *(dim.size if isinstance(dim, Span) else ONE for dim in layer.dims))
    return new


def _compose(b: Builder, sizes: Sizes, span: Span, selector: At | Span) -> At | Span:
    def at(index: Atom) -> Atom:
        return sizes.add(b, span.start, sizes.mul(b, index, span.step))

    if isinstance(selector, At):
        return At(at(selector.index))
    return Span(at(selector.start), selector.size, sizes.mul(b, selector.step, span.step))


def _span(layer: Select, axis: int) -> Span:
    span = layer.dims[axis]
    assert isinstance(span, Span)
    return span


def _is_whole(span: Span, size: Atom) -> bool:
    return is_literal(span.start, 0) and is_literal(span.step, 1) and span.size == size


def _top(array: ArrayRef) -> Select:
    if array.view and isinstance(array.view[-1], Select):
        return array.view[-1]
    return whole(shape(array))


def _with_top(array: ArrayRef, layer: Select) -> ArrayRef:
    below = array.view[:-1] if array.view and isinstance(array.view[-1], Select) else array.view
    under = layer_shape(below[-1]) if below else array.cell.type.shape
    if layer == whole(under):
        return ArrayRef(array.cell, below)
    return ArrayRef(array.cell, (*below, layer))


def _layers(array: ArrayRef) -> list[tuple[Select | Reshape, tuple[Atom, ...]]]:
    below = array.cell.type.shape
    result: list[tuple[Select | Reshape, tuple[Atom, ...]]] = []
    for layer in array.view:
        result.append((layer, below))
        below = layer_shape(layer)
    return result


def _is_block(layer: Select, below: tuple[Atom, ...]) -> bool:
    """Indices, then at most one span of step one, then whole dimensions, in order."""
    spans = [(k, dim, n) for k, (dim, n) in enumerate(zip(layer.dims, below, strict=True)) if isinstance(dim, Span)]
    if [a for a in layer.axes if a is not None] != [k for k, _, _ in spans]:
        return False
    if spans and spans[0][0] + len(spans) != len(layer.dims):
        return False
    return all(is_literal(dim.step, 1) if pos == 0 else _is_whole(dim, n) for pos, (_, dim, n) in enumerate(spans))
