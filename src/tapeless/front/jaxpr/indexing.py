"""Reading and writing at computed places: dynamic slices, `gather`, `scatter` and its accumulating forms.

Places outside are treated as the mode says: clipped into range (`clip`, and where JAX promises that it does not
happen), or filled and dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.build import Atoms, Builder
from ...ir.types import BOOL, Atom, Var, boolean, i64
from ..numpy.atoms import ONE, ZERO, convert, literal, plus, product
from ..numpy.nest import array_of, unflatten
from .convert import Walk, rule
from .elementwise import as_index, elementwise
from .movement import sliced
from .reductions import neutral
from .types import ints, sizes


def _clipped(b: Builder, start: Atom, room: int) -> Atom:
    """A start with at most `room` places after it."""
    return b.apply("min", b.apply("max", as_index(b, start), ZERO), i64(room)) if room > 0 else ZERO


def _rooms(whole: Sequence[int], part: Sequence[int]) -> list[int]:
    return [int(n) - int(m) for n, m in zip(whole, part, strict=True)]


@rule("dynamic_slice")
def _dynamic_slice(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, *starts = args
    lengths = [int(n) for n in equation.params["slice_sizes"]]
    rooms = _rooms(equation.invars[0].aval.shape, lengths)
    places = [_clipped(walk.b, start, room) for start, room in zip(starts, rooms, strict=True)]
    return (sliced(walk.b, x, places, lengths, [1] * len(lengths)),)


@rule("dynamic_update_slice")
def _dynamic_update_slice(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, part, *starts = args
    if not x.type.is_array:
        return (part,)
    rooms = _rooms(equation.invars[0].aval.shape, equation.invars[1].aval.shape)
    if 0 in equation.invars[1].aval.shape:
        return (x,)
    places = [_clipped(walk.b, start, room) for start, room in zip(starts, rooms, strict=True)]
    pairs = [atom for place in places for atom in (place, ONE)]
    return (walk.b.apply("update_slice", x, part, *pairs),)


def _is_dropping(mode: Any) -> bool:
    return "FILL_OR_DROP" in str(mode).upper() or "DROP" in str(mode).upper()


def _starts(b: Builder, indices: Atom, place: Atoms, count: int) -> Atoms:
    """The start that stands in `indices` at a place of its leading dimensions."""
    return tuple(as_index(b, b.apply("index", indices, *place, i64(k))) for k in range(count))


@rule("gather")
def _gather(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, indices = args
    p, numbers = equation.params, equation.params["dimension_numbers"]
    shape = [int(n) for n in equation.outvars[0].aval.shape]
    whole, lengths = ints(equation.invars[0].aval.shape), ints(p["slice_sizes"])
    offsets, mapped = ints(numbers.offset_dims), ints(numbers.start_index_map)
    batched = list(zip(ints(numbers.operand_batching_dims), ints(numbers.start_indices_batching_dims), strict=True))
    batch_dims = [d for d in range(len(shape)) if d not in offsets]
    dropped = {*ints(numbers.collapsed_slice_dims), *(d for d, _ in batched)}
    window = [d for d in range(len(whole)) if d not in dropped]
    rooms, drops = _rooms(whole, lengths), _is_dropping(p["mode"])

    def element(b: Builder, index: Atoms) -> Atom:
        batch = tuple(index[d] for d in batch_dims)
        where: list[Atom] = [ZERO] * len(whole)
        fits: Atom = boolean(True)
        starts = _starts(b, indices, batch, len(mapped))
        for d, start in zip(mapped, starts, strict=True):
            where[d] = _clipped(b, start, rooms[d])
            if drops:
                met = b.apply("eq", where[d], start)
                fits = met if fits == boolean(True) else b.apply("and", fits, met)
        for d, source in batched:
            where[d] = batch[source]
        for d, offset in zip(window, offsets, strict=True):
            where[d] = plus(b, where[d], index[offset])
        found = b.apply("index", x, *where)
        if not drops or fits == boolean(True):
            return found
        return b.apply("select", fits, found, _filler(p, x))

    return (array_of(walk.b, sizes(shape), element),)


def _filler(p: Any, x: Atom) -> Atom:
    """What is read outside."""
    value = p.get("fill_value")
    if value is None:
        value = float("nan") if x.type.dtype.is_float else x.type.dtype is BOOL or neutral("max", x.type.dtype).value
    return literal(value, x.type.dtype)


_COMBINED = {"scatter-add": "add", "scatter-mul": "mul", "scatter-min": "min", "scatter-max": "max"}


@rule("scatter-sub")
def _scatter_sub(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    x, indices, updates = args
    negated = elementwise(walk.b, updates.type.shape, (updates,), lambda b, xs: b.apply("neg", *xs))
    return _deposited(walk, equation, (x, indices, negated), "add")


@rule("scatter", *_COMBINED)
def _scatter(walk: Walk, equation: Any, args: Atoms) -> Sequence[Atom]:
    return _deposited(walk, equation, args, _COMBINED.get(equation.primitive.name))


def _deposited(walk: Walk, equation: Any, args: Atoms, op: str | None) -> Sequence[Atom]:
    """Updates combined with what stands at their places, or written over it."""
    x, indices, updates = args
    if not updates.type.is_array and not x.type.is_array:
        value = convert(walk.b, updates, x.type.dtype)
        return (value if op is None else walk.b.apply(op, x, value),)
    numbers = equation.params["dimension_numbers"]
    whole, shape = ints(equation.invars[0].aval.shape), ints(equation.invars[2].aval.shape)
    offsets, mapped = ints(numbers.update_window_dims), ints(numbers.scatter_dims_to_operand_dims)
    batched = list(zip(ints(numbers.operand_batching_dims), ints(numbers.scatter_indices_batching_dims), strict=True))
    batch_dims = [d for d in range(len(shape)) if d not in offsets]
    skipped = {*ints(numbers.inserted_window_dims), *(d for d, _ in batched)}
    window = [d for d in range(len(whole)) if d not in skipped]
    spans = dict(zip(window, (shape[d] for d in offsets), strict=True))
    rooms = [n - spans.get(d, 1) for d, n in enumerate(whole)]
    clips = not _is_dropping(equation.params["mode"])

    def update(b: Builder, flat: Var) -> Sequence[Atom]:
        index = unflatten(b, sizes(shape), flat)
        batch = tuple(index[d] for d in batch_dims)
        keys: list[Atom] = [ZERO] * len(whole)
        fits: Atom = boolean(True)
        starts = _starts(b, indices, batch, len(mapped))
        for d, start in zip(mapped, starts, strict=True):
            keys[d] = _clipped(b, start, rooms[d])
            if not clips:
                fits = b.apply("and", fits, b.apply("eq", keys[d], start))
        for d, source in batched:
            keys[d] = batch[source]
        for d, offset in zip(window, offsets, strict=True):
            keys[d] = plus(b, keys[d], index[offset])
        if not clips:
            # A key below zero is out of range: the update is dropped.
            keys[0] = b.apply("select", fits, keys[0], i64(-1))
        value = b.apply("index", updates, *index) if shape else updates
        return (*keys, value)

    size = product(walk.b, sizes(shape))
    if op is None:
        return (walk.b.scatter(size, x, len(whole), update),)
    return walk.b.hist(size, op, (neutral(op, x.type.dtype),), (x,), len(whole), update)
