"""Long straight-line segments, cut into pieces that are differentiated one after another.

A piece is cheap to look at, and what crosses a cut is all that two pieces know of each other. Places to cut are those
that the fewest values cross. Of all ways to cut there, the cheapest is found by dynamic programming,

    cost(j) = min over i < j of  cost(i) + price(statements i to j)

where the price of a piece is that of its cheapest derivative, in multiplications; the number of pieces that are looked
at, and with it the time to compile, grows with the length of the segment and not with its square.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from ..ad.segments import Segment
from ..ir.core import Block, Stm
from ..ir.types import Var
from ..ir.walk import operands
from ..records import replace

LONG = 400  # statements of a segment that is cut
STRIDE = 80  # statements among which there is one place to cut
REACH = 2  # places that a piece may cross

Price = Callable[[Segment], int]


def cut(segment: Segment, price: Price) -> Sequence[Segment]:
    """The pieces of a segment; itself where it is short."""
    stms = segment.block.stms
    if len(stms) <= LONG:
        return (segment,)
    run = _Run(segment)
    places = [0, *run.narrow(), len(stms)]
    # For each place: the cost of everything before it, and the place where the last piece begins.
    best: list[tuple[int, int]] = [(0, 0)]
    for k in range(1, len(places)):
        starts = range(max(0, k - REACH - 1), k)
        best.append(min((best[i][0] + price(run.piece(places[i], places[k])), i) for i in starts))
    chosen = [len(places) - 1]
    while chosen[-1] > 0:
        chosen.append(best[chosen[-1]][1])
    return [run.piece(places[i], places[j]) for i, j in pairwise(reversed(chosen))]


class _Run:
    """The statements of a segment by their numbers, with where each value is made and last read."""

    def __init__(self, segment: Segment) -> None:
        self.segment, self.stms = segment, segment.block.stms
        self.made = {var.name: k for k, stm in enumerate(self.stms) for var in stm.vars}
        self.last: dict[str, int] = {}
        for k, stm in enumerate(self.stms):
            for name in _reads(stm):
                self.last[name] = k
        for result in segment.block.results:
            assert isinstance(result, Var)
            self.last[result.name] = len(self.stms)

    def narrow(self) -> list[int]:
        """Places that few values cross: the narrowest one of each stride."""
        width = self.widths()
        starts = range(STRIDE // 2, len(self.stms) - STRIDE // 2, STRIDE)
        return [min(range(s, min(s + STRIDE, len(self.stms))), key=lambda k: (width[k], k)) for s in starts]

    def widths(self) -> list[int]:
        """How many values cross the place before each statement."""
        changes = [0] * (len(self.stms) + 2)
        for name, k in self.made.items():
            changes[k + 1] += 1
            changes[self.last.get(name, k) + 1] -= 1
        width = [0]
        for change in changes[1:]:
            width.append(width[-1] + change)
        return width

    def piece(self, first: int, end: int) -> Segment:
        """Statements with their own inputs and results."""
        stms = self.stms[first:end]
        outputs = [var for stm in stms for var in stm.vars if self.last.get(var.name, 0) >= end]
        given = {x.name for x in self.segment.inputs}
        read = dict.fromkeys(x for stm in stms for x in operands(stm.expr) if isinstance(x, Var))
        inputs = [x for x in read if x.name in given or self.made.get(x.name, end) < first]
        return replace(self.segment, block=Block(stms, tuple(outputs)), inputs=tuple(inputs))


def _reads(stm: Stm) -> list[str]:
    return [x.name for x in operands(stm.expr) if isinstance(x, Var)]
