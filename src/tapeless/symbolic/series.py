"""The geometric series of one number: q^n and 1 + q + ... + q^(n-1), to a few units, and so are their derivatives.

Squaring alone doubles the relative error of what it squares, so that q^n is off by n units. The power of the table is
not. With h = q - 1 the series is (q^n - 1) / h: where n |h| > 1 nothing cancels in it, nor in its derivatives, which
divide by h again. Where n |h| <= 1 powers of 1 + h are squared without the 1 (`powers`, steps): errors double no
more, since 2 p + p p has the relative error of p.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.types import Atom, DType, Lit
from . import powers
from .graph import Graph, Node


def ratio_power(g: Graph, ratio: Node, count: Node, step: Node | None = None) -> Node:
    """ratio^count; `step` is ratio - 1 where it is known better than that."""
    dtype = ratio.dtype
    n = _times(g, count, dtype)
    if step is None:
        return g.apply("pow", ratio, n)
    small = g.apply("exp", g.mul(n, g.apply("log1p", step)))
    large = g.apply("pow", g.add(g.const(1, dtype), step), n)
    return g.apply("select", g.apply("gt", g.apply("abs", step), g.const(0.25, dtype)), large, small)


def series(g: Graph, ratio: Node, count: Node, step: Node | None = None) -> Node:
    """1 + ratio + ... + ratio^(count - 1), for a count of at least 1."""
    dtype = ratio.dtype
    h = g.apply("sub", ratio, g.const(1, dtype)) if step is None else step
    return g.series((count, h, _times(g, count, dtype), ratio_power(g, ratio, count, step)), dtype)


def emit(b: Builder, count: Atom, h: Atom, times: Atom, power: Atom) -> Atom:
    """The statements of a series, from its count, the ratio less 1, the count as a float, and the power."""
    one = Lit(1.0, h.type.dtype)
    near = b.apply("le", b.apply("mul", times, b.apply("abs", h)), one)
    shape = powers.Shape(1, ((0, 0), (0, 1)), ((0, 0), (0, 1)), (), steps=True)

    def squared(b: Builder) -> Sequence[Atom]:
        return powers.emit(b, shape, count, (h, one))[1:]

    def divided(b: Builder) -> Sequence[Atom]:
        return (b.apply("div", b.apply("sub", power, one), h),)

    return b.if_(near, squared, divided)[0]


def _times(g: Graph, count: Node, dtype: DType) -> Node:
    return g.apply("convert", count, attrs=(dtype,))
