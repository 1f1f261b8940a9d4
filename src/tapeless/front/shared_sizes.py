"""Sizes of a call that are equal become one size of the specialisation.

    share(specs, leaves)  ->  the specs, in which sizes that occur more than once are `Shared`

Most programs are about arrays of one shape. With one name for their sizes no check compares them, an index that is in
range of one is in range of the others, and iterations over one write all of another: loops become parallel that would
have to stay loops if the arrays might differ. Each pattern of equal sizes is a specialisation of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..records import replace
from .tree import Leaf, Node, Shared, Size, Spec, Static, spec_leaves

Shape = tuple[int, ...]


def share(specs: Sequence[Spec], leaves: Sequence[Any]) -> tuple[Spec, ...]:
    """The specs of a call's arguments, where sizes that are known only at run time, and equal, are one."""
    shapes: list[Shape] = [getattr(leaf, "shape", ()) for leaf in leaves]
    if sum(map(len, shapes)) < 2:
        return tuple(specs)
    count: dict[int, int] = {}
    taken = (leaf for spec in specs for leaf in spec_leaves(spec))
    for leaf, shape in zip(taken, shapes, strict=True):
        for size, dim in zip(shape, leaf.dims, strict=True):
            if dim is None:
                count[size] = count.get(size, 0) + 1
    if all(times == 1 for times in count.values()):
        return tuple(specs)
    known: dict[int, Shared] = {}

    def shared(size: int, dim: Size) -> Size:
        if dim is not None or count.get(size, 0) < 2:
            return dim
        return known.setdefault(size, Shared(len(known)))

    remaining = iter(shapes)
    return tuple(_renamed(spec, remaining, shared) for spec in specs)


def shared_count(specs: Sequence[tuple[str, Spec]]) -> int:
    """How many sizes of these parameters are said to be equal to others."""
    return sum(isinstance(dim, Shared) for _, spec in specs for leaf in spec_leaves(spec) for dim in leaf.dims)


def _renamed(spec: Spec, shapes: Iterator[Shape], shared: Callable[[int, Size], Size]) -> Spec:
    match spec:
        case Leaf(dims=dims):
            shape = next(shapes)
            return Leaf(spec.dtype, spec.flavour, tuple(map(shared, shape, dims))) if dims else spec
        case Node(parts=parts):
            return replace(spec, parts=tuple(_renamed(part, shapes, shared) for part in parts))
        case Static():
            return spec
