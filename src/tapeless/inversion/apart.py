"""Places in arrays, and whether two of them have nothing in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd
from typing import TypeAlias

from ..ir.core import Apply, Block, Check, Expr, For, If, Map, Reduce, Scan, Stm
from ..ir.types import Atom, Lit, Var, i64
from ..ir.walk import free_vars, lambdas
from ..passes.affine import Affine, form_of
from ..passes.facts import Facts
from ..records import dataclass

# No array is as long.
_LONGEST = 1 << 48

# Of each dimension an index, or the start, the size and the step of a span; as sums of variables of the program, so
# that equal places compare equal however they were computed.
Span: TypeAlias = tuple[Affine, Atom, Affine]
Place: TypeAlias = tuple[Affine | Span, ...]


def place_of(op: str, operands: Sequence[Atom], defs: Mapping[str, Expr]) -> Place:
    """The place that an `index` or a `slice` with these operands reads."""
    if op == "index":
        return tuple(form_of(x, defs) for x in operands)
    triples = (operands[k : k + 3] for k in range(0, len(operands), 3))
    return tuple((form_of(start, defs), size, form_of(step, defs)) for start, size, step in triples)


def are_same(facts: Facts, one: Place, other: Place) -> bool:
    """Are these one place? Sizes may go by several names."""
    return len(one) == len(other) and all(_is_same_part(facts, x, y) for x, y in zip(one, other, strict=True))


def _is_same_part(facts: Facts, one: Affine | Span, other: Affine | Span) -> bool:
    if isinstance(one, Affine) and isinstance(other, Affine):
        return one == other
    if isinstance(one, Affine) or isinstance(other, Affine):
        index, span = (one, other) if isinstance(one, Affine) else (other, one)
        return not isinstance(span, Affine) and index == span[0] and span[1] == i64(1)
    (start, size, step), (begin, count, stride) = one, other
    return start == begin and step == stride and (size == count or facts.decide("eq", size, count) is True)


def are_apart(facts: Facts, one: Place, other: Place) -> bool:
    """Does one end before the other begins, in some dimension, or pass over it?"""
    for x, y in zip(one, other, strict=False):
        if _are_between(x, y):
            return True
        if isinstance(x, Affine) and isinstance(y, Affine) and facts.are_unequal(x, y):
            return True
        first, second = _extent(facts, x), _extent(facts, y)
        if first is None or second is None:
            continue
        if facts.proves(second[0].plus(first[1], -1)) or facts.proves(first[0].plus(second[1], -1)):
            return True
    return False


def may_differ(one: Place, other: Place) -> bool:
    """Are these elements or rows, and not always the same one?"""
    pairs = list(zip(one, other, strict=False))
    return all(isinstance(x, Affine) and isinstance(y, Affine) for x, y in pairs) and any(x != y for x, y in pairs)


def _are_between(one: Affine | Span, other: Affine | Span) -> bool:
    """Do the steps of one pass over the places of the other?

    With g the gcd of the steps, places differ by what the starts differ by, and multiples of g. Forms are known modulo
    2^64: variables in them count only by powers of two.
    """
    (start, stride), (begin, step) = _progression(one), _progression(other)
    common, difference = gcd(stride, step), start.plus(begin, -1)
    if difference.terms:
        common &= -common
        if common and any(factor % common for factor in difference.terms.values()):
            return False
    return common > 1 and abs(difference.const) < _LONGEST and difference.const % common != 0


def _progression(part: Affine | Span) -> tuple[Affine, int]:
    """The start and the step; 1 where the step is no number."""
    if isinstance(part, Affine):
        return part, 0
    start, _, step = part
    return start, 1 if step.terms else abs(step.const)


def _extent(facts: Facts, part: Affine | Span) -> tuple[Affine, Affine] | None:
    """The lowest index and the one above the highest; None when the step of a span is no number."""
    if isinstance(part, Affine):
        return part, part.shifted(1)
    start, size, step = part
    if step.terms:
        return None
    last = start.plus(facts.form(size).shifted(-1), step.const)
    return (start, last.shifted(1)) if step.const > 0 else (last, start.shifted(1))


@dataclass(frozen=True, slots=True)
class Reads:
    """How parts of a program read an array: apart from a place? `defs` are the definitions that `facts` knows."""

    facts: Facts
    defs: dict[str, Expr]
    array: Var
    place: Place

    def are_apart(self, part: Block) -> bool:
        """Does it read the array only there where it has nothing in common with the place?"""
        self.defs.update({var.name: stm.expr for stm in part.stms for var in stm.vars})
        return all(map(self._is_apart, part.stms)) and self.array not in part.results

    def _is_apart(self, stm: Stm) -> bool:
        match stm.expr:
            case Apply("index" | "slice" as op, (source, *operands)) if source == self.array:
                return are_apart(self.facts, self.place, place_of(op, operands, self.defs))
            case Map(size, body) | Reduce(size, body=body) | Scan(size, body=body) | For(size, _, body):
                if self.array in _operands(stm.expr):
                    return False
                with self.facts.scope():
                    self.facts.counter(body.params[0], size)
                    learn_runs(self.facts, size)
                    return all(self.are_apart(lam.body) for lam in lambdas(stm.expr))
            case If(cond, then, orelse):
                return self._is_apart_in(then, cond, True) and self._is_apart_in(orelse, cond, False)
            case expr:
                return self.array not in free_vars(expr)

    def _is_apart_in(self, arm: Block, cond: Atom, truth: bool) -> bool:
        with self.facts.scope():
            self.facts.assume(cond, truth)
            return self.are_apart(arm)


def _operands(expr: Map | Reduce | Scan | For) -> tuple[Atom, ...]:
    match expr:
        case Map():
            return ()
        case For(_, init):
            return init
        case _:
            return expr.neutral


def learn_runs(facts: Facts, count: Atom) -> None:
    """Inside a loop whose count is max(y, 0), y is positive."""
    match facts.defs.get(count.name) if isinstance(count, Var) else None:
        case Apply("max", (Var() as whole, Lit(0)) | (Lit(0), Var() as whole)) if facts.is_tame(whole):
            facts.learn(facts.form(whole).shifted(-1))
        case _:
            pass


def learn_of(facts: Facts, stms: Iterable[Stm]) -> None:
    """What the sizes of arrays and the checks among some statements tell; checks in a branch when it was taken."""
    stms = tuple(stms)
    # First the sizes, the oldest first: a sum is taken apart only if what it is made of is known to be small.
    sizes = dict.fromkeys(n for stm in stms for var in (*stm.vars, *free_vars(stm.expr)) for n in var.type.shape)
    for size in sorted(sizes, key=lambda n: -1 if isinstance(n, Lit) else facts.births.get(n.name, -1)):
        facts.size(size)
    for stm in stms:
        match stm.expr:
            case Check("equal", (x, y)):
                facts.learn_equal(facts.form(x), facts.form(y))
            case Check("bounds", (x, y)):
                facts.learn_within(x, y)
            case Check("assert", (cond,)):
                facts.assume(cond, True)
            case If(Var() as cond, then) if not stm.vars and _holds(facts, cond):
                learn_of(facts, then.stms)
            case _:
                pass


def _holds(facts: Facts, cond: Var) -> bool:
    match facts.defs.get(cond.name):
        case Apply("gt" | "ge" | "lt" | "le" as op, (x, y)):
            return facts.decide(op, x, y) is True
        case _:
            return False
