"""How a value depends on another one that it is affine in: its slope, place by place.

For code that computes y from t, `slope_of` makes code for c in y = a + c t. Where t is an array, each place of y may
depend on t at one place only, which must be its own: so for each value that depends on t it is followed which place of
t, in terms of the dimensions of the value or of indices around. Sums, differences, negatives, products and quotients by
what does not depend on t are affine, and so are loops over such, sums of those, and parts of arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ..ir.build import Builder, is_literal
from ..ir.core import Apply, Block, Check, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import free_vars, inline
from .undo_forms import adds

# Of each dimension of t: the dimension of the value that has the same places, or the index of the only one.
Places: TypeAlias = "tuple[int | Atom, ...]"


class NotAffine(Exception):
    """A value depends on another one in another way."""


class Slope(NamedTuple):
    """A slope of the shape of its value; zero where there is none."""

    value: Atom
    places: Places


Slopes: TypeAlias = "dict[Var, Slope]"


def slope_of(b: Builder, code: Block, t: Var) -> Atom:
    """Emit the slope of the one result of some code, by t, place by place; the code itself stands in `b`."""
    (result,) = code.results
    slopes: Slopes = {t: Slope(_filled(b, t.type, 1.0), tuple(range(t.type.rank)))}
    for stm in code.stms:
        _follow(b, stm, slopes)
    found = slopes.get(result) if isinstance(result, Var) else None
    if found is None:
        return _filled(b, result.type, 0.0)
    if found.places != tuple(range(t.type.rank)):
        raise NotAffine
    return found.value


def _filled(b: Builder, type: Type, value: float) -> Atom:
    number = Lit(value, type.dtype)
    return b.apply("replicate", number, *type.shape) if type.shape else number


def _follow(b: Builder, stm: Stm, slopes: Slopes) -> None:
    """Find the slopes of what a statement makes."""
    if isinstance(stm.expr, Check) or not any(var in slopes for var in free_vars(stm.expr)):
        return
    match stm.expr:
        case Apply():
            slopes[stm.vars[0]] = _operation(b, stm.expr, stm.vars[0].type, slopes)
        case Map() as expr:
            slopes.update(_map(b, expr, stm.vars[-len(expr.body.body.results) :], slopes))
        case Reduce(_, op, (Lit(0.0),)) as expr if adds(op):
            slopes[stm.vars[0]] = _sum(b, expr, slopes)
        case _:
            raise NotAffine


def _operation(b: Builder, expr: Apply, type: Type, slopes: Slopes) -> Slope:
    if not type.dtype.is_float:
        raise NotAffine
    found = [slopes.get(x) if isinstance(x, Var) else None for x in expr.args]
    match expr.op, expr.args, found:
        case "neg", _, [Slope(x, places)]:
            return Slope(b.apply("neg", x), places)
        case "add" | "sub", _, [x, y]:
            return _total(b, expr.op, x, y)
        case "mul", (x, _), [None, Slope(slope, places)]:
            return Slope(b.apply("mul", x, slope), places)
        case "mul" | "div", (_, y), [Slope(slope, places), None]:
            return Slope(b.apply(expr.op, slope, y), places)
        case "select", (cond, x, y), [None, one, other]:
            places = _common(one, other)
            sides = [_filled(b, z.type, 0.0) if s is None else s.value for z, s in ((x, one), (y, other))]
            return Slope(b.apply("select", cond, *sides), places)
        case _:
            return _part(b, expr, found)


def _total(b: Builder, op: str, x: Slope | None, y: Slope | None) -> Slope:
    if x is not None and y is not None:
        return Slope(b.apply(op, x.value, y.value), _common(x, y))
    if x is not None:
        return x
    assert y is not None
    return Slope(b.apply("neg", y.value), y.places) if op == "sub" else y


def _common(*slopes: Slope | None) -> Places:
    """The places of t that some values depend on: the same ones."""
    found = {slope.places for slope in slopes if slope is not None}
    if len(found) != 1:
        raise NotAffine
    return found.pop()


def _part(b: Builder, expr: Apply, found: Sequence[Slope | None]) -> Slope:
    """Parts of one array, or the same elements in another shape."""
    match expr.op, expr.args, found:
        case "index", (_, *at), [Slope(x, places), *_]:
            moved = (_indexed(place, at) for place in places)
            return Slope(b.apply("index", x, *at), tuple(moved))
        case "slice", (_, *triples), [Slope(x, places), *_]:
            starts = list(zip(triples[::3], triples[2::3], strict=True))
            if not all(_stays(place, starts) for place in places):
                raise NotAffine
            return Slope(b.apply("slice", x, *triples), places)
        case "transpose", _, [Slope(x, places)]:
            order = {k: n for n, k in enumerate(expr.attrs)}
            moved = (order[place] if isinstance(place, int) else place for place in places)
            return Slope(b.apply("transpose", x, attrs=expr.attrs), tuple(moved))
        case "reshape", (source, *shape), [Slope(x, places), *_] if _same_dimensions(source.type, shape, places):
            return Slope(b.apply("reshape", x, *shape), places)
        case "replicate", (_, *sizes), [Slope(x, places), *_]:
            moved = (place + len(sizes) if isinstance(place, int) else place for place in places)
            return Slope(b.apply("replicate", x, *sizes), tuple(moved))
        case (("update" | "update_slice" | "stack" | "concat"), _, _):
            return _with_parts(b, expr, found)
        case _:
            raise NotAffine


def _indexed(place: int | Atom, at: Sequence[Atom]) -> int | Atom:
    if not isinstance(place, int):
        return place
    return at[place] if place < len(at) else place - len(at)


def _stays(place: int | Atom, starts: Sequence[tuple[Atom, Atom]]) -> bool:
    """Are the places of a dimension the same in a slice?"""
    if not isinstance(place, int) or place >= len(starts):
        return True
    start, step = starts[place]
    return is_literal(start, 0) and is_literal(step, 1)


def _same_dimensions(before: Type, after: Sequence[Atom], places: Places) -> bool:
    """Do the dimensions with places of t stay where they are in a new shape? They do if none after them change."""
    first = min((place for place in places if isinstance(place, int)), default=None)
    if first is None or before.rank == len(after) == 1:
        return True
    return before.rank == len(after) and before.shape[first:] == tuple(after[first:])


def _with_parts(b: Builder, expr: Apply, found: Sequence[Slope | None]) -> Slope:
    """Parts put together, all of which depend on one number or place."""
    places = _common(*found)
    if any(isinstance(place, int) for place in places):
        raise NotAffine

    def slope(x: Atom, own: Slope | None) -> Atom:
        if own is not None:
            return own.value
        return _filled(b, x.type, 0.0) if x.type.dtype.is_float else x

    args = [slope(x, own) for x, own in zip(expr.args, found, strict=True)]
    return Slope(b.apply(expr.op, *args, attrs=expr.attrs), places)


def _map(b: Builder, expr: Map, vars: Sequence[Var], slopes: Mapping[Var, Slope]) -> Slopes:
    """The slopes of the elements, at every index."""
    found: list[tuple[Var, Places]] = []

    def element(inner: Builder, i: Var) -> list[Atom]:
        some = _inside(inner, expr.body, i, slopes)
        found.extend((vars[k], tuple(_risen(place, i) for place in slope.places)) for k, slope in some.items())
        return [slope.value for slope in some.values()]

    arrays = b.map_(expr.size, element)
    return {var: Slope(x, places) for (var, places), x in zip(found, arrays[-len(found) :], strict=True)}


def _risen(place: int | Atom, i: Var) -> int | Atom:
    """A place in terms of an array whose elements are made at index i."""
    if isinstance(place, int):
        return place + 1
    return 0 if place == i else place


def _sum(b: Builder, expr: Reduce, slopes: Mapping[Var, Slope]) -> Slope:
    """The sum of the slopes, all by the same place of t."""
    places: list[Places] = []

    def summand(inner: Builder, i: Var) -> list[Atom]:
        (slope,) = _inside(inner, expr.body, i, slopes).values()
        places.append(slope.places)
        return [slope.value]

    (total,) = b.reduce(expr.size, "add", expr.neutral, summand)
    return Slope(total, places[0])


def _inside(b: Builder, body: Lambda, i: Var, slopes: Mapping[Var, Slope]) -> dict[int, Slope]:
    """The slopes of the results of a body, by their numbers; the body is executed there as well."""
    block, own = inline(body, (i,)), dict(slopes)
    for stm in block.stms:
        if not isinstance(stm.expr, Check):
            b.stms.append(stm)
        _follow(b, stm, own)
    made = {var for stm in block.stms for var in stm.vars}
    found = {k: own[x] for k, x in enumerate(block.results) if isinstance(x, Var) and x in own}
    if not found or any(place in made for slope in found.values() for place in slope.places if isinstance(place, Var)):
        raise NotAffine
    return found
