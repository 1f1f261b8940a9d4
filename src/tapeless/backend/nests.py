"""A parallel form as a function of its own, called with ranges of blocks by one thread or many.

    define internal void @NAME.nestK(ptr %env, i64 %first, i64 %last)

The index space is cut into blocks whose size depends on the program only; a reduction stores one
partial result per block, and these are combined in order. So results do not depend on the number of
threads. `env` holds the fault of the lowest failing block (four words), then every value the form reads.
A function per nest also keeps the time LLVM needs linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..ir.core import Map, Reduce, Stm
from ..ir.types import I64
from ..ir.walk import free_vars
from ..records import dataclass, replace
from . import access, affine, control, memory, partials, products, vectorise
from .carry import Carry
from .emitter import Emitter
from .frame import Frame
from .partials import Partials
from .reductions import combine, holds_arrays, operators
from .schedule import Plan, plan
from .text import llvm_type
from .values import Array, Region, Scalar, Value

# The words of env before those of the nest: see `native/kernels.ll`.
_HEADER = 5
_MOST_PARTIALS = 1 << 16
_MOST_ARRAYS = 16
_MOST_ELEMENTS = 1 << 22
# So many numbers are held in vector registers beside what is computed.
_EARLY = 12
# Additions: tens of microseconds.
_BRIEF = 1 << 18


def fill_map(e: Emitter, stm: Stm, expr: Map, targets: Sequence[Array]) -> None:
    """A map in scalar code outside any parallel region."""
    schedule = plan(expr, e.kernel)
    matrices = products.find(e, expr, targets)

    def fill(inner: Emitter, given: Sequence[Array], _: Scalar, first: str, end: str) -> int:
        def plain() -> int:
            with inner.repeated(expr.body):
                span = first, end
                return vectorise.map_range(inner, expr, given, span, schedule, asks=False)

        return plain() if matrices is None else products.emit(inner, matrices, given[0], (first, end), plain)

    count, rows = e.scalar(expr.size), _block_size(e, schedule) if matrices is None else products.ROWS
    _run(e, stm, targets, _cut(e, count, Scalar(I64, str(rows))), schedule, fill)


def emit_reduce(e: Emitter, stm: Stm) -> None:
    """A reduction outside any parallel region; where there are arrays among the accumulators, they are sums."""
    expr = stm.expr
    assert isinstance(expr, Reduce)
    schedule = plan(expr, e.kernel)
    cut = _few_blocks(e, e.scalar(expr.size), _block_size(e, schedule), _most_partials(e, expr))
    parts = partials.allocate(e, expr.neutral, cut.blocks)
    accumulators = expr.op.params[: len(expr.neutral)]

    def fill(inner: Emitter, given: Sequence[Array], block: Scalar, first: str, end: str) -> int:
        with inner.repeated(expr.body, expr.op):
            carry = Carry(inner, accumulators, expr.neutral)
            lanes = vectorise.reduce_range(inner, expr, carry, (first, end), schedule, asks=True)
        carry.bind()
        parts.given(given).put(inner, block, [inner.value(acc) for acc in accumulators])
        carry.release()
        return lanes

    with memory.held(parts.arrays):
        _run(e, stm, parts.arrays, cut, schedule, fill)
        with e.repeated(expr.op):
            carry = Carry(e, accumulators, expr.neutral)
            # There are few blocks: no need to ask whether the user wants to stop.
            control.counted(e, cut.blocks, lambda block: _take_up(e, expr, carry, parts, block), 0)
    carry.finish(stm.vars)


def _take_up(e: Emitter, expr: Reduce, carry: Carry, parts: Partials, block: Scalar) -> None:
    """Combine the partial results of a block into the accumulators."""
    names, numbers = operators(expr), parts.numbers(e, block)
    if names is None or not holds_arrays(expr):
        carry.update(combine(e, expr, carry, [number for number in numbers if number is not None]))
        return
    for row, target in zip(parts.rows(e, block), carry.accumulators("alone"), strict=True):
        if target is not None and row is not None:
            memory.put_all(e, target, row)
    carry.combine(names, numbers)


def _most_partials(e: Emitter, expr: Reduce) -> Scalar:
    """How many blocks there may be: few, when each has arrays of its own that are added up afterwards."""
    if not holds_arrays(expr):
        return Scalar(I64, str(_MOST_PARTIALS))
    elements = Scalar(I64, "1")
    for atom in expr.neutral:
        elements = affine.add(e, elements, affine.count_of(e, e.sizes(atom.type.shape)))
    fit = e.w.op(f"udiv i64 {_MOST_ELEMENTS}, {elements.text}")
    for name, bound in (("umin", _MOST_ARRAYS), ("umax", 1)):
        e.kernel.module.declare(f"llvm.{name}.i64", f"declare i64 @llvm.{name}.i64(i64, i64)")
        fit = e.w.op(f"call i64 @llvm.{name}.i64(i64 {fit}, i64 {bound})")
    return Scalar(I64, fit)


_Fill = Callable[[Emitter, Sequence[Array], Scalar, str, str], int]


def _block_size(e: Emitter, schedule: Plan) -> int:
    """Iterations per block: a power of two, at least the lanes, with work enough to be worth handing out."""
    wanted = int(e.kernel.options.block / max(schedule.cost, 0.25))
    return max(schedule.lanes, 1 << max(0, wanted.bit_length() - 1))


@dataclass(frozen=True, slots=True)
class _Cut:
    """An index space cut into blocks."""

    count: Scalar
    size: Scalar
    blocks: Scalar


def _cut(e: Emitter, count: Scalar, size: Scalar) -> _Cut:
    raised = affine.sub(e, affine.add(e, count, size), Scalar(I64, "1"))
    return _Cut(count, size, _quotient(e, raised, size))


def _quotient(e: Emitter, x: Scalar, y: Scalar) -> Scalar:
    """Of a number that is not negative and a positive one."""
    if x.literal is not None and y.literal is not None:
        return Scalar(I64, str(x.literal // y.literal))
    return Scalar(I64, e.w.op(f"sdiv i64 {x.text}, {y.text}"))


def _few_blocks(e: Emitter, count: Scalar, size: int, most: Scalar) -> _Cut:
    """Blocks of a multiple of `size`, so that there are not too many partial results."""
    multiple = _quotient(e, count, affine.mul(e, Scalar(I64, str(size)), most))
    factor = affine.add(e, multiple, Scalar(I64, "1"))
    return _cut(e, count, affine.mul(e, factor, Scalar(I64, str(size))))


def _run(e: Emitter, stm: Stm, targets: Sequence[Array], cut: _Cut, schedule: Plan, fill: _Fill) -> None:
    """Write the function of a nest and its call."""
    kernel = e.kernel
    name = f"{kernel.name}.nest{next(kernel.nests)}"
    words = _Words(e)
    inner = Emitter(kernel, Frame(kernel), e.handlers)
    inner.parallel = True
    given: list[Array] = []
    for target in targets:
        there = words.pass_on(inner, target, writable=True)
        assert isinstance(there, Array)
        given.append(there)
    for var in free_vars(stm.expr):
        inner.bind(var, words.pass_on(inner, e.value(var)))
    _spread_early(inner, schedule.lanes)
    count, size = words.pass_on(inner, cut.count), words.pass_on(inner, cut.size)
    assert isinstance(count, Scalar)
    assert isinstance(size, Scalar)
    current = inner.frame.local("i64")
    lanes = _write_blocks(inner, current, count, size, partial(fill, inner, given))
    header = f"internal void @{name}(ptr %env, i64 %first, i64 %last)"
    inner.frame.has_loops &= not _is_brief(e, cut.count, schedule)
    name = inner.frame.define(name, header, _ending(current, inner.frame.details))
    threaded = _call(e, name, words, cut, schedule)
    _note(e, stm, lanes, threaded)


def _is_brief(e: Emitter, count: Scalar, schedule: Plan) -> bool:
    """Is it known that a nest runs once, and so briefly that unrolling its loops takes longer than it saves?"""
    return e.depth == 0 and count.literal is not None and count.literal * schedule.cost < _BRIEF


def _spread_early(e: Emitter, lanes: int) -> None:
    """Put the numbers that a nest reads into all lanes before its loops, where registers hold them (`once`)."""
    numbers = [value for value in e.env.values() if isinstance(value, Scalar) and value.dtype.is_float]
    if lanes > 1 and len(numbers) <= _EARLY:
        e.width = lanes
        for number in numbers:
            e.spread(number)
        e.width = 1


def _note(e: Emitter, stm: Stm, lanes: int, threaded: bool) -> None:
    how = f"runs {lanes} iterations at a time in vector registers" if lanes > 1 else "runs one iteration at a time"
    e.kernel.note(stm.pos, how + (", on threads when it is long enough" if threaded else ""))


def _call(e: Emitter, name: str, words: _Words, cut: _Cut, schedule: Plan) -> bool:
    """Call the nest, on threads when there is work enough; take over its fault."""
    env, count, blocks = words.fill(), cut.count, cut.blocks.text
    alone, many, done = (e.w.new_label(hint) for hint in ("alone", "many", "done"))
    least = int(e.kernel.options.threads_from / max(schedule.cost, 0.25)) + 1
    threaded = count.literal is None or count.literal >= least
    if threaded:
        e.branch(e.w.op(f"icmp sge i64 {count.text}, {least}"), many, alone)
        e.w.label(many)
        e.w.line(f"call void @tp_parallel(ptr @{name}, ptr {env}, i64 {blocks})")
        e.jump(done)
        e.w.label(alone)
    e.w.line(f"call void @{name}(ptr {env}, i64 0, i64 {blocks})")
    e.jump(done)
    e.w.label(done)
    outcome = ", ".join(f"ptr {place}" for place in (e.frame.code, *e.frame.details))
    e.leave_if(e.w.op(f"call i1 @tp_failed(ptr {env}, {outcome})"), "leave")
    return threaded


def _write_blocks(
    e: Emitter, current: str, count: Scalar, size: Scalar, fill: Callable[[Scalar, str, str], int]
) -> int:
    """The loop over the blocks of a range; a block after a failed one is left out."""
    lanes = 0
    e.kernel.module.declare("llvm.smin.i64", "declare i64 @llvm.smin.i64(i64, i64)")
    e.w.line(f"store i64 %first, ptr {current}")

    def block() -> None:
        nonlocal lanes
        number = e.read(current, I64)
        e.leave_if(e.w.op(f"call i1 @tp_stopped(ptr %env, i64 {number.text})"), "leave")
        first, end = ("0", count.text) if _is_one_block(count, size) else _block_span(e, number, count, size)
        lanes = fill(number, first, end)

    control.guarded(e, current, "%last", 1, block, height=0)
    e.jump("leave")
    return lanes


def _is_one_block(count: Scalar, size: Scalar) -> bool:
    """Is it known that there is one block at most?"""
    return count.literal is not None and size.literal is not None and count.literal <= size.literal


def _block_span(e: Emitter, number: Scalar, count: Scalar, size: Scalar) -> tuple[str, str]:
    """The first index of a block, and the one behind its last."""
    first = affine.text_of(e, "mul", number.text, size.text)
    behind = affine.text_of(e, "add", first, size.text)
    return first, e.w.op(f"call i64 @llvm.smin.i64(i64 {behind}, i64 {count.text})")


class _Words:
    """The values that a nest reads, each in one word of `env`; literals need none."""

    def __init__(self, caller: Emitter) -> None:
        self.caller = caller
        self.words: dict[tuple[str, str], tuple[int, str]] = {}
        self.regions: dict[Region, Region] = {}

    def pass_on(self, e: Emitter, value: Value, *, writable: bool = False) -> Value:
        """The same value inside the nest, of which `e` writes the code; what is written comes first."""
        if isinstance(value, Scalar):
            return Scalar(value.dtype, self._word(e, llvm_type(value.dtype), value.text))
        caller = self.caller
        pointer = access.pointer(caller, value, value.offset.text)
        region = self.regions.get(value.region)
        if region is None:
            scope = e.frame.given_scope(f"region {len(self.regions)}")
            region = Region("part" if writable else "given", writable=writable, scope=scope)
            self.regions[value.region] = region

        def through(sizes: Sequence[Scalar]) -> tuple[Scalar, ...]:
            return tuple(replace(n, text=self._word(e, "i64", n.text)) for n in sizes)

        dims, strides = through(value.dims), through(value.strides)
        start, word = Scalar(I64, "0"), self._word(e, "ptr", pointer)
        return replace(value, region=region, pointer=word, offset=start, dims=dims, strides=strides)

    def _word(self, e: Emitter, type: str, text: str) -> str:
        if not text.startswith("%"):
            return text
        if (type, text) not in self.words:
            number = _HEADER + len(self.words)
            at = e.w.op(f"getelementptr i64, ptr %env, i64 {number}")
            self.words[type, text] = number, e.w.op(f"load {type}, ptr {at}")
        return self.words[type, text][1]

    def fill(self) -> str:
        """Write the words into memory of the caller; no fault yet."""
        e = self.caller
        env = e.frame.local(f"[{_HEADER + len(self.words)} x i64]")
        for number in (0, 4):
            e.w.line(f"store i64 0, ptr {e.w.op(f'getelementptr i64, ptr {env}, i64 {number}')}")
        for (type, text), (number, _) in self.words.items():
            at = e.w.op(f"getelementptr i64, ptr {env}, i64 {number}")
            e.w.line(f"store {type} {text}, ptr {at}")
        return env


def _ending(current: str, details: Sequence[str]) -> list[str]:
    """The end of a nest: tell the caller of a fault."""
    return [
        "  %failed = icmp ne i64 %code, 0",
        "  br i1 %failed, label %explain, label %return",
        "explain:",
        f"  %block = load i64, ptr {current}",
        f"  %detail0 = load i64, ptr {details[0]}",
        f"  %detail1 = load i64, ptr {details[1]}",
        "  call void @tp_record(ptr %env, i64 %block, i64 %code, i64 %detail0, i64 %detail1)",
        "  br label %return",
        "return:",
        "  ret void",
    ]
