"""Arrays of which parts are known that together are all of it: halves, even and odd places, a place and the rest.

    a, b = x[::2].copy(), x[1::2].copy()
    x[:h], x[h:] = a + b, a - b              backwards: a and b are known, which are all of x

Spans [s, s + m) one after the other from 0 on are all n places when the last one ends at n or beyond; so are spans of a
step k from 0, 1, ..., k - 1 on when r + k m >= n for each. Parts may have places in common: all of them are right.
Until then an array of which one part is known is known but for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.types import Atom, Lit, Var, i64
from ..passes.affine import ZERO, Affine, emit_form
from ..passes.facts import Facts
from ..records import dataclass
from .apart import Place, Span
from .parts import Gap, Hole, Told, of_shape, whole_direction

if TYPE_CHECKING:
    from .solving import Solving

MOST_PARTS = 8
STEPS = 600  # of a proof


@dataclass(frozen=True, slots=True)
class Strip:
    """A part that is whole but in one dimension, where it has `size` places `step` apart from `start` on."""

    start: Affine
    size: Atom
    step: int
    value: Atom

    def end(self, facts: Facts) -> Affine:
        return self.start.plus(facts.form(self.size))


def covered(s: Solving, array: Var, parts: Sequence[Told]) -> Atom | None:
    """The array, if these parts of it are all of it."""
    for dimension in range(array.type.rank):
        found = [_strip(s, array, told, dimension) for told in parts[:MOST_PARTS]]
        strips = [strip for strip in found if strip is not None]
        size = s.facts().form(array.type.shape[dimension])
        chosen = _in_a_row(s.facts(), strips, ZERO, size) or _interleaved(s.facts(), strips, size)
        if chosen:
            return _put_together(s, array, dimension, chosen)
    return None


def covered_gap(s: Solving, array: Var, gap: Gap, parts: Sequence[Told]) -> Atom | None:
    """What an array has in a gap, if these parts of it are all of the gap."""
    for dimension, part in enumerate(gap.place):
        whole = s.facts().form(array.type.shape[dimension])
        if (
            isinstance(part, Affine)
            or part[2] != Affine(1, {})
            or (part[0] == ZERO and s.facts().form(part[1]) == whole)
        ):
            continue
        found = [_strip(s, array, told, dimension) for told in parts[:MOST_PARTS]]
        end = part[0].plus(s.facts().form(part[1]))
        chosen = _in_a_row(s.facts(), [strip for strip in found if strip is not None], part[0], end)
        if chosen:
            return s.b.apply("slice", _put_together(s, array, dimension, chosen), *gap.here)
    return None


def known_but_for_the_rest(s: Solving, array: Var, told: Told) -> Hole | None:
    """What one span tells of an array, if the rest lies before and after it in one dimension."""
    if all(isinstance(part, Affine) for part in told.place):
        return None
    for dimension in range(array.type.rank):
        strip = _strip(s, array, told, dimension)
        if strip is None or strip.step != 1:
            continue
        size = array.type.shape[dimension]
        begin, end = strip.start, strip.end(s.facts())
        if (before := _atom(begin)) is None:
            return None
        # The size of what comes after may have no name; it is no longer than the array.
        gaps = [_gap(s, array, dimension, end, size, s.b.apply("sub", s.value(size), _here(s, end)))]
        if begin != ZERO:
            gaps.append(_gap(s, array, dimension, ZERO, before, s.value(before)))
        return Hole(array, _put_together(s, array, dimension, [strip]), tuple(gaps), of_part=True)
    return None


def element_of_part(s: Solving, array: Var, place: Place) -> Atom | None:
    """An element of a vector that lies on one of the known spans of it."""
    if len(place) != 1 or not isinstance(place[0], Affine):
        return None
    for told in s.parts_of(array):
        match told.place:
            case ((start, size, step),) if not step.terms and step.const > 0:
                number = _divided(place[0].plus(start, -1), step.const)
                if number is not None and _is_within(s.facts(), number, size):
                    return s.b.apply("index", told.value, _here(s, number))
            case _:
                pass
    return None


def _is_within(facts: Facts, number: Affine, size: Atom) -> bool:
    return facts.proves(number) and facts.proves(facts.form(size).plus(number, -1).shifted(-1))


def _divided(form: Affine, step: int) -> Affine | None:
    """A form by a number, if it goes into all of it."""
    if any(number % step for number in (form.const, *form.terms.values())):
        return None
    return Affine(form.const // step, {name: factor // step for name, factor in form.terms.items()})


def _gap(s: Solving, array: Var, dimension: int, start: Affine, size: Atom, exact: Atom) -> Gap:
    """A gap in one dimension: with its size, which may be too large, and the exact one in the inverse."""
    place: Place = ()
    here: list[Atom] = []
    for before in array.type.shape[:dimension]:
        place += ((ZERO, before, Affine(1, {})),)
        here += [i64(0), s.value(before), i64(1)]
    here += [_here(s, start), exact, i64(1)]
    return Gap((*place, (start, size, Affine(1, {}))), tuple(here))


def _atom(form: Affine) -> Atom | None:
    """The variable or number that a form is."""
    match [*form.terms.items()]:
        case []:
            return i64(form.const)
        case [(name, 1)] if not form.const:
            return Var(name, i64(0).type)
        case _:
            return None


def _strip(s: Solving, array: Var, told: Told, dimension: int) -> Strip | None:
    """A part that is whole but in this dimension."""
    place = told.place
    if dimension >= len(place) or not all(
        whole_direction(s, part, size) == 1
        for k, (part, size) in enumerate(zip(place, array.type.shape, strict=False))
        if k != dimension
    ):
        return None
    part: Affine | Span = place[dimension]
    start, size, step = (part, i64(1), Affine(1, {})) if isinstance(part, Affine) else part
    if step.terms or not step.const:
        return None
    shape = [s.value(size) for size in array.type.shape]
    shape[dimension] = s.value(size)
    value = of_shape(s, told.value, shape)
    if step.const < 0:
        start = start.plus(s.facts().form(size).shifted(-1), step.const)
        value = _turned(s, value, dimension)
    return Strip(start, size, abs(step.const), value)


def _turned(s: Solving, array: Atom, dimension: int) -> Atom:
    """An array from the last place to the first in one dimension."""
    *before, size = array.type.shape[: dimension + 1]
    whole = [x for size in before for x in (i64(0), size, i64(1))]
    return s.b.apply("slice", array, *whole, s.b.apply("sub", size, i64(1)), size, i64(-1))


def _in_a_row(facts: Facts, strips: Sequence[Strip], begin: Affine, size: Affine) -> list[Strip]:
    """Strips one after the other from one place to another one, none if there are no such."""
    chosen, end = list[Strip](), begin
    waiting = [strip for strip in strips if strip.step == 1]
    while not facts.proves(end.plus(size, -1), STEPS):
        nexts = (strip for strip in waiting if _goes_on(facts, strip, end, size))
        found = next(nexts, None)
        if found is None:
            return []
        waiting.remove(found)
        chosen.append(found)
        end = found.end(facts)
    return chosen


def _goes_on(facts: Facts, strip: Strip, end: Affine, size: Affine) -> bool:
    """Does a strip reach further than others end, and begin there or before, unless these end where the array does?"""
    if strip.start != end and not facts.proves(end.plus(strip.start, -1)):
        with facts.scope():
            facts.learn(strip.start.plus(end, -1).shifted(-1))
            if not facts.proves(end.plus(size, -1), STEPS):
                return False
    return facts.proves(strip.end(facts).plus(end, -1))


def _interleaved(facts: Facts, strips: Sequence[Strip], size: Affine) -> list[Strip]:
    """Strips of one step that pass over each other's places."""
    for step in dict.fromkeys(strip.step for strip in strips if strip.step > 1):
        chosen: list[Strip] = []
        for first in range(step):
            fits = (strip for strip in strips if strip.step == step and strip.start == Affine(first, {}))
            found = next(fits, None)
            if found is None:
                break
            reached = facts.form(found.size).times(step).shifted(first)
            if not facts.proves(reached.plus(size, -1), STEPS):
                break
            chosen.append(found)
        if len(chosen) == step:
            return chosen
    return []


def _put_together(s: Solving, array: Var, dimension: int, strips: Sequence[Strip]) -> Atom:
    whole = _empty(s, array)
    for strip in strips:
        pairs = [i64(0), i64(1)] * dimension + [_here(s, strip.start), i64(strip.step)]
        whole = s.b.apply("update_slice", whole, strip.value, *pairs)
    return whole


def _empty(s: Solving, array: Var) -> Atom:
    """An array of zeros, of the size and type of another one."""
    dtype = array.type.dtype
    zero = Lit(0.0 if dtype.is_float else False if dtype.itemsize == 1 else 0, dtype)
    return s.b.apply("replicate", zero, *(s.value(size) for size in array.type.shape))


def _here(s: Solving, form: Affine) -> Atom:
    """An index in the inverse."""

    def emit(op: str, *args: Atom) -> Atom:
        return s.b.apply(op, *map(s.value, args))

    return s.value(emit_form(form, emit))
