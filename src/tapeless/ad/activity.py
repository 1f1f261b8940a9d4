"""Activity: which variables depend differentiably on the inputs.

`varied(block, names)` are the names of the float variables, at any depth of the block and its lambdas, whose value
changes when the variables `names` change by an infinitesimal amount. Everything else has a derivative of exactly
zero, and neither tangents nor adjoints are made for it. Loops are walked until nothing is added; the set only grows,
so this ends after as many rounds as a chain of carried values is long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import DerivativeError, Place
from ..ir.core import (
    Apply,
    Block,
    Check,
    Custom,
    Expr,
    For,
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
from ..ir.op import lookup
from ..ir.types import Atom, Var
from ..ir.walk import free_vars


def varied(block: Block, names: Iterable[str]) -> set[str]:
    """The names of all float variables that depend differentiably on those named, which are included."""
    found = set(names)
    _Walk(found).block(block)
    return found


class _Walk:
    """Adds names to `found` until a loop's body adds none."""

    def __init__(self, found: set[str]) -> None:
        self.found = found

    def is_varied(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and atom.name in self.found

    def mark(self, vars: Iterable[Var], because: Iterable[bool]) -> None:
        for var, varies in zip(vars, because, strict=True):
            if varies and var.type.dtype.is_float:
                self.found.add(var.name)

    def block(self, block: Block) -> list[bool]:
        """Mark what the statements bind; which of the results vary?"""
        for stm in block.stms:
            self.mark(stm.vars, self.results(stm.expr, stm))
        return [self.is_varied(atom) for atom in block.results]

    def results(self, expr: Expr, stm: Stm) -> Sequence[bool]:
        match expr:
            case Apply(op, args):
                return [self.apply(op, args, stm.pos)]
            case Check():
                return ()
            case If(_, then, orelse):
                return [x or y for x, y in zip(self.block(then), self.block(orelse), strict=True)]
            case For(_, init, body):
                return self.loop(init, body, body.params[1:])
            case While(init, _, body):
                return self.loop(init, body, body.params)
            case Map(_, body):
                return self.block(body.body)
            case Reduce(_, op, neutral, body) | Scan(_, op, neutral, body):
                return self.combine(op, [self.is_varied(x) for x in neutral], self.block(body.body))
            case Hist(_, op, _, dest, keys, body):
                return self.combine(op, [self.is_varied(x) for x in dest], self.block(body.body)[keys:])
            case Scatter(_, dest, _, body):
                return [self.block(body.body)[-1] or self.is_varied(dest)]
            case Custom(_, body, None):
                return self.block(body.body)
            case Custom(args):
                self.refuse_free(expr, stm.pos)
                return [any(map(self.is_varied, args))] * len(stm.vars)

    def apply(self, op: str, args: Sequence[Atom], pos: Pos | None) -> bool:
        varies, partials = any(map(self.is_varied, args)), lookup(op).partials
        if varies and partials == "opaque":
            raise opaque_operation(op, pos)
        return varies and partials != "constant"

    def refuse_free(self, expr: Custom, pos: Pos | None) -> None:
        """A rule says nothing of variables that are not arguments."""
        if any(map(self.is_varied, free_vars(expr.body))):
            raise DerivativeError(
                "a function with its own rule takes a value that is differentiated from its surroundings",
                place=Place(pos.file, pos.line, pos.col, pos.end_col) if pos else None,
                why="the rule speaks of the arguments only",
                fix="pass the value as an argument",
            )

    def loop(self, init: Sequence[Atom], body: Lambda, carried: Sequence[Var]) -> Sequence[bool]:
        varies = [self.is_varied(atom) for atom in init]
        while True:
            self.mark(carried, varies)
            after = [old or new for old, new in zip(varies, self.block(body.body), strict=True)]
            if after == varies:
                return varies
            varies = after

    def combine(self, op: Lambda, start: Sequence[bool], values: Sequence[bool]) -> Sequence[bool]:
        """The accumulators of an operator: they start varied or not, and meet the values."""
        varies = [x or y for x, y in zip(start, values, strict=True)]
        while True:
            self.mark(op.params, [*varies, *varies])
            after = [old or new for old, new in zip(varies, self.block(op.body), strict=True)]
            if after == varies:
                return varies
            varies = after


def opaque_operation(op: str, pos: Pos | None) -> DerivativeError:
    """The refusal to differentiate through an operation without a derivative."""
    place = Place(pos.file, pos.line, pos.col, pos.end_col) if pos else None
    return DerivativeError(
        f"the derivative of {op!r} is not defined",
        place=place,
        why="it looks at the bits of a number, which do not vary smoothly with it",
        fix="wrap its operand in tp.stop_gradient, or give the function a rule with tp.custom_jvp or tp.custom_vjp",
    )
