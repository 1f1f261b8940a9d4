"""Places, parts and gaps of arrays, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.types import Atom, Var
from ..passes.affine import ZERO, Affine
from ..records import dataclass
from .apart import Place, Span

if TYPE_CHECKING:
    from .solving import Solving


@dataclass(frozen=True, slots=True)
class Told:
    """What a block tells of a variable from outside: its value at a place, which is all of it when empty."""

    place: Place
    value: Atom


@dataclass(frozen=True, slots=True)
class Gap:
    """A place, whose operands in the inverse are `here`; the array holds `content` there, if that is a variable."""

    place: Place
    here: tuple[Atom, ...]
    content: Atom | None = None

    @property
    def is_span(self) -> bool:
        return isinstance(self.place[0], tuple)


@dataclass(frozen=True, slots=True)
class Hole:
    """An array that is `rest` except at its gaps; where gaps were filled it is, whatever other gaps reach there.

    `of_part`: it is all that was told by one part; gaps may be too large then.
    """

    array: Var
    rest: Atom
    gaps: tuple[Gap, ...]
    filled: tuple[Gap, ...] = ()
    of_part: bool = False


def whole_direction(s: Solving, part: Affine | Span, size: Atom) -> int:
    """1 if this span is all of a dimension in order, -1 if in reverse, 0 if it is not all of it."""
    if isinstance(part, Affine):
        return 0
    start, count, step = part
    if step.terms or step.const not in (1, -1):
        return 0
    facts = s.facts()
    first = ZERO if step.const == 1 else facts.form(size).shifted(-1)
    if start != first or not (count == size or facts.decide("eq", count, size) is True):
        return 0
    return step.const


def of_shape(s: Solving, value: Atom, shape: Sequence[Atom]) -> Atom:
    """A value under other names of its sizes, or with dimensions of one element more or less."""
    if value.type.shape == tuple(shape):
        return value
    return s.b.apply("reshape", value if value.type.shape else s.b.apply("stack", value), *shape)
