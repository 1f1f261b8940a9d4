"""`If`: a branch when all lanes agree, both arms under masks when they do not.

A condition that differs between lanes runs each arm under its mask, and only when some lane takes
it, unless that costs less than a jump that was not foreseen; results are selected lane by lane. An
array that both arms leave in the same memory needs nothing more (an update in one arm, nothing in
the other); other arrays are moved or copied into memory of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Block, If, Stm
from ..ir.types import Var
from ..passes.cost import block_cost, is_total
from ..records import replace
from . import affine, deposits, memory
from .emitter import CannotVectorise, Emitter
from .text import llvm_type
from .values import VARYING, Array, Region, Scalar, Value, size

# What an arm may cost that runs although perhaps no lane takes it: about as much as a jump that was not foreseen.
STRAIGHT = 16.0


def emit_if(e: Emitter, stm: Stm) -> None:
    """Both arms, and where their results meet."""
    expr = stm.expr
    assert isinstance(expr, If)
    condition = e.scalar(expr.cond)
    with memory.held_regions([region for region, _ in e.owned]):
        if condition.is_uniform:
            _branching(e, stm, expr, condition.text)
        else:
            _masked(e, stm, expr, condition.text)


def _arm(e: Emitter, stm: Stm, arm: Block) -> tuple[Value, ...]:
    """Write an arm; the arrays it makes go where the result of the `If` is wanted."""
    bound = {var for inner in arm.stms for var in inner.vars}
    prepared: list[Var] = []
    for var, atom in zip(stm.vars, arm.results, strict=True):
        place = e.places.get(var)
        if place is not None and place.adds:
            prepared += deposits.prepare(e, arm, atom, place)
        elif place is not None and isinstance(atom, Var) and atom in bound:
            e.places[atom] = place
            prepared.append(atom)
    values = e.block(arm)
    e.unprepare(prepared)
    return values


# -- one condition for all lanes ------------------------------------------------------------------


def _branching(e: Emitter, stm: Stm, expr: If, condition: str) -> None:
    then_label, else_label, join = (e.w.new_label(hint) for hint in ("then", "else", "join"))
    with e.frame.capture() as then_lines:
        then = _arm(e, stm, expr.then)
    with e.frame.capture() as else_lines:
        orelse = _arm(e, stm, expr.orelse)
    meetings = [
        _scalar_meeting(e, a, b) if isinstance(a, Scalar) and isinstance(b, Scalar) else _array_meeting(e, var, a, b)
        for var, a, b in zip(stm.vars, then, orelse, strict=True)
    ]
    e.branch(condition, then_label, else_label)
    for label, lines, values in ((then_label, then_lines, then), (else_label, else_lines, orelse)):
        e.w.label(label)
        e.w.lines.extend(lines)
        with e.w.region():
            _deliver(e, meetings, values)
        e.jump(join)
    e.w.label(join)
    for var, meeting in zip(stm.vars, meetings, strict=True):
        e.bind(var, _result(e, var, meeting))


# Where a result of both arms is found after them: a local and whether it varies, an array in whose memory both
# arms left the result, or a slot of its own.
_Meeting = tuple[str, bool] | Array | Region


def _scalar_meeting(e: Emitter, a: Scalar, b: Scalar) -> _Meeting:
    varying = not (a.is_uniform and b.is_uniform)
    return e.variable(a.dtype, varying)[0], varying


def _array_meeting(e: Emitter, var: Var, a: Value, b: Value) -> _Meeting:
    assert isinstance(a, Array)
    assert isinstance(b, Array)
    place = e.places.get(var)
    if place is not None:
        return place
    moved = a.region is b.region and a.strides == b.strides and _is_whole_slot(a) and _is_whole_slot(b)
    if memory.is_same(a, b) or moved:
        return a
    return memory.new_slot(e, (var.name, e.width))


def _is_whole_slot(array: Array) -> bool:
    return array.region.kind == "slot" and array.packed and array.offset.literal == 0


def _deliver(e: Emitter, meetings: Sequence[_Meeting], values: Sequence[Value]) -> None:
    """At the end of an arm: bring its results to where they meet."""
    taken = {meeting.region for meeting in meetings if isinstance(meeting, Array)}
    for meeting, value in zip(meetings, values, strict=True):
        match meeting:
            case (local, varying):
                assert isinstance(value, Scalar)
                e.write(local, value, varying)
            case Array():
                assert isinstance(value, Array)
                if value.region is not meeting.region or not _is_whole_slot(value):
                    memory.put_all(e, meeting, value)
            case Region():
                assert isinstance(value, Array)
                free = memory.is_movable(e, value) and memory.is_exclusive(e, value) and value.region not in taken
                if free:
                    memory.exchange(e, meeting, value.region)
                else:
                    memory.copy(e, memory.in_slot(e, meeting, value.dtype, value.dims), value)
                taken.add(value.region)


def _result(e: Emitter, var: Var, meeting: _Meeting) -> Value:
    match meeting:
        case (local, varying):
            return e.read(local, var.type.dtype, varying)
        case Array() if meeting.adds:
            return meeting
        case Array():
            # The sizes are results of the `If` themselves when they differ between the arms.
            return replace(memory.current(e, meeting), dims=e.sizes(var.type.shape))
        case Region():
            dims = e.sizes(var.type.shape)
            pointer = e.frame.buffer(meeting.owner)
            return Array(var.type.dtype, meeting, pointer, size(0), dims, affine.row_major(e, dims), True)


# -- a condition in each lane ---------------------------------------------------------------------


def _masked(e: Emitter, stm: Stm, expr: If, condition: str) -> None:
    type = llvm_type(e.scalar(expr.cond).dtype, e.width)
    inverse = e.w.op(f"xor {type} {condition}, splat (i1 true)")
    masks = e.both(condition), e.both(inverse)
    with e.frame.capture() as then_lines:
        then = _under(e, stm, expr.then, masks[0])
    with memory.held([value for value in then if isinstance(value, Array)]), e.frame.capture() as else_lines:
        orelse = _under(e, stm, expr.orelse, masks[1])
    targets = [_target(e, var, a, b) for var, a, b in zip(stm.vars, then, orelse, strict=True)]
    locals_: list[list[Scalar | None]] = []
    for arm, mask, lines, values in (
        (expr.then, masks[0], then_lines, then),
        (expr.orelse, masks[1], else_lines, orelse),
    ):
        if _is_cheap(arm):
            e.w.lines.extend(lines)
            locals_.append([value if isinstance(value, Scalar) else None for value in values])
        else:
            locals_.append(_run_arm(e, mask, lines, values, targets))
    for k, var in enumerate(stm.vars):
        target, first, second = targets[k], locals_[0][k], locals_[1][k]
        if target is not None:
            e.bind(var, target)
            continue
        assert first is not None
        assert second is not None
        text = e.w.op(
            f"select {type} {condition}, {llvm_type(first.dtype, e.width)} {e.spread(first)}, "
            f"{llvm_type(first.dtype, e.width)} {e.spread(second)}"
        )
        e.bind(var, Scalar(first.dtype, text, VARYING))


def _is_cheap(arm: Block) -> bool:
    """Is it faster to compute the arm in any case? Numbers alone, which cannot fail."""
    numbers = all(is_total(stm.expr) for stm in arm.stms) and not any(result.type.shape for result in arm.results)
    return numbers and block_cost(arm) <= STRAIGHT


def _under(e: Emitter, stm: Stm, arm: Block, mask: str) -> tuple[Value, ...]:
    saved, e.mask = e.mask, mask
    e.level += 1
    try:
        return _arm(e, stm, arm)
    finally:
        e.mask = saved
        e.level -= 1


def _target(e: Emitter, var: Var, a: Value, b: Value) -> Array | None:
    """Memory for an array result of both arms; None for a scalar."""
    if isinstance(a, Scalar) or isinstance(b, Scalar):
        return None
    if any(isinstance(dim, Var) and dim not in e.env for dim in var.type.shape):
        raise CannotVectorise("an array whose size differs between iterations")
    if memory.is_same(a, b) and var not in e.places:
        return replace(a, dims=e.sizes(var.type.shape))
    # A key of its own: this memory is alive during both arms, whose own slots are free again by now.
    return memory.allocate(e, var.type.dtype, e.sizes(var.type.shape), var, key=(var.name, e.width))


def _run_arm(
    e: Emitter, mask: str, lines: list[str], values: Sequence[Value], targets: Sequence[Array | None]
) -> list[Scalar | None]:
    """Place the code of an arm behind a test that some lane takes it; return its scalar results."""
    run, skip = e.w.new_label("arm"), e.w.new_label("over")
    e.branch(e.any_lane(mask), run, skip)
    e.w.label(run)
    e.w.lines.extend(lines)
    saved, e.mask = e.mask, mask
    locals_: list[str] = []
    with e.w.region():
        for value, target in zip(values, targets, strict=True):
            if isinstance(value, Scalar):
                locals_.append(e.variable(value.dtype, True)[0])
                e.write(locals_[-1], value, True)
            else:
                assert target is not None
                locals_.append("")
                memory.put_all(e, target, value)
    e.mask = saved
    e.jump(skip)
    e.w.label(skip)
    return [
        e.read(local, value.dtype, True) if isinstance(value, Scalar) else None
        for local, value in zip(locals_, values, strict=True)
    ]
