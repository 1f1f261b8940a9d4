"""Hoist: what is the same in every iteration is computed once, before the loop.

* Scalar operations are total, so they may run although the loop does not; they are also taken out of branches.
* A read moves when its index is known to be in range outside the loop, as do inner maps and reductions that only
  read in range and check nothing. Single elements stay where there are too many of them for registers.
* A row `a[i]` is read outside a loop over k when elements of it are read again for every k: the back end packs it.
* Checks: see `hoist_checks`.

Loops are treated from the inside out, so that code travels outwards one loop at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ..ir.core import Apply, Block, Check, Expr, For, Function, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Lit, Var
from ..ir.walk import fresh, lambdas, map_lambdas, statements
from . import dce
from .cost import has_check, is_total
from .harmless import is_harmless
from .hoist_checks import lift_checks
from .invariants import emit_before, lift_scalars
from .notes import Notes
from .ranges import Walk
from .rewrite import Rewriter, name_of
from .uses import bound_names, mentioned, reached

# What is read from memory in every iteration costs no more than what was moved out and does not fit here.
REGISTERS = 24

_WRITES = ("update", "update_slice", "accumulate")
_LOOPS = For | While | Map | Reduce | Scan | Hist | Scatter


def run(function: Function, notes: Notes) -> Function:
    """The function with invariant code moved out of its loops."""
    walk = Walk(lambda r, stm: _Hoist(walk, r).statement(stm))
    return dce.run(walk.function(function), notes)


def run_before_derivatives(function: Function, notes: Notes) -> Function:
    """The function with only checks moved out of its loops: what they stand between can then be fused."""
    if not has_check(function.body.stms):
        return function
    walk = Walk(lambda r, stm: _Hoist(walk, r).checks(stm))
    return dce.run(walk.function(function), notes)


class _Hoist:
    """Moves code out of one loop."""

    def __init__(self, walk: Walk, r: Rewriter) -> None:
        self.walk, self.r = walk, r
        self.inside: set[str] = set()

    def checks(self, stm: Stm) -> bool:
        """Write a loop without the checks that can move."""
        if not isinstance(stm.expr, _LOOPS) or not has_check((stm,)):
            return False
        expr = self._without_checks(stm)
        self.r.pos = stm.pos
        self.r.emit(stm.vars, expr)
        return True

    def _without_checks(self, stm: Stm) -> Expr:
        expr = self.r.rebuild(stm.expr)
        self.inside = set().union(*(bound_names(lam.body) | {p.name for p in lam.params} for lam in lambdas(expr)))
        return lift_checks(self.walk, expr, self.inside)

    def statement(self, stm: Stm) -> bool:
        """Write a loop without what can move."""
        if not isinstance(stm.expr, _LOOPS):
            return False
        expr = map_lambdas(self._without_checks(stm), self._without_invariants)
        expr = self._share_rows(expr)
        self.r.pos = stm.pos
        self.r.emit(stm.vars, expr)
        return True

    def _without_invariants(self, lam: Lambda) -> Lambda:
        """The body without what could be moved; what depends on a read that moved may follow it."""
        left = self._left(lam)
        kept: list[Stm] = []
        for stm in lift_scalars(self.r, lam.body, self.inside).stms:
            if not any(var.name in left for var in stm.vars) and self._is_movable(stm):
                emit_before(self.r, stm, self.inside)
            else:
                kept.append(stm)
        return Lambda(lam.params, Block(tuple(kept), lam.body.results))

    def _left(self, lam: Lambda) -> set[str]:
        """Reads of elements that stay: more than there are registers, and no other code that moves needs them."""
        reads = {stm.vars[0].name for stm in lam.body.stms if self._reads_element(stm)}
        if len(reads) > REGISTERS:
            depends = reached(lam.body, [param.name for param in lam.params])
            for stm in lam.body.stms:
                if not any(var.name in depends for var in stm.vars):
                    reads -= mentioned(stm)
        return reads if len(reads) > REGISTERS else set()

    def _reads_element(self, stm: Stm) -> bool:
        match stm.expr:
            case Apply("index", (array, *at)) if not stm.vars[0].type.shape:
                return all(isinstance(i, Lit) for i in at) and name_of(array) not in self.inside
            case _:
                return False

    def _is_movable(self, stm: Stm) -> bool:
        expr = stm.expr
        if isinstance(expr, Check | While) or mentioned(stm) & self.inside:
            return False
        if isinstance(expr, Apply):
            return (is_total(expr) or expr.op == "index") and is_harmless(self.walk, stm)
        # Moving an array that is written to in place would mean to copy it in every iteration.
        return isinstance(expr, Map | Reduce | Scan) and not _writes(expr) and is_harmless(self.walk, stm)

    # -- rows ---------------------------------------------------------------------------------

    def _share_rows(self, expr: Expr) -> Expr:
        """Reads in inner loops that do not depend on this loop's own values use a row that is read before it."""
        wanted: dict[int, Var] = {}
        rows: dict[tuple[str, ...], Var] = {}
        for lam in lambdas(expr):
            depends = reached(lam.body, [param.name for param in lam.params])
            for stm in _in_inner_loops(lam.body):
                row = self._row(stm, depends, rows)
                if row is not None:
                    wanted[id(stm)] = row
        return map_lambdas(expr, lambda lam: _with_rows(lam, wanted)) if wanted else expr

    def _row(self, stm: Stm, depends: set[str], rows: dict[tuple[str, ...], Var]) -> Var | None:
        read = stm.expr
        if not isinstance(read, Apply) or read.op != "index" or any(name_of(x) in depends for x in read.args):
            return None
        prefix = list(takewhile(lambda x: name_of(x) not in self.inside, read.args[1:]))
        moves = any(isinstance(x, Var) for x in prefix) and len(prefix) < len(read.args) - 1
        if name_of(read.args[0]) in self.inside or not moves:
            return None
        shape = read.args[0].type.shape
        if not all(self.walk.facts.within(i, n) for i, n in zip(prefix, shape, strict=False)):
            return None
        key = tuple(repr(x) for x in (read.args[0], *prefix))
        if key not in rows:
            row = fresh("row", read.args[0].type.drop(len(prefix)))
            rows[key] = self.r.emit((row,), Apply("index", (read.args[0], *prefix)))[0]
        return rows[key]


def _writes(expr: Expr) -> bool:
    inner = (stm.expr for lam in lambdas(expr) for stm in statements(lam.body))
    return any(isinstance(e, Apply) and e.op in _WRITES for e in inner)


def _in_inner_loops(block: Block, inner: bool = False) -> Iterator[Stm]:
    for stm in block.stms:
        if inner:
            yield stm
        for lam in lambdas(stm.expr):
            yield from _in_inner_loops(lam.body, inner or not isinstance(stm.expr, If))


def _with_rows(lam: Lambda, wanted: dict[int, Var]) -> Lambda:
    stms: list[Stm] = []
    for stm in lam.body.stms:
        row = wanted.get(id(stm))
        if row is not None and isinstance(stm.expr, Apply):
            rest = stm.expr.args[len(stm.expr.args) - row.type.rank + stm.vars[0].type.rank :]
            stms.append(Stm(stm.vars, Apply("index", (row, *rest)), stm.pos))
        else:
            stms.append(Stm(stm.vars, map_lambdas(stm.expr, lambda inner: _with_rows(inner, wanted)), stm.pos))
    return Lambda(lam.params, Block(tuple(stms), lam.body.results))
