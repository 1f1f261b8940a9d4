"""Lanes or not: which parallel dimension of a nest the vectors run over.

For a body in W lanes each access has a price: one for a uniform, contiguous or lane-private element, two for
a field of short records, and one or more per lane for everything else, since that goes lane by lane. The same nest
may instead stay scalar here and use lanes further in (a row sum reads its row contiguously there). The cheaper one
by this estimate is taken. Kinds of values: "uniform", "linear" (the lane's index plus something uniform), "near"
(linear nearly everywhere), "varying"; arrays are "uniform" (outside), "row" (a view that differs between lanes) or
"private".
"""

from __future__ import annotations

from typing import TypeAlias

from ..ir.core import Apply, Block, Check, Custom, Expr, For, Hist, If, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, DType, Lit, Var
from ..ir.walk import lambdas, statements
from ..records import dataclass
from . import cost
from .arrays import OPERATIONS
from .cost import GUESS, trips
from .emitter import NEAR
from .frame import Kernel
from .reductions import operators

Form: TypeAlias = Map | Reduce | Scan | Hist | Scatter

_PER_LANE = 1.5
# Under a mask: the gather instruction, which is slow.
_PER_LANE_MASKED = 5.0
_RECORD = 16
# Combining the lanes at the end, and two loops whose exits are hard to predict.
_STRIP_OVERHEAD = 60.0
# So much work is done before lanes are worth the code they need.
_LITTLE = float(1 << 15)
_VIEWS = ("slice", "transpose", "reshape")


@dataclass(frozen=True, slots=True)
class Plan:
    """How many lanes a form runs in, and what one iteration then costs (in additions)."""

    lanes: int
    cost: float


def plan(expr: Form, kernel: Kernel) -> Plan:
    """The schedule of a parallel form that stands in scalar code."""
    auto = _Scalar(kernel).plan(expr)
    match kernel.options.lanes:
        case "auto":
            return auto
        case "always":
            return Plan(kernel.target.lanes(_dtypes(expr.body.body)), auto.cost)
        case "never":
            return Plan(1, auto.cost)


def _consuming(expr: Expr) -> float:
    """What is done with each element one by one after it was computed in lanes."""
    match expr:
        case Map():
            return 0.0
        case Reduce() if operators(expr) is not None:
            return 0.0
        case Reduce(op=op) | Scan(op=op) | Hist(op=op):
            return 4.0 + sum(_static(stm) for stm in op.body.stms)
        case _:
            return 4.0


def _static(stm: Stm) -> float:
    return lookup(stm.expr.op).cost if isinstance(stm.expr, Apply) else 4.0


def _dtypes(block: Block) -> set[DType]:
    """The types of numbers a body works on, leaving out integers that are mere indices."""
    found: set[DType] = set()
    for stm in block.stms:
        if isinstance(stm.expr, Apply) and stm.expr.op not in ("add", "sub", "mul", "slice"):
            found |= {arg.type.dtype for arg in stm.expr.args[:1]}
        for lam in lambdas(stm.expr):
            found |= _dtypes(lam.body)
    floats = {dtype for dtype in found if dtype.is_float}
    return floats or found


def is_little(expr: Form, kernel: Kernel) -> bool:
    """Is the whole form done in no time, even one iteration after the other?"""
    sizes = [expr.size, *(stm.expr.size for stm in statements(expr.body.body) if isinstance(stm.expr, Form))]
    if not all(isinstance(size, Lit) for size in sizes) or kernel.options.lanes == "always":
        return False
    return trips(expr.size) * cost.block_cost(expr.body.body) < _LITTLE


