"""The builder through which all code makes statements.

A `Builder` collects the statements of one block. Operations are `b.apply("add", x, y)`; structured
forms take Python functions that receive a builder for the sub-block and its parameters:

    total, = b.reduce(n, "add", (f64(0.0),), lambda b, i: (b.apply("index", x, i),))

The builder computes the types of results. Where the shape of a result is computed inside a
sub-block, the computation is moved out when it only needs outer values; else an `If` also
returns the size, and any other form refuses, because arrays are regular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ..errors import IRError
from .core import (
    Apply,
    Block,
    Check,
    Expr,
    For,
    Function,
    Hist,
    If,
    Lambda,
    Map,
    Pos,
    Reduce,
    Scan,
    Scatter,
    Stm,
    While,
)
from .op import lookup
from .types import I64, Atom, Lit, Type, Var
from .walk import free_vars, fresh, subst_type

Atoms = tuple[Atom, ...]
Body = Callable[..., Sequence[Atom]]
Arm: TypeAlias = "Callable[[Builder], Sequence[Atom]]"
Indexed: TypeAlias = "Callable[[Builder, Var], Sequence[Atom]]"


class Builder:
    """Collects statements; `pos` is the source position given to each."""

    def __init__(self, pos: Pos | None = None) -> None:
        self.stms: list[Stm] = []
        self.pos = pos

    # -- statements ---------------------------------------------------------------------------

    def bind(self, types: Iterable[Type], expr: Expr, hint: str = "t") -> tuple[Var, ...]:
        """Emit `expr`, whose results have the given types."""
        vars = tuple(fresh(hint, type) for type in types)
        self.stms.append(Stm(vars, expr, self.pos))
        return vars

    def apply(self, op: str, *args: Atom, attrs: tuple[Any, ...] = (), hint: str = "t") -> Var:
        """Emit an operation of the table."""
        return self.bind((lookup(op).type_rule(args, attrs),), Apply(op, args, attrs), hint)[0]

    def check(self, kind: str, *args: Atom, info: str = "") -> None:
        """Emit a run-time condition (`core.CHECKS`)."""
        self.stms.append(Stm((), Check(kind, args, info), self.pos))

    def splice(self, block: Block) -> Atoms:
        """Append the statements of a block whose names are fresh; return its results."""
        self.stms.extend(block.stms)
        return block.results

    def block(self, results: Iterable[Atom]) -> Block:
        """What was built so far, as a block."""
        return Block(tuple(self.stms), tuple(results))

    def child(self) -> Builder:
        """A builder for a sub-block, at the same source position."""
        return Builder(self.pos)

    @contextmanager
    def at(self, pos: Pos | None):
        """Give statements built inside another source position."""
        saved, self.pos = self.pos, pos or self.pos
        try:
            yield
        finally:
            self.pos = saved

    # -- structured forms ---------------------------------------------------------------------

    def if_(self, cond: Atom, then: Arm, orelse: Arm) -> tuple[Var, ...]:
        """Both arms take a builder and return results of the same types, sizes apart."""
        arms: list[Block] = []
        for arm in (then, orelse):
            inner = self.child()
            arms.append(self.hoist_sizes((), inner.block(tuple(arm(inner)))))
        return self.if_blocks(cond, arms[0], arms[1])

    def if_blocks(self, cond: Atom, then: Block, orelse: Block) -> tuple[Var, ...]:
        """`if_` over finished arms. Sizes that differ between the arms become extra results."""
        wanted = len(then.results)
        if wanted != len(orelse.results):
            raise IRError("the arms of an if return different numbers of results")
        sizes: dict[tuple[Atom, Atom], int] = {}
        shapes: list[tuple[Atom | int, ...]] = []
        for left, right in zip(then.results, orelse.results, strict=True):
            if left.type.dtype != right.type.dtype or left.type.rank != right.type.rank:
                raise IRError(f"the arms of an if return {left.type} and {right.type}")
            shape: list[Atom | int] = []
            for m, n in zip(left.type.shape, right.type.shape, strict=True):
                if m == n and m not in _bound(then) and m not in _bound(orelse):
                    shape.append(m)
                else:
                    shape.append(sizes.setdefault((m, n), len(sizes)))
            shapes.append(tuple(shape))
        size_vars = tuple(fresh("n", Type(I64)) for _ in sizes)
        vars = tuple(
            fresh("t", Type(r.type.dtype, tuple(size_vars[s] if isinstance(s, int) else s for s in shape)))
            for r, shape in zip(then.results, shapes, strict=True)
        )
        left_sizes, right_sizes = tuple(m for m, _ in sizes), tuple(n for _, n in sizes)
        expr = If(
            cond,
            Block(then.stms, left_sizes + then.results),
            Block(orelse.stms, right_sizes + orelse.results),
        )
        self.stms.append(Stm(size_vars + vars, expr, self.pos))
        return vars

    def for_(self, count: Atom, init: Sequence[Atom], body: Body, hint: str = "i") -> tuple[Var, ...]:
        """`body(b, i, *carried)` returns the next carried values, of the types of `init`."""
        lam = self.lam((Type(I64), *(x.type for x in init)), body, hints=(hint,))
        return self.bind((x.type for x in init), For(count, tuple(init), lam))

    def while_(self, init: Sequence[Atom], cond: Body, body: Body) -> tuple[Var, ...]:
        """`cond(b, *carried)` returns one bool, `body(b, *carried)` the next carried values."""
        types = tuple(x.type for x in init)
        expr = While(tuple(init), self.lam(types, cond), self.lam(types, body))
        return self.bind(types, expr)

    def map_(self, size: Atom, body: Indexed, hint: str = "i") -> tuple[Var, ...]:
        """`body(b, i)` returns the elements at i."""
        lam = self.lam((Type(I64),), body, hints=(hint,))
        return self.bind((r.type.stacked(size) for r in lam.body.results), Map(size, lam))

    def reduce(self, size: Atom, op: str | Body | Lambda, neutral: Sequence[Atom], body: Indexed) -> tuple[Var, ...]:
        """`op` is the name of a binary operation, or `op(b, *accumulators, *values)`."""
        lam = self.lam((Type(I64),), body, hints=("i",))
        combine = self.operator(op, tuple(x.type for x in neutral))
        return self.bind((x.type for x in neutral), Reduce(size, combine, tuple(neutral), lam))

    def scan(self, size: Atom, op: str | Body | Lambda, neutral: Sequence[Atom], body: Indexed) -> tuple[Var, ...]:
        """As `reduce`, all prefixes."""
        lam = self.lam((Type(I64),), body, hints=("i",))
        combine = self.operator(op, tuple(x.type for x in neutral))
        return self.bind((x.type.stacked(size) for x in neutral), Scan(size, combine, tuple(neutral), lam))

    def hist(
        self,
        size: Atom,
        op: str | Body | Lambda,
        neutral: Sequence[Atom],
        dest: Sequence[Atom],
        keys: int,
        body: Indexed,
    ) -> tuple[Var, ...]:
        """`body(b, i)` returns `keys` indices and one value per destination."""
        lam = self.lam((Type(I64),), body, hints=("i",))
        combine = self.operator(op, tuple(x.type for x in neutral))
        expr = Hist(size, combine, tuple(neutral), tuple(dest), keys, lam)
        return self.bind((x.type for x in dest), expr)

    def scatter(self, size: Atom, dest: Atom, keys: int, body: Indexed) -> Var:
        """`body(b, i)` returns `keys` indices and the value."""
        lam = self.lam((Type(I64),), body, hints=("i",))
        return self.bind((dest.type,), Scatter(size, dest, keys, lam))[0]

    # -- pieces -------------------------------------------------------------------------------

    def lam(self, types: Sequence[Type], body: Body, hints: Sequence[str] = ()) -> Lambda:
        """A lambda over fresh parameters, sizes of its results moved out where possible."""
        params = tuple(fresh(hints[k] if k < len(hints) else "x", type) for k, type in enumerate(types))
        inner = self.child()
        results = tuple(body(inner, *params))
        return Lambda(params, self.hoist_sizes(params, inner.block(results)))

    def operator(self, op: str | Body | Lambda, types: Sequence[Type]) -> Lambda:
        """The lambda of an associative operator over accumulators and values."""
        if isinstance(op, Lambda):
            return op
        if callable(op):
            return self.lam((*types, *types), op)

        def combine(b: Builder, x: Var, y: Var, name: str = op) -> Atoms:
            return (b.apply(name, x, y),)

        return self.lam((types[0], types[0]), combine)

    def hoist_sizes(self, params: Sequence[Var], block: Block) -> Block:
        """Move the statements that compute the sizes of the results out of the block, where possible."""
        wanted = {s for r in block.results for s in r.type.shape if isinstance(s, Var)}
        defined = {var: stm for stm in block.stms for var in stm.vars}
        moved: dict[int, Stm] = {}

        def movable(var: Var) -> bool:
            if var in params:
                return False
            stm = defined.get(var)
            if stm is None or id(stm) in moved:
                return True
            if not isinstance(stm.expr, Apply) or any(v.type.is_array for v in (*stm.vars, *free_vars(stm.expr))):
                return False
            if not all(movable(v) for v in free_vars(stm.expr)):
                return False
            moved[id(stm)] = stm
            return True

        for size in wanted:
            movable(size)
        if not moved:
            return block
        self.stms.extend(moved.values())
        return Block(tuple(s for s in block.stms if id(s) not in moved), block.results)


def _bound(block: Block) -> set[Var]:
    return {var for stm in block.stms for var in stm.vars}


def build(name: str, params: Sequence[Var], body: Callable[[Builder], Sequence[Atom]]) -> Function:
    """A function from its parameters and a Python function that builds its body."""
    b = Builder()
    results = tuple(body(b))
    return Function(name, tuple(params), b.block(results))


def is_literal(atom: Atom, value: float | None = None) -> bool:
    """Is this a literal (equal to `value`, when given)?"""
    return isinstance(atom, Lit) and (value is None or atom.value == value)


__all__ = ["Atoms", "Body", "Builder", "build", "is_literal", "subst_type"]
