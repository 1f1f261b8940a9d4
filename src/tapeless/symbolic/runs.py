"""Runs: the straight-line parts of a block, as long as they can be.

A run consists of operations on floats that may be computed in another way. What stands among them goes before them, or
behind them if it reads one of them; checks, and arrays that are overwritten, keep their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from ..ir.core import Apply, Block, Stm
from ..ir.types import F64, Type, Var
from ..passes.uses import mentioned
from ..records import dataclass, field

_FLOAT = Type(F64)


@dataclass(slots=True)
class Run:
    """Operations on floats, with what was moved before and behind them."""

    before: list[Stm] = field(default_factory=list[Stm])
    stms: list[Stm] = field(default_factory=list[Stm])
    after: list[Stm] = field(default_factory=list[Stm])
    own: set[str] = field(default_factory=set[str])
    late: set[str] = field(default_factory=set[str])
    mentions: Counter[str] = field(default_factory=Counter[str])

    def takes(self, stm: Stm, reads: AbstractSet[str], is_plain: bool) -> bool:
        """Add a statement, where it may be added."""
        is_late = not reads.isdisjoint(self.late)
        names = (var.name for var in stm.vars)
        if is_plain:
            if not is_late:
                self.stms.append(stm)
                self.own.update(names)
                self.mentions.update(reads)
            return not is_late
        if not is_late and reads.isdisjoint(self.own) and (not self.after or _is_scalar(stm)):
            self.before.append(stm)
        else:
            self.after.append(stm)
            self.late.update(names)
        return True

    def outputs(self, everywhere: Mapping[str, int]) -> list[Var]:
        """What is mentioned elsewhere, given how many statements and results of the block mention a name."""
        results = [stm.vars[0] for stm in self.stms]
        return [var for var in results if everywhere[var.name] > self.mentions[var.name]]


def runs(block: Block, fixed: AbstractSet[str]) -> Iterator[tuple[Run, list[Var]]]:
    """The runs of a block in order, with what is read of them elsewhere; what is `fixed` belongs to none."""
    reads = [mentioned(stm) for stm in block.stms]
    everywhere = Counter(name for names in reads for name in names)
    everywhere.update({result.name for result in block.results if isinstance(result, Var)})
    run = Run()
    for stm, names in zip(block.stms, reads, strict=True):
        plain = is_plain(stm) and stm.vars[0].name not in fixed
        if not run.takes(stm, names, plain):
            yield run, run.outputs(everywhere)
            run = Run()
            run.takes(stm, names, plain)
    yield run, run.outputs(everywhere)


def is_plain(stm: Stm) -> bool:
    """An operation on floats, or a choice between them."""
    if not isinstance(stm.expr, Apply) or stm.vars[0].type != _FLOAT or stm.expr.op in ("stop_gradient", "basis"):
        return False
    args = stm.expr.args
    if stm.expr.op == "select":
        return isinstance(args[0], Var)
    return all(arg.type == _FLOAT for arg in args)


def negations(block: Block) -> Mapping[str, str]:
    """Truth values that are the negation of others, by name."""
    return {
        stm.vars[0].name: stm.expr.args[0].name
        for stm in block.stms
        if isinstance(stm.expr, Apply) and stm.expr.op == "not" and isinstance(stm.expr.args[0], Var)
    }


def _is_scalar(stm: Stm) -> bool:
    """It cannot fail, and overwrites nothing: it may be done before what stands before it."""
    return isinstance(stm.expr, Apply) and not any(x.type.shape for x in (*stm.vars, *stm.expr.args))
