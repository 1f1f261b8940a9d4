"""Straight-line segments: statements of a block that can be differentiated as one.

A segment consists of operations on scalars of one type that vary and have a slope everywhere: no choices, no roots
(`roots`). What else stands among them goes before it, or behind it if it reads something of it. `parts` takes a block
apart; whoever knows a cheaper way through a segment than one statement after another is a `Collapse`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Var
from ..passes.uses import mentioned
from ..records import dataclass
from .roots import is_root

_CHOOSING = frozenset({"min", "max", "fmin", "fmax"})

# Fewer statements are not worth looking at.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """Statements with what varies among what they read, and what is read of them elsewhere: the results of `block`."""

    block: Block
    inputs: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Accumulated:
    """Straight-line code with its Jacobian: `stms` compute both, `entries` are those that are not zero, by (result,
    input). They take `products`, of the local `slopes`; going back through one statement after another takes `plain`.
    """

    stms: tuple[Stm, ...]
    entries: Mapping[tuple[int, int], Atom]
    slopes: tuple[Var, ...]
    products: int
    plain: int


class Collapse(Protocol):
    """Derivatives of straight-line code by fewer multiplications; None where that cannot be."""

    def push(
        self, b: Builder, segment: Segment, directions: Sequence[Sequence[Atom | None]]
    ) -> Sequence[Sequence[Atom | None]] | None:
        """The tangents of the results for those of the inputs, in each direction. The statements have been emitted."""
        ...

    def pull(self, b: Builder, segment: Segment, seeds: Sequence[Atom | None]) -> Sequence[Atom | None] | None:
        """The adjoints of the inputs for those of the results, which are in scope."""
        ...

    def jacobian(self, segment: Segment, most: int) -> Accumulated | None:
        """The code, branches included, with its Jacobian; its own names stay.

        None for code that is not straight, and where more than `most` entries are no constants.
        """
        ...


def parts(block: Block, varied: AbstractSet[str]) -> list[Stm | Segment]:
    """The statements of a block, those of segments together, in an order that computes the same."""
    if sum(_is_smooth(stm, varied) for stm in block.stms) < FEWEST:
        return list(block.stms)
    reads = [mentioned(stm) for stm in block.stms]
    uses = Counter(name for names in reads for name in names)
    uses.update({result.name for result in block.results if isinstance(result, Var)})
    finder = _Finder(varied, uses)
    for stm, names in zip(block.stms, reads, strict=True):
        finder.add(stm, names)
    finder.close()
    return finder.found


class _Finder:
    """Collects a segment in `stms`, with what goes before it and behind it, until something needs to stand between."""

    def __init__(self, varied: AbstractSet[str], uses: Mapping[str, int]) -> None:
        self.varied, self.uses = varied, uses
        self.found: list[Stm | Segment] = []
        self.before: list[Stm] = []
        self.stms: list[Stm] = []
        self.after: list[Stm] = []
        self.reads: list[AbstractSet[str]] = []
        self.own: set[str] = set()
        self.late: set[str] = set()

    def add(self, stm: Stm, reads: AbstractSet[str]) -> None:
        if _is_smooth(stm, self.varied):
            if not reads.isdisjoint(self.late) or (self.stms and self.stms[0].vars[0].type != stm.vars[0].type):
                self.close()
            self.stms.append(stm)
            self.reads.append(reads)
            self.own.add(stm.vars[0].name)
        elif _is_light(stm) and reads.isdisjoint(self.own) and reads.isdisjoint(self.late):
            self.before.append(stm)
        elif _is_total(stm):
            self.after.append(stm)
            self.late.update(var.name for var in stm.vars)
        else:
            self.close()
            self.found.append(stm)

    def close(self) -> None:
        """The segment ends here."""
        middle = [self._segment()] if len(self.stms) >= FEWEST else self.stms
        self.found += [*self.before, *middle, *self.after]
        self.before, self.stms, self.after, self.reads, self.own, self.late = [], [], [], [], set(), set()

    def _segment(self) -> Segment:
        inside = Counter(name for names in self.reads for name in names)
        outputs = [stm.vars[0] for stm in self.stms if self.uses[stm.vars[0].name] > inside[stm.vars[0].name]]
        args = [arg for stm in self.stms if isinstance(stm.expr, Apply) for arg in stm.expr.args]
        inputs = [x for x in args if isinstance(x, Var) and x.name in self.varied and x.name not in self.own]
        return Segment(Block(tuple(self.stms), tuple(outputs)), tuple(dict.fromkeys(inputs)))


def _is_smooth(stm: Stm, varied: AbstractSet[str]) -> bool:
    expr = stm.expr
    if not isinstance(expr, Apply) or stm.vars[0].name not in varied or expr.op in _CHOOSING or is_root(expr):
        return False
    return not isinstance(lookup(expr.op).partials, str)


def _is_light(stm: Stm) -> bool:
    """May it be done earlier than smooth operations that it does not read?"""
    return isinstance(stm.expr, Check) or (isinstance(stm.expr, Apply) and not stm.vars[0].type.shape)


def _is_total(stm: Stm) -> bool:
    """May it be done later than smooth operations that do not read it, and earlier than checks?"""
    return isinstance(stm.expr, Apply) and not any(x.type.shape for x in (*stm.vars, *stm.expr.args))
