"""Peel: the iterations at the boundary of a parallel loop run by themselves, so that the rest is uniform.

    map n (i) { u[(i - 1) % n] + u[min(i + 1, n - 1)] }

    if n >= 2 { concat [u[n - 1] + u[1]]  (map (n - 2) (k) { u[k] + u[k + 2] })  [u[n - 2] + u[n - 1]] }
    else      { the few iterations one by one }

In the middle (`edges` says where it begins and ends) remainders, clamped indices and branches on the counter are
decided by its range: neighbours are then read as contiguous vectors instead of lane by lane. The boundary is plain
scalar code. Iterations keep their order, so the first check to fail is still the first.

Only the innermost loop of a nest is peeled, only when reads become contiguous or branches go away, and only when its
body is small: there are four copies of it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ir.build import Atoms, Builder
from ..ir.core import Apply, Block, Expr, Function, Hist, If, Lambda, Map, Pos, Reduce, Scan, Scatter, Stm
from ..ir.types import I64, Atom, DType, Lit, Var, i64, zero
from ..ir.walk import free_vars, inline, map_lambdas, statements, substitute_lambda
from ..records import dataclass, replace
from . import dce
from .affine import form_of
from .cost import block_cost, statement_count
from .edges import SENSITIVE, WIDEST, Edges, find_edges, obstacles
from .notes import Notes
from .ranges import Walk
from .rewrite import Rewriter, name_of

STATEMENTS = 150
COST = 400.0
SHORTEST = 32

Form = Map | Reduce


def run(function: Function, notes: Notes) -> Function:
    """The function with the boundaries of its parallel loops peeled off."""
    wanted = _candidates(function)
    if not wanted:
        return function
    return dce.run(_Peel(wanted, notes).walk.function(function), notes)


class _Peel:
    """The walk; `wanted` are the loops to look at, by their first result."""

    def __init__(self, wanted: set[str], notes: Notes) -> None:
        self.wanted, self.notes = wanted, notes
        self.walk = Walk(self.statement)

    def statement(self, r: Rewriter, stm: Stm) -> bool:
        """Deal with a loop that may be peeled."""
        if not isinstance(stm.expr, Form) or not stm.vars or stm.vars[0].name not in self.wanted:
            return False
        expr = r.rebuild(stm.expr)
        assert isinstance(expr, Form)
        r.pos = stm.pos
        parts = self._parts(r, stm, expr)
        if parts is None:
            r.emit(stm.vars, expr)
        else:
            r.out.extend(parts.stms)
            r.replace(stm.vars, parts.results)
        return True

    def _parts(self, r: Rewriter, stm: Stm, expr: Form) -> Block | None:
        """The loop in parts, when that makes the middle better."""
        loop = _loop(expr, r.defs)
        before = obstacles(expr.body, r.defs)
        if not loop.edges.total:
            return None
        # What the walk learns from checks in the parts must not outlive them: they may be thrown away.
        with self.walk.facts.scope():
            parts = r.scoped(lambda: r.splice(_in_parts(loop, stm.pos)))
        if sum(obstacles(middle, r.defs) for middle in _loops(parts)) >= before:
            return None
        self._note(stm, loop.edges, branches=any(isinstance(s.expr, If) for s in expr.body.body.stms))
        return parts

    def _note(self, stm: Stm, edges: Edges, *, branches: bool) -> None:
        ends = [f"{name} {count}" for name, count in (("first", edges.low), ("last", edges.high)) if count]
        verb = "iteration is" if edges.total == 1 else "iterations are"
        gain = "runs without branches at the boundary" if branches else "reads neighbours without wrap-around"
        self.notes.add(stm.pos, "boundary", f"{' and '.join(ends)} {verb} peeled off", f"the rest {gain}")


def _candidates(function: Function) -> set[str]:
    """The loops that have a boundary and something to gain from peeling it, by their first result."""
    loops = [
        stm
        for stm in statements(function.body)
        if isinstance(stm.expr, Form) and stm.vars and _may_have_edges(stm.expr.body)
    ]
    if not loops:
        return set()
    defs = {var.name: stm.expr for stm in statements(function.body) for var in stm.vars}
    return {stm.vars[0].name for stm in loops if isinstance(stm.expr, Form) and _may_gain(stm.expr, defs)}


def _may_gain(expr: Form, defs: Mapping[str, Expr]) -> bool:
    short = isinstance(expr.size, Lit) and expr.size.value < SHORTEST
    return not short and _loop(expr, defs).edges.total > 0 and obstacles(expr.body, defs) > 0


def _may_have_edges(body: Lambda) -> bool:
    """Is this the body of an innermost loop, small enough, with integers in it that could change at a boundary?"""
    if statement_count(body.body) > STATEMENTS or block_cost(body.body) > COST:
        return False
    found = False
    for stm in statements(body.body):
        expr = stm.expr
        if isinstance(expr, Map | Reduce | Scan | Hist | Scatter):
            return False
        found = found or (isinstance(expr, Apply) and expr.op in SENSITIVE and expr.args[0].type.dtype is I64)
    return found


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop to be peeled. `size` is the number of its iterations when there are `least` or more.

    `wrapped` are remainders of literals that were computed before the loop, `1 % n`: a known number when n is large.
    """

    expr: Form
    size: Atom
    edges: Edges
    wrapped: Mapping[Var, tuple[int, Atom]]
    least: int


