"""The states that a loop kept on its way, for comparison with what running backwards finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Atoms, Builder
from ..ir.types import Atom, Lit, i64
from ..records import dataclass
from .checkpoints import Slots, state
from .near import DUST, is_near, largest_magnitude
from .witness import Witness, unless_all


@dataclass(frozen=True, slots=True)
class Kept(Witness):
    """Each state that was kept is compared as a whole, the last one first. Carried is also which one is next."""

    slots: Slots

    def start(self) -> Atoms:
        return (i64(0), i64(0))

    def dust(self, b: Builder, lasts: Sequence[Atom]) -> Mapping[int, Atom]:
        found: dict[int, Atom] = {}
        for k in state(self.slots.writes):
            dtype = lasts[k].type.dtype
            if dtype.is_float:
                found[k] = b.apply("mul", largest_magnitude(b, lasts[k]), Lit(DUST[dtype], dtype))
        return found

    def compared(self, b: Builder, i: Atom, values: Sequence[Atom], carried: Atoms, dust: Mapping[int, Atom]) -> Atoms:
        used, at, *arrays = self.slots.arrays
        wrong, passed = carried
        row = b.apply("max", b.apply("sub", b.apply("sub", used, passed), i64(1)), i64(0))

        def compare(b: Builder) -> Atoms:
            after = b.apply("min", b.apply("add", row, i64(1)), b.apply("sub", used, i64(1)))
            tests: list[Atom] = []
            for k, array in zip(state(self.slots.writes), arrays, strict=True):
                here, then = (b.apply("index", array, place) for place in (row, after))
                tests.append(is_near(b, values[k], here, then, dust.get(k)))
            return (b.apply("add", wrong, unless_all(b, tests)), b.apply("add", passed, i64(1)))

        is_kept = b.apply("eq", b.apply("index", at, row), i)
        return b.if_(is_kept, compare, lambda _b: carried)
