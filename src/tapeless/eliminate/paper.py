"""The segments of the paper: reuse-aware identification (Shen and others, OOPSLA 2021), as a baseline.

The tree of regions of a block has straight-line runs as leaves, and branches; loops that have a closed form are gone by
now, and others are larger than any limit. From the bottom up:

* a region whose expression has at most L operations is left to the region around it;
* a larger run is cut in two, at the value that is read most often, and both halves are looked at again;
* a larger region is given up, and so are those around it: of its parts, small ones that follow one another are put
  together while they have at most L operations, and each of what is left is a segment.

Each segment is differentiated as a whole: one partial derivative for each of its results and inputs, in the order of
reverse mode, with which adjoints and tangents are multiplied. Size is that of the graph, which shares what is equal.
The paper gives no value of L; here it is 50. A tree that is small at its root is one segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from ..ad.segments import Accumulated, Finder, Segment
from ..ir.core import Apply, Block, If, Stm
from ..ir.walk import statements
from ..passes.notes import Notes
from ..passes.uses import bound_names
from ..records import dataclass, field
from ..symbolic.describe import Segment as described
from .collapse import accumulated
from .methods import How

LIMIT = 50  # operations: L


@dataclass(frozen=True, slots=True)
class Paper:
    """How the paper gets through a block (`ad.segments.Collapse`)."""

    notes: Notes | None = None
    taken: list[str] = field(default_factory=list[str], compare=False)
    chooses: ClassVar[bool] = False

    def noting(self, notes: Notes) -> Paper:
        """The same that writes what it decides to these notes; nothing is taken yet."""
        return Paper(notes)

    def parts(
        self, block: Block, varied: AbstractSet[str], apart: AbstractSet[str] = frozenset()
    ) -> Sequence[Stm | Segment]:
        """The block with its segments."""
        return _Finder(block, varied, apart).parts()

    def push(self, *_: object) -> None:
        """Segments are differentiated as a whole, or one statement after another."""

    def pull(self, *_: object) -> None:
        """Likewise."""

    def jacobian(self, segment: Segment, most: int | None = None) -> Accumulated | None:
        """All partial derivatives of a segment."""
        found = accumulated(segment, How("reverse"), most)
        if found is not None and self.notes is not None:
            before = f"{size_of(segment.block.stms)} operations"
            after = f"{len(found.entries)} partial derivatives by {found.products} multiplications"
            self.notes.put(described.straight("segment of the paper's", segment.block, ["C2", "paper"], before, after))
        return found


def size_of(stms: Sequence[Stm]) -> int:
    """How many operations there are, those inside of branches included."""
    return sum(isinstance(stm.expr, Apply) for stm in statements(Block(tuple(stms), ())))


class _Finder(Finder):
    """Segments of operations on numbers, and of branches that hold nothing else."""

    def belongs(self, stm: Stm, reads: AbstractSet[str]) -> bool:
        """Numbers that vary, or that are made of what the segment makes."""
        if not any(var.name in self.varied for var in stm.vars) and reads.isdisjoint(self.own):
            return False
        return _is_expression(stm) and self.apart.isdisjoint(bound_names(Block((stm,), ())))

    def segments(self) -> Sequence[Segment | Stm]:
        """What was collected, cut by the limit."""
        return [self.segment(first, end, whole=True) for first, end in self._chosen()]

    def _chosen(self) -> Iterator[tuple[int, int]]:
        """The segments, as numbers of statements: children put together while they are small enough."""
        start, size = 0, 0
        for first, end in self._children():
            own = size_of(self.stms[first:end])
            if start < first and size + own > LIMIT:
                yield start, first
                start, size = first, 0
            size += own
        yield start, len(self.stms)

    def _children(self) -> Iterator[tuple[int, int]]:
        """Branches, and runs between them of which none is larger than the limit."""
        first = 0
        for k, stm in enumerate(self.stms):
            if isinstance(stm.expr, If):
                yield from self._cut(first, k)
                yield k, k + 1
                first = k + 1
        yield from self._cut(first, len(self.stms))

    def _cut(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """A run, cut at the values that are read most often until no piece is larger than the limit."""
        if end - first <= LIMIT:
            if first < end:
                yield first, end
            return
        place = max(range(first, end - 1), key=lambda k: (self._references(k), -abs(2 * k - first - end)))
        yield from self._cut(first, place + 1)
        yield from self._cut(place + 1, end)

    def _references(self, k: int) -> int:
        return max(self.uses[var.name] for var in self.stms[k].vars)


def _is_expression(stm: Stm) -> bool:
    """An operation on numbers, or a branch whose arms hold only such."""
    if any(var.type.shape for var in stm.vars):
        return False
    match stm.expr:
        case Apply(_, args):
            return not any(arg.type.shape for arg in args)
        case If(_, then, orelse):
            return all(_is_expression(inner) for arm in (then, orelse) for inner in arm.stms)
        case _:
            return False
