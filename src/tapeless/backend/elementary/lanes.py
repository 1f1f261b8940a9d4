"""Values in SIMD lanes, with Python's operators writing LLVM instructions.

A `Lanes` is the name of a value in a function that is being written, with its scalar type and its
number of lanes (1 means a plain scalar). Arithmetic carries no fast-math flag, so each operation is
rounded once and alike at every width; `fma` is fused by name, never by the optimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...ir.types import BOOL, F32, F64, I32, I64, DType, Lit
from ...records import dataclass
from ..text import Writer, constant, llvm_type

Operand: TypeAlias = "Lanes | float | int"

_SUFFIX = {"bool": "i1", "i32": "i32", "i64": "i64", "f32": "f32", "f64": "f64"}
_BITS = {F64: I64, F32: I32, I64: F64, I32: F32}


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """A value of `width` lanes in the function that `writer` writes."""

    writer: Writer
    dtype: DType
    width: int
    text: str

    @property
    def type(self) -> str:
        return llvm_type(self.dtype, self.width)

    def constant(self, value: float | int) -> Lanes:
        """`value` in every lane, in the type of this value."""
        return Lanes(self.writer, self.dtype, self.width, constant(Lit(value, self.dtype), self.width))

    def emit(self, instruction: str, dtype: DType | None = None) -> Lanes:
        """The result of an instruction; it has this value's type unless another is given."""
        return Lanes(self.writer, dtype or self.dtype, self.width, self.writer.op(instruction))

    def _lift(self, other: Operand) -> Lanes:
        return other if isinstance(other, Lanes) else self.constant(other)

    def _binary(self, on_ints: str, on_floats: str, other: Operand) -> Lanes:
        instruction = on_floats if self.dtype.is_float else on_ints
        return self.emit(f"{instruction} {self.type} {self.text}, {self._lift(other).text}")

    # -- arithmetic -----------------------------------------------------------------------------

    def __add__(self, other: Operand) -> Lanes:
        return self._binary("add", "fadd", other)

    def __radd__(self, other: Operand) -> Lanes:
        return self._lift(other) + self

    def __sub__(self, other: Operand) -> Lanes:
        return self._binary("sub", "fsub", other)

    def __rsub__(self, other: Operand) -> Lanes:
        return self._lift(other) - self

    def __mul__(self, other: Operand) -> Lanes:
        return self._binary("mul", "fmul", other)

    def __rmul__(self, other: Operand) -> Lanes:
        return self._lift(other) * self

    def __truediv__(self, other: Operand) -> Lanes:
        return self._binary("sdiv", "fdiv", other)

    def __rtruediv__(self, other: Operand) -> Lanes:
        return self._lift(other) / self

    def __neg__(self) -> Lanes:
        if self.dtype.is_float:
            return self.emit(f"fneg {self.type} {self.text}")
        return self.constant(0) - self

    # -- bits -----------------------------------------------------------------------------------

    def __and__(self, other: Operand) -> Lanes:
        return self._binary("and", "and", other)

    def __or__(self, other: Operand) -> Lanes:
        return self._binary("or", "or", other)

    def __xor__(self, other: Operand) -> Lanes:
        return self._binary("xor", "xor", other)

    def __invert__(self) -> Lanes:
        return self ^ (True if self.dtype is BOOL else -1)

    def __lshift__(self, other: Operand) -> Lanes:
        return self._binary("shl", "shl", other)

    def __rshift__(self, other: Operand) -> Lanes:
        """The logical shift: zeros come in from the left."""
        return self._binary("lshr", "lshr", other)

    def arithmetic_shift(self, other: Operand) -> Lanes:
        """The shift right that copies the sign."""
        return self._binary("ashr", "ashr", other)

    def bits(self) -> Lanes:
        """The same bits as an integer, or those of an integer as a float."""
        other = _BITS[self.dtype]
        return self.emit(f"bitcast {self.type} {self.text} to {llvm_type(other, self.width)}", other)

    # -- comparisons: false when an operand is NaN, except `ne` -----------------------------------

    def _compare(self, predicate: str, other: Operand) -> Lanes:
        if self.dtype.is_float:
            how = f"fcmp {'u' if predicate == 'ne' else 'o'}{predicate}"
        elif predicate in ("eq", "ne"):
            how = f"icmp {predicate}"
        else:
            how = f"icmp {'u' if self.dtype is BOOL else 's'}{predicate}"
        return self.emit(f"{how} {self.type} {self.text}, {self._lift(other).text}", BOOL)

    def __lt__(self, other: Operand) -> Lanes:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Lanes:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Lanes:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Lanes:
        return self._compare("ge", other)

    def eq(self, other: Operand) -> Lanes:
        return self._compare("eq", other)

    def ne(self, other: Operand) -> Lanes:
        return self._compare("ne", other)

    def is_nan(self) -> Lanes:
        return self.emit(f"fcmp uno {self.type} {self.text}, {self.text}", BOOL)

    def below_unsigned(self, other: Operand) -> Lanes:
        """Both taken as unsigned integers."""
        return self.emit(f"icmp ult {self.type} {self.text}, {self._lift(other).text}", BOOL)

    # -- intrinsics -----------------------------------------------------------------------------

    def intrinsic(self, name: str, *others: Operand, flags: str = "") -> Lanes:
        """`llvm.name` of this value and others of its type; `flags` are fast-math flags."""
        args = [self, *(self._lift(other) for other in others)]
        suffix = _SUFFIX[self.dtype.value] if self.width == 1 else f"v{self.width}{_SUFFIX[self.dtype.value]}"
        symbol = f"llvm.{name}.{suffix}"
        self.writer.module.declare(symbol, f"declare {self.type} @{symbol}({', '.join([self.type] * len(args))})")
        licence = f"{flags} " if flags else ""
        return self.emit(f"call {licence}{self.type} @{symbol}({', '.join(f'{a.type} {a.text}' for a in args)})")

    def abs(self) -> Lanes:
        return self.intrinsic("fabs")

    def sqrt(self) -> Lanes:
        return self.intrinsic("sqrt")

    def rint(self) -> Lanes:
        """The nearest integer, halves to even."""
        return self.intrinsic("rint")

    def floor(self) -> Lanes:
        return self.intrinsic("floor")

    def ceil(self) -> Lanes:
        return self.intrinsic("ceil")

    def trunc(self) -> Lanes:
        return self.intrinsic("trunc")

    def with_sign_of(self, other: Lanes) -> Lanes:
        return self.intrinsic("copysign", other)

    # -- conversions ----------------------------------------------------------------------------

    def convert(self, dtype: DType) -> Lanes:
        """The value in another type: floats to integers truncate, and what does not fit gives the most negative one."""
        if dtype is self.dtype:
            return self
        if dtype is BOOL:
            return self.ne(0)
        if self.dtype.is_float and dtype.is_int:
            return self._to_int(dtype)
        return self._cast(_cast_name(self.dtype, dtype), dtype)

    def _to_int(self, dtype: DType) -> Lanes:
        # fptosi of a value that does not fit is poison, which a select does not pass on from the arm not taken.
        least = -(2 ** (8 * dtype.itemsize - 1))
        fits = self.abs() < float(-least)
        whole = self._cast("fptosi", dtype)
        return select(fits, whole, whole.constant(least))

    def _cast(self, instruction: str, dtype: DType) -> Lanes:
        return self.emit(f"{instruction} {self.type} {self.text} to {llvm_type(dtype, self.width)}", dtype)


