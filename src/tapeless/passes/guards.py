"""Guards: on which numbers known only at run time it depends where a statement reads, and which of them it checks.

An index is affine in counters and sizes, or it comes from a *source*: an element that was loaded, a number that was
converted, a value of a loop or a branch. Programs check such an index before they use it, but not always in the same
statement: the return sweep of a derivative reads where the forward sweep has checked. So a check may be delayed only
past statements that read nowhere by sources, and joined, round by round, only with one whose sources it looks at.

Values are numbered: equal expressions of the counters of the loops around and of free variables have equal numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Apply, Check, Expr, For, Hist, Lambda, Map, Reduce, Scan, Scatter, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import lambdas
from ..records import dataclass, field

Numbers = frozenset[int]
# The accesses, and how many of their leading operands are no indices.
ACCESSES = {"index": 1, "slice": 1, "update": 2, "accumulate": 2, "update_slice": 2}


def may_wait(checks: Stm, between: Sequence[Stm], reader: Stm) -> bool:
    """May the checks of a statement run after those between, joined round by round with the reader?"""
    values = _Values()
    checked = values.look((checks,)).checked
    for stm in between:
        read = values.look((stm,)).read
        if read & checked or read - values.free:
            return False
    seen = values.look((reader,))
    return bool(seen.checked) or seen.read - values.free <= checked


@dataclass(slots=True)
class _Seen:
    """The sources of the indices at which is read, and of those that are checked."""

    read: set[int] = field(default_factory=set[int])
    checked: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class _Values:
    """The number of each value, the sources of each integer, and which values are free variables."""

    free: set[int] = field(default_factory=set[int])
    _table: dict[tuple[object, ...], int] = field(default_factory=dict[tuple[object, ...], int])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    _sources: dict[str, Numbers] = field(default_factory=dict[str, Numbers])

    def look(self, stms: Sequence[Stm]) -> _Seen:
        seen = _Seen()
        self._stms(stms, 0, seen)
        return seen

    def _stms(self, stms: Sequence[Stm], depth: int, seen: _Seen) -> None:
        for stm in stms:
            expr = stm.expr
            if isinstance(expr, Apply):
                seen.read |= self._from(expr.args[ACCESSES.get(expr.op, len(expr.args)) :])
                self._operation(stm.vars[0], expr)
            elif isinstance(expr, Check):
                seen.checked |= self._from(expr.args)
            else:
                self._form(expr, depth, seen)
                for var in stm.vars:
                    self._opaque(var)

    def _operation(self, var: Var, expr: Apply) -> None:
        number = self._number((expr.op, expr.attrs, *map(self._of, expr.args)))
        self._numbers[var.name] = number
        if expr.op in ("index", "convert"):
            self._sources[var.name] = self._from(expr.args) | {number}
        else:
            self._sources[var.name] = frozenset() if var.type.dtype.is_float else self._from(expr.args)

    def _form(self, expr: Expr, depth: int, seen: _Seen) -> None:
        for lam in lambdas(expr):
            for param in lam.params:
                self._opaque(param)
            if (size := _rounds(expr, lam)) is not None:
                self._numbers[lam.params[0].name] = self._number(("counter", depth, self._of(size)))
                self._sources[lam.params[0].name] = self._from((size,))
            self._stms(lam.body.stms, depth + 1, seen)

    def _opaque(self, var: Var) -> None:
        """A value of a loop or branch is like no other."""
        self._numbers[var.name] = self._number(("value", var.name))
        self._sources[var.name] = frozenset({self._numbers[var.name]})

    def _of(self, atom: Atom) -> int:
        if isinstance(atom, Lit):
            return self._number(("literal", atom))
        if atom.name not in self._numbers:
            self._numbers[atom.name] = self._number(("free", atom.name))
            self._sources[atom.name] = frozenset({self._numbers[atom.name]})
            self.free.add(self._numbers[atom.name])
        return self._numbers[atom.name]

    def _number(self, key: tuple[object, ...]) -> int:
        return self._table.setdefault(key, len(self._table))

    def _from(self, atoms: Sequence[Atom]) -> Numbers:
        """The sources of indices; those of sizes and conditions are no less."""
        found = Numbers()
        for atom in atoms:
            if isinstance(atom, Var) and not atom.type.shape and not atom.type.dtype.is_float:
                self._of(atom)
                found |= self._sources[atom.name]
        return found


def _rounds(expr: Expr, lam: Lambda) -> Atom | None:
    """How often a body runs whose first parameter counts the rounds."""
    match expr:
        case For(count, _, body) | Map(count, body) if body is lam:
            return count
        case Reduce(size, _, _, body) | Scan(size, _, _, body) | Hist(size=size, body=body) if body is lam:
            return size
        case Scatter(size, body=body) if body is lam:
            return size
        case _:
            return None
