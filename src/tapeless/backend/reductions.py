"""`Reduce` in the lanes at hand, and reductions whose operator may be applied in any order.

Sums, products, minima and the like keep several accumulators per result, so that one operation need not wait for
the last; opened in lanes they have one per lane as well. The accumulators are combined pairwise in a fixed order,
so a result does not change from run to run. Any other operator is applied strictly in the order of the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.core import Apply, Reduce, Scan, Stm
from ..ir.types import I64, DType, Var
from . import affine, control, cost
from .carry import Carry
from .emitter import Emitter
from .loops import counted
from .scalar import emit_op
from .text import llvm_type
from .values import Scalar, Value

_REORDERABLE = ("add", "mul", "min", "max", "fmin", "fmax", "and", "or", "xor")
# Cost of a body up to which so many accumulators are kept.
_COPIES = ((12.0, 4), (40.0, 2))


def emit_reduce(e: Emitter, stm: Stm) -> None:
    """A reduction in the lanes at hand, from the neutral element on."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    e.frame.has_loops = True
    with e.repeated(expr.body, expr.op):
        carry = Carry(e, expr.op.params[: len(expr.neutral)], expr.neutral)
        count, names = e.scalar(expr.size), operators(expr)
        if names is not None and count.is_uniform and copies_of(e, expr) > 1:
            # Every lane runs all rounds, whatever loops around this one do.
            diverged, e.diverged = e.diverged, False
            reordered(e, expr, carry, names, ("0", count.text), e.width)
            e.diverged = diverged
        else:
            height = max(cost.height(expr.body.body), cost.height(expr.op.body))
            counted(e, count, lambda i: _round(e, expr, carry, i), height)
    carry.finish(stm.vars)


def _round(e: Emitter, expr: Reduce, carry: Carry, index: Scalar) -> None:
    e.bind(expr.body.params[0], index)
    carry.update(combine(e, expr, carry, e.block(expr.body.body)), e.mask if e.diverged else None)


def combine(e: Emitter, expr: Reduce | Scan, carry: Carry, values: Sequence[Value]) -> tuple[Value, ...]:
    """The accumulators combined with new values."""
    carry.bind()
    for param, value in zip(expr.op.params[len(expr.neutral) :], values, strict=True):
        e.bind(param, value)
    return e.block(expr.op.body)


def operators(expr: Reduce) -> list[str] | None:
    """The operation of each accumulator, when every one is a single operation that may be reordered."""
    half = len(expr.neutral)
    accumulators, values = expr.op.params[:half], expr.op.params[half:]
    made = {stm.vars[0]: stm.expr for stm in expr.op.body.stms if len(stm.vars) == 1}
    found: list[str] = []
    for acc, value, result in zip(accumulators, values, expr.op.body.results, strict=True):
        maker = made.get(result) if isinstance(result, Var) else None
        if acc.type.shape or not isinstance(maker, Apply) or maker.op not in _REORDERABLE:
            return None
        if set(maker.args) != {acc, value}:
            return None
        found.append(maker.op)
    return found if len(expr.op.body.stms) == half else None


def copies_of(e: Emitter, expr: Reduce) -> int:
    """How many accumulators per result pay."""
    if e.brief:
        return 1
    weight = cost.block_cost(expr.body.body)
    return next((count for limit, count in _COPIES if weight <= limit), 1)


def reordered(
    e: Emitter,
    expr: Reduce,
    carry: Carry,
    names: Sequence[str],
    span: tuple[str, str],
    width: int,
    *,
    asks: bool = True,
) -> None:
    """Combine the values at [first, end) with several accumulators, then the rest one by one.

    `width` is the number of lanes at hand, or in scalar code of the lanes to open over the index.
    """
    first, end = span
    index, rest = e.frame.local("i64"), e.w.new_label("rest")
    e.w.line(f"store i64 {first}, ptr {index}")
    if width == e.width:
        totals = _together(e, names, _several(e, expr, names, index, end, 1, asks))
    else:
        with control.lanes(e, width, rest, expr.body):
            with e.w.region():
                sums = _several(e, expr, names, index, end, width, asks)
            e.jump(rest)
            e.w.label(rest)
            totals = [_across(e, name, total) for name, total in zip(names, _together(e, names, sums), strict=True)]
    carry.update(combine(e, expr, carry, totals))
    with control.small(e):
        control.guarded(e, index, end, 1, lambda: _round(e, expr, carry, e.read(index, I64)), 0)