def _cast_name(source: DType, target: DType) -> str:
    if target.is_float:
        if not source.is_float:
            return "uitofp" if source is BOOL else "sitofp"
        return "fpext" if target is F64 else "fptrunc"
    if source is BOOL:
        return "zext"
    return "sext" if target is I64 else "trunc"


def fma(a: Lanes, b: Operand, c: Operand) -> Lanes:
    """a * b + c, rounded once."""
    return a.intrinsic("fma", b, c)


def select(cond: Lanes, yes: Operand, no: Operand) -> Lanes:
    """Lane by lane, `yes` where `cond` holds; at least one of the two is a `Lanes`."""
    like = yes if isinstance(yes, Lanes) else no
    assert isinstance(like, Lanes)
    a, b = (x if isinstance(x, Lanes) else like.constant(x) for x in (yes, no))
    return a.emit(f"select {cond.type} {cond.text}, {a.type} {a.text}, {b.type} {b.text}")


def at_most(x: Lanes, bound: float) -> Lanes:
    """The smaller of the two; NaN stays NaN. One instruction on x86."""
    return select(x > bound, bound, x)


def at_least(x: Lanes, bound: float) -> Lanes:
    """The larger of the two; NaN stays NaN."""
    return select(x < bound, bound, x)


def any_lane(cond: Lanes) -> str:
    """An i1: does the condition hold in some lane?"""
    if cond.width == 1:
        return cond.text
    symbol = f"llvm.vector.reduce.or.v{cond.width}i1"
    cond.writer.module.declare(symbol, f"declare i1 @{symbol}({cond.type})")
    return cond.writer.op(f"call i1 @{symbol}({cond.type} {cond.text})")


def if_any(cond: Lanes, then: Callable[[], Lanes], otherwise: Lanes) -> Lanes:
    """`then()` when the condition holds in some lane, else `otherwise`: one branch for the whole vector."""
    return if_any_all(cond, lambda: (then(),), (otherwise,))[0]


def if_any_all(cond: Lanes, then: Callable[[], Sequence[Lanes]], otherwise: Sequence[Lanes]) -> list[Lanes]:
    """The same for several values."""
    w = cond.writer
    before, start, done, join = (w.new_label(hint) for hint in ("before", "rare", "done", "join"))
    w.line(f"br label %{before}")
    w.label(before)
    w.line(f"br i1 {any_lane(cond)}, label %{start}, label %{join}")
    w.label(start)
    results = then()
    w.line(f"br label %{done}")
    w.label(done)
    w.line(f"br label %{join}")
    w.label(join)
    return [
        usual.emit(f"phi {usual.type} [ {usual.text}, %{before} ], [ {result.text}, %{done} ]")
        for usual, result in zip(otherwise, results, strict=True)
    ]


def while_any(
    state: tuple[Lanes, ...], cond: Callable[..., Lanes], body: Callable[..., tuple[Lanes, ...]]
) -> tuple[Lanes, ...]:
    """Repeat `body` while the condition holds in some lane; `body` leaves finished lanes alone."""
    w = state[0].writer
    before, head, inside, back, done = (w.new_label(hint) for hint in ("before", "head", "body", "back", "done"))
    w.line(f"br label %{before}")
    w.label(before)
    w.line(f"br label %{head}")
    w.label(head)
    current = tuple(Lanes(w, x.dtype, x.width, w.name("phi")) for x in state)
    slots = len(w.lines)
    again = any_lane(cond(*current))
    w.line(f"br i1 {again}, label %{inside}, label %{done}")
    w.label(inside)
    following = body(*current)
    w.line(f"br label %{back}")
    w.label(back)
    w.line(f"br label %{head}")
    w.label(done)
    # The values that come round the loop are known only now.
    w.lines[slots:slots] = [
        f"  {now.text} = phi {now.type} [ {first.text}, %{before} ], [ {after.text}, %{back} ]"
        for now, first, after in zip(current, state, following, strict=True)
    ]
    return current
