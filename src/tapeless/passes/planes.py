"""Planes: an array whose planes are written by name becomes one array for each.

    after = update(after, v, 3, y, x)     after3 = update(after3, v, y, x)
    v = index(f, 3, y, x)                 v = index(f3, y, x)

`small_planes` chooses the arrays. An iteration that writes all planes at one cell then writes each array at one place,
so that loops over cells become maps, with as many results as there are planes.
"""

from __future__ import annotations

from ..ir.core import Apply, Function
from ..ir.types import Var
from . import dce
from .notes import Notes
from .rewrite import name_of
from .small_planes import WRITES, choose, is_plane
from .taken_apart import Parts, TakenApart, integers


def run(function: Function, notes: Notes) -> Function:
    """The function with such arrays in planes."""
    choice = choose(function, notes)
    if not choice.apart:
        return function
    return dce.run(_Planes(choice.apart, choice.whole).function(function), notes)


class _Planes(TakenApart):
    """Parts are arrays, told apart by the first index."""

    cut = 1

    def take(self, var: Var, expr: Apply) -> bool:
        base = expr.args[0]
        if var.name in self.chosen:
            if expr.op in WRITES:
                self.parts[var.name] = self._written(expr)
            else:  # replicate
                plane = self.apply("replicate", self.atom(base), *self.atoms(var.type.shape[1:]))
                self.parts[var.name] = self.filled(var.type, (), plane)
            return True
        if expr.op == "index" and name_of(base) in self.chosen and is_plane(base.type, expr.args[1]):
            plane = self.parts[name_of(base)][integers(expr.args[1:2])[0]]
            rest = self.atoms(expr.args[2:])
            self.replace((var,), (self.apply("index", plane, *rest) if rest else plane,))
            return True
        return False

    def _written(self, expr: Apply) -> Parts:
        """The planes, one of them written."""
        base, value, plane, *rest = expr.args
        parts: Parts = self.of(base).copy()
        (k,) = integers((plane,))
        parts[k] = self.apply(expr.op, parts[k], self.atom(value), *self.atoms(rest))
        return parts