def _loop(expr: Form, defs: Mapping[str, Expr]) -> _Loop:
    size = expr.size
    match defs.get(name_of(size)):
        case Apply("max", (x, Lit(0))):
            size = x
        case _:
            pass
    wrapped = _wrapped(expr.body, defs)
    assumed: dict[str, Expr] = {
        var.name: Apply("add", (divisor if shift < 0 else i64(0), i64(shift)))
        for var, (shift, divisor) in wrapped.items()
    }
    edges = find_edges(expr.body, form_of(size, defs), {**defs, **assumed} if assumed else defs)
    least = max((edges.total, *(abs(shift) + 1 for shift, _ in wrapped.values())))
    return _Loop(expr, size, edges, wrapped, least)


def _wrapped(body: Lambda, defs: Mapping[str, Expr]) -> dict[Var, tuple[int, Atom]]:
    found: dict[Var, tuple[int, Atom]] = {}
    free = free_vars(body)
    sizes = {size for var in free for size in var.type.shape}  # of arrays made outside, which keep their types
    for var in free:
        match None if var in sizes else defs.get(var.name):
            case Apply("mod", (Lit(int(shift), DType.I64), divisor)) if abs(shift) <= WIDEST:
                found[var] = shift, divisor
            case _:
                pass
    return found


def _loops(block: Block) -> Iterator[Lambda]:
    for stm in statements(block):
        if isinstance(stm.expr, Form):
            yield stm.expr.body


# -- the parts ------------------------------------------------------------------------------------


def _in_parts(loop: _Loop, pos: Pos | None) -> Block:
    """Boundary and middle when there are both, else the few iterations that there are."""
    b = Builder(pos)
    split = _split_map if isinstance(loop.expr, Map) else _split_reduce
    wide = b.apply("ge", loop.size, i64(loop.least))
    return b.block(b.if_(wide, lambda b: split(b, _unwrapped(b, loop)), lambda b: _few(b, loop)))


def _unwrapped(b: Builder, loop: _Loop) -> _Loop:
    """The same loop with its remainders of literals computed again, where they are known."""
    again: dict[Var, Atom] = {var: b.apply("mod", i64(k), n) for var, (k, n) in loop.wrapped.items()}
    body = substitute_lambda(loop.expr.body, again)
    return replace(loop, expr=map_lambdas(loop.expr, lambda lam: body if lam is loop.expr.body else lam))


def _split_map(b: Builder, loop: _Loop) -> Atoms:
    low, high = i64(loop.edges.low), i64(loop.edges.high)
    first, middle, last = (
        _one_by_one(b, loop, i64(0), low, _nothing(b, loop, low)),
        b.map_(b.apply("sub", loop.size, i64(loop.edges.total)), lambda b, k: _values(b, loop, k, low)),
        _one_by_one(b, loop, b.apply("sub", loop.size, high), high, _nothing(b, loop, high)),
    )
    whole = loop.expr.size
    return tuple(b.apply("concat", *parts, whole, attrs=(0,)) for parts in zip(first, middle, last, strict=True))


def _split_reduce(b: Builder, loop: _Loop) -> Atoms:
    expr, low, high = loop.expr, i64(loop.edges.low), i64(loop.edges.high)
    assert isinstance(expr, Reduce)
    first = _one_by_one(b, loop, i64(0), low, expr.neutral)
    rest = b.apply("sub", loop.size, i64(loop.edges.total))
    middle = b.reduce(rest, expr.op, expr.neutral, lambda b, k: _values(b, loop, k, low))
    state = b.splice(inline(expr.op, (*first, *middle)))
    return _one_by_one(b, loop, b.apply("sub", loop.size, high), high, state)


def _nothing(b: Builder, loop: _Loop, count: Atom) -> Atoms:
    """What the loop yields before it has run: arrays of `count` elements to be written, or the neutral elements."""
    if isinstance(loop.expr, Reduce):
        return loop.expr.neutral
    types = [x.type for x in loop.expr.body.body.results]
    return tuple(b.apply("replicate", zero(type.dtype), count, *type.shape) for type in types)


def _one_by_one(b: Builder, loop: _Loop, start: Atom, count: Atom, state: Atoms) -> Atoms:
    """`count` iterations from `start` on, in order."""

    def step(b: Builder, k: Var, *carried: Var) -> Atoms:
        return _step(b, loop, k, start, carried)

    return b.for_(count, state, step)


def _few(b: Builder, loop: _Loop) -> Atoms:
    """All iterations when they are few. The trip count is a literal, lest the back end thinks that this runs long."""

    def step(b: Builder, k: Var, *carried: Var) -> Atoms:
        inside = b.apply("lt", k, loop.expr.size)
        return b.if_(inside, lambda b: _step(b, loop, k, i64(0), carried), lambda _: carried)

    return b.for_(i64(loop.least - 1), _nothing(b, loop, loop.expr.size), step)


def _step(b: Builder, loop: _Loop, k: Var, start: Atom, state: Atoms) -> Atoms:
    """Take up what iteration `start + k` yields, as element k."""
    values = _values(b, loop, k, start)
    if isinstance(loop.expr, Reduce):
        return b.splice(inline(loop.expr.op, (*state, *values)))
    return tuple(b.apply("update", array, value, k) for array, value in zip(state, values, strict=True))


def _values(b: Builder, loop: _Loop, k: Var, start: Atom) -> Atoms:
    return b.splice(inline(loop.expr.body, (b.apply("add", k, start),)))
