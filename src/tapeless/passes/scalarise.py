"""Scalarise: a small array whose every access is at literal indices becomes one variable for each element.

    b = update(a, v, 1)      b's elements are a's with v in place 1: nothing to compute
    x = index(b, 1)          x is v
    r = if c {a} else {b}    r0, r1 = if c {a0, a1} else {b0, b1}; loops and reductions alike

`small_arrays` chooses the arrays. Their elements are kept as a NumPy array of atoms, on which the operations that move
elements do just that, by the functions that give them their meaning. Where such an array is needed as an array after
all, its elements are stacked up again: a use that is not foreseen here costs time but is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.core import Apply, Function
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Var, i64
from . import dce
from .notes import Notes
from .rewrite import name_of
from .small_arrays import choose
from .taken_apart import Parts, TakenApart, integers


def run(function: Function, notes: Notes) -> Function:
    """The function with its small arrays in scalars."""
    choice = choose(function, notes)
    if not choice.scalars:
        return function
    return dce.run(_Scalariser(choice.scalars, choice.stacked).function(function), notes)


class _Scalariser(TakenApart):
    """All parts are scalars; the operations that move elements move them."""

    def take(self, var: Var, expr: Apply) -> bool:
        if var.name in self.chosen:
            self.parts[var.name] = self._result(var, expr)
            return True
        element = expr.op == "index" and not var.type.shape and name_of(expr.args[0]) in self.chosen
        if element and all(isinstance(i, Lit) for i in expr.args[1:]):
            self.replace((var,), (self._moved(expr, *integers(expr.args[1:])),))
            return True
        return False

    def _result(self, var: Var, expr: Apply) -> Parts:
        """The elements of what an operation makes."""
        args = expr.args
        match expr.op:
            case "stack":
                parts = [self.of(arg) for arg in args]
                return np.stack(parts) if args[0].type.shape else self.filled(var.type, parts)
            case "replicate":
                return self.filled(var.type, (), self.of(args[0]))
            case "iota":
                return self.filled(var.type, map(i64, range(*self.shape(var.type))))
            case "concat":
                return self._moved(expr, *(self.of(part) for part in args[1:-1]), *integers(args[-1:]))
            case "accumulate":
                add = np.frompyfunc(self._added, 2, 1)
                place = tuple(integers(args[2:]))
                base = self.of(args[0])
                return self._moved(Apply("update", args), add(base[place], self.of(args[1])), *place)
            case "update" | "update_slice":
                return self._moved(expr, self.of(args[1]), *integers(args[2:]))
            case _:
                return self._moved(expr, *integers(args[1:]))

    def _added(self, x: Atom, y: Atom) -> Atom:
        """What is deposited where nothing was is itself, as it is for the first deposit of all."""
        return y if isinstance(x, Lit) and not x.value else self.apply("add", x, y)

    def _moved(self, expr: Apply, *rest: Any) -> Any:
        """An operation that moves elements, on the elements of its first operand."""
        return lookup(expr.op).meaning(None, self.of(expr.args[0]), *rest, *expr.attrs)
