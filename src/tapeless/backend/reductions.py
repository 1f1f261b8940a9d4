"""`Reduce` in the lanes at hand, and reductions whose operator may be applied in any order.

Sums, products, minima and the like keep several accumulators per result, so that one operation need not wait for
the last; opened in lanes they have one per lane as well. The accumulators are combined pairwise in a fixed order,
so a result does not change from run to run. Arrays are added up in place (`deposits.py`), in one accumulator for all
lanes. Any other operator is applied strictly in the order of the index.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Reduce, Scan, Stm
from ..ir.types import I64, Atom, DType
from ..passes.sums import operators
from ..records import dataclass
from . import affine, control, cost, deposits, lanewise
from .adding import across
from .carry import Carry
from .emitter import Emitter
from .loops import counted
from .values import Scalar, Value

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
        if names is not None and holds_arrays(expr):
            counted(e, count, lambda i: _add_round(e, expr, carry, names, i), cost.height(expr.body.body))
        elif names is not None and count.is_uniform and copies_of(e, expr) > 1:
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


def holds_arrays(expr: Reduce) -> bool:
    """Is there an array among the accumulators?"""
    return any(atom.type.shape for atom in expr.neutral)


def _add_round(e: Emitter, expr: Reduce, carry: Carry, names: Sequence[str], index: Scalar) -> None:
    """Combine the value at one index into the accumulators, some of which are arrays."""
    e.bind(expr.body.params[0], index)
    values = deposits.run(e, expr.body.body, carry.accumulators("alone"))
    carry.combine(names, values, e.mask if e.diverged else None)


def combine(e: Emitter, expr: Reduce | Scan, carry: Carry, values: Sequence[Value]) -> tuple[Value, ...]:
    """The accumulators combined with new values."""
    carry.bind()
    for param, value in zip(expr.op.params[len(expr.neutral) :], values, strict=True):
        e.bind(param, value)
    return e.block(expr.op.body)


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
        totals = _together(e, names, _several(e, expr, names, index, span, 1, asks))
    else:
        with control.lanes(e, width, rest, expr.body):
            with e.w.region():
                sums = _several(e, expr, names, index, span, width, asks)
            e.jump(rest)
            e.w.label(rest)
            totals = [across(e, name, total) for name, total in zip(names, _together(e, names, sums), strict=True)]
    carry.update(combine(e, expr, carry, totals))
    if width == e.width or not control.is_whole(e, rest, first, end, width):
        with control.small(e):
            control.guarded(e, index, end, 1, lambda: _round(e, expr, carry, e.read(index, I64)), 0)


def added(
    e: Emitter, expr: Reduce, carry: Carry, names: Sequence[str], span: tuple[str, str], width: int, *, asks: bool
) -> None:
    """As `reordered` in scalar code, where some accumulators are arrays: all lanes add to the same ones."""
    height = cost.height(expr.body.body) if asks else 0
    index, rest = e.frame.local("i64"), e.w.new_label("rest")
    e.w.line(f"store i64 {span[0]}, ptr {index}")
    if width > 1:
        with control.lanes(e, width, rest, expr.body):
            with e.w.region():
                sums = _strips_added(e, expr, carry, names, (index, span[1]), height)
            e.jump(rest)
            e.w.label(rest)
            totals = [total and across(e, name, total.read(e, 0)) for name, total in zip(names, sums, strict=True)]
        carry.combine(names, totals)

    def one() -> None:
        _add_round(e, expr, carry, names, e.read(index, I64))

    if width == 1:
        control.guarded(e, index, span[1], 1, one, height)
    elif not control.is_whole(e, rest, *span, width):
        with control.small(e):
            control.guarded(e, index, span[1], 1, one, 0)


def _strips_added(
    e: Emitter, expr: Reduce, carry: Carry, names: Sequence[str], run: tuple[str, str], height: int
) -> list[_Sum | None]:
    """Run the index towards the end in whole strips; returns the accumulators that are scalars, one per lane."""
    index, end = run
    parts = e.kernel.parts_of(expr)
    sums = [None if atom.type.shape else _Sum.start(e, atom, True, 1) for atom in expr.neutral]

    def round() -> None:
        e.bind(expr.body.params[0], Scalar(I64, e.w.op(f"load i64, ptr {index}"), "1"))
        if parts is None:
            values = [x for x in _summed(e, expr, carry) if isinstance(x, Scalar)]
        else:
            values = lanewise.in_lanes(e, parts, carry)
        scalars = iter(values)
        for name, total in zip(names, sums, strict=True):
            if total is not None:
                value = next(scalars)
                assert isinstance(value, Scalar)
                e.write(total.locals[0], e.apply(name, (total.read(e, 0), value), value.dtype), True)

    control.guarded(e, index, end, e.width, round, height)
    return sums


def _summed(e: Emitter, expr: Reduce, carry: Carry) -> tuple[Value, ...]:
    """The body in lanes that all add to the same arrays."""
    saved, e.sums_lanes = e.sums_lanes, True
    values = deposits.run(e, expr.body.body, carry.accumulators("across"))
    e.sums_lanes = saved
    return values


@dataclass(frozen=True, slots=True)
class _Sum:
    """The copies of one accumulator: locals, and whether each holds a vector."""

    dtype: DType
    varies: bool
    locals: list[str]

    @staticmethod
    def start(e: Emitter, neutral: Atom, varies: bool, copies: int) -> _Sum:
        """Accumulators that hold the neutral element."""
        locals_ = [e.variable(neutral.type.dtype, varies)[0] for _ in range(copies)]
        for local in locals_:
            e.write(local, e.scalar(neutral), varies)
        return _Sum(neutral.type.dtype, varies, locals_)

    def read(self, e: Emitter, copy: int) -> Scalar:
        return e.read(self.locals[copy], self.dtype, self.varies)


def _several(
    e: Emitter, expr: Reduce, names: Sequence[str], index: str, span: tuple[str, str], lanes: int, asks: bool
) -> list[_Sum]:
    """Run the local `index` to the end of a span, as long as whole strips are left; returns the accumulators."""
    count, end = control.length(*span), span[1]
    copies, height = copies_of(e, expr), cost.height(expr.body.body) if asks else 0
    while count is not None and copies > 1 and count < lanes * copies:
        copies //= 2
    sums: list[_Sum] = []
    for atom, param in zip(expr.neutral, expr.op.params, strict=False):
        varies = lanes > 1 or (e.width > 1 and param in e.varying)
        sums.append(_Sum.start(e, atom, varies, copies))

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
    if lanes > 1 and (copies == 1 or count is None or count % (lanes * copies)):
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
