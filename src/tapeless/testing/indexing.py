"""Productions that read and write parts of arrays: index, slice, update, update_slice, accumulate.

Every index is in range: by reason (a counter of the very size), or by wrapping it and checking it as the
front end does. An array that may be empty is only indexed by counters of its size.
"""

from __future__ import annotations

from ..ir.types import BOOL, I64, Atom, Lit, Type, i64
from .bounds import fit, supply
from .scope import Production, Scope, Value

Triple = tuple[Atom, Atom, Atom]


def position(s: Scope, size: Atom) -> Atom | None:
    """An i64 in [0, size), or None when there may be none."""
    lo, _ = s.extent(size)
    counters = [v for v in s.values if v.below == size and v.type == Type(I64)]
    if counters and (lo < 1 or s.dice.chance(0.6)):
        found = s.dice.recent(counters)
        if lo > 1 and s.dice.chance(0.4):
            return _neighbour(s, found, size)
        return found.atom
    if lo < 1:
        return None
    value = s.scalar(I64)
    if value.within(0, lo - 1):
        if s.dice.chance(0.3):
            s.b.check("bounds", value.atom, size)
        return value.atom
    return _wrapped(s, value, size, lo)


def _neighbour(s: Scope, i: Value, size: Atom) -> Atom:
    """i - 1 or i + 1, kept in range."""
    last = s.b.apply("sub", size, i64(1))
    match s.dice.below(3):
        case 0:
            return s.b.apply("mod", s.b.apply("add", i.atom, i64(1)), size)
        case 1:
            return s.b.apply("max", s.b.apply("sub", i.atom, i64(1)), i64(0))
        case _:
            return s.b.apply("sub", last, i.atom)


def _wrapped(s: Scope, value: Value, size: Atom, lo: int) -> Atom:
    """Any integer as an index: modulo the size, clipped, or negative as in Python; then checked."""
    match s.dice.below(3):
        case 0:
            index = s.b.apply("mod", value.atom, size)
        case 1:
            last = s.b.apply("sub", size, i64(1))
            index = s.b.apply("max", s.b.apply("min", value.atom, last), i64(0))
        case _:
            signed = fit(s, value, -lo, lo - 1).atom
            from_end = s.b.apply("add", signed, size)
            index = s.b.apply("select", s.b.apply("lt", signed, i64(0)), from_end, signed)
    s.b.check("bounds", index, size)
    s.define(index, 0, s.extent(size)[1] - 1, below=size)
    return index


