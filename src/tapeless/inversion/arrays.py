"""Arrays that are known but for some places, and what a known part tells of them.

After `b = update(a, v, i)` and with b known, a is b except at i: a gap, which is filled when a[i] becomes known. After
several writes there are several gaps. They need not be apart: wherever a gap is filled, it is with what the array has
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..ir.core import Apply
from ..ir.types import Atom, Lit, Var, i64
from ..passes.affine import Affine
from ..records import replace
from .apart import Place, Span, are_apart, are_same
from .cover import MOST_PARTS, covered, covered_gap, known_but_for_the_rest
from .parts import Gap, Hole, Told, of_shape, whole_direction

if TYPE_CHECKING:
    from .solving import Solving

LONGEST = 16  # of the gaps that are filled element by element


def dig(s: Solving, array: Var, rest: Atom, gaps: Sequence[Gap], access: str, operands: Sequence[Atom]) -> None:
    """The array is `rest` except at some gaps and where an access with these operands reads it."""
    place = s.place(access, operands)
    places = [*(gap for gap in gaps if gap.place != place), Gap(place, tuple(s.value(x) for x in operands))]
    if array.name in s.holes and not s.holes[array.name].of_part:
        _fill_from(s, array, Hole(array, rest, tuple(places)))
        return
    written, value = _last_write(s, array)
    filled = [replace(gap, content=value if gap.place == written else None) for gap in places]
    s.holes[array.name] = Hole(array, rest, tuple(filled))
    s.told += 1
    _fill_what_is_known(s, array)
    if parts := s.parts.get(array.name):
        for told in parts:
            learn_part(s, array, told.place, told.value)
        _use_parts(s, array, parts)


def _fill_from(s: Solving, array: Var, other: Hole) -> None:
    """Fill the gaps of an array that have nothing to do with the gaps in something else that is known of it.

    Where gaps of the array were filled, the other one has none either: of two elements that changed one after the
    other, wherever they are, the first one is told as soon as the array between them is known.
    """
    hole = s.holes[array.name]
    open_ones = tuple(gap for gap in other.gaps if not any(gap.place == known.place for known in hole.filled))
    reached = [gap for gap in hole.gaps if s.is_beside(replace(other, gaps=open_ones), gap.place, gap.here)]
    if not reached:
        return
    rest = other.rest
    for known in hole.filled:
        if any(gap.place == known.place for gap in other.gaps):
            rest = _with(s, rest, known, _at(s, hole.rest, known))
    for gap in reached:
        fill(s, array.name, gap, _at(s, rest, gap))


def _at(s: Solving, array: Atom, gap: Gap) -> Atom:
    """What an array holds where a gap is."""
    return s.b.apply("slice" if gap.is_span else "index", array, *gap.here)


def _with(s: Solving, array: Atom, gap: Gap, value: Atom) -> Atom:
    """An array with a value where a gap is."""
    if not gap.is_span:
        return s.b.apply("update", array, value, *gap.here)
    pairs = [x for k in range(0, len(gap.here), 3) for x in (gap.here[k], gap.here[k + 2])]
    return s.b.apply("update_slice", array, value, *pairs)


def _last_write(s: Solving, array: Var) -> tuple[Place, Atom | None]:
    """Where the array was just written, and what."""
    match s.definition(array):
        case Apply("update", (_, value, *at)):
            return s.place("index", at), value
        case _:
            return (), None


def _fill_what_is_known(s: Solving, array: Var) -> None:
    """Fill gaps with contents and elements that are known already."""
    for gap in s.holes[array.name].gaps:
        if gap.content is not None and (known := s.try_value(gap.content)) is not None:
            fill(s, array.name, gap, known)
    for above, pieces in s.pieces.get(array.name, []):
        for number, piece in pieces.items():
            learn_part(s, array, (*above, Affine(number, {})), piece)
    for var in (*(var for stm in s.block.stms for var in stm.vars), *s.learned):
        match s.definition(var):
            case Apply("index" | "slice" as access, (source, *operands)) if source == array:
                if (known := s.known.get(var.name)) is not None:
                    learn_part(s, array, s.place(access, operands), known)
            case _:
                pass


def fill(s: Solving, name: str, gap: Gap, value: Atom) -> None:
    """The array holds this value at one of its gaps."""
    hole = s.holes[name]
    if s.at_hand(hole.array) is not None:
        return
    rest = _with(s, hole.rest, gap, value)
    gaps = tuple(other for other in hole.gaps if other != gap)
    s.holes[name] = Hole(hole.array, rest, gaps, (*hole.filled, gap))
    s.told += 1
    if not gaps:
        s.learn(hole.array, rest)


def learn_part(s: Solving, array: Var, place: Place, value: Atom) -> None:
    """A part of an array is known: it may be all, fill a gap, be one of the last pieces, or be told outside."""
    if s.at_hand(array) is not None:
        return
    directions = [whole_direction(s, *pair) for pair in zip(place, array.type.shape, strict=False)]
    if all(directions):
        s.learn(array, _turned(s, _shaped(s, value, array), directions))
        return
    if array.name in s.holes:
        _learn_in_a_hole(s, array, place, value)
    elif _learn_piece(s, array, place, value) and (array.name in s.made or s.at_hand(array) is not None):
        return
    elif array.name not in s.made:
        parts = s.learned.setdefault(array, [])
        if not any(part.place == place for part in parts):
            parts.append(Told(place, value))
            s.told += 1
    else:
        match s.definition(array):
            case Apply("index", (Var() as whole, *row)):
                learn_part(s, whole, (*s.place("index", row), *place), value)
            case _:
                pass
    _add_part(s, array, Told(place, value))
    _fill_later_versions(s, array, place, value)


def _fill_later_versions(s: Solving, array: Var, place: Place, value: Atom) -> None:
    """What the array holds at a place is what it holds there after writes elsewhere."""
    for name, hole in list(s.holes.items()):
        for gap in hole.gaps:
            if gap.place == place and _is_version(s, hole.array, array, place):
                fill(s, name, gap, value)


def _is_version(s: Solving, later: Var, array: Var, place: Place) -> bool:
    """Is it the array after one or more writes, all apart from a place?"""
    version: Atom = later
    while isinstance(version, Var) and version != array:
        match s.definition(version):
            case Apply("update", (source, _, *at)) if are_apart(s.facts(), s.place("index", at), place):
                version = source
            case _:
                return False
    return version == array and later != array


def _add_part(s: Solving, array: Var, told: Told) -> None:
    """One more part of an array of this block: with others it may be all, alone it is all but the rest."""
    if s.at_hand(array) is not None or not (array.name in s.made or array.name in s.wanted):
        return
    parts = s.parts.setdefault(array.name, [])
    if any(part.place == told.place for part in parts):
        return
    parts.append(told)
    if len(parts) > MOST_PARTS:
        return
    _use_parts(s, array, parts)
    if array.name not in s.holes and s.at_hand(array) is None:
        hole = known_but_for_the_rest(s, array, told)
        if hole is not None:
            s.holes[array.name] = hole
            s.told += 1


def _use_parts(s: Solving, array: Var, parts: Sequence[Told]) -> None:
    """The parts of an array may be all of it, or of one of its gaps."""
    hole = s.holes.get(array.name)
    if (whole := covered(s, array, parts)) is not None:
        s.learn(array, whole)
    elif hole is not None and not hole.of_part:
        for gap in hole.gaps:
            if gap.is_span and (value := covered_gap(s, array, gap, parts)) is not None:
                fill(s, array.name, gap, value)


def _shaped(s: Solving, value: Atom, array: Var) -> Atom:
    """A value under the sizes of an array that it is equal to."""
    return of_shape(s, value, s.type(array.type).shape)


def _turned(s: Solving, array: Atom, directions: Sequence[int]) -> Atom:
    """The array with the order of some dimensions reversed."""
    if -1 not in directions:
        return array
    operands: list[Atom] = []
    for size, direction in zip(array.type.shape, directions, strict=False):
        start = i64(0) if direction == 1 else s.b.apply("sub", size, i64(1))
        operands += [start, size, i64(direction)]
    return s.b.apply("slice", array, *operands)


def _learn_in_a_hole(s: Solving, array: Var, place: Place, value: Atom) -> None:
    hole = s.holes[array.name]
    for gap in hole.gaps:
        if are_same(s.facts(), gap.place, place):
            fill(s, array.name, gap, _fitting(s, value, gap, place))
            return
        if parts := _elements(s, array, gap, place):
            gaps = tuple(other for other in hole.gaps if other != gap)
            s.holes[array.name] = replace(hole, gaps=(*gaps, *parts))
            learn_part(s, array, place, value)
            return


def _fitting(s: Solving, value: Atom, gap: Gap, place: Place) -> Atom:
    """The value of a gap, told as an index where the gap is a span of one, or the other way round."""
    spans = sum(not isinstance(part, Affine) for part in place)
    if gap.is_span:
        return of_shape(s, value, (*gap.here[1::3], *value.type.shape[spans:]))
    return s.b.apply("index", value, *[i64(0)] * spans) if spans else value


def _elements(s: Solving, array: Var, gap: Gap, place: Place) -> list[Gap]:
    """The elements or rows of a gap of which the place is one, or a part of one; none if it is not."""
    rank = len(gap.place)
    match gap.place:
        case ((start, Lit() as size, step),):
            offset, count = _offset(place[0], start), int(size.value)
            if offset is None or step.terms or not (count <= LONGEST and _is_among(offset, count, step.const)):
                return []
            forms = [start.shifted(k * step.const) for k in range(count)]
            return [Gap((f,), (s.b.apply("add", gap.here[0], i64(k * step.const)),)) for k, f in enumerate(forms)]
        case _ if rank < len(place) and not gap.is_span and place[:rank] == gap.place:
            size = array.type.shape[rank]
            if not isinstance(size, Lit) or int(size.value) > LONGEST:
                return []
            return [Gap((*gap.place, Affine(k, {})), (*gap.here, i64(k))) for k in range(int(size.value))]
        case _:
            return []


def _offset(part: Affine | Span, start: Affine) -> int | None:
    """How far an index is from another, if that is a number."""
    if not isinstance(part, Affine):
        return None
    difference = part.plus(start, -1)
    return None if difference.terms else difference.const


def _is_among(offset: int, count: int, step: int) -> bool:
    return step != 0 and offset % step == 0 and 0 <= offset // step < count


def _learn_piece(s: Solving, array: Var, place: Place, value: Atom) -> bool:
    """One element or row of a small array or row: all of them together are the whole; could it be one?"""
    *above, last = place
    count = s.extent(array.type.shape[len(above)])
    if not isinstance(last, Affine) or last.terms or count is None or not 0 <= last.const < count:
        return False  # beyond the end in a branch that does not run
    found = s.pieces.setdefault(array.name, [])
    if not any(known == above for known, _ in found):
        found.append((above, {}))
    pieces = next(pieces for known, pieces in found if known == above)
    pieces.setdefault(last.const, value)
    if len(pieces) == count:
        whole = _stacked(s, [pieces[k] for k in range(count)], sum(not isinstance(part, Affine) for part in above))
        if above:
            learn_part(s, array, tuple(above), whole)
        else:
            s.learn(array, _shaped(s, whole, array))
    return True


def _stacked(s: Solving, pieces: Sequence[Atom], spans: int) -> Atom:
    """Elements, rows or columns as one array, in which dimensions of so many spans come before theirs."""
    whole = s.b.apply("stack", *pieces)
    if not spans:
        return whole
    order = (*range(1, spans + 1), 0, *range(spans + 1, whole.type.rank))
    return s.b.apply("transpose", whole, attrs=order)
