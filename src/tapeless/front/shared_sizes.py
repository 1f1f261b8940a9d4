"""Sizes of a call that are equal become one size of the specialisation.

    share(specs, leaves)  ->  the specs, in which sizes that occur more than once are `Shared`, or
                              known while compiling where that is asked for and they are at most `SMALL`

Most programs are about arrays of one shape. With one name for their sizes no check compares them, an index that is in
range of one is in range of the others, and iterations over one write all of another: loops become parallel that would
have to stay loops if the arrays might differ. Each pattern of equal sizes is a specialisation of its own.

Some programs are about matrices of one small size: they multiply them, solve systems of equations, or have the size
written into them (`np.eye(4)`). Known, it turns their loops into straight code without arrays. So the front end asks
for small sizes when it meets the first sign of that (`KnownSizesWanted`), and the program is lowered again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..records import replace
from .tree import Leaf, Node, Shared, Size, Spec, Static, spec_leaves

Shape = tuple[int, ...]
SMALL = 8


class KnownSizesWanted(Exception):
    """What is lowered would be much better for knowing small sizes of its arguments."""


def share(specs: Sequence[Spec], leaves: Sequence[Any], *, known: bool = False) -> tuple[Spec, ...]:
    """The specs of a call's arguments, where sizes that are known only at run time, and equal, are one.

    With `known` those that are small are fixed instead.
    """
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
    found: dict[int, Shared] = {}

    def shared(size: int, dim: Size) -> Size:
        if dim is not None or count.get(size, 0) < 2:
            return dim
        return size if known and size <= SMALL else found.setdefault(size, Shared(len(found)))

    remaining = iter(shapes)
    return tuple(_renamed(spec, remaining, shared) for spec in specs)


def told_count(specs: Sequence[tuple[str, Spec]]) -> int:
    """How many sizes of these parameters are known, or said to be equal to others."""
    return sum(dim is not None for _, spec in specs for leaf in spec_leaves(spec) for dim in leaf.dims)


def _renamed(spec: Spec, shapes: Iterator[Shape], shared: Callable[[int, Size], Size]) -> Spec:
    match spec:
        case Leaf(dims=dims):
            shape = next(shapes)
            return Leaf(spec.dtype, spec.flavour, tuple(map(shared, shape, dims))) if dims else spec
        case Node(parts=parts):
            return replace(spec, parts=tuple(_renamed(part, shapes, shared) for part in parts))
        case Static():
            return spec
