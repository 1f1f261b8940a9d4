"""Reductions over a sliding window (pooling)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import Atom, boolean, i64
from ..numpy.atoms import ONE, ZERO, minus, plus, quotient, times
from ..numpy.nest import array_of, fold
from .convert import Walk, rule
from .reductions import neutral
from .types import sizes

_OPERATORS = {"reduce_window_sum": "add", "reduce_window_max": "max", "reduce_window_min": "min"}


@rule(*_OPERATORS)
def _reduce_window(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x = args[0]
    op = _OPERATORS[equation.primitive.name]
    start = neutral(op, x.type.dtype)
    window = sizes(equation.params["window_dimensions"])

    def element(b: Builder, index: Atoms) -> Atom:
        def inner(b: Builder, along: Atoms) -> Sequence[Atom]:
            pairs = enumerate(zip(index, along, strict=True))
            taps = [_tap(b, equation.params, d, i, k, x.type.shape[d]) for d, (i, k) in pairs]
            inside: Atom = boolean(True)
            for _, fits in taps:
                inside = fits if inside == boolean(True) else b.apply("and", inside, fits)
            return (b.apply("select", inside, b.apply("index", x, *(at for at, _ in taps)), start),)

        return fold(b, window, op, (start,), inner)[0]

    return (array_of(walk.b, sizes(equation.outvars[0].aval.shape), element),)


def _tap(b: Builder, p: Any, d: int, i: Atom, k: Atom, size: Atom) -> tuple[Atom, Atom]:
    """Where position k of window i reads along dimension d, kept within the array, and is there an element?"""
    stride, spread = int(p["window_strides"][d]), int(p["window_dilation"][d])
    gap, low = int(p["base_dilation"][d]), int(p["padding"][d][0])
    place = minus(b, plus(b, times(b, i, i64(stride)), times(b, k, i64(spread))), i64(low))
    at = quotient(b, place, i64(gap))
    fits: Atom = b.apply("and", b.apply("ge", place, ZERO), b.apply("lt", at, size))
    if gap > 1:
        fits = b.apply("and", fits, b.apply("eq", b.apply("mod", place, i64(gap)), ZERO))
    return b.apply("min", b.apply("max", at, ZERO), minus(b, size, ONE)), fits
