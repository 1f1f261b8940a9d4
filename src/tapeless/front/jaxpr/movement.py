"""Primitives that move elements without changing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import Atom, i64
from ..numpy.atoms import ONE, ZERO
from ..numpy.nest import array_of
from .convert import Walk, rule
from .types import ints, sizes


def reshaped(b: Builder, x: Atom, shape: Sequence[int]) -> Atom:
    """The same elements in row-major order; scalars are arrays without dimensions."""
    if not x.type.is_array:
        return x if not shape else b.apply("replicate", x, *sizes(shape))
    if not shape:
        return b.apply("index", x, *[ZERO] * x.type.rank)
    return x if x.type.shape == sizes(shape) else b.apply("reshape", x, *sizes(shape))


def transposed(b: Builder, x: Atom, order: Sequence[int]) -> Atom:
    """Dimension d of the result is dimension order[d]."""
    order = tuple(int(k) for k in order)
    return x if order == tuple(range(len(order))) else b.apply("transpose", x, attrs=order)


def sliced(b: Builder, x: Atom, starts: Sequence[Atom], lengths: Sequence[int], steps: Sequence[int]) -> Atom:
    """So many elements of each dimension, from a start on."""
    if not x.type.is_array:
        return x
    triples = zip(starts, map(i64, lengths), map(i64, steps), strict=True)
    whole = [(ZERO, size, ONE) for size in x.type.shape]
    given = list(triples)
    return x if given == whole else b.apply("slice", x, *(atom for triple in given for atom in triple))


def _shape(equation: Any, k: int = 0) -> tuple[int, ...]:
    return tuple(int(n) for n in equation.outvars[k].aval.shape)


@rule("reshape", "squeeze", "expand_dims")
def _reshape(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x = args[0]
    if equation.params.get("dimensions") is not None and equation.primitive.name == "reshape":
        x = transposed(walk.b, x, equation.params["dimensions"])
    return (reshaped(walk.b, x, _shape(equation)),)


@rule("transpose")
def _transpose(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    return (transposed(walk.b, args[0], equation.params["permutation"]) if args[0].type.is_array else args[0],)


@rule("broadcast_in_dim")
def _broadcast_in_dim(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, shape = args[0], _shape(equation)
    places = [int(d) for d in equation.params["broadcast_dimensions"]]
    if not x.type.is_array:
        return (reshaped(walk.b, x, shape),)
    if [shape[d] for d in places] == ints(equation.invars[0].aval.shape):
        if all(n == 1 for d, n in enumerate(shape) if d not in places):
            return (reshaped(walk.b, x, shape),)
        if places == list(range(len(shape) - len(places), len(shape))):
            return (walk.b.apply("replicate", x, *sizes(shape[: len(shape) - len(places)])),)

    def element(b: Builder, index: Atoms) -> Atom:
        where = [ZERO if n == ONE else index[d] for d, n in zip(places, x.type.shape, strict=True)]
        return b.apply("index", x, *where)

    return (array_of(walk.b, sizes(shape), element),)


@rule("slice")
def _slice(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    starts = [i64(int(k)) for k in equation.params["start_indices"]]
    steps = equation.params["strides"] or (1,) * len(starts)
    return (sliced(walk.b, args[0], starts, _shape(equation), [int(k) for k in steps]),)


@rule("rev")
def _rev(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    shape = _shape(equation)
    backwards = set(equation.params["dimensions"])
    starts = [i64(n - 1 if d in backwards else 0) for d, n in enumerate(shape)]
    return (sliced(walk.b, args[0], starts, shape, [-1 if d in backwards else 1 for d in range(len(shape))]),)


@rule("concatenate")
def _concatenate(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    axis = int(equation.params["dimension"])
    if len(args) == 1:
        return args
    return (walk.b.apply("concat", *args, i64(_shape(equation)[axis]), attrs=(axis,)),)


@rule("stack")
def _stack(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    axis, rank = int(equation.params["axis"]), len(_shape(equation))
    stacked = walk.b.apply("stack", *args)
    order = list(range(1, rank))
    order.insert(axis, 0)
    return (transposed(walk.b, stacked, order),)


@rule("unstack")
def _unstack(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    axis, rank = int(equation.params["axis"]), args[0].type.rank
    order = [axis, *(d for d in range(rank) if d != axis)]
    first = transposed(walk.b, args[0], order)
    return [walk.b.apply("index", first, i64(k)) for k in range(len(equation.outvars))]


@rule("split")
def _split(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    axis, start = int(equation.params["axis"]), 0
    parts: list[Atom] = []
    for k, size in enumerate(equation.params["sizes"]):
        shape = _shape(equation, k)
        starts = [i64(start if d == axis else 0) for d in range(len(shape))]
        parts.append(sliced(walk.b, args[0], starts, shape, [1] * len(shape)))
        start += int(size)
    return parts


@rule("tile")
def _tile(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x = args[0]

    def element(b: Builder, index: Atoms) -> Atom:
        where = [i if i.type == n.type and n == m else b.apply("mod", i, n)
                 for i, n, m in zip(index, x.type.shape, sizes(_shape(equation)), strict=True)]  # fmt: skip
        return b.apply("index", x, *where)

    return (array_of(walk.b, sizes(_shape(equation)), element),)


@rule("pad")
def _pad(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, filler = args
    config = [(int(low), int(high), int(inner)) for low, high, inner in equation.params["padding_config"]]
    shape = _shape(equation)
    if not shape:
        return (x,)
    lengths = [int(n) for n in equation.invars[0].aval.shape]
    # Element k lands at low + k * step; those that land outside are cut off first.
    starts: list[int] = []
    counts: list[int] = []
    for (low, _, inner), n, size in zip(config, lengths, shape, strict=True):
        step = inner + 1
        first = max(0, -(low // step)) if low < 0 else 0
        last = min(n - 1, (size - 1 - low) // step)
        starts.append(first)
        counts.append(max(0, last - first + 1))
    part = sliced(walk.b, x, [i64(k) for k in starts], counts, [1] * len(shape))
    base = walk.b.apply("replicate", filler, *sizes(shape))
    if 0 in counts:
        return (base,)
    pairs = [
        (i64(low + first * (inner + 1)), i64(inner + 1)) for (low, _, inner), first in zip(config, starts, strict=True)
    ]
    return (walk.b.apply("update_slice", base, part, *(atom for pair in pairs for atom in pair)),)
