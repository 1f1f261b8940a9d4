"""What a for loop goes over: a fixed sequence of values, or a count and the value at each step."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from ..errors import NotStaticError, OperandError, UnpackError
from ..ir.types import I64, Atom, Lit, i64
from ..records import dataclass
from .context import Context, describe
from .indexing import subscript
from .rows import element
from .values import ArrayRef, DictRef, ListRef, RangeValue, Value, Zipped

ZERO, ONE = i64(0), i64(1)
FOREVER = i64((1 << 63) - 1)


@dataclass(frozen=True, slots=True)
class Steps:
    """`count` values, the k-th being `at(k)`; inside the loop k is always below each of `limits`."""

    count: Atom
    limits: tuple[Atom, ...]
    at: Callable[[Atom], Value]


@dataclass(frozen=True, slots=True)
class Listed:
    """`length` separate values, the k-th being `at(k)`, taken when its step begins."""

    length: int
    at: Callable[[int], Value]


def iterate(c: Context, value: Value) -> Listed | Steps:
    """How to go over a value: listed where the elements are separate values, else counted."""
    match value:
        case RangeValue():
            return _range(c, value)
        case ArrayRef():
            size = c.shape(value)[0]
            return Steps(size, (size,), lambda k: subscript(c, value, c.number(k)))
        case Zipped("reversed", (part,)):
            return _reversed(c, iterate(c, part))
        case Zipped("enumerate", (part,), start):
            return _enumerated(c, iterate(c, part), start)
        case Zipped("map", parts, function):
            return _mapped(c, function, _zipped(c, [iterate(c, part) for part in parts], strict=False))
        case Zipped("product", parts):
            return product(c, [iterate(c, part) for part in parts])
        case Zipped("pairwise", (part,)):
            return _pairwise(c, iterate(c, part))
        case Zipped("count", _, start):
            first = c.atom(start, I64)
            return Steps(FOREVER, (FOREVER,), lambda k: c.number(c.sizes.add(c.b, first, k)))
        case Zipped(kind, parts):
            return _zipped(c, [iterate(c, part) for part in parts], strict=kind == "zip strict")
        case ListRef() if found := c.grown(value):
            size = c.atom(found.length)
            return Steps(size, (size,), lambda k: element(c, c.grown(value) or found, k))
        case DictRef():
            keys = tuple(c.held(value))
            return Listed(len(keys), keys.__getitem__)
        case _:
            return _sequence(c, value)


def _sequence(c: Context, value: Value) -> Listed:
    items = c.items(value)
    if items is None:
        c.refuse(f"a for loop cannot go over {describe(value)}", error=OperandError)
    length = len(items)

    def at(k: int) -> Value:
        now = c.items(value) or ()
        if len(now) != length:
            c.refuse("a list changes its length while a loop goes over it", fix="go over a copy: list(...)")
        return now[k]

    return Listed(length, at)


def static_items(c: Context, value: Value) -> tuple[Value, ...]:
    """All elements of something whose length is known while compiling."""
    listed = static_sequence(c, value)
    return tuple(listed.at(k) for k in range(listed.length))


def static_sequence(c: Context, value: Value) -> Listed:
    """Something whose length is known while compiling, element by element."""
    listed = unrolled(c, value)
    if listed is None:
        c.refuse(
            f"the length of {describe(value)} is not known while compiling",
            error=NotStaticError,
            why="each element becomes a value of its own",
            fix="use a for loop that fills an array, or fix the size by an annotation such as tp.f64[3]",
        )
    return listed


def unrolled(c: Context, value: Value) -> Listed | None:
    """The separate elements, or None when their number is not known while compiling."""
    match value:
        case RangeValue(start, stop, step):
            ends = [c.pinned_int(part) for part in (start, stop, step)]
            if None in ends or 0 in ends[2:]:
                return None
            numbers = range(*ends)  # type: ignore[arg-type]
            return Listed(len(numbers), numbers.__getitem__)
        case Zipped("enumerate", (part,), int(start)):
            inner = unrolled(c, part)
            return inner and Listed(inner.length, lambda k: (start + k, inner.at(k)))
        case Zipped("zip" | "zip strict", parts):
            columns = [unrolled(c, part) for part in parts]
            known = [column for column in columns if column is not None]
            if len(known) < len(columns):
                return None
            return Listed(min(col.length for col in known), lambda k: tuple(col.at(k) for col in known))
        case Zipped("map", parts, function):
            rows = unrolled(c, Zipped("zip", parts))
            return rows and Listed(rows.length, lambda k: c.call(function, rows.at(k)))
        case Zipped("product", parts):
            known = [unrolled(c, part) for part in parts]
            columns = [column for column in known if column is not None]
            listed = product(c, [*columns]) if len(columns) == len(known) else None
            return listed if isinstance(listed, Listed) else None
        case Zipped("count"):
            return None
        case _:
            steps = iterate(c, value)
            if isinstance(steps, Listed):
                return steps
            count, at = steps.count, steps.at
            return Listed(int(count.value), lambda k: at(i64(k))) if isinstance(count, Lit) else None


def _mapped(c: Context, function: Value, rows: Listed | Steps) -> Listed | Steps:
    if isinstance(rows, Listed):
        return Listed(rows.length, lambda k: c.call(function, rows.at(k)))
    return Steps(rows.count, rows.limits, lambda k: c.call(function, rows.at(k)))


def _pairwise(c: Context, source: Listed | Steps) -> Listed | Steps:
    if isinstance(source, Listed):
        return Listed(max(source.length - 1, 0), lambda k: (source.at(k), source.at(k + 1)))
    less = c.sizes.sub(c.b, source.count, ONE)
    count = c.sizes.max(c.b, less, ZERO)
    return Steps(count, (less,), lambda k: (source.at(k), source.at(c.sizes.add(c.b, k, ONE))))


def product(c: Context, sources: list[Listed | Steps]) -> Listed | Steps:
    """All combinations, the last source going fastest; each value is found from the number of the combination."""
    listed = [s for s in sources if isinstance(s, Listed)]
    if len(listed) == len(sources):
        rows = list(itertools.product(*(range(s.length) for s in listed)))
        return Listed(len(rows), lambda k: tuple(s.at(i) for s, i in zip(listed, rows[k], strict=True)))
    steps = [s for s in sources if isinstance(s, Steps)]
    if listed:
        c.refuse(
            "a product of a tuple or list with something of run-time length",
            error=NotStaticError,
            fix="make an array of the tuple: np.array(...)",
        )
    count: Atom = ONE
    for source in steps:
        count = c.sizes.mul(c.b, count, source.count)

    def at(k: Atom) -> Value:
        found: list[Value] = []
        for source in reversed(steps):
            place = c.b.apply("mod", k, source.count)
            c.sizes.below(place, source.count, *source.limits)
            found.append(source.at(place))
            k = c.b.apply("floordiv", k, source.count)
        return tuple(reversed(found))

    return Steps(count, (count,), at)


def _range(c: Context, value: RangeValue) -> Steps:
    start, stop, step = (c.atom(part, I64) for part in (value.start, value.stop, value.step))
    if isinstance(step, Lit) and step.value == 0:
        c.refuse("the step of a range must not be zero", error=UnpackError)
    if step == ONE:
        count, limit = _distance(c, start, stop)
    elif step == i64(-1):
        count, limit = _distance(c, stop, start)
    else:
        count = limit = _count(c, start, stop, step)

    def at(k: Atom) -> Value:
        return c.number(c.sizes.add(c.b, start, c.sizes.mul(c.b, k, step)))

    return Steps(count, (limit,), at)


def _distance(c: Context, low: Atom, high: Atom) -> tuple[Atom, Atom]:
    distance = c.sizes.sub(c.b, high, low)
    return c.sizes.max(c.b, distance, ZERO), distance


def _count(c: Context, start: Atom, stop: Atom, step: Atom) -> Atom:
    """The length of a range: the distance over the step, rounded up, at least zero."""
    b, sizes = c.b, c.sizes
    if isinstance(step, Lit):
        low, high = (start, stop) if int(step.value) > 0 else (stop, start)
        width = i64(abs(int(step.value)))
        return sizes.max(b, _ceil_div(c, sizes.sub(b, high, low), width), ZERO)
    if (sizes.least(step) or 0) >= 1:
        return sizes.max(b, _ceil_div(c, sizes.sub(b, stop, start), step), ZERO)
    b.check("raise", b.apply("ne", step, ZERO), info="ValueError: range() arg 3 must not be zero")
    up = b.apply("gt", step, ZERO)
    distance = b.apply("select", up, sizes.sub(b, stop, start), sizes.sub(b, start, stop))
    return sizes.max(b, _ceil_div(c, distance, b.apply("abs", step)), ZERO)


def _ceil_div(c: Context, x: Atom, y: Atom) -> Atom:
    if isinstance(x, Lit) and isinstance(y, Lit):
        return i64(-(-int(x.value) // int(y.value)))
    return c.b.apply("floordiv", c.sizes.add(c.b, x, c.sizes.sub(c.b, y, ONE)), y)


def _reversed(c: Context, source: Listed | Steps) -> Listed | Steps:
    if isinstance(source, Listed):
        return Listed(source.length, lambda k: source.at(source.length - 1 - k))
    last = c.sizes.sub(c.b, source.count, ONE)
    return Steps(source.count, (source.count,), lambda k: source.at(c.sizes.sub(c.b, last, k)))


def _enumerated(c: Context, source: Listed | Steps, start: Value) -> Listed | Steps:
    first = c.atom(start, I64)

    def number(k: Atom) -> Value:
        return c.number(c.sizes.add(c.b, first, k))

    if isinstance(source, Listed):
        return Listed(source.length, lambda k: (number(i64(k)), source.at(k)))
    return Steps(source.count, source.limits, lambda k: (number(k), source.at(k)))


def _zipped(c: Context, sources: list[Listed | Steps], strict: bool) -> Listed | Steps:
    listed = [s for s in sources if isinstance(s, Listed)]
    if listed or not sources:
        return _zipped_with_listed(c, sources, listed, strict)
    steps = [s for s in sources if isinstance(s, Steps)]
    count = steps[0].count
    for other in steps[1:]:
        count = c.equal_sizes(count, other.count) if strict else c.sizes.min(c.b, count, other.count)
    limits = tuple(limit for s in steps for limit in s.limits)
    return Steps(count, limits, lambda k: tuple(s.at(k) for s in steps))


def _zipped_with_listed(c: Context, sources: list[Listed | Steps], listed: list[Listed], strict: bool) -> Listed:
    """Separate values, perhaps beside arrays: unrolled, which needs arrays known to be long enough."""
    length = min((s.length for s in listed), default=0)
    if strict and any(s.length != length for s in listed):
        c.refuse("the arguments of zip(strict=True) have different lengths", error=UnpackError)
    for source in sources:
        if isinstance(source, Steps) and not c.sizes.at_least(source.count, i64(length)):
            c.refuse(
                "zip of a tuple or list with an array whose length is not known while compiling",
                error=NotStaticError,
                fix="make an array of the tuple: np.array(...)",
            )
        if isinstance(source, Steps) and strict:
            c.equal_sizes(source.count, i64(length))

    def at(k: int) -> Value:
        return tuple(s.at(k) if isinstance(s, Listed) else s.at(i64(k)) for s in sources)

    return Listed(length, at)
