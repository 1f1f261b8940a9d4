"""Primitives that combine the elements along some dimensions, and the places of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Body, Builder
from ...ir.types import BOOL, I64, Atom, DType, Lit, Var, boolean
from ..numpy.atoms import convert, highest, literal, lowest
from ..numpy.nest import array_of, arrays_of, flat_position, fold
from .convert import Walk, rule
from .types import dtype_of


def neutral(op: str, dtype: DType) -> Lit:
    """The neutral element of an associative operation."""
    match op:
        case "min":
            return highest(dtype)
        case "max":
            return lowest(dtype)
        case "and":
            return boolean(True) if dtype is BOOL else literal(-1, dtype)
        case "mul":
            return literal(1, dtype)
        case _:
            return literal(0, dtype)


def reduced(b: Builder, x: Atom, axes: Sequence[int], op: str) -> Atom:
    """The elements along `axes` combined."""
    if not axes or not x.type.is_array:
        return x
    dtype = x.type.dtype
    if dtype is BOOL and op in ("min", "max"):
        op = "and" if op == "min" else "or"
    kept = [d for d in range(x.type.rank) if d not in axes]

    def element(b: Builder, index: Atoms) -> Atom:
        def inner(b: Builder, along: Atoms) -> Sequence[Atom]:
            return (b.apply("index", x, *_merged(kept, index, axes, along)),)

        return fold(b, tuple(x.type.shape[d] for d in axes), op, (neutral(op, dtype),), inner)[0]

    return array_of(b, tuple(x.type.shape[d] for d in kept), element)


def _merged(kept: Sequence[int], index: Atoms, axes: Sequence[int], along: Atoms) -> Atoms:
    """An index from its parts along two sets of dimensions."""
    parts = dict(zip(kept, index, strict=True)) | dict(zip(axes, along, strict=True))
    return tuple(parts[d] for d in sorted(parts))


def _reduction(primitive: str, op: str) -> None:
    def apply(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
        return (reduced(walk.b, args[0], sorted(map(int, equation.params["axes"])), op),)

    rule(primitive)(apply)


for _primitive, _op in (
    ("reduce_sum", "add"), ("reduce_prod", "mul"), ("reduce_max", "max"), ("reduce_min", "min"),
    ("reduce_and", "and"), ("reduce_or", "or"), ("reduce_xor", "xor"),
):  # fmt: skip
    _reduction(_primitive, _op)


@rule("argmax", "argmin")
def _arg_extreme(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """The first place of the extreme along one dimension; NaN is more extreme than any number."""
    x = args[0]
    axes = sorted(map(int, equation.params["axes"]))
    kept = [d for d in range(x.type.rank) if d not in axes]
    along = tuple(x.type.shape[d] for d in axes)
    start = (neutral("max" if equation.primitive.name == "argmax" else "min", x.type.dtype), Lit((1 << 63) - 1, I64))
    dtype = dtype_of(equation.params["index_dtype"])

    def element(b: Builder, index: Atoms) -> Sequence[Atom]:
        def inner(b: Builder, place: Atoms) -> Sequence[Atom]:
            value = b.apply("index", x, *_merged(kept, index, axes, place))
            return value, flat_position(b, along, place)

        found = fold(b, along, extreme_place("gt" if equation.primitive.name == "argmax" else "lt"), start, inner)
        return (convert(b, found[1], dtype),)

    return arrays_of(walk.b, tuple(x.type.shape[d] for d in kept), element)


def extreme_place(beyond: str) -> Body:
    """The operator on pairs of a value and its place: the more extreme wins, then the earlier."""

    def combine(b: Builder, x: Var, i: Var, y: Var, j: Var) -> Sequence[Atom]:
        better: Atom = b.apply(beyond, y, x)
        same: Atom = b.apply("eq", x, y)
        if x.type.dtype.is_float:
            x_nan, y_nan = b.apply("isnan", x), b.apply("isnan", y)
            better = b.apply("or", better, b.apply("and", y_nan, b.apply("not", x_nan)))
            same = b.apply("or", same, b.apply("and", x_nan, y_nan))
        second = b.apply("or", better, b.apply("and", same, b.apply("lt", j, i)))
        return b.apply("select", second, y, x), b.apply("select", second, j, i)

    return combine


@rule("reduce")
def _reduce(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    """Any associative operation, given as a jaxpr over scalars; the initial values come last among the operands."""
    count = len(args) // 2
    xs, start = args[:count], args[count:]
    axes = sorted(map(int, equation.params["dimensions"]))
    kept = [d for d in range(xs[0].type.rank) if d not in axes]
    operator = walk.lam(equation.params["jaxpr"])

    def element(b: Builder, index: Atoms) -> Sequence[Atom]:
        def inner(b: Builder, along: Atoms) -> Sequence[Atom]:
            where = _merged(kept, index, axes, along)
            return [b.apply("index", x, *where) for x in xs]

        return fold(b, tuple(xs[0].type.shape[d] for d in axes), operator, start, inner)

    return arrays_of(walk.b, tuple(xs[0].type.shape[d] for d in kept), element)
