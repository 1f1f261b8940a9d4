"""Remainders of indices that follow one another, `(i + 1) % n`: nearly always nothing is to be divided.

In lanes i is `first + lane`. Where all of them lie in [-n, 2n), n is added below zero and taken away from n on.
Division of integers has no vector instruction, and took more time than all arithmetic of a lattice's cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.types import I64
from ..records import replace
from .emitter import Emitter
from .text import llvm_type
from .values import VARYING, Scalar


def is_turned(e: Emitter, op: str, args: Sequence[Scalar]) -> bool:
    """Is it a remainder of indices that follow one another, by a size that only the run tells?"""
    return e.width > 1 and op == "mod" and args[0].step == "1" and args[1].is_uniform and args[1].literal is None


def mod(e: Emitter, index: Scalar, size: Scalar) -> Scalar:
    """`index % size` for these."""
    type, first, n = llvm_type(I64, e.width), index.text, size.text
    # A size that is not positive passes none of the tests together, whatever overflows.
    low = e.w.op(f"icmp sge i64 {first}, {e.w.op(f'sub i64 0, {n}')}")
    bound = e.w.op(f"sub i64 {e.w.op(f'shl i64 {n}, 1')}, {e.width - 1}")
    high = e.w.op(f"icmp slt i64 {first}, {bound}")
    positive = e.w.op(f"icmp sgt i64 {n}, 0")
    is_near = e.w.op(f"and i1 {positive}, {e.w.op(f'and i1 {low}, {high}')}")
    near, far, done = (e.w.new_label(hint) for hint in ("near", "far", "done"))
    local, _ = e.variable(I64, True)
    lanes, sizes = e.spread(index), e.spread(size)

    def turned() -> Scalar:
        above = e.w.op(f"icmp sge {type} {lanes}, {sizes}")
        less = e.w.op(f"sub {type} {lanes}, {sizes}")
        below = e.w.op(f"icmp slt {type} {lanes}, zeroinitializer")
        more = e.w.op(f"add {type} {lanes}, {sizes}")
        kept = e.w.op(f"select <{e.width} x i1> {above}, {type} {less}, {type} {lanes}")
        return Scalar(I64, e.w.op(f"select <{e.width} x i1> {below}, {type} {more}, {type} {kept}"), VARYING)

    e.branch(is_near, near, far, likely=True)
    for label, find in ((near, turned), (far, lambda: e.apply("mod", (index, size), I64))):
        e.w.label(label)
        with e.w.region():
            e.write(local, find(), True)
        e.jump(done)
    e.w.label(done)
    return replace(e.read(local, I64, True), near=True)
