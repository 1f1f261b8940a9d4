"""`For` and `While`: one counter for all lanes, or lanes that drop out one by one.

When the number of rounds differs between lanes the loop runs until no lane is left; a lane that is
done keeps its values, and memory is written under the mask of the lanes still running.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.core import Apply, For, Lambda, Stm, While
from ..ir.types import I64
from . import control, cost
from .carry import Carry
from .emitter import Emitter
from .text import llvm_type
from .values import Scalar, Value


def emit_for(e: Emitter, stm: Stm) -> None:
    """A loop with a trip count."""
    expr = stm.expr
    assert isinstance(expr, For)
    index, body = expr.body.params[0], expr.body.body
    with e.plainly(cost.is_aside(expr, e.kernel.cost)), e.repeated(expr.body):
        e.frame.has_loops |= (e.width > 1 or cost.height(body) == 1) and not e.plain
        carry = Carry(e, expr.body.params[1:], expr.init)

        def round(i: Scalar) -> None:
            e.bind(index, i)
            carry.bind()
            carry.update(e.block(body), e.mask if e.diverged else None)

        counted(e, e.scalar(expr.count), round, cost.height(body), compact=_is_sparse_row(e, expr))
    carry.finish(stm.vars)


def _is_sparse_row(e: Emitter, expr: For) -> bool:
    """A loop of changing length over places that it looks up: few rounds as a rule, which unrolling makes slower."""
    lookups = [stm for stm in expr.body.body.stms if isinstance(stm.expr, Apply) and stm.expr.op == "index"]
    return expr.count in e.kernel.changing and any(stm.vars[0].type.dtype.is_int for stm in lookups)


def counted(e: Emitter, count: Scalar, body: Callable[[Scalar], None], height: int, *, compact: bool = False) -> None:
    """Run `body` for i < count; the count may differ between lanes."""
    saved, e.diverged = e.diverged, not count.is_uniform
    if count.is_uniform:
        control.counted(e, count, body, height, compact=compact)
    else:
        _counted_in_lanes(e, count, body, height)
    e.diverged = saved


def _counted_in_lanes(e: Emitter, count: Scalar, body: Callable[[Scalar], None], height: int) -> None:
    mask, level = e.mask, e.level
    type, limit = llvm_type(I64, e.width), e.spread(count)
    index, active = e.frame.local("i64"), e.frame.local(f"<{e.width} x i1>")
    again, done = e.w.new_label("loop"), e.w.new_label("done")
    e.w.line(f"store i64 0, ptr {index}")
    first = e.both(e.w.op(f"icmp sgt {type} {limit}, zeroinitializer"))
    e.w.line(f"store <{e.width} x i1> {first}, ptr {active}")
    e.branch(e.any_lane(first), again, done)
    e.w.label(again)
    with e.w.region():
        e.mask = e.w.op(f"load <{e.width} x i1>, ptr {active}")
        e.level += 1
        body(e.read(index, I64))
        following = e.w.op(f"add nsw i64 {e.read(index, I64).text}, 1")
        e.w.line(f"store i64 {following}, ptr {index}")
        on = e.w.op(f"icmp sgt {type} {limit}, {e.broadcast(I64, following)}")
        left = e.both(on)
        e.w.line(f"store <{e.width} x i1> {left}, ptr {active}")
        e.poll(following, control.period(height))
        e.branch(e.any_lane(left), again, done)
    e.w.label(done)
    e.mask, e.level = mask, level


def emit_while(e: Emitter, stm: Stm) -> None:
    """A loop that goes on while its condition holds."""
    expr = stm.expr
    assert isinstance(expr, While)
    goes_on = expr.cond.body.results[0]
    divergent = e.width > 1 and goes_on in e.varying
    saved = e.mask, e.level, e.diverged
    e.frame.has_loops = True
    with e.repeated(expr.cond, expr.body):
        carry = Carry(e, expr.body.params, expr.init)
        with e.w.region():
            _rounds(e, expr, carry, divergent)
    e.mask, e.level, e.diverged = saved
    carry.finish(stm.vars)


def _rounds(e: Emitter, expr: While, carry: Carry, divergent: bool) -> None:
    head, body, done = (e.w.new_label(hint) for hint in ("while", "loop", "done"))
    counter = e.frame.local("i64")
    e.w.line(f"store i64 0, ptr {counter}")
    active = ""
    if divergent:
        active = e.frame.local(f"<{e.width} x i1>")
        e.w.line(f"store <{e.width} x i1> {e.mask or 'splat (i1 true)'}, ptr {active}")
        e.level += 1
    e.diverged = divergent
    e.jump(head)
    e.w.label(head)
    if divergent:
        e.mask = e.w.op(f"load <{e.width} x i1>, ptr {active}")
    condition = _condition(e, expr.cond, carry)
    if divergent:
        left = e.both(e.spread(condition))
        e.w.line(f"store <{e.width} x i1> {left}, ptr {active}")
        e.branch(e.any_lane(left), body, done)
        e.mask = left
    else:
        e.branch(condition.text, body, done)
    e.w.label(body)
    carry.bind()
    carry.update(e.block(expr.body.body), e.mask if divergent else None)
    rounds = e.w.op(f"add i64 {e.read(counter, I64).text}, 1")
    e.w.line(f"store i64 {rounds}, ptr {counter}")
    e.poll(rounds, control.period(cost.height(expr.body.body)))
    e.jump(head)
    e.w.label(done)


def _condition(e: Emitter, cond: Lambda, carry: Carry) -> Scalar:
    """The condition of a round; it only looks at the carried arrays."""
    with carry.read_only():
        carry.bind(cond.params)
        value: Value = e.block(cond.body)[0]
    assert isinstance(value, Scalar)
    return value
