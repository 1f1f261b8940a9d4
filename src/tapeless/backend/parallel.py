"""The parallel forms as loops: what one thread does, in one lane or many.

A form computes the values of its body and takes them up: stores them, combines them, writes them where
their keys say. How its index runs is the caller's choice (`Loop`): here one by one in the lanes at hand;
`vectorise.py` has the loops that open lanes. A `Map` whose elements are arrays builds them in its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ..ir.core import Apply, Block, Hist, Lambda, Map, Scan, Scatter, Stm
from ..ir.types import BOOL, Atom, Var
from . import access, affine, control, cost, deposits, memory, outer_rows
from .carry import Carry
from .emitter import Emitter
from .loops import counted
from .reductions import combine
from .text import llvm_type
from .values import Array, Scalar, Value

Take: TypeAlias = Callable[[Scalar, Sequence[Value]], None]
Loop: TypeAlias = Callable[[Emitter, Scan | Hist | Scatter, Take, int], None]

_IN_PLACE = ("update", "update_slice", "accumulate")


def one_by_one(e: Emitter, expr: Scan | Hist | Scatter, take: Take, height: int) -> None:
    """The loop over the index in the lanes at hand."""

    def round(i: Scalar) -> None:
        e.bind(expr.body.params[0], i)
        take(i, e.block(expr.body.body))

    counted(e, e.scalar(expr.size), round, height)


# -- map ------------------------------------------------------------------------------------------


def fill_map(e: Emitter, expr: Map, targets: Sequence[Array]) -> None:
    """Every element, one by one in the lanes at hand."""
    e.frame.has_loops = True
    with outer_rows.together(e, expr, targets), e.repeated(expr.body):
        counted(e, e.scalar(expr.size), lambda i: map_row(e, expr.body, targets, i), cost.height(expr.body.body))


def map_row(e: Emitter, body: Lambda, targets: Sequence[Array], index: Scalar) -> None:
    """Compute the elements at an index, in place where they are arrays."""
    e.bind(body.params[0], index)
    rows = [memory.part(e, target, (index,)) if target.rank > 1 else None for target in targets]
    prepared: list[Var] = []
    for row, atom in zip(rows, body.body.results, strict=True):
        if row is not None and row.adds:
            prepared += deposits.prepare(e, body.body, atom, row)
        elif row is not None and row.region.private == (e.width > 1):
            prepared += prepare(e, body.body, atom, row)
    values = e.block(body.body)
    e.unprepare(prepared)
    for target, row, value in zip(targets, rows, _kept_apart(e, rows, values), strict=True):
        if row is None:
            memory.put(e, target, (index,), value)
        else:
            assert isinstance(value, Array)
            memory.put_all(e, row, value)


def _kept_apart(e: Emitter, rows: Sequence[Array | None], values: Sequence[Value]) -> list[Value]:
    """The values, copied where they lie in a row that is still to be written with another value."""
    waiting = [
        row.region
        for row, value in zip(rows, values, strict=True)
        if row is not None and isinstance(value, Array) and not memory.is_same(row, value)
    ]
    return [
        memory.duplicate(e, value)
        if isinstance(value, Array) and row is not None and value.region in waiting and not memory.is_same(row, value)
        else value
        for row, value in zip(rows, values, strict=True)
    ]


def prepare(e: Emitter, block: Block, atom: Atom, place: Array) -> list[Var]:
    """Let the block build the result `atom` in `place`, also when it is made by updates of another array."""
    prepared: list[Var] = []
    makers = {var: (number, stm) for number, stm in enumerate(block.stms) for var in stm.vars}
    last_use = e.kernel.uses.last_use(block)
    while isinstance(atom, Var) and atom in makers:
        e.places[atom] = place
        prepared.append(atom)
        number, stm = makers[atom]
        if not (isinstance(stm.expr, Apply) and stm.expr.op in _IN_PLACE):
            break
        atom = stm.expr.args[0]
        if isinstance(atom, Var) and last_use[atom] != number:
            break
    return prepared


# -- scan ------------------------------------------------------------------------------------------


def emit_scan(e: Emitter, stm: Stm, loop: Loop = one_by_one) -> None:
    """Every prefix of a reduction, stored."""
    expr = stm.expr
    assert isinstance(expr, Scan)
    targets = [memory.allocate_typed(e, var.type, var) for var in stm.vars]
    with memory.held(targets), e.repeated(expr.body, expr.op):
        carry = Carry(e, expr.op.params[: len(expr.neutral)], expr.neutral)

        def take(i: Scalar, values: Sequence[Value]) -> None:
            combined = combine(e, expr, carry, values)
            for target, value in zip(targets, combined, strict=False):
                memory.put(e, target, (i,), value)
            carry.update(combined, e.mask if e.diverged else None)

        loop(e, expr, take, max(cost.height(expr.body.body), cost.height(expr.op.body)))
    carry.release()
    for var, target in zip(stm.vars, targets, strict=True):
        e.bind(var, target)


# -- histograms and scatters ------------------------------------------------------------------------


def emit_hist(e: Emitter, stm: Stm, loop: Loop = one_by_one) -> None:
    """Combine values into the elements that their keys name."""
    expr = stm.expr
    assert isinstance(expr, Hist)
    half = len(expr.dest)

    def write(targets: Sequence[Array], at: list[Scalar], values: Sequence[Value]) -> None:
        offsets = [affine.offset_at(e, target, at) for target in targets]
        olds = [access.load(e, target, offset) for target, offset in zip(targets, offsets, strict=True)]
        for param, value in zip(expr.op.params, (*olds, *values), strict=True):
            e.bind(param, value)
        for target, offset, new in zip(targets, offsets, e.block(expr.op.body), strict=True):
            assert isinstance(new, Scalar)
            access.store(e, target, offset, new)

    def row(targets: Sequence[Array], key: list[Scalar], values: Sequence[Value]) -> None:
        if isinstance(values[0], Scalar):
            write(targets, key, values)
            return
        arrays = [value for value in values if isinstance(value, Array)]
        assert len(arrays) == half
        with memory.held(arrays):
            control.over(
                e, arrays[0].dims, lambda at: write(targets, key + at, [memory.element(e, a, at) for a in arrays])
            )

    _keyed(e, stm, expr, (expr.body, expr.op), row, loop)


def emit_scatter(e: Emitter, stm: Stm, loop: Loop = one_by_one) -> None:
    """Write values to the places that their keys name, in order."""
    expr = stm.expr
    assert isinstance(expr, Scatter)

    def row(targets: Sequence[Array], key: list[Scalar], values: Sequence[Value]) -> None:
        memory.put(e, targets[0], key, values[0])

    _keyed(e, stm, expr, (expr.body,), row, loop)


_Write = Callable[[Sequence[Array], list[Scalar], Sequence[Value]], None]


def _keyed(e: Emitter, stm: Stm, expr: Hist | Scatter, parts: Sequence[Lambda], write: _Write, loop: Loop) -> None:
    """A loop over keys and values; keys out of range are passed over."""
    with e.repeated(*parts):
        targets = _destinations(e, stm, expr.dest if isinstance(expr, Hist) else (expr.dest,))

        def take(_: Scalar, values: Sequence[Value]) -> None:
            key = [value for value in values[: expr.keys] if isinstance(value, Scalar)]
            _when_inside(e, key, targets[0].dims, lambda: write(targets, key, values[expr.keys :]))

        with memory.held(targets):
            loop(e, expr, take, max(cost.height(lam.body) for lam in parts))
    for var, target in zip(stm.vars, targets, strict=True):
        e.bind(var, target)


def _destinations(e: Emitter, stm: Stm, dest: Sequence[Atom]) -> list[Array]:
    targets: list[Array] = []
    for var, atom in zip(stm.vars, dest, strict=True):
        array = e.array(atom)
        shared = any(array.region is target.region for target in targets)
        fits = memory.is_exclusive(e, array) and not shared
        targets.append(array if fits else memory.duplicate(e, array, var))
    return targets


def _when_inside(e: Emitter, key: Sequence[Scalar], dims: Sequence[Scalar], body: Callable[[], None]) -> None:
    """Run `body` in the lanes whose key is within the destination."""
    run, skip = e.w.new_label("inside"), e.w.new_label("outside")
    saved = e.mask, e.level
    if all(k.is_uniform for k in key):
        inside = "true"
        for k, dim in zip(key, dims, strict=False):
            inside = e.w.op(f"and i1 {inside}, {e.w.op(f'icmp ult i64 {k.text}, {dim.text}')}")
        e.branch(inside, run, skip)
    else:
        type = llvm_type(key[0].dtype, e.width)
        mask = e.mask
        for k, dim in zip(key, dims, strict=False):
            inside = e.w.op(f"icmp ult {type} {e.spread(k)}, {e.spread(dim)}")
            mask = inside if mask is None else e.w.op(f"and {llvm_type(BOOL, e.width)} {mask}, {inside}")
        assert mask is not None
        e.branch(e.any_lane(mask), run, skip)
        e.mask = mask
        e.level += 1
    e.w.label(run)
    with e.w.region():
        body()
    e.mask, e.level = saved
    e.jump(skip)
    e.w.label(skip)
