"""Bodies of maps in place of elements of their results, as these tell of what they are made of."""

from __future__ import annotations

from ..ir.build import Builder
from ..ir.core import Apply, Block, Map, Stm
from ..ir.types import Atom, Var
from ..ir.walk import inline, substitute
from ..records import dataclass, field
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


@dataclass(frozen=True, slots=True)
class _Through:
    """What occurs twice is one in the new block: two maps may read the same element."""

    s: Solving
    b: Builder = field(default_factory=Builder)
    same: dict[Var, Atom] = field(default_factory=dict[Var, Atom])
    known: dict[Apply, Var] = field(default_factory=dict[Apply, Var])

    def block(self, block: Block) -> list[Atom]:
        for stm in block.stms:
            self._add(substitute(Block((stm,), ()), self.same).stms[0])
        return [self.same.get(x, x) if isinstance(x, Var) else x for x in block.results]

    def _add(self, stm: Stm) -> None:
        made = _map_of(self.s, stm)
        match stm.expr:
            case Apply("index", (Var() as array, at)) if made is not None and isinstance(made.expr, Map):
                results = self.block(inline(made.expr.body, (at,)))
                self.same[stm.vars[0]] = results[made.vars.index(array)]
            case Apply() as expr if expr in self.known:
                self.same[stm.vars[0]] = self.known[expr]
            case expr:
                if isinstance(expr, Apply):
                    self.known[expr] = stm.vars[0]
                self.b.stms.append(stm)
