"""The state in which statements become instructions: names, lanes, masks, and what is still alive.

One emitter writes one LLVM function. `width` is the number of lanes of the code being written (1
outside vectorised regions), `mask` says which lanes are active (None: all). Code under a mask runs
only when at least one lane is active, so a uniform access is always one that some lane makes.
Each form of the language has a handler, from the table that `kernels.py` puts together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from ..ir.core import Block, Lambda, Stm
from ..ir.types import I64, Atom, DType, Lit, Var
from ..records import dataclass, field
from .elementary import FUNCTIONS
from .elementary.lanes import Lanes
from .frame import Frame, Kernel
from .scalar import emit_op
from .text import constant, llvm_type
from .values import VARYING, Array, Region, Scalar, Value

# Operations that leave most indices as they are: `(i + 1) % n`, `i if i < n else 0`.
NEAR = ("mod", "select", "min", "max")

Handler: TypeAlias = "Callable[[Emitter, Stm], None]"


class CannotVectorise(Exception):
    """Raised while a body is written in lanes, when only scalar code can do it."""


@dataclass(slots=True)
class Scope:
    """A block being written: which of its statements, and which arrays live through all of it."""

    last_use: Mapping[Var, int]
    at: int = 0
    pinned: frozenset[Var] = field(default_factory=frozenset[Var])


class Emitter:
    """Writes the code of blocks into a frame."""

    def __init__(self, kernel: Kernel, frame: Frame, handlers: Mapping[type, Handler]) -> None:
        self.kernel, self.frame, self.handlers = kernel, frame, handlers
        self.w = frame.w
        self.env: dict[Var, Value] = {}
        self.width = 1
        self.mask: str | None = None
        self.level = 0
        self.diverged: bool = False
        self.depth = 0
        self.parallel = False
        self.plain = False
        self.brief = False
        self.bail: str = ""
        self.varying: frozenset[Var] = frozenset()
        self.scopes: list[Scope] = []
        self.places: dict[Var, Array] = {}
        # Do all lanes add to one accumulator? Then these arrays have a copy with a row for each lane (`outer`).
        self.sums_lanes = False
        self.rows: dict[Var, Array] = {}
        # Rows that are added when all are known: where their factors are kept, the number of the row, the factor.
        self.waiting: dict[Var, tuple[Array, Var, Var]] = {}
        # Arrays that nobody reads after all.
        self.idle: set[Var] = set()
        self.owned: list[tuple[Region, tuple[object, ...]]] = []

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, block: Block) -> tuple[Value, ...]:
        """Write the statements; return the results."""
        for stm in block.stms:  # a block may be written twice: what the first copy bound is not bound in the second
            for var in stm.vars:
                self.env.pop(var, None)
        scope = Scope(self.kernel.uses.last_use(block))
        self.scopes.append(scope)
        for number, stm in enumerate(block.stms):
            scope.at = number
            self.handlers[type(stm.expr)](self, stm)
            self.retire()
        self.scopes.pop()
        return tuple(self.value(atom) for atom in block.results)

    @contextmanager
    def repeated(self, *lams: Lambda) -> Generator[None, None, None]:
        """Inside, the arrays that the lambdas read from outside stay alive: another round reads them again."""
        pinned: frozenset[Var] = frozenset()
        for lam in lams:
            pinned |= self.kernel.uses.captured(lam.body) - set(lam.params)
        self.scopes.append(Scope({}, 0, pinned))
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.scopes.pop()

    @contextmanager
    def plainly(self, plain: bool) -> Generator[None, None, None]:
        """Inside, code is kept short when there is little to do, and done once."""
        saved, self.plain = self.plain, self.plain or (plain and self.depth == 0 and not self.parallel)
        yield
        self.plain = saved

    def is_live(self, var: Var) -> bool:
        """Is this array used after the statement being written?"""
        return any(scope.last_use.get(var, -1) > scope.at or var in scope.pinned for scope in self.scopes)

    def retire(self) -> None:
        """Give the slots of dead arrays back; outside loops release their memory at once."""
        kept: list[tuple[Region, tuple[object, ...]]] = []
        for region, key in self.owned:
            # The latest first: of an array that is written again and again it alone is live.
            if region.held or any(map(self.is_live, reversed(region.names))):
                kept.append((region, key))
                continue
            if self.depth == 0:
                self.frame.release([region.owner])
            self.frame.give_back(key, region.owner)
        self.owned = kept

    @contextmanager
    def attempt(self) -> Generator[list[str], None, None]:
        """Collect the code written inside; when it cannot be written, all is as before."""
        lanes = self.width, self.mask, self.level, self.diverged, self.bail, self.varying
        depth, brief, plain = self.depth, self.brief, self.plain
        scopes, places, owned, idle = list(self.scopes), dict(self.places), list(self.owned), set(self.idle)
        pool = {key: list(slots) for key, slots in self.frame.pool.items()}
        regions = [(region, region.held, region.writable) for region, _ in owned]
        try:
            with self.frame.capture() as lines:
                yield lines
        except CannotVectorise:
            self.width, self.mask, self.level, self.diverged, self.bail, self.varying = lanes
            self.depth, self.brief, self.plain = depth, brief, plain
            self.scopes, self.places, self.owned, self.idle = scopes, places, owned, idle
            self.frame.pool = pool
            for region, held, writable in regions:
                region.held, region.writable = held, writable
            raise

    def unprepare(self, vars: Iterable[Var]) -> None:
        """These variables have no place given any more."""
        for var in vars:
            self.places.pop(var, None)
            self.idle.discard(var)

    # -- names ----------------------------------------------------------------------------------

    def bind(self, var: Var, value: Value) -> None:
        self.env[var] = value
        if isinstance(value, Array):
            value.region.names.append(var)

    def value(self, atom: Atom) -> Value:
        if isinstance(atom, Lit):
            return Scalar(atom.dtype, constant(atom))
        return self.env[atom]

    def scalar(self, atom: Atom) -> Scalar:
        value = self.value(atom)
        assert isinstance(value, Scalar)
        return value

    def array(self, atom: Atom) -> Array:
        value = self.value(atom)
        assert isinstance(value, Array)
        return value

    def sizes(self, atoms: Iterable[Atom]) -> tuple[Scalar, ...]:
        return tuple(self.scalar(atom) for atom in atoms)

    # -- lanes ----------------------------------------------------------------------------------

    def spread(self, value: Scalar) -> str:
        """The value as a vector, one entry per lane; in scalar code the value itself."""
        if self.width == 1 or value.is_varying:
            return value.text
        vector = self.broadcast(value.dtype, value.text)
        if value.is_uniform:
            return vector
        lanes = f"<{', '.join(f'i64 {lane}' for lane in range(self.width))}>"
        type = llvm_type(I64, self.width)
        if value.step != "1":
            lanes = self.w.op(f"mul {type} {lanes}, {self.broadcast(I64, value.step)}")
        return self.w.op(f"add {type} {vector}, {lanes}")

    def broadcast(self, dtype: DType, text: str) -> str:
        """A scalar operand in every lane."""
        scalar, vector = llvm_type(dtype), llvm_type(dtype, self.width)
        if not text.startswith("%"):
            return f"splat ({scalar} {text})"
        one = self.w.op(f"insertelement {vector} poison, {scalar} {text}, i64 0")
        return self.w.op(f"shufflevector {vector} {one}, {vector} poison, <{self.width} x i32> zeroinitializer")

    def varied(self, value: Scalar) -> Scalar:
        """The same value as a varying one; in scalar code the value itself."""
        return value if self.width == 1 else Scalar(value.dtype, self.spread(value), VARYING)

    def apply(self, op: str, args: Sequence[Scalar], result: DType, attrs: Sequence[object] = ()) -> Scalar:
        """A scalar operation; uniform operands give a uniform result. Short functions are written out in lanes."""
        dtypes = [arg.dtype for arg in args]
        if self.width == 1 or all(arg.is_uniform for arg in args):
            return Scalar(result, emit_op(self.w, op, attrs, dtypes, result, 1, [arg.text for arg in args]))
        operands = [self.spread(arg) for arg in args]
        function = FUNCTIONS.get(op)
        if function is not None and function.inline and result.is_float:
            with self.w.expansion():
                value = function.body(*(Lanes(self.w, result, self.width, operand) for operand in operands))
            return Scalar(result, value.text, VARYING)
        near = op in NEAR and any(arg.near or not (arg.is_uniform or arg.is_varying) for arg in args)
        return Scalar(result, emit_op(self.w, op, attrs, dtypes, result, self.width, operands), VARYING, near)

    def any_lane(self, mask: str) -> str:
        """Is the mask set in some lane?"""
        bits = self.w.op(f"bitcast <{self.width} x i1> {mask} to i{self.width}")
        return self.w.op(f"icmp ne i{self.width} {bits}, 0")

    def both(self, mask: str) -> str:
        """The lanes of `mask` that are active here."""
        return mask if self.mask is None else self.w.op(f"and <{self.width} x i1> {self.mask}, {mask}")

    # -- variables of the function ----------------------------------------------------------------

    def variable(self, dtype: DType, varying: bool = False) -> tuple[str, str]:
        """A local that holds a scalar, and its LLVM type."""
        type = llvm_type(dtype, self.width if varying else 1)
        return self.frame.local(type), type

    def read(self, local: str, dtype: DType, varying: bool = False) -> Scalar:
        varying = varying and self.width > 1
        type = llvm_type(dtype, self.width if varying else 1)
        return Scalar(dtype, self.w.op(f"load {type}, ptr {local}"), VARYING if varying else "0")

    def write(self, local: str, value: Scalar, varying: bool = False) -> None:
        varying = varying and self.width > 1
        text = self.spread(value) if varying else value.text
        assert varying or self.width == 1 or value.is_uniform
        self.w.line(f"store {llvm_type(value.dtype, self.width if varying else 1)} {text}, ptr {local}")

    # -- control --------------------------------------------------------------------------------

    def jump(self, label: str) -> None:
        self.w.line(f"br label %{label}")

    def branch(self, condition: str, then: str, orelse: str, *, likely: bool | None = None, metadata: str = "") -> None:
        weights = "" if likely is None else f", !prof !{0 if likely else 1}"
        self.w.line(f"br i1 {condition}, label %{then}, label %{orelse}{weights}{metadata}")

    def fail(self, code: str, details: Sequence[str] = ()) -> None:
        """Leave the function with a fault."""
        for place, detail in zip(self.frame.details, details, strict=False):
            self.w.line(f"store i64 {detail}, ptr {place}")
        self.w.line(f"store i64 {code}, ptr {self.frame.code}")
        self.jump("leave")

    def leave_if(self, condition: str, exit: str) -> None:
        """Leave the function through one of its exits when a rare condition holds."""
        on = self.w.new_label("on")
        self.branch(condition, exit, on, likely=False)
        self.w.label(on)

    def poll(self, counter: str, period: int) -> None:
        """Ask now and then whether the user wants to stop."""
        ask, on = self.w.new_label("ask"), self.w.new_label("on")
        rest = self.w.op(f"and i64 {counter}, {period - 1}")
        self.branch(self.w.op(f"icmp eq i64 {rest}, {period - 1}"), ask, on, likely=False)
        self.w.label(ask)
        self.ask(on)
        self.w.label(on)

    def ask(self, on: str) -> None:
        """Go on at `on` unless the user wants to stop."""
        stop = self.w.op("call i64 @tp_poll()")
        # Not `op`: this comparison is no use where the question was not asked.
        self.w.line(f"{stop}.yes = icmp ne i64 {stop}, 0")
        self.branch(f"{stop}.yes", "interrupted", on, likely=False)
