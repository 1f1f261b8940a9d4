"""Straight-line segments: statements of a block that can be differentiated as one.

A segment consists of operations on scalars of one type that vary and have a slope everywhere: no choices, no roots
(`roots`). What else stands among them goes before it, or behind it if it reads something of it. `parts` takes a block
apart; whoever knows a cheaper way through a segment than one statement after another is a `Collapse`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from ..ir.build import Builder
from ..ir.core import Apply, Block, Check, Stm
from ..ir.op import lookup
from ..ir.types import Atom, Var
from ..ir.walk import free_vars
from ..passes.notes import Notes
from ..passes.uses import mentioned
from ..records import dataclass
from .roots import is_root
from .values import plus, times

_CHOOSING = frozenset({"min", "max", "fmin", "fmax"})

# Fewer statements are not worth looking at.
FEWEST = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """Statements with what varies among what they read, and what is read of them elsewhere: the results of `block`.

    Of one that is `whole` all entries of the Jacobian are computed where it stands (`Collapse.jacobian`).
    """

    block: Block
    inputs: tuple[Var, ...]
    whole: bool = False


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
    """Derivatives of straight-line code by fewer multiplications; None where that cannot be.

    `chooses` says whether it goes by cost: loops may be differentiated in other ways than by keeping states, and the
    whole is compared with one statement after another (`compared`).
    """

    @property
    def chooses(self) -> bool: ...

    @property
    def taken(self) -> list[str]:
        """What was done in another way than by one statement after another: names of rules."""
        ...

    def noting(self, notes: Notes) -> Collapse:
        """The same that writes what it decides to these notes; nothing is taken yet."""
        ...

    def parts(
        self, block: Block, varied: AbstractSet[str], apart: AbstractSet[str] = frozenset()
    ) -> Sequence[Stm | Segment]:
        """The statements of a block, those of segments together, in an order that computes the same.

        What makes the values `apart` is in none.
        """
        ...

    def push(
        self, b: Builder, segment: Segment, directions: Sequence[Sequence[Atom | None]]
    ) -> Sequence[Sequence[Atom | None]] | None:
        """The tangents of the results for those of the inputs, in each direction. The statements have been emitted."""
        ...

    def pull(self, b: Builder, segment: Segment, seeds: Sequence[Atom | None]) -> Sequence[Atom | None] | None:
        """The adjoints of the inputs for those of the results, which are in scope."""
        ...

    def jacobian(self, segment: Segment, most: int | None = None) -> Accumulated | None:
        """The code, branches included, with its Jacobian; its own names stay.

        None for code that is not straight, and where more than `most` entries are no constants.
        """
        ...


def dot(b: Builder, pairs: Iterable[tuple[Atom | None, Atom | None]]) -> Atom | None:
    """The sum of the products of pairs; None, which is an exact zero, makes a product one."""
    total: Atom | None = None
    for x, y in pairs:
        if x is not None and y is not None:
            term = times(b, x, y)
            total = term if total is None else plus(b, total, term)
    return total


def parts(block: Block, varied: AbstractSet[str], apart: AbstractSet[str] = frozenset()) -> list[Stm | Segment]:
    """The statements of a block, the longest segments that there are together; what makes `apart` is in none."""
    if sum(_is_smooth(stm, varied) for stm in block.stms) < FEWEST:
        return list(block.stms)
    return Finder(block, varied, apart).parts()


class Finder:
    """Collects a segment in `stms`, with what goes before it and behind it, until something needs to stand between."""

    def __init__(self, block: Block, varied: AbstractSet[str], apart: AbstractSet[str]) -> None:
        self.block, self.varied, self.apart = block, varied, apart
        self.found: list[Stm | Segment] = []
        self.before: list[Stm] = []
        self.stms: list[Stm] = []
        self.after: list[Stm] = []
        self.reads: list[AbstractSet[str]] = []
        self.own: set[str] = set()
        self.late: set[str] = set()

    def parts(self) -> list[Stm | Segment]:
        reads = [mentioned(stm) for stm in self.block.stms]
        self.uses = Counter(name for names in reads for name in names)
        self.uses.update({result.name for result in self.block.results if isinstance(result, Var)})
        for stm, names in zip(self.block.stms, reads, strict=True):
            self.add(stm, names)
        self.close()
        return self.found

    def belongs(self, stm: Stm, reads: AbstractSet[str]) -> bool:
        """May a statement be one of a segment?"""
        return _is_smooth(stm, self.varied) and stm.vars[0].name not in self.apart

    def add(self, stm: Stm, reads: AbstractSet[str]) -> None:
        if self.belongs(stm, reads):
            if not reads.isdisjoint(self.late) or self._is_other(stm):
                self.close()
            self.stms.append(stm)
            self.reads.append(reads)
            self.own.update(var.name for var in stm.vars)
        elif _is_light(stm) and reads.isdisjoint(self.own) and reads.isdisjoint(self.late):
            self.before.append(stm)
        elif _is_total(stm):
            self.after.append(stm)
            self.late.update(var.name for var in stm.vars)
        else:
            self.close()
            self.found.append(stm)

    def _is_other(self, stm: Stm) -> bool:
        """Has it another type of floats than the segment?"""
        types = {var.type for member in (*self.stms[:1], stm) for var in member.vars if var.name in self.varied}
        return len(types) > 1

    def close(self) -> None:
        """The segment ends here."""
        middle = self.segments() if len(self.stms) >= FEWEST else self.stms
        self.found += [*self.before, *middle, *self.after]
        self.before, self.stms, self.after, self.reads, self.own, self.late = [], [], [], [], set(), set()

    def segments(self) -> Sequence[Segment | Stm]:
        """What was collected."""
        return [self.segment(0, len(self.stms))]

    def segment(self, first: int, end: int, *, whole: bool = False) -> Segment:
        """Some of the statements, with their inputs and results that vary."""
        stms = self.stms[first:end]
        inside = Counter(name for names in self.reads[first:end] for name in names)
        own = {var.name for stm in stms for var in stm.vars}
        outputs = [x for stm in stms for x in stm.vars if x.name in self.varied and self.uses[x.name] > inside[x.name]]
        read = dict.fromkeys(x for stm in stms for x in free_vars(stm.expr))
        inputs = [x for x in read if x.name in self.varied and x.name not in own]
        return Segment(Block(tuple(stms), tuple(outputs)), tuple(inputs), whole)


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