class _Scalar:
    """The cost of a block in scalar code, where inner forms may use lanes."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def plan(self, form: Form) -> Plan:
        """Lanes or not, whichever takes less time for as many iterations as there will be."""
        width = self.kernel.target.lanes(_dtypes(form.body.body))
        pricing = _Pricing(self.kernel, width)
        parts = self.kernel.parts_of(form) if isinstance(form, Reduce) else None
        in_lanes = pricing.block(form.body.body if parts is None else parts.early, {form.body.params[0]: "linear"})
        in_lanes = in_lanes / width + (_consuming(form) if parts is None else self.block(parts.late))
        scalar = self.block(form.body.body)
        count = trips(form.size, self.kernel.changing)
        strips, rest = divmod(count, width) if isinstance(form.size, Lit) else (count / width, width / 2)
        if isinstance(form, Map):
            rest = min(rest, 1.0)
        overhead = _STRIP_OVERHEAD if isinstance(form, Reduce) else 0.0
        together = overhead + strips * width * in_lanes + rest * scalar
        if not pricing.possible or together >= 0.95 * count * scalar:
            return Plan(1, scalar)
        return Plan(width, together / max(count, 1.0))

    def block(self, block: Block) -> float:
        return sum(self.statement(stm) for stm in block.stms)

    def statement(self, stm: Stm) -> float:
        match stm.expr:
            case Apply(op):
                return (
                    _elements(stm) * 0.5
                    if op in OPERATIONS
                    and stm.vars[0].type.shape
                    and op not in ("index", "update", "accumulate", *_VIEWS)
                    else lookup(op).cost
                )
            case Check():
                return 1.0
            case If(_, then, orelse):
                return 2.0 + max(self.block(then), self.block(orelse))
            case For(count, _, body):
                return trips(count, self.kernel.changing) * (1.0 + self.block(body.body))
            case While(_, cond, body):
                return GUESS * (1.0 + self.block(cond.body) + self.block(body.body))
            case Map() | Reduce() | Scan() | Hist() | Scatter() as form:
                return self.form(form)
            case Custom():
                raise AssertionError("rules are forgotten before code is made")

    def form(self, form: Form) -> float:
        best = self.plan(form)
        operator = self.block(form.op.body) if isinstance(form, Reduce | Scan | Hist) else 1.0
        return trips(form.size, self.kernel.changing) * (best.cost + (1.0 + operator) / best.lanes)


class _Pricing:
    """The cost of a block in lanes, for all lanes together."""

    def __init__(self, kernel: Kernel, width: int) -> None:
        self.kernel, self.width = kernel, width
        self.possible = True
        self.masks = 0

    @property
    def one_by_one(self) -> float:
        """The price of an access that goes lane by lane."""
        return self.width * (_PER_LANE_MASKED if self.masks else _PER_LANE)

    def spread(self, uniform: bool) -> float:
        """How much longer a loop takes because lanes wait for the slowest: of W numbers, the largest to the mean."""
        return 1.0 if uniform else 2.0 * self.width / (self.width + 1)

    def under(self, divergent: bool, *blocks: Block, kinds: dict[Var, str]) -> list[float]:
        """The prices of blocks, under a mask when lanes go different ways."""
        self.masks += divergent
        prices = [self.block(block, kinds) for block in blocks]
        self.masks -= divergent
        return prices

    def trips(self, count: Atom) -> float:
        return trips(count, self.kernel.changing)

    def block(self, block: Block, kinds: dict[Var, str]) -> float:
        return sum(self.statement(stm, kinds) for stm in block.stms)

    def kind(self, atom: Atom, kinds: dict[Var, str]) -> str:
        return kinds.get(atom, "uniform") if isinstance(atom, Var) else "uniform"

    def statement(self, stm: Stm, kinds: dict[Var, str]) -> float:
        match stm.expr:
            case Apply():
                return self.apply(stm, stm.expr, kinds)
            case Check():
                return 1.5
            case If(cond, then, orelse):
                uniform = self.kind(cond, kinds) == "uniform"
                arms = self.under(not uniform, then, orelse, kinds=kinds)
                for var, a, b in zip(stm.vars, then.results, orelse.results, strict=True):
                    kinds[var] = self.joined(var, [self.kind(a, kinds), self.kind(b, kinds)], uniform)
                return 2.0 + (max(arms) if uniform else sum(arms) + 3.0)
            case For(count, _, body):
                uniform = self.kind(count, kinds) == "uniform"
                self.vary((*body.params[1:], *stm.vars), kinds)
                body_price = sum(self.under(not uniform, body.body, kinds=kinds))
                return self.trips(count) * (1.0 + body_price) * self.spread(uniform)
            case While(_, cond, body):
                self.vary((*body.params, *cond.params, *stm.vars), kinds)
                return self.spread(False) * GUESS * (1.0 + sum(self.under(True, cond.body, body.body, kinds=kinds)))
            case Map() | Reduce() | Scan() | Hist() | Scatter() as form:
                return self.form(stm, form, kinds)
            case Custom():
                raise AssertionError("rules are forgotten before code is made")

    def joined(self, var: Var, parts: list[str], uniform: bool) -> str:
        if var.type.shape:
            return "private"
        return "uniform" if uniform and set(parts) == {"uniform"} else "varying"

    def vary(self, vars: tuple[Var, ...], kinds: dict[Var, str]) -> None:
        """Carried values count as varying: nearly all are."""
        for var in vars:
            kinds[var] = "private" if var.type.shape else "varying"

    def form(self, stm: Stm, form: Form, kinds: dict[Var, str]) -> float:
        uniform = self.kind(form.size, kinds) == "uniform"
        kinds[form.body.params[0]] = "uniform"
        self.masks += not uniform
        body = self.block(form.body.body, kinds)
        if isinstance(form, Reduce | Scan | Hist):
            self.vary(form.op.params, kinds)
            body += self.block(form.op.body, kinds)
        self.masks -= not uniform
        self.vary(stm.vars, kinds)
        for var in stm.vars:
            self.possible = self.possible and (uniform or not var.type.shape)
        store = 0.0 if isinstance(form, Reduce) else 1.0
        if isinstance(form, Hist | Scatter):
            store = 2 * self.one_by_one
        return self.trips(form.size) * (1.0 + body + store) * self.spread(uniform)

    def apply(self, stm: Stm, expr: Apply, kinds: dict[Var, str]) -> float:
        var = stm.vars[0]
        parts = [self.kind(arg, kinds) for arg in expr.args]
        if expr.op == "index":
            return self.index(var, expr, parts, kinds)
        if expr.op in _VIEWS:
            lane = any(part != "uniform" for part in parts[1:])
            kinds[var] = "row" if lane and parts[0] == "uniform" else parts[0]
            return 1.0
        if expr.op in OPERATIONS:
            return self.array(var, expr, parts, kinds)
        kinds[var] = self.arithmetic(expr.op, parts)
        return lookup(expr.op).cost

    def arithmetic(self, op: str, parts: list[str]) -> str:
        if all(part == "uniform" for part in parts):
            return "uniform"
        for kind in ("linear", "near"):
            if op in ("add", "sub") and parts in ([kind, "uniform"], ["uniform", kind]):
                return kind
        return "near" if op in NEAR and ("linear" in parts or "near" in parts) else "varying"

    def array(self, var: Var, expr: Apply, parts: list[str], kinds: dict[Var, str]) -> float:
        """An operation that makes or writes an array, lane-private here."""
        kinds[var] = "private"
        if expr.op == "argsort" or any(self.kind(dim, kinds) != "uniform" for dim in var.type.shape):
            self.possible = False
        if expr.op in ("update", "accumulate"):
            per_lane = any(part != "uniform" for part in parts[2:])
            written = _elements_of(expr.args[1])
            copied = 0.0 if parts[0] == "private" else _elements_of(expr.args[0])
            return copied + written * (self.one_by_one if per_lane else 2.0)
        return _elements_of(var) * 2.0

    def index(self, var: Var, expr: Apply, parts: list[str], kinds: dict[Var, str]) -> float:
        source, *at = parts
        if var.type.shape:
            return self.row(var, source, at, kinds)
        lanes = [d for d, part in enumerate(at) if part != "uniform"]
        kinds[var] = "varying" if lanes or source != "uniform" else "uniform"
        if source == "private":
            return self.one_by_one if lanes else 1.0
        if source == "uniform" and (not lanes or (lanes == [len(at) - 1] and at[-1] == "linear")):
            return 1.0
        if source == "uniform" and lanes == [len(at) - 1] and at[-1] == "near" and not self.masks:
            return 4.0
        tail = lanes[0] + 1 if lanes else 0
        fields = expr.args[1:][tail:]
        dims = expr.args[0].type.shape[tail:]
        short = all(isinstance(a, Lit) for a in (*fields, *dims)) and _product(dims) <= _RECORD
        if short and len(lanes) + (source == "row") == 1 and (not lanes or at[lanes[0]] == "linear"):
            return 2.0
        return self.one_by_one

    def row(self, var: Var, source: str, at: list[str], kinds: dict[Var, str]) -> float:
        if source == "private" and all(part == "uniform" for part in at):
            kinds[var] = "private"
            return 1.0
        if source == "uniform" and all(part == "uniform" for part in at):
            kinds[var] = "uniform"
            return 1.0
        if self.kernel.uses.read_in_loops(var):
            kinds[var] = "private"
            return _elements_of(var) * self.width * 0.5
        kinds[var] = "row"
        return 1.0


def _elements(stm: Stm) -> float:
    return _elements_of(stm.vars[0])


def _elements_of(atom: Atom) -> float:
    return _product(atom.type.shape)


def _product(dims: tuple[Atom, ...]) -> float:
    total = 1.0
    for dim in dims:
        total *= trips(dim)
    return total
