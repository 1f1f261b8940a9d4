"""Counted loops: the plain one, the one over all elements of a shape, and the one in vector strips.

A loop tests its condition at the end, after a guard, so that what does not change in it can be moved
in front. Every so often it asks whether the user pressed Ctrl-C; how often depends on how many loops
stand inside (`height`), so that the question is rare and yet comes within a fraction of a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial

from ..ir.core import Lambda
from ..ir.types import I64
from . import access, affine, cost
from .emitter import Emitter
from .uniform import varying
from .values import Array, Scalar, size

_PERIODS = {0: 1 << 16, 1: 1 << 16, 2: 1 << 8, 3: 1 << 4}
_SILENT = 1 << 12
_UNROLLED = 16
_MANY = 8  # strips
_ELEMENTARY = re.compile(r"= call .*@tp\.\w+\.f(64|32)\.w1\(.*\)$")


def counted(
    e: Emitter,
    count: Scalar,
    body: Callable[[Scalar], None],
    height: int = 1,
    first: str = "0",
    *,
    compact: bool = False,
) -> None:
    """Run `body` for each i in [first, count), a uniform index; `compact` when that are few."""
    assert count.is_uniform
    index = e.frame.local("i64")
    e.w.line(f"store i64 {first}, ptr {index}")

    def round() -> None:
        i = e.read(index, I64)
        if _is_short(e, count.text):
            e.frame.small.add(i.text)
        body(i)

    guarded(e, index, count.text, 1, round, height, compact=compact or height > 1)


def _is_short(e: Emitter, end: str) -> bool:
    """Is it known that a loop has few rounds?"""
    return end in e.frame.small or (end.isdigit() and int(end) <= _SILENT)


def guarded(
    e: Emitter, index: str, end: str, stride: int, body: Callable[[], None], height: int = 1, *, compact: bool = True
) -> None:
    """`while index + stride <= end: body; index += stride`, over the local `index`.

    LLVM may unroll it unless it is compact, or runs once and briefly. A height of 0 says that the loop is short and
    need not ask. Else the rounds come in batches with the question between them, so that the loop itself stays free of
    calls.
    """
    again, done = e.w.new_label("loop"), e.w.new_label("done")
    last = e.w.op(f"sub i64 {end}, {stride}")
    start = e.w.op(f"load i64, ptr {index}")
    batch = period(height) if height and not _is_short(e, end) else 0
    head = e.w.new_label("batch") if batch else again
    e.branch(e.w.op(f"icmp sle i64 {start}, {last}"), head, done)
    with e.w.region():
        stop = _batch_end(e, (head, again), index, last, (batch - 1) * stride) if batch else last
        e.w.label(again)
        body()
        now = e.w.op(f"load i64, ptr {index}")
        following = e.w.op(f"add nsw i64 {now}, {stride}")
        e.w.line(f"store i64 {following}, ptr {index}")
        metadata = e.frame.compact_loop() if compact or e.plain else ""
        over = e.w.new_label("over") if batch else done
        e.branch(e.w.op(f"icmp sle i64 {following}, {stop}"), again, over, metadata=metadata)
        if batch:
            ask = e.w.new_label("ask")
            e.w.label(over)
            e.branch(e.w.op(f"icmp sle i64 {following}, {last}"), ask, done, likely=False)
            e.w.label(ask)
            e.ask(head)
    e.w.label(done)


def _batch_end(e: Emitter, labels: tuple[str, str], index: str, last: str, distance: int) -> str:
    """Start a batch of rounds; returns the index of its last round."""
    e.kernel.module.declare("llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    head, again = labels
    e.w.label(head)
    far = e.w.op(f"add nsw i64 {e.w.op(f'load i64, ptr {index}')}, {distance}")
    stop = e.w.op(f"call i64 @llvm.smin.i64(i64 {far}, i64 {last})")
    e.jump(again)
    return stop


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
    for index in range(max(dims[0].literal or 0, 0)):
        _written_out(dims[1:], [*outer, size(index)], body)


def _nested(e: Emitter, dims: Sequence[Scalar], outer: list[Scalar], body: Callable[[list[Scalar]], None]) -> None:
    if not dims:
        body(outer)
        return
    counted(e, dims[0], lambda index: _nested(e, dims[1:], [*outer, index], body), len(dims))


@contextmanager
def lanes(e: Emitter, width: int, bail: str, body: Lambda | None = None) -> Generator[None, None, None]:
    """Write code for `width` lanes inside, each at its own index of `body`; a failed check leaves for `bail`."""
    saved = e.width, e.bail, e.mask, e.varying
    e.width, e.bail, e.mask = width, bail, None
    e.varying = varying(body) if body is not None else frozenset()
    try:
        yield
    finally:
        e.width, e.bail, e.mask, e.varying = saved


def strips(
    e: Emitter,
    first: str,
    end: str,
    width: int,
    source: Lambda | None,
    body: Callable[[Scalar], None],
    *,
    repeat: bool = False,
    asks: bool = True,
    filled: Array | None = None,
) -> None:
    """Run `body`, the code of `source`, over [first, end), `width` iterations at a time, the rest one by one.

    In the vector loop the index is linear; a check that fails there starts again at the first lane in scalar
    code, which then raises the fault of the lowest iteration. With `repeat`, for bodies that may run
    twice at the same index, the rest is a last strip that overlaps the one before. `asks`: may it run for long?
    `filled` is an array that is written element by element.
    """
    index = e.frame.local("i64")
    e.w.line(f"store i64 {first}, ptr {index}")
    rest = e.w.new_label("rest")
    height = 0 if not asks else cost.height(source.body) if source is not None else 1
    stride = _first_stride(e, first, end, width, filled) if filled is not None else ""
    with lanes(e, width, rest, source), e.w.region():
        overlapping = partial(_overlapping, e, index, end, width, stride)
        vector = overlapping if repeat else partial(guarded, e, index, end, width)
        vector(lambda: body(Scalar(I64, e.w.op(f"load i64, ptr {index}"), "1")), height)
    e.jump(rest)
    e.w.label(rest)
    if not is_whole(e, rest, first, end, width, repeat=repeat):
        with small(e):
            guarded(e, index, end, 1, lambda: body(e.read(index, I64)), 0)


def length(first: str, end: str) -> int | None:
    """How many indices there are, where that is known."""
    return max(0, int(end) - int(first)) if first.isdigit() and end.isdigit() else None


def is_whole(e: Emitter, rest: str, first: str, end: str, width: int, *, repeat: bool = False) -> bool:
    """Do strips cover all of a range, so that no code is needed at `rest`? A check that fails goes on there."""
    count = length(first, end)
    covered = count is not None and (count >= width if repeat else count % width == 0)
    return covered and rest not in e.frame.bails


@contextmanager
def small(e: Emitter) -> Generator[None, None, None]:
    """Scalar code for the rest of a vector loop: it runs seldom, so it is kept short to save time to compile.

    Elementary functions are called and reductions inside keep one accumulator.
    """
    saved, e.brief = e.brief, True
    with e.frame.capture() as lines:
        yield
    e.brief = saved
    e.w.lines.extend(f"{line} noinline" if _ELEMENTARY.search(line) else line for line in lines)


def _first_stride(e: Emitter, first: str, end: str, width: int, array: Array) -> str:
    """A local with the distance from the first strip to the second, so that those between the ends fill whole lines.

    A vector that lies in two lines of the cache takes longer to write, above all where these are not there yet. Where
    strips are few, nothing is gained by one more.
    """
    offset = affine.offset_at(e, array, (Scalar(I64, first),))
    address = e.w.op(f"ptrtoint ptr {access.pointer(e, array, offset.text)} to i64")
    behind = e.w.op(f"and i64 {e.w.op(f'udiv i64 {address}, {array.dtype.itemsize}')}, {width - 1}")
    many = e.w.op(f"icmp sge i64 {e.w.op(f'sub i64 {end}, {first}')}, {_MANY * width}")
    distance = e.w.op(f"select i1 {many}, i64 {e.w.op(f'sub i64 {width}, {behind}')}, i64 {width}")
    stride = e.frame.local("i64")
    e.w.line(f"store i64 {distance}, ptr {stride}")
    return stride


def _overlapping(
    e: Emitter, index: str, end: str, width: int, stride: str, body: Callable[[], None], height: int
) -> None:
    """As `guarded`; the last round ends at `end`, and the index is left there. `stride` may hold that of the first."""
    again, step, finished, done = (e.w.new_label(hint) for hint in ("loop", "step", "finished", "done"))
    e.kernel.module.declare("llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    last = e.w.op(f"sub i64 {end}, {width}")
    start = e.w.op(f"load i64, ptr {index}")
    e.branch(e.w.op(f"icmp sle i64 {start}, {last}"), again, done)
    e.w.label(again)
    with e.w.region():
        body()
        now = e.w.op(f"load i64, ptr {index}")
        e.branch(e.w.op(f"icmp slt i64 {now}, {last}"), step, finished)
        e.w.label(step)
        distance = e.w.op(f"load i64, ptr {stride}") if stride else str(width)
        following = e.w.op(f"add nsw i64 {now}, {distance}")
        if stride:
            e.w.line(f"store i64 {width}, ptr {stride}")
        e.w.line(f"store i64 {e.w.op(f'call i64 @llvm.smin.i64(i64 {following}, i64 {last})')}, ptr {index}")
        if height and not _is_short(e, end):
            e.poll(e.w.op(f"sdiv i64 {following}, {width}"), period(height))
        e.w.line(f"br label %{again}{e.frame.compact_loop()}")
    e.w.label(finished)
    e.w.line(f"store i64 {end}, ptr {index}")
    e.jump(done)
    e.w.label(done)