@dataclass(frozen=True, slots=True)
class _Sum:
    """The copies of one accumulator: locals, and whether each holds a vector."""

    dtype: DType
    varies: bool
    locals: list[str]

    def read(self, e: Emitter, copy: int) -> Scalar:
        return e.read(self.locals[copy], self.dtype, self.varies)


def _several(
    e: Emitter, expr: Reduce, names: Sequence[str], index: str, end: str, lanes: int, asks: bool
) -> list[_Sum]:
    """Run the local `index` towards `end`, as long as whole strips are left; returns the accumulators."""
    copies, height = copies_of(e, expr), cost.height(expr.body.body) if asks else 0
    sums: list[_Sum] = []
    for atom, param in zip(expr.neutral, expr.op.params, strict=False):
        varies = lanes > 1 or (e.width > 1 and param in e.varying)
        locals_ = [e.variable(atom.type.dtype, varies)[0] for _ in range(copies)]
        for local in locals_:
            e.write(local, e.scalar(atom), varies)
        sums.append(_Sum(atom.type.dtype, varies, locals_))

    def round(parts: int) -> None:
        start = e.w.op(f"load i64, ptr {index}")
        news: list[list[Scalar]] = []
        for part in range(parts):
            base = affine.text_of(e, "add", start, str(part * lanes))
            e.bind(expr.body.params[0], Scalar(I64, base, "1" if lanes > 1 else "0"))
            olds = [total.read(e, part) for total in sums]
            news.append(_applied(e, names, olds, e.block(expr.body.body)))
        # Written last: a check that fails in a later part must find the sums of the round before.
        for part, totals in enumerate(news):
            for kept, total in zip(sums, totals, strict=True):
                e.write(kept.locals[part], total, kept.varies)

    if copies > 1:
        control.guarded(e, index, end, lanes * copies, lambda: round(copies), height, compact=lanes > 1)
    if lanes > 1:
        control.guarded(e, index, end, lanes, lambda: round(1), 0 if copies > 1 else height)
    return sums


def _applied(e: Emitter, names: Sequence[str], olds: Sequence[Scalar], values: Sequence[Value]) -> list[Scalar]:
    totals: list[Scalar] = []
    for name, old, value in zip(names, olds, values, strict=True):
        assert isinstance(value, Scalar)
        totals.append(e.apply(name, (old, value), value.dtype))
    return totals


def _together(e: Emitter, names: Sequence[str], sums: Sequence[_Sum]) -> list[Scalar]:
    """The copies of each accumulator combined."""
    totals: list[Scalar] = []
    for name, total in zip(names, sums, strict=True):
        parts = [total.read(e, copy) for copy in range(len(total.locals))]
        while len(parts) > 1:
            parts = [e.apply(name, pair, total.dtype) for pair in zip(parts[0::2], parts[1::2], strict=True)]
        totals.append(parts[0])
    return totals


def _across(e: Emitter, name: str, total: Scalar) -> Scalar:
    """All lanes combined."""
    dtype, text, width = total.dtype, total.text, e.width
    while width > 1:
        type, half = llvm_type(dtype, width), width // 2
        low, high = (
            e.w.op(f"shufflevector {type} {text}, {type} poison, <{half} x i32> <{picks}>")
            for picks in (", ".join(f"i32 {k + start}" for k in range(half)) for start in (0, half))
        )
        if half == 1:
            low, high = (e.w.op(f"extractelement <1 x {llvm_type(dtype)}> {one}, i64 0") for one in (low, high))
        text, width = emit_op(e.w, name, (), (dtype, dtype), dtype, half, (low, high)), half
    return Scalar(dtype, text)
