"""One LLVM function while it is written, and the kernel it is part of.

A frame has locals (allocas in the entry block, which SROA turns into registers), slots that own
buffers, and one failing exit. A slot is a pair (pointer, bytes): whoever needs a buffer asks the slot
to hold at least so many bytes, so a buffer made in a loop is allocated once, whichever way the
function ends every slot is released, and exchanging two slots exchanges two arrays in constant time.
The runtime knows the address of a slot, so LLVM would read it anew in every round of a loop: next to
each slot a local holds the same pointer, which a loop keeps in a register.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..ir.core import Check, Function, Pos, Reduce, Stm
from ..ir.types import Atom, Var
from ..passes.place import Uses
from ..records import dataclass, field
from .apart import Parts, split
from .once import Lines
from .target import Options, Target
from .text import Module

OUT_OF_MEMORY = -2
INTERRUPTED = -1
# All small arrays of a function together; worker threads have little stack.
_STACK_BYTES = 1 << 17

LOOPS = "; functions with loops:"
Note = tuple[Pos | None, str]


@dataclass(slots=True)
class Kernel:
    """What the functions of one module share."""

    name: str
    function: Function
    uses: Uses
    target: Target
    options: Options = field(default_factory=Options)
    changing: frozenset[Var] = frozenset()
    rounded_apart: frozenset[Var] = frozenset()
    unwrapped: Mapping[int, Atom] = field(default_factory=dict[int, Atom])
    zeros: frozenset[Var] = frozenset()
    factors: frozenset[Var] = frozenset()
    cost: float = 0.0
    loops: list[str] = field(default_factory=list[str])
    bodies: dict[str, str] = field(default_factory=dict[str, str])
    module: Module = field(default_factory=Module)
    sites: dict[int, tuple[int, Check, Pos | None]] = field(default_factory=dict[int, "tuple[int, Check, Pos | None]"])
    notes: list[Note] = field(default_factory=list[Note])
    scopes: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    nests: Iterator[int] = field(default_factory=itertools.count)
    # Bodies of sums of arrays by the identity of the sum, taken apart.
    parts: dict[int, Parts | None] = field(default_factory=dict[int, "Parts | None"])

    def parts_of(self, expr: Reduce) -> Parts | None:
        """The body of a sum of arrays taken apart, where iterations add at places of their own."""
        if id(expr) not in self.parts:
            parts = self.parts[id(expr)] = split(expr)
            for block in () if parts is None else (parts.early, parts.late, parts.usual):
                if block is not None:
                    self.uses.learn(block)
        return self.parts[id(expr)]

    def site(self, stm: Stm) -> int:
        """The number of a check, the same wherever its code is repeated."""
        assert isinstance(stm.expr, Check)
        return self.sites.setdefault(id(stm.expr), (len(self.sites), stm.expr, stm.pos))[0]

    def text(self) -> str:
        """The module; its first line names the functions that gain from more passes."""
        return f"{LOOPS} {' '.join(self.loops)}\n{self.module}"

    def note(self, pos: Pos | None, text: str) -> None:
        """Record a decision for `explain`, once."""
        text = f"return sweep: {text}" if pos and pos.returning else text
        if (pos, text) not in self.notes:
            self.notes.append((pos, text))


class Frame:
    """The text of one function."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.w = Lines(kernel.module)
        self.entry: list[str] = []
        self.slots: list[str] = []
        self.pool: dict[tuple[object, ...], list[str]] = {}
        self.scope_of: dict[str, int] = {}
        self.moving: set[int] = set()
        self.metadata: list[str] = []
        self.stack_bytes = 0
        # Loops of its own, beyond those over the elements.
        self.has_loops = False
        # Where checks that fail in lanes go.
        self.bails: set[str] = set()
        # Counters of loops of few rounds: a loop that runs up to one of them is short as well.
        self.small: set[str] = set()
        self.code, self.details = self.local("i64"), (self.local("i64"), self.local("i64"))
        kernel.module.declare("the runtime", _RUNTIME)

    def local(self, type: str) -> str:
        """A variable of the function, uninitialised."""
        name = self.w.name("v")
        self.entry.append(f"  {name} = alloca {type}, align 64")
        return name

    def fits_stack(self, bytes: int, limit: int) -> bool:
        """Is an array of so many bytes small enough, and is there room for it? If so it is counted."""
        fits = bytes <= limit and self.stack_bytes + bytes <= _STACK_BYTES
        self.stack_bytes += bytes if fits else 0
        return fits

    def slot(self, key: tuple[object, ...]) -> str:
        """A slot for buffers of a size that `key` names; one that is free again is used first."""
        if free := self.pool.get(key):
            return free.pop()
        name = self.w.name("slot")
        self.entry.append(f"  {name} = alloca {{ ptr, i64 }}, align 8")
        self.entry.append(f"  {name}.at = alloca ptr")
        self.entry.append(f"  store {{ ptr, i64 }} zeroinitializer, ptr {name}")
        self.slots.append(name)
        self.scope_of[name] = next(self.kernel.scopes)
        return name

    def give_back(self, key: tuple[object, ...], slot: str) -> None:
        """The buffer of this slot is dead: another array may use it."""
        free = self.pool.setdefault(key, [])
        if slot not in free:
            free.append(slot)

    @contextmanager
    def capture(self) -> Generator[list[str], None, None]:
        """Collect the instructions written inside, so that the caller may place or drop them."""
        saved, self.w.lines = self.w.lines, []
        try:
            with self.w.region():
                yield self.w.lines
        finally:
            self.w.lines = saved

    def hold(self, slot: str, bytes: str) -> str:
        """The buffer of a slot, of at least so many bytes; null when there is no memory."""
        buffer = self.w.op(f"call ptr @tp_hold(ptr {slot}, i64 {bytes})", "a")
        self.w.line(f"store ptr {buffer}, ptr {slot}.at")
        return buffer

    def buffer(self, slot: str) -> str:
        """The buffer that a slot owns now."""
        return self.w.op(f"load ptr, ptr {slot}.at", "a")

    def exchange(self, slot: str, other: str) -> None:
        """Let two slots exchange their buffers."""
        for type, ending in (("{ ptr, i64 }", ""), ("ptr", ".at")):
            first, second = (self.w.op(f"load {type}, ptr {name}{ending}") for name in (slot, other))
            self.w.line(f"store {type} {second}, ptr {slot}{ending}")
            self.w.line(f"store {type} {first}, ptr {other}{ending}")
        self.moving.update((self.scope_of[slot], self.scope_of[other]))

    def release(self, slots: Sequence[str]) -> None:
        for slot in slots:
            self.w.line(f"call void @tp_release(ptr {slot})")

    def define(self, name: str, header: str, ending: Sequence[str]) -> str:
        """Add the whole function to the module; its body so far ends in a branch to `leave` or to `fail`.

        Both exits release the slots and meet in `ending`, which finds the code of the fault (0: none) in `%code`.
        Returns the name to call it by: that of an earlier function which does the same, if there is one.
        """
        releases = [f"  call void @tp_release(ptr {slot})" for slot in self.slots]
        zero = [f"  store i64 0, ptr {self.code}", "  br label %start", "start:"]
        ends = [
            line
            for label, code in (("starved", OUT_OF_MEMORY), ("interrupted", INTERRUPTED))
            for line in (f"{label}:", f"  store i64 {code}, ptr {self.code}", "  br label %leave")
        ]
        last = [*ends, "leave:", *releases, f"  %code = load i64, ptr {self.code}", *ending]
        body = "\n".join(["entry:", *self.entry, *zero, *self.w.lines, *last, "}", self._scopes()])
        found = self.kernel.bodies.setdefault(_renumbered(body), name)
        if found == name:
            attributes = f"nounwind {self._alignment(body)}"
            self.kernel.module.declare(name, f"define {header} {attributes} {{\n{body}")
            if self.has_loops:
                self.kernel.loops.append(name)
        return found

    def _alignment(self, body: str) -> str:
        """Vectors that find no register lie on the stack: unless asked, LLVM lets them cross lines of the cache."""
        return f"alignstack({self.kernel.target.vector_bytes})" if _VECTOR.search(body) else ""

    # -- what may alias -----------------------------------------------------------------------------

    def tag(self, scope: int) -> str:
        """The metadata of a load or store in a region: regions do not overlap."""
        return f", !alias.scope !{3 * scope + 1}, !noalias !{3 * scope + 2}" if scope else ""

    def compact_loop(self) -> str:
        """The metadata of a loop that LLVM shall not unroll, because it runs few rounds or long ones."""
        number = 3 * next(self.kernel.scopes)
        self.metadata.append(f"!{number} = distinct !{{!{number}, !2}}")
        return f", !llvm.loop !{number}"

    def given_scope(self, name: str) -> int:
        """The scope of memory that came from outside."""
        return self.scope_of.setdefault(name, next(self.kernel.scopes))

    def _scopes(self) -> str:
        domain = 3 * next(self.kernel.scopes)
        lines = [*self.metadata, f"!{domain} = distinct !{{!{domain}}}"]
        fixed = [scope for scope in self.scope_of.values() if scope not in self.moving]
        for scope in self.scope_of.values():
            apart = [s for s in fixed if s != scope] if scope not in self.moving else []
            lines.append(f"!{3 * scope} = distinct !{{!{3 * scope}, !{domain}}}")
            lines.append(f"!{3 * scope + 1} = !{{!{3 * scope}}}")
            lines.append(f"!{3 * scope + 2} = !{{{', '.join(f'!{3 * s}' for s in apart)}}}")
        return "\n".join(lines)


def _renumbered(body: str) -> str:
    """The text of a function with its metadata numbered from the start: the same for functions that do the same."""
    numbers: dict[str, str] = {}
    return _METADATA.sub(lambda found: numbers.setdefault(found[0], f"!{3 + len(numbers)}"), body)


_VECTOR = re.compile(r"<\d+ x ")
_METADATA = re.compile(r"!(?![012]\b)\d+")

# Of the runtime (`native/kernels.ll`).
_RUNTIME = """\
declare ptr @tp_hold(ptr, i64) nounwind
declare void @tp_release(ptr) nounwind
declare void @tp_record(ptr, i64, i64, i64, i64) nounwind cold
declare i1 @tp_stopped(ptr, i64) nounwind
declare i1 @tp_failed(ptr, ptr, ptr, ptr) nounwind
declare void @tp_parallel(ptr, ptr, i64) nounwind
declare i64 @tp_poll() nounwind

!0 = !{!"branch_weights", i32 1000, i32 1}
!1 = !{!"branch_weights", i32 1, i32 1000}
!2 = !{!"llvm.loop.unroll.disable"}
"""
