"""Keeping generated values sane: within bounds, finite, and away from the points where functions jump.

`fit` brings a scalar into an interval, `settle` tames what has grown, `shifted` moves a rounded value off
the points where rounding, sign or truncation jump, and `supply` makes a value of a wanted type.
"""

from __future__ import annotations

import math

from ..ir.build import Builder
from ..ir.types import BOOL, Atom, DType, Lit, Type, Var
from .scope import Scope, Value, real

LARGE = 64.0  # what a float may grow to
USUAL = (-4.0, 4.0)


def fit(s: Scope, value: Value, lo: float, hi: float) -> Value:
    """`value`, or a function of it that lies in [lo, hi]."""
    if value.within(lo, hi):
        return value
    if value.dtype is BOOL:
        return value
    if value.dtype.is_int:
        return _fit_int(s, value, math.ceil(lo), math.floor(hi))
    if value.wild:
        value = tame(s, value)
    if value.exact or s.dice.chance(0.4):
        return _clip(s, value, lo, hi)
    middle, half = (lo + hi) / 2, (hi - lo) / 2
    bent = s.b.apply(s.dice.pick(("sin", "tanh", "atan")), value.atom)
    scaled = s.b.apply("mul", bent, real(value.dtype, half / 1.6))
    return s.define(s.b.apply("add", scaled, real(value.dtype, middle)), lo, hi, exact=False)


def _fit_int(s: Scope, value: Value, lo: int, hi: int) -> Value:
    if s.dice.chance(0.3):
        return _clip(s, value, lo, hi)
    rest = s.b.apply("mod", value.atom, Lit(hi - lo + 1, value.dtype))
    if lo == 0:
        return s.define(rest, 0, hi)
    return s.define(s.b.apply("add", rest, Lit(lo, value.dtype)), lo, hi)


def _clip(s: Scope, value: Value, lo: float, hi: float) -> Value:
    low, high = bound(value.dtype, lo), bound(value.dtype, hi)
    raised = s.b.apply("max", value.atom, low) if value.lo < lo else value.atom
    clipped = s.b.apply("min", raised, high) if value.hi > hi else raised
    return s.define(clipped, min(max(lo, value.lo), hi), max(min(hi, value.hi), lo), exact=value.exact)


def bound(dtype: DType, value: float) -> Lit:
    """A bound as a literal of its type."""
    return real(dtype, value) if dtype.is_float else Lit(int(value), dtype)


def tame(s: Scope, value: Value) -> Value:
    """A finite value instead of one that may be infinite or NaN."""
    finite = s.b.apply("isfinite", value.atom)
    chosen = s.b.apply("select", finite, value.atom, s.literal(value.dtype).atom)
    return _clip(s, Value(chosen, -1e300, 1e300, value.exact), -LARGE, LARGE)


def settle(s: Scope, atom: Atom, lo: float, hi: float, *, exact: bool = False, below: Atom | None = None) -> Value:
    """Define `atom`, and a tamed copy when a float has grown too large to compute on with."""
    value = s.define(atom, lo, hi, exact=exact, below=below)
    if value.dtype.is_float and not value.type.is_array and max(-lo, hi) > LARGE:
        return fit(s, value, *USUAL)
    return value


def shifted(s: Scope, value: Value) -> Value:
    """A float plus a constant of random digits, so that no implementation lands on a jump."""
    if value.exact:
        return value
    offset = s.dice.uniform(-0.5, 0.5)
    moved = s.b.apply("add", value.atom, real(value.dtype, offset))
    return Value(moved, value.lo + offset, value.hi + offset, exact=False)


def gathered(s: Scope, dtype: DType) -> Value:
    """A scalar, often one into which values of this block that nothing uses have flown."""
    value = s.scalar(dtype)
    if not dtype.is_float or s.dice.chance(0.3):
        return value
    rest = [v for v in s.unused(s.values[s.outer :]) if not v.type.is_array and not v.wild and isinstance(v.atom, Var)]
    for other in rest[-3:]:
        s.world.used.add(other.atom)
        if other.dtype is BOOL:
            mixed = s.b.apply("select", other.atom, value.atom, s.literal(dtype).atom)
        else:
            small = fit(s, other, -2, 2).atom
            same = small if other.dtype is dtype else s.b.apply("convert", small, attrs=(dtype,))
            mixed = s.b.apply("add", value.atom, same)
        value = Value(mixed, min(value.lo - 2, -3), max(value.hi + 2, 3), exact=False)
    return s.add(value) if isinstance(value.atom, Var) else value


def supply(s: Scope, type: Type, lo: float = USUAL[0], hi: float = USUAL[1]) -> Value:
    """A value of exactly this type with elements in [lo, hi]: one in scope, or one made here."""
    if not type.is_array:
        return fit(s, gathered(s, type.dtype), lo, hi)
    if s.dice.chance(0.7):
        found = s.find(lambda v: v.type == type and v.within(lo, hi))
        if found is not None:
            return found
    if s.dice.chance(0.3):
        element = supply(s, Type(type.dtype), lo, hi)
        return s.define(s.b.apply("replicate", element.atom, *type.shape), element.lo, element.hi, exact=element.exact)
    return _supply_map(s, type, lo, hi)


def _supply_map(s: Scope, type: Type, lo: float, hi: float) -> Value:
    """An array made element by element, from an array of the same leading size where there is one."""
    made: list[Value] = []
    size = type.shape[0]
    source = s.find(lambda v: v.type.rank == 1 and v.type.shape[0] == size and v.dtype == type.dtype)

    def body(b: Builder, i: Var) -> tuple[Atom]:
        inner = s.child(b, s.extent(size)[1], (counter(s, i, size),))
        if source is not None:
            inner.define(inner.b.apply("index", source.atom, i), source.lo, source.hi, exact=source.exact)
        if type.rank > 1:
            made.append(supply(inner, type.drop(1), lo, hi))
        else:
            made.append(fit(inner, gathered(inner, type.dtype), lo, hi))
        return (made[0].atom,)

    array = s.b.map_(size, body)[0]
    return s.define(array, made[0].lo, made[0].hi, exact=made[0].exact)


def counter(s: Scope, i: Var, size: Atom) -> Value:
    """The counter of a loop over `size`."""
    return Value(i, 0, max(0, s.extent(size)[1] - 1), below=size)
