"""Conditions after the fact: what asserts in a branch or an iteration say of the values that it leaves.

    if n > 0:                          backwards:  if n > 1:  undo A
        A                                          else:      undo B
        assert n > 1
    else:
        B
        assert not n > 1

Where a branch changes what its condition reads, the asserts of its arms tell which of them was taken, if they cannot
both hold: then whoever gets past them is told apart by them. That must be seen from their form. An arm that does not
change what the condition reads needs no assert: there the condition says it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, TypeAlias

from ..ir.core import Apply, Block, Check, Expr, If
from ..ir.types import Atom, Lit, Var
from ..records import dataclass, replace
from .apart import Place, place_of
from .solving import Solving

# Operations that cannot fail, whatever they are given: conditions are computed on both ways through a branch.
_SAFE = {"lt", "le", "gt", "ge", "eq", "ne", "not", "and", "or", "xor", "add", "sub", "mul", "neg", "abs", "min", "max"}
_EXCLUDES = {
    "gt": ("le", "lt", "eq"), "ge": ("lt",), "lt": ("ge", "gt", "eq"), "le": ("gt",), "eq": ("ne", "lt", "gt"),
    "ne": ("eq",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Final:
    """A result of the block."""

    number: int


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array that is a result of the block."""

    number: int
    place: Place
    at: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on such values."""

    op: str
    args: tuple[Condition, ...]


Condition: TypeAlias = "Final | Element | Operation | Atom"


def condition_after(s: Solving, expr: If, finals: Sequence[Atom | None]) -> Atom | None:
    """Whether the first arm of a branch was taken, told from its results; None if that cannot be."""
    for held in (*asserted(s, expr.then), *_unchanged(s, expr.then, expr.cond)):
        for other in (*asserted(s, expr.orelse), *(negated(x) for x in _unchanged(s, expr.orelse, expr.cond))):
            if exclude(held, other) and (found := emit(s, held, finals)) is not None:
                return found
    return None


def _unchanged(s: Solving, arm: Block, cond: Atom) -> Iterator[Condition]:
    """The condition of a branch, if an arm leaves what it reads as it was."""
    found = _Reading(s, arm, {var.name: stm.expr for stm in arm.stms for var in stm.vars}).of(cond)
    if found is not None:
        yield found


def asserted(s: Solving, block: Block) -> Iterator[Condition]:
    """What a block asserts of its own results and of known values."""
    reading = _Reading(s, block, {var.name: stm.expr for stm in block.stms for var in stm.vars})
    for stm in block.stms:
        match stm.expr:
            case Check("assert", (Var() as holds,)) if (found := reading.of(holds)) is not None:
                yield found
            case _:
                pass


def negated(condition: Condition) -> Condition:
    match condition:
        case Operation("not", (x,)):
            return x
        case _:
            return Operation("not", (condition,))


def exclude(one: Condition, other: Condition) -> bool:
    """Can these never both hold? Only if their form says so."""
    if negated(one) == other or one == negated(other):
        return True
    match one, other:
        case Operation(op, args), Operation(opposite, others) if opposite in _EXCLUDES.get(op, ()) and args == others:
            return True
        case _:
            first, second = _range(one), _range(other)
            if first is None or second is None or first.of != second.of or (first.with_nan and second.with_nan):
                return False
            return first.high < second.low or second.high < first.low


@dataclass(frozen=True, slots=True)
class _Range:
    """What a value must be: bounds by number and by whether they are a little above or below it, and perhaps NaN."""

    of: Condition
    low: tuple[float, int]
    high: tuple[float, int]
    with_nan: bool


def _range(condition: Condition) -> _Range | None:
    """A comparison with a literal as a range."""
    match condition:
        case Operation("not", (Operation("lt" | "le" | "gt" | "ge" as op, args),)):
            inside = _range(Operation({"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}[op], args))
            return None if inside is None else replace(inside, with_nan=True)
        case Operation("lt" | "le" | "gt" | "ge" | "eq" as op, (x, Lit() as bound)):
            least, most, value = (-inf, 0), (inf, 0), bound.value  # integers are compared exactly
            low = {"gt": (value, 1), "ge": (value, 0), "eq": (value, 0)}.get(op, least)
            high = {"lt": (value, -1), "le": (value, 0), "eq": (value, 0)}.get(op, most)
            return _Range(x, low, high, with_nan=False)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _Reading:
    s: Solving
    block: Block
    made: Mapping[str, Expr]

    def of(self, atom: Atom) -> Condition | None:
        """An atom of the block in terms of what is known after it."""
        if isinstance(atom, Lit):
            return atom
        if atom in self.block.results:
            return Final(self.block.results.index(atom))
        if atom.name not in self.made and self.s.try_value(atom) is not None:
            return atom
        match self.made.get(atom.name) or self.s.definition(atom):
            case Apply(op, args, ()) if op in _SAFE and not atom.type.shape:
                operands = [self.of(x) for x in args]
                if None not in operands:
                    return Operation(op, tuple(x for x in operands if x is not None))
            case _:
                pass
        return self._element(atom)

    def _element(self, atom: Var) -> Element | None:
        """The element of a result that was written or read as this variable, if it was read before the branch too."""
        for number, result in enumerate(self.block.results):
            if not isinstance(result, Var) or not result.type.shape:
                continue
            for at in self._places(atom, result):
                place = place_of("index", at, {**self.s.definitions(), **self.made})
                if not any(x.name in self.made for x in at if isinstance(x, Var)) and self._was_read(result, place):
                    return Element(number, place, tuple(at))
        return None

    def _places(self, atom: Var, array: Var) -> Iterator[list[Atom]]:
        match self.made.get(array.name):
            case Apply("update", (_, value, *at)) if value == atom:
                yield at
            case _:
                pass
        match self.made.get(atom.name) or self.s.definition(atom):
            case Apply("index", (source, *at)) if source == array:
                yield at
            case _:
                pass

    def _was_read(self, array: Var, place: Place) -> bool:
        """Did something before the branch read this place of an array of this shape, so that it exists?"""
        for stm in self.s.block.stms:
            match stm.expr:
                case Apply("index", (source, *at)) if source.type == array.type and self.s.place("index", at) == place:
                    return True
                case _:
                    pass
        return False


def emit(s: Solving, condition: Condition, finals: Sequence[Atom | None]) -> Atom | None:
    """Code for a condition, given the results of its block; None where one that it takes is not known."""
    match condition:
        case Final(number):
            return finals[number]
        case Element(number, _, at):
            array = finals[number]
            return None if array is None else s.b.apply("index", array, *(s.value(x) for x in at))
        case Operation(op, args):
            operands = [emit(s, x, finals) for x in args]
            return None if None in operands else s.b.apply(op, *(x for x in operands if x is not None))
        case atom:
            return s.value(atom)


def is_false(condition: Condition, values: Sequence[Atom]) -> bool:
    """Is this a comparison of literals that does not hold, with these for the results of the block?"""
    match condition:
        case Operation(op, (x, y)) if op in _COMPARE:
            one, two = (values[z.number] if isinstance(z, Final) else z for z in (x, y))
            return isinstance(one, Lit) and isinstance(two, Lit) and not _COMPARE[op](one.value, two.value)
        case _:
            return False


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")
}


def finals_of(condition: Condition) -> set[int] | None:
    """The numbers of the results that a condition reads; None if it reads an element of one."""
    match condition:
        case Final(number):
            return {number}
        case Element():
            return None
        case Operation(_, args):
            found = [finals_of(x) for x in args]
            return None if None in found else {number for part in found if part is not None for number in part}
        case _:
            return set()
