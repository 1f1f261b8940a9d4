"""Walking through a program in which some arrays have come apart into their elements, or into their planes.

The parts of such an array are kept as a NumPy array of atoms. Branches, loops and reductions hand on parts instead of
the array; where it is needed as an array after all, its parts are stacked up again: a use that is not foreseen costs
time but is right. What becomes of operations is said by `scalarise` (parts are elements) and `planes` (parts are
arrays).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.core import Apply, Block, Expr, For, If, Lambda, Reduce, Stm, While
from ..ir.types import Atom, Type, Var, i64
from ..ir.walk import fresh
from .rewrite import Rewriter, literal, name_of
from .simplify import RULES

Parts = NDArray[Any]


class TakenApart(Rewriter, ABC):
    """A walk in which chosen arrays are bound to `parts` instead of variables."""

    # How many leading dimensions tell the parts apart; None for all.
    cut: int | None = None

    def __init__(self, chosen: set[str], stacked: set[str]) -> None:
        super().__init__(RULES, lambda _, stm: self._hand_on(stm))
        self.chosen, self.stacked = chosen, stacked
        self.parts: dict[str, Parts] = {}
        self.arrays: dict[str, Atom] = {}

    def statement(self, stm: Stm) -> None:
        """Chosen arrays are not emitted, and their parts are not read from memory."""
        if type(stm.expr) is Apply:
            self.pos = stm.pos
            if self.take(stm.vars[0], stm.expr):
                self._stack(stm.vars)
                return
        super().statement(stm)

    @abstractmethod
    def take(self, var: Var, expr: Apply) -> bool:
        """Is this an operation on parts, which needs no statement of its own?"""

    def atom(self, atom: Atom) -> Atom:
        """As an operand; a chosen array is stacked up."""
        if name_of(atom) not in self.chosen:
            return super().atom(atom)
        if name_of(atom) in self.arrays:
            return self.arrays[name_of(atom)]
        parts = self.parts[name_of(atom)]
        stacked = self.apply("stack", *parts.flat)
        rest = parts.flat[0].type.shape
        return self.apply("reshape", stacked, *map(i64, parts.shape), *rest) if parts.ndim > 1 else stacked

    def atoms(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple([self.atom(atom) for atom in atoms])

    def of(self, atom: Atom) -> Any:
        """The parts of an array, read one by one when it is in memory; a scalar itself."""
        if name_of(atom) in self.chosen:
            return self.parts[name_of(atom)]
        new = self.atom(atom)
        if not new.type.shape:
            return new
        places = np.ndindex(self.shape(new.type))
        return self.filled(new.type, (self.apply("index", new, *map(i64, place)) for place in places))

    # -- parts --------------------------------------------------------------------------------

    def shape(self, type: Type) -> tuple[int, ...]:
        """The shape of the parts of an array."""
        return tuple(integers(type.shape[: self.cut]))

    def rest(self, type: Type) -> tuple[Atom, ...]:
        """The shape of a part."""
        return () if self.cut is None else type.shape[self.cut :]

    def filled(self, type: Type, atoms: Iterable[Atom], everywhere: Any = None) -> Parts:
        """Atoms in row-major order as the parts of such an array; or one value, broadcast."""
        result: Parts = np.empty(self.shape(type), dtype=object)
        result[...] = everywhere
        for place, atom in enumerate(atoms):
            result.flat[place] = atom
        return result

    def _variables(self, var: Var) -> list[Var]:
        part = Type(var.type.dtype, self.rest(var.type))
        return [fresh(var.name, part) for _ in range(self._count(var))]

    def _count(self, var: Var) -> int:
        return int(np.prod(self.shape(var.type)))

    # -- forms --------------------------------------------------------------------------------

    def _hand_on(self, stm: Stm) -> bool:
        """A form that hands on chosen arrays hands on their elements."""
        vars = stm.vars
        if not any(var.name in self.chosen for var in vars):
            return False
        match stm.expr:
            case If(cond, then, orelse):
                new: Expr = If(self.atom(cond), self._block(then, vars), self._block(orelse, vars))
            case For(count, init, body):
                new = For(self.atom(count), self._flat(init, vars), self._lambda(body, vars))
            case While(init, cond, body):
                test = self._lambda(cond, cond.body.results)
                new = While(self._flat(init, vars), test, self._lambda(body, vars))
            case Reduce(size, op, neutral, body):
                start = self._flat(neutral, vars)
                new = Reduce(self.atom(size), self._lambda(op, vars), start, self._lambda(body, vars))
            case _:
                return False
        self._bind(vars, new)
        return True

    def _bind(self, vars: Sequence[Var], expr: Expr) -> None:
        results: list[Var] = []
        for var in vars:
            results += self._variables(var) if var.name in self.chosen else [var]
        bound = iter(self.emit(results, expr))
        for var in vars:
            if var.name in self.chosen:
                self.parts[var.name] = self.filled(var.type, islice(bound, self._count(var)))
            else:
                next(bound)
        self._stack(vars)

    def _stack(self, vars: Sequence[Var]) -> None:
        """Make arrays again of those that are used as arrays, once for all."""
        for var in vars:
            if var.name in self.stacked:
                self.arrays[var.name] = self.atom(var)

    def _lambda(self, lam: Lambda, owners: Sequence[Atom]) -> Lambda:
        self.depth += 1
        params: list[Var] = []
        for param in lam.params:
            news = self._variables(param) if param.name in self.chosen else [param]
            bound = [self.bind(new) for new in news]
            params += bound
            if param.name in self.chosen:
                self.parts[param.name] = self.filled(param.type, bound)
        body = self._block(lam.body, owners)
        self.depth -= 1
        return Lambda(tuple(params), body)

    def _block(self, block: Block, owners: Sequence[Atom]) -> Block:
        """A block whose result k is taken apart when owner k is chosen."""

        def make() -> tuple[Atom, ...]:
            for stm in block.stms:
                self.statement(stm)
            return self._flat(block.results, owners)

        return self.scoped(make)

    def _flat(self, atoms: Sequence[Atom], owners: Sequence[Atom]) -> tuple[Atom, ...]:
        flat: list[Atom] = []
        for atom, owner in zip(atoms, owners, strict=True):
            flat += self.of(atom).flat if name_of(owner) in self.chosen else [self.atom(atom)]
        return tuple(flat)


def integers(atoms: Iterable[Atom]) -> list[int]:
    """Literal indices or sizes as numbers."""
    return [int(literal(atom) or 0) for atom in atoms]
