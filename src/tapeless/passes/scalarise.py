"""Scalarise: a small array whose every access is at literal indices becomes one variable for each element.

    b = update(a, v, 1)      b's elements are a's with v in place 1: nothing to compute
    x = index(b, 1)          x is v
    r = if c {a} else {b}    r0, r1 = if c {a0, a1} else {b0, b1}; loops and reductions alike

`small_arrays` chooses the arrays. Their elements are kept as a NumPy array of atoms, on which the operations that move
elements do just that, by the functions that give them their meaning. Where such an array is needed as an array after
all, its elements are stacked up again: a use that is not foreseen here costs time but is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.core import Apply, Block, Expr, For, Function, If, Lambda, Reduce, Stm, While
from ..ir.op import lookup
from ..ir.types import Atom, Lit, Type, Var, i64
from ..ir.walk import fresh
from . import dce
from .notes import Notes
from .rewrite import Rewriter, literal, name_of
from .simplify import RULES
from .small_arrays import Choice, choose

Elements = NDArray[Any]


def run(function: Function, notes: Notes) -> Function:
    """The function with its small arrays in scalars."""
    choice = choose(function, notes)
    return dce.run(_Scalariser(choice).function(function), notes) if choice.scalars else function


class _Scalariser(Rewriter):
    """A walk in which chosen arrays are bound to `elements` instead of variables."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(RULES, lambda _, stm: self._hand_on(stm))
        self.chosen, self.stacked = choice.scalars, choice.stacked
        self.elements: dict[str, Elements] = {}
        self.arrays: dict[str, Atom] = {}

    def statement(self, stm: Stm) -> None:
        """Chosen arrays are not emitted, and their elements are not read from memory."""
        expr = stm.expr
        if type(expr) is Apply:
            self.pos = stm.pos
            if stm.vars[0].name in self.chosen:
                self.elements[stm.vars[0].name] = self._result(stm.vars[0], expr)
                return
            element = expr.op == "index" and not stm.vars[0].type.shape
            if element and name_of(expr.args[0]) in self.chosen and all(isinstance(i, Lit) for i in expr.args[1:]):
                self.replace(stm.vars, (self._moved(expr, *_integers(expr.args[1:])),))
                return
        super().statement(stm)

    def atom(self, atom: Atom) -> Atom:
        """As an operand; a chosen array is stacked up."""
        if name_of(atom) not in self.chosen:
            return super().atom(atom)
        if name_of(atom) in self.arrays:
            return self.arrays[name_of(atom)]
        elements = self.elements[name_of(atom)]
        stacked = self.apply("stack", *elements.flat)
        return self.apply("reshape", stacked, *map(i64, elements.shape)) if elements.ndim > 1 else stacked

    def atoms(self, atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple([self.atom(atom) for atom in atoms])

    # -- operations ---------------------------------------------------------------------------

    def _of(self, atom: Atom) -> Any:
        """The elements of an array, read one by one when it is in memory; a scalar itself."""
        if name_of(atom) in self.chosen:
            return self.elements[name_of(atom)]
        new = self.atom(atom)
        if not new.type.shape:
            return new
        places = np.ndindex(_shape(new.type))
        return _filled(new.type, (self.apply("index", new, *map(i64, place)) for place in places))

    def _result(self, var: Var, expr: Apply) -> Elements:
        """The elements of what an operation makes."""
        args = expr.args
        match expr.op:
            case "stack":
                parts = [self._of(arg) for arg in args]
                return np.stack(parts) if args[0].type.shape else _filled(var.type, parts)
            case "replicate":
                return _filled(var.type, (), self._of(args[0]))
            case "iota":
                return _filled(var.type, map(i64, range(*_shape(var.type))))
            case "concat":
                return self._moved(expr, *(self._of(part) for part in args[1:-1]), *_integers(args[-1:]))
            case "accumulate":
                add = np.frompyfunc(self._added, 2, 1)
                place = tuple(_integers(args[2:]))
                base = self._of(args[0])
                return self._moved(Apply("update", args), add(base[place], self._of(args[1])), *place)
            case "update" | "update_slice":
                return self._moved(expr, self._of(args[1]), *_integers(args[2:]))
            case _:
                return self._moved(expr, *_integers(args[1:]))

    def _added(self, x: Atom, y: Atom) -> Atom:
        """What is deposited where nothing was is itself, as it is for the first deposit of all."""
        return y if isinstance(x, Lit) and not x.value else self.apply("add", x, y)

    def _moved(self, expr: Apply, *rest: Any) -> Any:
        """An operation that moves elements, on the elements of its first operand."""
        return lookup(expr.op).meaning(None, self._of(expr.args[0]), *rest, *expr.attrs)

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
                self.elements[var.name] = _filled(var.type, islice(bound, int(np.prod(_shape(var.type)))))
            else:
                next(bound)
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
                self.elements[param.name] = _filled(param.type, bound)
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
            flat += self._of(atom).flat if name_of(owner) in self.chosen else [self.atom(atom)]
        return tuple(flat)

    def _variables(self, var: Var) -> list[Var]:
        return [fresh(var.name, Type(var.type.dtype)) for _ in range(int(np.prod(_shape(var.type))))]


def _shape(type: Type) -> tuple[int, ...]:
    return tuple(_integers(type.shape))


def _integers(atoms: Iterable[Atom]) -> list[int]:
    return [int(literal(atom) or 0) for atom in atoms]


def _filled(type: Type, atoms: Iterable[Atom], everywhere: Any = None) -> Elements:
    """Atoms in row-major order in an array of this type's shape; or one value, broadcast."""
    result: Elements = np.empty(_shape(type), dtype=object)
    result[...] = everywhere
    for place, atom in enumerate(atoms):
        result.flat[place] = atom
    return result
