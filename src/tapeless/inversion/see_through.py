"""Bodies of maps in place of elements of their results, as these tell of what they are made of."""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr, Map, Stm
from ..ir.types import Atom, Var
from ..ir.walk import inline, substitute
from ..records import dataclass, field
from .apart import Place, are_apart
from .solving import Solving


def seen_through(s: Solving, block: Block) -> Block:
    """The block with the bodies of unknown maps inlined where it reads an element of theirs."""
    return with_reads_once(s, block) if any(_map_of(s, stm) for stm in block.stms) else block


def with_reads_once(s: Solving, block: Block) -> Block:
    """The block with what occurs twice in it computed once, and bodies inlined as above."""
    through = _Through(s)
    results = through.block(block)
    return through.b.block(results)


def _map_of(s: Solving, stm: Stm) -> Stm | None:
    """The unknown map of whose results a statement reads an element."""
    match stm.expr:
        case Apply("index", (Var() as array, _)):
            made = s.statement(array)
            return made if made and isinstance(made.expr, Map) and s.try_value(array) is None else None
        case _:
            return None


def _source(s: Solving, array: Var, at: Place) -> tuple[Var, str]:
    """The first array that has this element, of those made of each other by writes elsewhere; and its place there."""
    while True:
        match s.definition(array):
            case Apply("index", (Var() as whole, *row)):
                array, at = whole, (*s.place("index", row), *at)
            case Apply("update", (Var() as before, _, *place)) if are_apart(s.facts(), s.place("index", place), at):
                array = before
            case _:
                return array, str(at)


@dataclass(frozen=True, slots=True)
class _Through:
    """What occurs twice is one in the new block: two maps may read the same element."""

    s: Solving
    b: Builder = field(default_factory=Builder)
    same: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    known: dict[Apply, Var] = field(default_factory=dict[Apply, Var])
    inlined: dict[Expr, Atom] = field(default_factory=dict[Expr, Atom])
    read: dict[tuple[Var, str], Var] = field(default_factory=dict[tuple[Var, str], Var])

    def block(self, block: Block) -> list[Atom]:
        for stm in block.stms:
            self._add(substitute(Block((stm,), ()), self.same).stms[0])
        return [self.same.get(x, x) if isinstance(x, Var) else x for x in block.results]

    def _add(self, stm: Stm) -> None:
        made = _map_of(self.s, stm)
        match stm.expr:
            case Apply("index", (Var() as array, at)) if made is not None and isinstance(made.expr, Map):
                if stm.expr not in self.inlined:
                    results = self.block(inline(made.expr.body, (at,)))
                    self.inlined[stm.expr] = results[made.vars.index(array)]
                self.same[stm.vars[0]] = self.inlined[stm.expr]
            case Apply() as expr if expr in self.known:
                self.same[stm.vars[0]] = self.known[expr]
            case Apply("index", (Var() as array, *at)) as expr:
                place = _source(self.s, array, tuple(self.s.form(i) for i in at))
                if place in self.read:
                    self.same[stm.vars[0]] = self.read[place]
                else:
                    self.known[expr] = self.read[place] = stm.vars[0]
                    self.b.stms.append(stm)
            case expr:
                if isinstance(expr, Apply):
                    self.known[expr] = stm.vars[0]
                self.b.stms.append(stm)
