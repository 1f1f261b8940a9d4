"""Productions of branches and loops.

A carried value has declared bounds that every iteration keeps, and most steps contract, so that a
rounding error does not grow from iteration to iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.types import BOOL, Atom, Type, Var, i64
from .bounds import USUAL, counter, fit, supply
from .indexing import STEP, progression, written
from .scalars import condition
from .scope import Production, Scope, Value, real


def branch(s: Scope) -> bool:
    """An if with one to three results of types in scope."""
    types = [_result_type(s) for _ in range(s.dice.between(1, 3))]
    cond = s.scalar(BOOL).atom if s.dice.chance(0.4) else condition(s)
    made: list[list[Value]] = []

    def arm(b: Builder) -> Sequence[Atom]:
        inner = s.child(b, 1)
        inner.grow(s.dice.between(0, 3))
        made.append([supply(inner, type) for type in types])
        return [value.atom for value in made[-1]]

    for atom, left, right in zip(s.b.if_(cond, arm, arm), *made, strict=True):
        s.define(atom, min(left.lo, right.lo), max(left.hi, right.hi), exact=left.exact and right.exact)
    return True


def _result_type(s: Scope) -> Type:
    """A scalar type, or the type of an array in scope."""
    array = s.find(lambda v: v.type.is_array and not v.wild) if s.dice.chance(0.3) else None
    return array.type if array is not None else Type(s.any_type())


def ragged_branch(s: Scope) -> bool:
    """Arms that return slices of different sizes: the size is a result as well."""
    array = s.find(lambda v: v.type.is_array)
    if array is None:
        return False
    size = array.type.shape[0]
    start, count, step = progression(s, size)
    known = (s.extent(count), s.extent(size))

    def shorter(b: Builder) -> tuple[Atom]:
        return (b.apply("slice", array.atom, start, count, step),)

    def whole(b: Builder) -> tuple[Atom]:
        return (b.apply("slice", array.atom, i64(0), size, i64(1)),)

    result = s.b.if_(s.scalar(BOOL).atom, shorter, whole)[0]
    new = result.type.shape[0]
    if new not in s.known and isinstance(new, Var):
        s.define(new, min(lo for lo, _ in known), max(hi for _, hi in known))
    s.define(result, array.lo, array.hi, exact=array.exact, below=array.below)
    return True


def counted(s: Scope) -> bool:
    """A for loop over random carried values."""
    n = s.count()
    carried = choose_carried(s, n.hi)

    def body(b: Builder, i: Var, *xs: Var) -> Sequence[Atom]:
        inner = s.child(b, n.hi, (counter(s, i, n.atom), *_renamed(carried, xs)))
        inner.grow(s.dice.between(1, 4))
        return [advance(inner, inner.known[x], n.hi).atom for x in xs]

    define_carried(s, s.b.for_(n.atom, [init.atom for init, _ in carried], body), carried)
    return True


def conditional(s: Scope) -> bool:
    """A while loop that counts, and may stop earlier when a carried float passes a bound."""
    n = s.count()
    carried = choose_carried(s, n.hi)
    watched = next((k for k, (_, value) in enumerate(carried) if value.type == Type(value.dtype)), None)

    def cond(b: Builder, k: Var, *xs: Var) -> tuple[Atom]:
        more = b.apply("lt", k, n.atom)
        if watched is None or carried[watched][1].dtype is BOOL:
            return (more,)
        x = carried[watched][1]
        stop = s.literal(x.dtype, x.hi / 3, x.hi) if x.dtype.is_int else Value(real(x.dtype, x.hi * 0.7123), 0, 0)
        return (b.apply("and", more, b.apply("lt", xs[watched], stop.atom)),)

    def body(b: Builder, k: Var, *xs: Var) -> Sequence[Atom]:
        count = Value(k, 0, max(0, n.hi - 1), below=n.atom)
        inner = s.child(b, n.hi, (count, *_renamed(carried, xs)))
        inner.grow(s.dice.between(1, 3))
        results = [advance(inner, inner.known[x], n.hi).atom for x in xs]
        return (inner.b.apply("add", k, i64(s.dice.between(1, 2))), *results)

    outs = s.b.while_((i64(0), *(init.atom for init, _ in carried)), cond, body)
    s.define(outs[0], 0, n.hi + 1)
    define_carried(s, outs[1:], carried)
    return True


Carried = list[tuple[Value, Value]]  # the initial value, and what holds of it in every iteration


def choose_carried(s: Scope, trips: float) -> Carried:
    """One to three values to carry, with the bounds that the loop will keep."""
    found: Carried = []
    for _ in range(s.dice.between(1, 3)):
        array = s.find(lambda v: v.type.is_array and not v.wild) if s.dice.chance(0.5) else None
        init = array or fit(s, s.scalar(s.any_type()), *USUAL)
        widest = max(abs(init.lo), abs(init.hi)) + 4 + 2 * STEP[1] * trips
        if init.dtype is BOOL:
            found.append((init, Value(init.atom, 0, 1)))
        else:
            found.append((init, Value(init.atom, -widest, widest, exact=init.dtype.is_int)))
    return found


def _renamed(carried: Carried, xs: Sequence[Var]) -> list[Value]:
    return [Value(x, value.lo, value.hi, value.exact) for x, (_, value) in zip(xs, carried, strict=True)]


def define_carried(s: Scope, outs: Sequence[Var], carried: Carried) -> None:
    """Bring the results of a loop into scope."""
    for out, (_, value) in zip(outs, carried, strict=True):
        s.define(out, value.lo, value.hi, exact=value.exact)


def advance(s: Scope, x: Value, trips: float) -> Value:
    """The next value of a carried one, within the bounds that `choose_carried` declared."""
    if x.type.is_array:
        return _advance_array(s, x, trips)
    if x.dtype is BOOL:
        other = s.scalar(BOOL)
        return s.define(s.b.apply(s.dice.pick(("and", "or", "xor")), x.atom, other.atom), 0, 1)
    match s.dice.below(5):
        case 0:  # a sum, perhaps under a condition
            term = fit(s, s.scalar(x.dtype), *STEP)
            total = s.b.apply("add", x.atom, term.atom)
            if s.dice.chance(0.5):
                total = s.b.apply("select", s.scalar(BOOL).atom, total, x.atom)
            return s.define(total, x.lo, x.hi, exact=False)
        case 1:
            term = fit(s, s.scalar(x.dtype), *USUAL)
            op = s.dice.pick(("min", "max"))
            return s.define(s.b.apply(op, x.atom, term.atom), x.lo, x.hi, exact=x.exact and term.exact)
        case 2 if trips <= 6 or not x.dtype.is_float:
            return fit(s, s.scalar(x.dtype), *USUAL)
        case 3:
            return x
        case _ if x.dtype.is_float:
            half = s.b.apply("mul", x.atom, real(x.dtype, s.dice.uniform(-0.6, 0.6)))
            return s.define(s.b.apply("add", half, fit(s, s.scalar(x.dtype), -1, 1).atom), x.lo, x.hi, exact=False)
        case _:
            moved = s.b.apply("add", x.atom, fit(s, s.scalar(x.dtype), *STEP).atom)
            return s.define(moved, x.lo, x.hi)


def _advance_array(s: Scope, x: Value, trips: float) -> Value:
    """A write or two, an exchange with another array, or a whole new array."""
    if s.dice.chance(0.15) and trips <= 6:
        return supply(s, x.type, *USUAL)
    if s.dice.chance(0.15):
        other = s.find(lambda v: v.type == x.type and v.within(x.lo, x.hi))
        return other or x
    once = written(s, x) or x
    twice = written(s, once) if s.dice.chance(0.3) else None
    return twice or once


CONTROL = (
    Production("if", 5, branch, nested=True),
    Production("ragged_if", 0.4, ragged_branch),
    Production("for", 5, counted, nested=True),
    Production("while", 2.5, conditional, nested=True),
)
