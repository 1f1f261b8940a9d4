"""Plans: how much the return sweep may keep, and what that means for each loop.

`memory=` is a number of bytes (an int, or a string such as "64MB"), `States(n)`, a number of states per loop, or
"reversible": loops that can run backwards keep nothing (`uncompute`), others everything. A number limits what loops
keep for the return sweep beyond the program's own values. Bytes are shared out without looking at sizes, which are
known only when the program runs:

* loops that follow one another in a block get equal parts;
* a loop that has loops inside keeps half of its part, and leaves half to those, of which one iteration at a time is
  alive;
* loops in the body of a parallel operator get a `LANES`-th: so many iterations are assumed to be alive at a time.

A loop that keeps all its states where they fit does so. Else it keeps as many as fit, at least one, and runs steps
again in the order that takes the fewest (`treeverse`). Without a limit everything is kept.
"""

from __future__ import annotations

import re

from ..errors import ArgumentError
from ..ir.core import Block, For, Hist, Pos, Reduce, Scan, Stm, While
from ..ir.walk import lambdas
from ..passes.notes import RETURN_SWEEP, Notes
from ..records import dataclass, field, replace
from .segments import Collapse
from .values import operator_names, returning

LANES = 64

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


@dataclass(frozen=True, slots=True)
class States:
    """A limit in states: how many a loop may keep at a time, its first one included."""

    count: int

    def __post_init__(self) -> None:
        if self.count < 1:
            raise ArgumentError(
                f"a loop cannot do with {self.count} states", why="it starts again from its first one", fix="States(1)"
            )


@dataclass(frozen=True, slots=True)
class Rerun:
    """How often what the loop or scope at a place does is done again.

    Each iteration runs forward `back` times more before it is run back, None when that depends on the trip count
    (`announce` says how); and `ahead` times more whenever the loop runs forward.
    """

    back: int | None = 0
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """What the loops of a block may keep: `bytes` altogether, or `states` each; without either there is no limit.

    With `backwards`, loops that can are run backwards and keep nothing; if `strict`, others are refused. `parallel`:
    all this is in a parallel operator. Decisions are written to `notes`, where they are asked for, and what is run
    again to `reruns`, by its place. `collapse` may know a cheaper way through straight-line segments.
    """

    bytes: int | None = None
    states: int | None = None
    backwards: bool = False
    strict: bool = False
    parallel: bool = False
    notes: Notes | None = field(default=None, compare=False)
    reruns: dict[Pos | None, Rerun] | None = field(default=None, compare=False)
    collapse: Collapse | None = field(default=None, compare=False)

    @property
    def is_limited(self) -> bool:
        return self.bytes is not None or self.states is not None

    def at(self, pos: Pos | None) -> Plan:
        """The plan of a loop: without a limit, the function that it stands in may ask for more than the outermost."""
        if (self.is_limited and not self.backwards) or pos is None or not pos.memory:
            return self
        asked = plan_for(pos.memory)
        return replace(self, backwards=True, strict=self.strict or asked.strict)

    def shared(self, block: Block) -> Plan:
        """The plan of each statement of a block."""
        return self._part(max(1, sum(map(has_loops, block.stms))))

    def halved(self, body: Block) -> Plan:
        """What a loop itself may keep, and likewise the plan of its body."""
        return self._part(2) if any(map(has_loops, body.stms)) else self

    def in_parallel(self) -> Plan:
        """The plan of the body of a parallel operator."""
        return replace(self._part(LANES), parallel=True)

    def _part(self, parts: int) -> Plan:
        return self if self.bytes is None else replace(self, bytes=self.bytes // parts)

    def note(self, pos: Pos | None, decision: str, reason: str, back: int | None) -> None:
        """Say what is kept of a loop, and how often each iteration runs again for it to be run back."""
        self._rerun(pos, back=back)
        if self.notes is not None:
            self.notes.add(returning(pos), RETURN_SWEEP, decision, reason)

    def note_counting(self, pos: Pos | None) -> None:
        """Say that a loop runs once more to count its iterations."""
        self._rerun(pos, ahead=1)
        if self.notes is not None:
            self.notes.add(pos, "while", "runs twice", "once to count its iterations; not so with memory=")

    @property
    def wants_notes(self) -> bool:
        return self.notes is not None or self.reruns is not None

    def _rerun(self, pos: Pos | None, **times: int | None) -> None:
        if self.reruns is not None:
            place = returning(pos)
            self.reruns[place] = replace(self.reruns.get(place, Rerun()), **times)


def plan_for(memory: object, notes: Notes | None = None) -> Plan:
    """The plan that a user's `memory=` asks for."""
    match memory:
        case None:
            return Plan(notes=notes)
        case States(count):
            return Plan(states=count, notes=notes)
        case "reversible":
            return Plan(backwards=True, notes=notes)
        case "strictly reversible":
            return Plan(backwards=True, strict=True, notes=notes)
        case int() if not isinstance(memory, bool) and memory >= 0:
            return Plan(bytes=memory, notes=notes)
        case str() if found := re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?I?)B?\s*", memory.upper()):
            if found[2] in _UNITS:
                return Plan(bytes=int(float(found[1]) * _UNITS[found[2]]), notes=notes)
        case _:
            pass
    raise ArgumentError(
        f"memory={memory!r} is no amount of memory",
        fix='write a number of bytes, a string such as "64MB" or "1.5GiB", tp.States(20) or "reversible"',
    )


def has_loops(stm: Stm) -> bool:
    """Does the statement hold a loop, or an operator that is differentiated as one?"""
    match stm.expr:
        case For() | While():
            return True
        case Reduce(op=op, neutral=neutral) | Scan(op=op, neutral=neutral) | Hist(op=op, neutral=neutral):
            if None in operator_names(op, len(neutral)):
                return True
        case _:
            pass
    return any(has_loops(inner) for lam in lambdas(stm.expr) for inner in lam.body.stms)
