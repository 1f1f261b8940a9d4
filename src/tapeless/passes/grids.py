"""Integers that follow from the counters of a few short loops: their values in all rounds.

Forms prove what is linear in the counters. Where an index is not, as that of a packed triangle, which is quadratic, and
the loops around have few rounds in all, every round is tried. Values wrap around as those of the program do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..ir.core import Apply, Expr
from ..ir.numbers import NUMPY
from ..ir.op import lookup
from ..ir.types import I64, Atom, Lit, Var
from .affine import Affine

_MOST_ROUNDS = 1 << 11
_WHOLE = frozenset(("add", "sub", "mul", "neg", "min", "max", "floordiv", "mod"))
_DIVISIONS = ("floordiv", "mod")


class Unknown(Exception):
    """The values do not follow from counters of few rounds."""


class Grid:
    """A column of values for each integer that was asked for; a row is one round of all loops that matter."""

    def __init__(self, defs: Mapping[str, Expr], counts: Mapping[str, Atom]) -> None:
        self._defs, self._counts = defs, counts
        self._columns: dict[str, Any] = {}
        self._rows = 1

    def never_negative(self, form: Affine) -> bool:
        """Is this form of variables not negative in any round?"""
        for name in form.terms:
            self._spread(name)
        columns = [(self._column(name), factor) for name, factor in form.terms.items()]
        if sum(abs(factor) * _magnitude(column) for column, factor in columns) >= 1 << 62:
            raise Unknown
        total = sum((column * factor for column, factor in columns), np.zeros(self._rows, np.int64))
        return bool(np.all(total >= -form.const))

    def _spread(self, name: str) -> None:
        """Add the counters that a variable depends on, those of outer loops first."""
        if name in self._columns:
            return
        if name in self._counts:
            count = self._counts[name]
            if isinstance(count, Var):
                self._spread(count.name)
            self._add(name, self._value(count))
            return
        for arg in self._definition(name).args:
            if isinstance(arg, Var):
                self._spread(arg.name)

    def _definition(self, name: str) -> Apply:
        expr = self._defs.get(name)
        if isinstance(expr, Apply) and expr.op in _WHOLE and all(arg.type.dtype is I64 for arg in expr.args):
            return expr
        raise Unknown

    def _add(self, name: str, count: Any) -> None:
        """A row for each round of one more loop."""
        if int(np.max(count, initial=0)) > _MOST_ROUNDS:
            raise Unknown
        rounds = np.maximum(count, 0)
        self._rows = int(rounds.sum())
        if self._rows > _MOST_ROUNDS:
            raise Unknown
        self._columns = {key: np.repeat(column, rounds) for key, column in self._columns.items()}
        self._columns[name] = np.arange(self._rows) - np.repeat(np.cumsum(rounds) - rounds, rounds)

    def _value(self, atom: Atom) -> Any:
        return np.full(self._rows, atom.value) if isinstance(atom, Lit) else self._column(atom.name)

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            expr = self._definition(name)
            args = [self._value(arg) for arg in expr.args]
            if expr.op in _DIVISIONS and not np.all(args[1]):
                raise Unknown
            with np.errstate(all="ignore"):
                self._columns[name] = lookup(expr.op).meaning(NUMPY, *args)
        return self._columns[name]


def _magnitude(column: Any) -> int:
    return max(abs(int(np.min(column, initial=0))), abs(int(np.max(column, initial=0))))
