"""Sorting by one or more keys, and the largest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import Atom, i64
from ..numpy.atoms import convert
from ..numpy.nest import array_of
from .convert import Walk, rule
from .movement import sliced, transposed
from .types import dtype_of


@rule("sort")
def _sort(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """All operands in the order of the first keys, the very first counting most."""
    axis, rank = int(equation.params["dimension"]), args[0].type.rank
    last = [*(d for d in range(rank) if d != axis), axis]
    back = list(range(rank - 1))
    back.insert(axis, rank - 1)
    lines = [transposed(walk.b, arg, last) for arg in args]
    order: Atom | None = None
    for key in reversed(lines[: int(equation.params["num_keys"])]):
        step = walk.b.apply("argsort", key if order is None else _taken(walk.b, key, order))
        order = step if order is None else _taken(walk.b, order, step)
    assert order is not None
    return [transposed(walk.b, _taken(walk.b, line, order), back) for line in lines]


def _taken(b: Builder, lines: Atom, order: Atom) -> Atom:
    """Each line rearranged: element k is the one at place order[k]."""
    return array_of(
        b, order.type.shape, lambda b, index: b.apply("index", lines, *index[:-1], b.apply("index", order, *index))
    )


@rule("top_k")
def _top_k(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """The k largest along a dimension, the earlier of equals first."""
    x, b = args[0], walk.b
    axis, rank, count = int(equation.params.get("axis", args[0].type.rank - 1)), x.type.rank, int(equation.params["k"])
    axis %= rank
    last = [*(d for d in range(rank) if d != axis), axis]
    back = list(range(rank - 1))
    back.insert(axis, rank - 1)
    lines = transposed(b, x, last)
    shape = [int(equation.invars[0].aval.shape[d]) for d in last]
    size = shape[-1]
    turned = [1] * (rank - 1) + [-1]
    ends = [i64(0)] * (rank - 1) + [i64(size - 1)]
    # The last of the reversed line in ascending order are the first of the line in descending order.
    order = b.apply("argsort", sliced(b, lines, ends, shape, turned))
    largest = sliced(b, order, ends, [*shape[:-1], count], turned)
    places = array_of(
        b, largest.type.shape, lambda b, index: b.apply("sub", i64(size - 1), b.apply("index", largest, *index))
    )
    values = _taken(b, lines, places)
    dtype = dtype_of(equation.outvars[1].aval.dtype)
    numbers = array_of(b, places.type.shape, lambda b, index: convert(b, b.apply("index", places, *index), dtype))
    return transposed(b, values, back), transposed(b, numbers, back)
