"""Which results of a loop or reduction are sums of what is linear in the rows of arrays.

    for j < m { s += e(j) * x[j, ...];  n += 1 }        s is; and it needs nothing else that the loop carries

Kinds of values in the body: FIXED depends on no row; ROW is linear in the rows at the loop's own counter, so that it is
zero where they are; SUM is a carried sum of such. Rows used for anything else make it a loop to leave alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.core import Apply, Block, Check, For, Reduce, Stm
from ..ir.types import Atom, Var
from ..ir.walk import free_vars
from . import dce
from .sums import operators
from .uses import name_of

FIXED, ROW, SUM = "fixed", "row", "sum"


class Reading:
    """A loop or reduction by the kinds of its values; `read` holds those of `arrays` whose rows it sums."""

    def __init__(self, loop: For | Reduce, arrays: Mapping[str, Var]) -> None:
        self.read: dict[str, Var] = {}
        self._loop, self._arrays = loop, arrays
        self._counter, *self._carried = loop.body.params
        self._kinds: dict[str, str] = {}

    def sums(self) -> set[int]:
        """The places of the sums; none if rows are used for anything else."""
        body = self._loop.body.body
        if not self._arrays or any(end.type.shape for end in body.results):
            return set()
        touched = self._touched()
        ends = [name_of(end) in touched for end in body.results]
        self._kinds = {param.name: SUM for param, end in zip(self._carried, ends, strict=False) if end}
        if not all(self._follow(stm) for stm in body.stms):
            return set()
        found = {k for k, end in enumerate(body.results) if self._is_sum(k, end)}
        kept = {k for k, end in enumerate(body.results) if self._kind(end) != FIXED}
        return found if self.read and kept == found and not self._need_others(found) else set()

    def _is_sum(self, k: int, end: Atom) -> bool:
        if isinstance(self._loop, Reduce):
            names = operators(self._loop)
            return self._kind(end) == ROW and names is not None and names[k] == "add"
        return self._kind(end) == self._kind(self._carried[k]) == SUM

    def _need_others(self, sums: set[int]) -> bool:
        """Do the sums need what else the loop carries?"""
        body = self._loop.body.body
        needed = dce.live(Block(body.stms, tuple(body.results[k] for k in sorted(sums)))).stms
        read = free_vars(Block(tuple(stm for stm in needed if not isinstance(stm.expr, Check)), ()))
        return any(param in read for k, param in enumerate(self._carried) if k not in sums)

    def _touched(self) -> set[str]:
        """What is made of rows."""
        touched: set[str] = set()
        for stm in self._loop.body.body.stms:
            row = isinstance(stm.expr, Apply) and self._is_row(stm.expr)
            if row or any(var.name in touched for var in free_vars(stm.expr)):
                touched.update(var.name for var in stm.vars)
        return touched

    def _is_row(self, expr: Apply) -> bool:
        return expr.op == "index" and name_of(expr.args[0]) in self._arrays and expr.args[1] == self._counter

    def _follow(self, stm: Stm) -> bool:
        """Note of what kind a statement's values are; False if it may be of none."""
        if not isinstance(stm.expr, Apply):
            return all(self._kind(var) == FIXED for var in free_vars(stm.expr))
        kind = self._operation(stm.expr)
        if kind is not None:
            self._kinds[stm.vars[0].name] = kind
        return kind is not None

    def _operation(self, expr: Apply) -> str | None:
        kinds = [self._kind(arg) for arg in expr.args]
        if self._is_row(expr) and set(kinds) == {FIXED}:
            array = self._arrays[name_of(expr.args[0])]
            self.read[array.name] = array
            return ROW
        match expr.op, kinds:
            case _, _ if set(kinds) <= {FIXED}:
                return FIXED
            case ("neg", [one]) if one == ROW:
                return ROW
            case ("mul" | "scale", [one, other]) if {one, other} == {FIXED, ROW}:
                return ROW
            case ("div", [one, other]) if (one, other) == (ROW, FIXED):
                return ROW
            case ("index" | "reshape", [one, *others]) if one == ROW and set(others) <= {FIXED}:
                return ROW
            case ("add" | "sub", [one, other]) if one == ROW and other == ROW:
                return ROW
            case ("add", [one, other]) if {one, other} == {SUM, ROW}:
                return SUM
            case ("sub", [one, other]) if (one, other) == (SUM, ROW):
                return SUM
            case _:
                return None

    def _kind(self, atom: Atom) -> str:
        return self._kinds.get(name_of(atom), FIXED)
