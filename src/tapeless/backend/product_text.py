"""The LLVM function that multiplies two matrices, for one type of numbers and one width of vectors.

    C[i, j] = sum over k of A[i, k] * B[j, k],    i < m, j < n, k < l;    true when a sum of some k is not a number

A and B have any strides; the rows of C are contiguous. k goes in chunks of `CHUNK`. Of each chunk A is packed into
panels of R rows and B, strip by strip, into strips of 2 W columns, such that the innermost loop reads both in order and
keeps R * 2 W sums in registers. Rows and columns beyond the edges repeat the last one; their sums are not stored.
At most `ROWS` rows at a time: a chunk of A then stays in the second cache, a strip of B in the first.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from ..ir.types import DType
from ..records import dataclass
from .text import Module, Writer, llvm_type

CHUNK = 128
ROWS = 256


@dataclass(frozen=True, slots=True)
class Shape:
    """What a micro-kernel computes: `rows` times two vectors of `width` numbers."""

    dtype: DType
    width: int
    rows: int

    @property
    def columns(self) -> int:
        return 2 * self.width

    @property
    def name(self) -> str:
        return f"tp.product.{self.dtype.value}"

    @property
    def buffer(self) -> int:
        """How many numbers the packed parts take."""
        return (ROWS + self.rows + self.columns) * CHUNK


def define(module: Module, shape: Shape) -> None:
    """Add the function to a module, once."""
    module.require(shape.name, lambda: _Text(module, shape).function())


class _Text(Writer):
    """The function while it is written; counters and sums are locals, which become registers."""

    def __init__(self, module: Module, shape: Shape) -> None:
        super().__init__(module)
        self.shape = shape
        self.number = llvm_type(shape.dtype)
        self.vector = llvm_type(shape.dtype, shape.width)
        self.entry: list[str] = []
        for name in ("smin", "smax"):
            module.declare(f"llvm.{name}.i64", f"declare i64 @llvm.{name}.i64(i64, i64)")

    def function(self) -> str:
        """Its text."""
        flag = self.local("i1")
        self.line(f"store i1 false, ptr {flag}")
        strip = self.at("%buffer", str((ROWS + self.shape.rows) * CHUNK))
        last_row, last_column = self.op("sub i64 %m, 1"), self.op("sub i64 %n, 1")
        # A sum of nothing is 0: there is a chunk in any case.
        with self.loop("0", self.least("smax", "%l", "1"), CHUNK) as k:
            count = self.least("smin", self.op(f"sub i64 %l, {k}"), str(CHUNK))
            a, b = self.at("%a", self.times(k, "%ak")), self.at("%b", self.times(k, "%bk"))
            with self.loop("0", "%m", self.shape.rows) as i:
                self._pack(self._panel(i), a, ("%ai", "%ak"), (i, "%m", last_row), count, self.shape.rows)
            with self.loop("0", "%n", self.shape.columns) as j:
                self._pack(strip, b, ("%bj", "%bk"), (j, "%n", last_column), count, self.shape.columns)
                with self.loop("0", "%m", self.shape.rows) as i:
                    self._multiply((self._panel(i), strip), (i, j, k), count, flag)
        result = self.op(f"load i1, ptr {flag}")
        matrices = "ptr %c, i64 %cs, ptr %a, i64 %ai, i64 %ak, ptr %b, i64 %bj, i64 %bk"
        header = f"internal i1 @{self.shape.name}({matrices}, i64 %m, i64 %n, i64 %l, ptr %buffer)"
        lines = [*self.entry, *self.lines, f"  ret i1 {result}"]
        return "\n".join((f"define {header} {{", "entry:", *lines, "}"))

    # -- packing --------------------------------------------------------------------------------

    def _panel(self, i: str) -> str:
        return self.at("%buffer", self.times(i, str(CHUNK)))

    def _pack(
        self, to: str, source: str, strides: tuple[str, str], span: tuple[str, str, str], count: str, group: int
    ) -> None:
        """`group` rows from `span` on, side by side for each k."""
        (across, along), (first, end, last) = strides, span
        fits = self.op(f"icmp sle i64 {self.plus(first, str(group))}, {end}")
        together = self.op(f"and i1 {fits}, {self.op(f'icmp eq i64 {across}, 1')}")
        block = f"<{group} x {self.number}>"

        def in_vectors() -> None:
            start = self.at(source, first)
            with self.loop("0", count, 1) as k:
                part = self.op(f"load {block}, ptr {self.at(start, self.times(k, along))}, align {self._align}")
                self.line(f"store {block} {part}, ptr {self.at(to, self.times(k, str(group)))}, align {self._align}")

        def one_by_one() -> None:
            with self.loop("0", str(group), 1) as r:
                row = self.least("smin", self.plus(first, r), last)
                start, place = self.at(source, self.times(row, across)), self.at(to, r)
                with self.loop("0", count, 1) as k:
                    x = self.op(f"load {self.number}, ptr {self.at(start, self.times(k, along))}")
                    self.line(f"store {self.number} {x}, ptr {self.at(place, self.times(k, str(group)))}")

        self.choose(together, in_vectors, one_by_one)

    # -- multiplying ----------------------------------------------------------------------------

    def _multiply(self, packed: tuple[str, str], place: tuple[str, str, str], count: str, flag: str) -> None:
        """The sums of one panel and one strip, stored, or added to those of earlier chunks."""
        panel, strip = packed
        i, j, k = place
        sums = [[self.local(self.vector) for _ in range(2)] for _ in range(self.shape.rows)]
        for sum in (x for row in sums for x in row):
            self.line(f"store {self.vector} zeroinitializer, ptr {sum}")
        with self.loop("0", count, 1) as p:
            self._step(self.at(panel, self.times(p, str(self.shape.rows))), strip, p, sums)
        found = [[self.op(f"load {self.vector}, ptr {sum}") for sum in row] for row in sums]
        self._note(flag, [x for row in found for x in row])
        is_first = self.op(f"icmp eq i64 {k}, 0")
        inside = [self.op(f"icmp sle i64 {self.plus(x, str(n))}, {end}")
                  for x, n, end in ((i, self.shape.rows, "%m"), (j, self.shape.columns, "%n"))]  # fmt: skip
        corner = self.at("%c", self.plus(self.times(i, "%cs"), j))
        self.choose(
            self.op(f"and i1 {inside[0]}, {inside[1]}"),
            lambda: self._store(corner, found, is_first),
            lambda: self._store_part(corner, found, is_first, (i, j)),
        )

    def _step(self, row: str, strip: str, p: str, sums: list[list[str]]) -> None:
        """One k: each number of the panel times the two vectors of the strip."""
        width, name = self.shape.width, f"llvm.fmuladd.v{self.shape.width}{self.shape.dtype.value}"
        self.module.declare(name, f"declare {self.vector} @{name}({self.vector}, {self.vector}, {self.vector})")
        start = self.at(strip, self.times(p, str(self.shape.columns)))
        places = [self.at(start, str(v * width)) for v in (0, 1)]
        vectors = [self.op(f"load {self.vector}, ptr {place}, align {self._align}") for place in places]
        for r, line in enumerate(sums):
            x = self.op(f"load {self.number}, ptr {self.at(row, str(r))}")
            one = self.op(f"insertelement {self.vector} poison, {self.number} {x}, i64 0")
            every = self.op(f"shufflevector {self.vector} {one}, {self.vector} poison, <{width} x i32> zeroinitializer")
            for vector, sum in zip(vectors, line, strict=True):
                old = self.op(f"load {self.vector}, ptr {sum}")
                operands = ", ".join(f"{self.vector} {y}" for y in (every, vector, old))
                self.line(f"store {self.vector} {self.op(f'call {self.vector} @{name}({operands})')}, ptr {sum}")

    def _note(self, flag: str, vectors: list[str]) -> None:
        """Set the flag when one of the numbers is none."""
        width = self.shape.width
        name, type = f"llvm.vector.reduce.or.v{width}i1", f"<{width} x i1>"
        self.module.declare(name, f"declare i1 @{name}({type})")
        some = "zeroinitializer"
        for vector in vectors:
            some = self.op(f"or {type} {some}, {self.op(f'fcmp uno {self.vector} {vector}, {vector}')}")
        here, before = self.op(f"call i1 @{name}({type} {some})"), self.op(f"load i1, ptr {flag}")
        self.line(f"store i1 {self.op(f'or i1 {here}, {before}')}, ptr {flag}")

    def _store(self, corner: str, found: list[list[str]], is_first: str) -> None:
        for r, row in enumerate(found):
            start = self.at(corner, self.times(str(r), "%cs"))
            for v, vector in enumerate(row):
                self._put(self.at(start, str(v * self.shape.width)), self.vector, vector, is_first)

    def _store_part(self, corner: str, found: list[list[str]], is_first: str, place: tuple[str, str]) -> None:
        """At the edges: by way of a whole tile."""
        tile = self.local(f"[{self.shape.rows * self.shape.columns} x {self.number}]")
        for number, vector in enumerate(x for row in found for x in row):
            to = self.at(tile, str(number * self.shape.width))
            self.line(f"store {self.vector} {vector}, ptr {to}, align {self._align}")
        i, j = place
        height = self.least("smin", self.op(f"sub i64 %m, {i}"), str(self.shape.rows))
        width = self.least("smin", self.op(f"sub i64 %n, {j}"), str(self.shape.columns))
        with self.loop("0", height, 1) as r:
            line, start = self.at(tile, self.times(r, str(self.shape.columns))), self.at(corner, self.times(r, "%cs"))
            with self.loop("0", width, 1) as q:
                x = self.op(f"load {self.number}, ptr {self.at(line, q)}")
                self._put(self.at(start, q), self.number, x, is_first)

    def _put(self, to: str, type: str, value: str, is_first: str) -> None:
        """Store the sums of the first chunk, add those of the others."""
        old = self.op(f"load {type}, ptr {to}, align {self._align}")
        before = self.op(f"select i1 {is_first}, {type} zeroinitializer, {type} {old}")
        self.line(f"store {type} {self.op(f'fadd {type} {before}, {value}')}, ptr {to}, align {self._align}")

    # -- text -----------------------------------------------------------------------------------

    @property
    def _align(self) -> int:
        return self.shape.dtype.itemsize

    def local(self, type: str) -> str:
        name = self.name("v")
        self.entry.append(f"  {name} = alloca {type}, align 64")
        return name

    def at(self, pointer: str, offset: str) -> str:
        return self.op(f"getelementptr {self.number}, ptr {pointer}, i64 {offset}")

    def times(self, x: str, y: str) -> str:
        return self.op(f"mul i64 {x}, {y}")

    def plus(self, x: str, y: str) -> str:
        return self.op(f"add i64 {x}, {y}")

    def least(self, name: str, x: str, y: str) -> str:
        return self.op(f"call i64 @llvm.{name}.i64(i64 {x}, i64 {y})")

    @contextmanager
    def loop(self, first: str, end: str, step: int) -> Generator[str, None, None]:
        """From `first` up to below `end`; the counter."""
        index = self.local("i64")
        test, body, done = (self.new_label(hint) for hint in ("test", "body", "done"))
        self.line(f"store i64 {first}, ptr {index}")
        self.line(f"br label %{test}")
        self.label(test)
        now = self.op(f"load i64, ptr {index}")
        self.line(f"br i1 {self.op(f'icmp slt i64 {now}, {end}')}, label %{body}, label %{done}")
        self.label(body)
        yield now
        self.line(f"store i64 {self.op(f'add nsw i64 {now}, {step}')}, ptr {index}")
        self.line(f"br label %{test}")
        self.label(done)

    def choose(self, condition: str, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        yes, no, done = (self.new_label(hint) for hint in ("yes", "no", "done"))
        self.line(f"br i1 {condition}, label %{yes}, label %{no}")
        for label, write in ((yes, then), (no, orelse)):
            self.label(label)
            write()
            self.line(f"br label %{done}")
        self.label(done)
