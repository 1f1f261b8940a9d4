"""Cumulative primitives: prefixes along one dimension, from either end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Body, Builder
from ...ir.types import Atom, Var, i64
from ..numpy.atoms import literal, minus
from ..numpy.nest import arrays_of
from .convert import Walk, rule
from .movement import sliced, transposed
from .reductions import neutral


def _log_add_exp(b: Builder, x: Var, y: Var) -> Sequence[Atom]:
    high = b.apply("max", x, y)
    # Two infinities of one sign have no difference; it does not matter then.
    known = b.apply("isfinite", high)
    base = b.apply("stop_gradient", b.apply("select", known, high, literal(0, x.type.dtype)))
    total = b.apply("add", b.apply("exp", b.apply("sub", x, base)), b.apply("exp", b.apply("sub", y, base)))
    return (b.apply("add", base, b.apply("log", total)),)


_OPERATORS: dict[str, tuple[str | Body, str]] = {
    "cumsum": ("add", "add"),
    "cumprod": ("mul", "mul"),
    "cummax": ("max", "max"),
    "cummin": ("min", "min"),
    "cumlogsumexp": (_log_add_exp, "max"),
}


@rule(*_OPERATORS)
def _prefixes(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x = args[0]
    op, like = _OPERATORS[equation.primitive.name]
    axis, rank, reverse = int(equation.params["axis"]), x.type.rank, bool(equation.params["reverse"])
    rest = [d for d in range(rank) if d != axis]
    size = x.type.shape[axis]
    start = neutral(like, x.type.dtype)

    def line(b: Builder, index: Atoms) -> Sequence[Atom]:
        def element(b: Builder, k: Var) -> Sequence[Atom]:
            where = list(index)
            where.insert(axis, minus(b, minus(b, size, i64(1)), k) if reverse else k)
            return (b.apply("index", x, *where),)

        return b.scan(size, op, (start,), element)

    (lines,) = arrays_of(walk.b, tuple(x.type.shape[d] for d in rest), line)
    shape = [int(n) for n in equation.outvars[0].aval.shape]
    order = list(range(rank - 1))
    order.insert(axis, rank - 1)
    result = transposed(walk.b, lines, order)
    if not reverse:
        return (result,)
    starts = [i64(n - 1 if d == axis else 0) for d, n in enumerate(shape)]
    return (sliced(walk.b, result, starts, shape, [-1 if d == axis else 1 for d in range(rank)]),)
