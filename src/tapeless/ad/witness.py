"""What is known of a loop's states on its way, so that it is seen where running backwards goes wrong in between.

An inverse amplifies errors where the loop contracts, and contracts them where the loop expands: a loop that does both
may come back to its first state however wrong those on the way are. `noted` knows numbers that tell states apart,
`kept` knows states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from ..ir.build import Atoms, Builder
from ..ir.types import Atom, Var, i64


class Witness(ABC):
    """Some states of a loop. The loop that runs backwards carries how many it found wrong, and maybe more."""

    def start(self) -> Atoms:
        """What to carry at first: no state was wrong."""
        return (i64(0),)

    def values(self) -> Atoms:
        """The variables that it is made of, for a branch to return."""
        return ()

    def renamed(self, values: Sequence[Var]) -> Witness:
        """The same, where these go by other names."""
        return self

    @abstractmethod
    def dust(self, b: Builder, lasts: Sequence[Atom]) -> Mapping[int, Atom]:
        """Emit, outside of the loop: what is dust of each value that is known, given the values after the loop."""

    @abstractmethod
    def compared(self, b: Builder, i: Atom, values: Sequence[Atom], carried: Atoms, dust: Mapping[int, Atom]) -> Atoms:
        """Compare what was found before iteration i; what to carry on."""


class Nothing(Witness):
    """Knows nothing of the states on the way."""

    def dust(self, b: Builder, lasts: Sequence[Atom]) -> Mapping[int, Atom]:
        return {}

    def compared(self, b: Builder, i: Atom, values: Sequence[Atom], carried: Atoms, dust: Mapping[int, Atom]) -> Atoms:
        return carried


NOTHING = Nothing()


def unless_all(b: Builder, tests: Sequence[Atom]) -> Atom:
    """0 if all tests hold, else 1."""
    whole, *others = tests
    for other in others:
        whole = b.apply("and", whole, other)
    return b.apply("select", whole, i64(0), i64(1))