def positions(s: Scope, shape: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """One index per size, or None."""
    found: list[Atom] = []
    for size in shape:
        index = position(s, size)
        if index is None:
            return None
        found.append(index)
    return tuple(found)


def read(s: Scope) -> bool:
    """An element or a sub-array."""
    array = s.find(lambda v: v.type.is_array)
    if array is None:
        return False
    dims = array.type.rank if s.dice.chance(0.75) else s.dice.between(1, array.type.rank)
    where = positions(s, array.type.shape[:dims])
    if where is None:
        return False
    s.define(s.b.apply("index", array.atom, *where), array.lo, array.hi, exact=array.exact, below=array.below)
    return True


def progression(s: Scope, size: Atom) -> Triple:
    """start, count and step of a run of indices in [0, size)."""
    lo, hi = s.extent(size)
    forms = ["whole", "reversed", "tail", "head", "strided"]
    forms += ["from", "back"] if lo >= 1 else []
    match s.dice.pick(forms):
        case "whole":
            return i64(0), size, i64(1)
        case "reversed":
            return _minus(s, size, 1, clamp=False), size, i64(-1)
        case "tail":
            return i64(1), _minus(s, size, 1), i64(1)
        case "head":
            return i64(0), _minus(s, size, s.dice.between(1, 2)), i64(1)
        case "strided":
            step = s.dice.between(2, 3)
            return i64(0), _ceil_div(s, size, step), i64(step)
        case "from":
            start = _start(s, size)
            left = s.b.apply("sub", size, start)
            count = s.b.apply("min", left, i64(s.dice.between(1, 4)))
            s.define(count, 1, max(1, min(4, hi)))
            return start, count, i64(1)
        case _:
            start = _start(s, size)
            count = s.b.apply("add", start, i64(1))
            s.define(count, 1, max(1, hi))
            return start, count, i64(-1)


def _start(s: Scope, size: Atom) -> Atom:
    start = s.b.apply("mod", s.scalar(I64).atom, size)
    s.define(start, 0, s.extent(size)[1] - 1, below=size)
    return start


def _minus(s: Scope, size: Atom, k: int, *, clamp: bool = True) -> Atom:
    """size - k, at least 0 when it is a size itself."""
    lo, hi = s.extent(size)
    if isinstance(size, Lit):
        return i64(max(0, lo - k) if clamp else lo - k)
    less = s.b.apply("sub", size, i64(k))
    if not clamp:
        return less
    if lo < k:
        less = s.b.apply("max", less, i64(0))
    s.define(less, max(0, lo - k), max(0, hi - k))
    return less


def _ceil_div(s: Scope, size: Atom, k: int) -> Atom:
    lo, hi = s.extent(size)
    if isinstance(size, Lit):
        return i64(-(-lo // k))
    count = s.b.apply("floordiv", s.b.apply("add", size, i64(k - 1)), i64(k))
    s.define(count, -(-lo // k), -(-hi // k))
    return count


def progressions(s: Scope, shape: tuple[Atom, ...]) -> list[Triple]:
    """A run for each of some leading sizes."""
    return [progression(s, size) for size in shape[: s.dice.between(1, len(shape))]]


def part(s: Scope) -> bool:
    """A slice, negative steps included."""
    array = s.find(lambda v: v.type.is_array)
    if array is None:
        return False
    runs = progressions(s, array.type.shape)
    flat = [atom for run in runs for atom in run]
    s.define(s.b.apply("slice", array.atom, *flat), array.lo, array.hi, exact=array.exact, below=array.below)
    return True


def write(s: Scope) -> bool:
    """A new array with one part of another replaced or added to."""
    array = s.find(lambda v: v.type.is_array and not v.wild)
    changed = written(s, array) if array is not None else None
    return changed is not None


def written(s: Scope, array: Value) -> Value | None:
    """`array` after one update, update_slice or accumulate, or None when it may be empty."""
    kind = s.dice.weighted(("update", "slice", "accumulate"), (3, 2, 0 if array.dtype is BOOL else 2))
    if kind == "slice":
        return _write_slice(s, array)
    rank = array.type.rank
    dims = rank if s.dice.chance(0.7) else s.dice.between(1, rank)
    where = positions(s, array.type.shape[:dims])
    if where is None:
        return None
    value = supply(s, array.type.drop(dims), *STEP)
    if kind == "update":
        result = s.b.apply("update", array.atom, value.atom, *where)
        lo, hi = min(array.lo, value.lo), max(array.hi, value.hi)
        return s.define(result, lo, hi, exact=array.exact and value.exact)
    result = s.b.apply("accumulate", array.atom, value.atom, *where)
    return s.define(result, array.lo + min(0, value.lo), array.hi + max(0, value.hi), exact=False)


STEP = (-2.0, 2.0)  # what one write brings in: bounds the growth of arrays carried by loops


def _write_slice(s: Scope, array: Value) -> Value:
    runs = progressions(s, array.type.shape)
    shape = (*(count for _, count, _ in runs), *array.type.shape[len(runs) :])
    value = supply(s, Type(array.dtype, shape), *STEP)
    flat = [atom for start, _, step in runs for atom in (start, step)]
    result = s.b.apply("update_slice", array.atom, value.atom, *flat)
    return s.define(result, min(array.lo, value.lo), max(array.hi, value.hi), exact=array.exact and value.exact)


INDEXING = (
    Production("read", 7, read),
    Production("slice", 2, part),
    Production("write", 2.5, write),
)
