"""Counted loops: the plain one, the one over all elements of a shape, and the one in vector strips.

A loop tests its condition at the end, after a guard, so that what does not change in it can be moved
in front. Every so often it asks whether the user pressed Ctrl-C; how often depends on how many loops
stand inside (`height`), so that the question is rare and yet comes within a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager

from ..ir.types import I64
from .emitter import Emitter
from .values import Scalar, size

_PERIODS = {0: 1 << 16, 1: 1 << 16, 2: 1 << 8, 3: 1 << 4}
_SILENT = 1 << 12
_UNROLLED = 16


def counted(e: Emitter, count: Scalar, body: Callable[[Scalar], None], height: int = 1, first: str = "0") -> None:
    """Run `body` for each i in [first, count), a uniform index."""
    assert count.is_uniform
    index = e.frame.local("i64")
    e.w.line(f"store i64 {first}, ptr {index}")
    guarded(e, index, count.text, 1, lambda: body(e.read(index, I64)), height)


def guarded(e: Emitter, index: str, end: str, stride: int, body: Callable[[], None], height: int = 1) -> None:
    """`while index + stride <= end: body; index += stride`, over the local `index`."""
    again, done = e.w.new_label("loop"), e.w.new_label("done")
    last = e.w.op(f"sub i64 {end}, {stride}")
    start = e.w.op(f"load i64, ptr {index}")
    e.branch(e.w.op(f"icmp sle i64 {start}, {last}"), again, done)
    e.w.label(again)
    body()
    now = e.w.op(f"load i64, ptr {index}")
    following = e.w.op(f"add nsw i64 {now}, {stride}")
    e.w.line(f"store i64 {following}, ptr {index}")
    if not (end.isdigit() and int(end) <= _SILENT):
        steps = following if stride == 1 else e.w.op(f"sdiv exact i64 {following}, {stride}")
        e.poll(steps, period(height))
    e.branch(e.w.op(f"icmp sle i64 {following}, {last}"), again, done)
    e.w.label(done)


def period(height: int) -> int:
    """After how many rounds a loop of this height asks."""
    return _PERIODS.get(height, 1)


def over(e: Emitter, dims: Sequence[Scalar], body: Callable[[list[Scalar]], None]) -> None:
    """Run `body` at every index of a shape, row by row; a handful of elements is written out."""
    counts = [dim.literal for dim in dims]
    total = 1
    for count in counts:
        total = total * count if count is not None else 1 << 30
    if total <= _UNROLLED:
        _written_out(dims, [], body)
    else:
        _nested(e, dims, [], body)


def _written_out(dims: Sequence[Scalar], outer: list[Scalar], body: Callable[[list[Scalar]], None]) -> None:
    if not dims:
        body(outer)
        return
    for index in range(dims[0].literal or 0):
        _written_out(dims[1:], [*outer, size(index)], body)


def _nested(e: Emitter, dims: Sequence[Scalar], outer: list[Scalar], body: Callable[[list[Scalar]], None]) -> None:
    if not dims:
        body(outer)
        return
    counted(e, dims[0], lambda index: _nested(e, dims[1:], [*outer, index], body), len(dims))


@contextmanager
def lanes(e: Emitter, width: int, bail: str):  # noqa: ANN201 - a context manager of nothing
    """Write code for `width` lanes inside; a failed check there leaves for `bail`."""
    saved = e.width, e.bail, e.mask, e.level
    e.width, e.bail, e.mask = width, bail, None
    try:
        yield
    finally:
        e.width, e.bail, e.mask, e.level = saved


def strips(
    e: Emitter, first: str, end: str, width: int, body: Callable[[Scalar], None], height: int = 1, unroll: int = 1
) -> None:
    """Run `body` over [first, end), `width` iterations at a time, the rest one by one.

    In the vector loop the index is linear; a check that fails there starts again at the first lane in scalar
    code, which then raises the fault of the lowest iteration.
    """
    index = e.frame.local("i64")
    e.w.line(f"store i64 {first}, ptr {index}")
    rest = e.w.new_label("rest")
    with lanes(e, width, rest):

        def several() -> None:
            start = e.w.op(f"load i64, ptr {index}")
            for part in range(unroll):
                base = start if part == 0 else e.w.op(f"add i64 {start}, {part * width}")
                body(Scalar(I64, base, "1"))

        guarded(e, index, end, width * unroll, several, height)
    e.jump(rest)
    e.w.label(rest)
    guarded(e, index, end, 1, lambda: body(e.read(index, I64)), height)
