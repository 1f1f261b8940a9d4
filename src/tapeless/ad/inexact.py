"""What depends on numbers that come back only to within rounding, when a loop runs backwards.

A float that is added to and taken away from again may differ in its last digits; after many iterations of a loop whose
inverse amplifies differences it may be anything. Integers come back exactly, unless they were changed by what is
inexact. Inexactness spreads through operations, and from conditions to whatever branches and loops make:

    x inexact  =>  op(x, ...), if x: ..., while x: ... inexact;     a parameter of the loop is, if the next one is

Return sweeps check no index again, as each was in range when the program ran. That does not hold for an inexact index,
and need not hold in a branch that is taken by an inexact condition: such a loop is not run backwards (`reaches_place`).
A number of rounds that is inexact may be endless (`reaches_rounds`).
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.core import Apply, Block, Check, For, Hist, If, Lambda, Map, Reduce, Scan, Scatter, Stm, While
from ..ir.types import Atom, Var
from ..ir.walk import free_vars, lambdas, operands
from ..records import dataclass, field

# Which operands of an operation are places.
_PLACES = {"index": 1, "slice": 1, "update": 2, "accumulate": 2, "update_slice": 2}
_SIZES = frozenset({"replicate", "iota", "reshape"})


@dataclass(slots=True)
class Inexact:
    """The inexact variables found so far, and what they reach.

    A place that is `opaque`, not made of counters, literals and what is the same in all rounds, may be in range only
    where the condition around it holds.
    """

    names: set[str]
    opaque: set[str] = field(default_factory=set[str])
    reaches_place: bool = False
    reaches_rounds: bool = False

    def has(self, *atoms: Atom) -> bool:
        return any(isinstance(atom, Var) and atom.name in self.names for atom in atoms)

    def spread(self, block: Block, guarded: bool) -> None:
        """Go through a block; `guarded` if an inexact condition decides whether it is executed."""
        for stm in block.stms:
            self._statement(stm, guarded)
            if self.has(*(size for var in stm.vars for size in var.type.shape)):
                self.reaches_place = True

    def _statement(self, stm: Stm, guarded: bool) -> None:
        match stm.expr:
            case Apply(op, args):
                self._operation(stm, op, args, guarded)
            case Check(kind, args):
                self.reaches_place |= kind not in ("told", "not_nan") and (guarded or self.has(*args))
            case If(cond, then, orelse):
                unknown = self.has(cond)
                for arm in (then, orelse):
                    self.spread(arm, guarded or unknown)
                self._mark(zip(stm.vars, zip(then.results, orelse.results, strict=True), strict=True), unknown)
            case For(count, init, body):
                unknown = self.has(count)
                self.reaches_rounds |= unknown
                self._rounds(stm, init, body, body.params[1:], guarded or unknown, unknown)
            case While(init, cond, body):
                self._condition(init, cond, body, guarded)
                unknown = self.has(*cond.body.results)
                self.reaches_rounds |= unknown
                self._rounds(stm, init, body, body.params, guarded or unknown, unknown)
            case _:
                self._operator(stm, guarded)

    def _operation(self, stm: Stm, op: str, args: tuple[Atom, ...], guarded: bool) -> None:
        if (first := _PLACES.get(op)) is not None:
            bad = guarded and self._is_opaque(args[first:])
            self.reaches_place |= bad or self.has(*args[first:])
        elif op in _SIZES:
            self.reaches_place |= self.has(*args[1 if op != "iota" else 0 :])
        if self.has(*args):
            self.names |= {var.name for var in stm.vars}
        if op not in ("add", "sub", "mul") or self._is_opaque(args):
            self.opaque |= {var.name for var in stm.vars}

    def _is_opaque(self, atoms: Iterable[Atom]) -> bool:
        return any(isinstance(atom, Var) and atom.name in self.opaque for atom in atoms)

    def _rounds(
        self, stm: Stm, init: tuple[Atom, ...], body: Lambda, params: tuple[Var, ...], guarded: bool, unknown: bool
    ) -> None:
        self._mark(((p, (x,)) for p, x in zip(params, init, strict=True)), unknown)
        self.settle(params, body, guarded)
        self._mark(((var, (p,)) for var, p in zip(stm.vars, params, strict=True)), unknown)

    def settle(self, params: tuple[Var, ...], body: Lambda, guarded: bool) -> None:
        """Until no more parameters of a loop become inexact."""
        self.opaque |= {param.name for param in params}
        while True:
            before = len(self.names)
            self.spread(body.body, guarded)
            self._mark(((p, (r,)) for p, r in zip(params, body.body.results, strict=True)), False)
            if len(self.names) == before:
                return

    def _condition(self, init: tuple[Atom, ...], cond: Lambda, body: Lambda, guarded: bool) -> None:
        """The parameters of both lambdas are one; conditions first see what the loop makes of them."""
        self._mark(((p, (x,)) for p, x in zip(body.params, init, strict=True)), False)
        self.settle(body.params, body, guarded)
        self._mark(((p, (q,)) for p, q in zip(cond.params, body.params, strict=True)), False)
        self.spread(cond.body, guarded)

    def _operator(self, stm: Stm, guarded: bool) -> None:
        """A parallel operator, or a function with rules of its own: inexact if anything in it is."""
        expr = stm.expr
        if isinstance(expr, Map | Reduce | Scan | Hist | Scatter):
            self.reaches_place |= self.has(expr.size)
            self.spread(expr.body.body, guarded)
            rest, found = [lam for lam in lambdas(expr) if lam is not expr.body], expr.body.body.results
        else:
            rest, found = list(lambdas(expr)), ()
        inexact = self.has(*operands(expr), *found, *free_vars(expr))
        for lam in rest:
            self._mark(((param, ()) for param in lam.params), inexact)
            self.spread(lam.body, guarded)
            inexact |= self.has(*lam.body.results)
        self._mark(((var, ()) for var in stm.vars), inexact)
        self.opaque |= {var.name for var in stm.vars}

    def _mark(self, pairs: Iterable[tuple[Var, tuple[Atom, ...]]], unknown: bool) -> None:
        for var, sources in pairs:
            if unknown or self.has(*sources):
                self.names.add(var.name)


def inexact_in(body: Lambda) -> Inexact:
    """What is inexact in an iteration of a loop, given the counter and what is carried: floats, if they change."""
    pairs = zip(body.params[1:], body.body.results, strict=True)
    found = Inexact({p.name for p, result in pairs if p.type.dtype.is_float and result != p})
    found.settle(body.params[1:], body, guarded=False)
    return found


def inexact_backwards(inverse: Lambda, carried: Iterable[bool]) -> Inexact:
    """The same in one iteration backwards, given which of the carried values are inexact."""
    named = {p.name for p, is_inexact in zip(inverse.params[1:], carried, strict=False) if is_inexact}
    found = Inexact(named, {p.name for p in inverse.params[1:]})
    found.spread(inverse.body, False)
    return found
