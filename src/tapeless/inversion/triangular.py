"""Integers that are mixed with a part of themselves: `x ^= x << 13`, as generators of random numbers and hashes do.

In y = x ^ f(x), y = x + f(x) or y = x - f(x), let each bit of f(x) depend only on bits of x that are at least `gap`
places lower. Then the lowest bits of f(x) are known, so those of x follow from y; these tell the next ones:

    x = y;  repeat ceil(bits / gap) times: x = y ^ f(x)         each round makes `gap` more bits right

So they do in sums of more terms, `x ^ (x << 3) ^ (x << 7)`, of which one is x and the others are such f(x).
The same holds from the top with bits that are higher, where nothing carries: `x ^= (x >> 7) & (2**57 - 1)`. A shift to
the right that keeps the sign is no such thing: x ^ (x >> 7) is the same for x and for ~x.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr
from ..ir.types import BOOL, Atom, Lit, Var, i64
from ..ir.walk import statements
from .solving import Solving

_FAMILIES = {"xor": ("xor",), "add": ("add", "sub"), "sub": ("add", "sub")}
MOST_TERMS = 16


class _NotTriangular(Exception):
    """How bits depend on those of the unknown cannot be told."""


class _Moved(NamedTuple):
    """So far, at least and at most, is a bit from the bits of the unknown that it depends on."""

    low: int
    high: int

    def plus(self, places: int) -> _Moved:
        return _Moved(self.low + places, self.high + places)


def undo_triangular(s: Solving, expr: Apply, result: Atom) -> bool:
    """Learn x from the known result of `x ^ f(x)`, `x + f(x)` or `x - f(x)`, and of sums of more such terms.

    Was that done?
    """
    bits = 8 * result.type.dtype.itemsize
    if result.type.shape or result.type.dtype.is_float or result.type.dtype is BOOL:
        return False
    for terms in _sums(s, expr):
        for k, (sign, x) in enumerate(terms):
            others = [*terms[:k], *terms[k + 1 :]]
            if sign < 0 or not isinstance(x, Var) or s.try_value(x) is not None:
                continue
            if (gap := _gap(s, expr.op, x, [other for _, other in others], bits)) > 0:
                s.learn(x, _repeated(s, expr.op, x, others, result, -(-bits // gap)))
                return True
    return False


Terms: TypeAlias = "Sequence[tuple[int, Atom]]"


def _sums(s: Solving, expr: Apply) -> Iterator[Terms]:
    """The two terms of a sum or difference; and all, where unknown ones are sums themselves."""
    two = _terms(expr)
    yield two
    terms, k = list(two), 0
    while k < len(terms) <= MOST_TERMS:
        sign, term = terms[k]
        match _unknown_by(s, term):
            case Apply(op) as inner if op in _FAMILIES[expr.op]:
                terms[k : k + 1] = [(sign * own, x) for own, x in _terms(inner)]
            case _:
                k += 1
    if len(two) < len(terms) <= MOST_TERMS:
        yield terms


def _terms(expr: Apply) -> Terms:
    x, y = expr.args
    return (1, x), (-1 if expr.op == "sub" else 1, y)


def _unknown_by(s: Solving, atom: Atom) -> Expr | None:
    """How an unknown value is made."""
    return s.definition(atom) if isinstance(atom, Var) and s.try_value(atom) is None else None


def _gap(s: Solving, op: str, x: Atom, others: Sequence[Atom], bits: int) -> int:
    """How far bits of the others are from those of x that they depend on, all on one side; 0 where that is not so."""
    try:
        found = [moved for other in others if (moved := _moved(s, other, x, bits)) is not None]
    except _NotTriangular:
        return 0
    if not found:
        return 0
    return max(min(moved.low for moved in found), -max(moved.high for moved in found) if op == "xor" else 0)


def _moved(s: Solving, atom: Atom, x: Atom, bits: int) -> _Moved | None:
    """None for what does not depend on x."""
    if atom == x:
        return _Moved(0, 0)
    if s.try_value(atom) is not None:
        return None
    match s.definition(atom) if isinstance(atom, Var) else None:
        case Apply("and", (masked, Lit(mask))) if (source := _cleared(s, masked, int(mask), bits)) is not None:
            shifted, places = source
            inner = _moved(s, shifted, x, bits)
            return inner and inner.plus(-places)
        case Apply("shl" | "lshr" as op, (shifted, Lit(places))) if 0 <= places < bits:
            inner = _moved(s, shifted, x, bits)
            return inner and inner.plus(int(places) if op == "shl" else -int(places))
        case Apply("and" | "or" | "xor" | "not" as op, args):
            return _either(s, args, x, bits)
        case Apply("add" | "sub" | "neg", args):
            either = _either(s, args, x, bits)
            return either and _Moved(either.low, bits)  # carries go up
        case Apply("mul", (y, z)):
            moved = _moved(s, y, x, bits), _moved(s, z, x, bits)
            lows = [m.low + _zeros(s, w, bits) for m, w in zip(moved, (z, y), strict=True) if m is not None]
            return _Moved(min(lows), bits)
        case _:
            raise _NotTriangular


def _either(s: Solving, args: tuple[Atom, ...], x: Atom, bits: int) -> _Moved | None:
    found = [moved for arg in args if (moved := _moved(s, arg, x, bits)) is not None]
    return _Moved(min(m.low for m in found), max(m.high for m in found)) if found else None


def _zeros(s: Solving, factor: Atom, bits: int) -> int:
    """How many of its lowest bits are zero in any case."""
    if isinstance(factor, Lit):
        number = int(factor.value)
        return (number & -number).bit_length() - 1 if number else bits
    match s.definition(factor):
        case Apply("mul", args):
            return sum(_zeros(s, arg, bits) for arg in args)
        case Apply("shl", (shifted, Lit(places))) if places >= 0:
            return _zeros(s, shifted, bits) + int(places)
        case _:
            return 0


def _cleared(s: Solving, atom: Atom, mask: int, bits: int) -> tuple[Atom, int] | None:
    """What is shifted to the right, and how far, where a mask clears what the sign came to."""
    match s.definition(atom) if isinstance(atom, Var) else None:
        case Apply("shr", (shifted, Lit(places))) if 0 <= places < bits and 0 <= mask < 1 << (bits - int(places)):
            return shifted, int(places)
        case _:
            return None


def _repeated(s: Solving, op: str, x: Var, others: Terms, result: Atom, rounds: int) -> Atom:
    def step(b: Builder, _: Var, guess: Var) -> list[Atom]:
        rest, made = result, dict[Var, Atom]({x: guess})
        for sign, other in others:
            back = "xor" if op == "xor" else "sub" if sign > 0 else "add"
            rest = b.apply(back, rest, _again(s, b, other, made))
        return [rest]

    return s.b.for_(i64(rounds), (result,), step)[0]


def _again(s: Solving, b: Builder, atom: Atom, made: dict[Var, Atom]) -> Atom:
    """Emit a value that depends on the unknown, of which `made` has a guess."""
    if not isinstance(atom, Var) or s.try_value(atom) is not None:
        return s.value(atom)
    if atom not in made:
        expr = s.definition(atom)
        assert isinstance(expr, Apply)
        made[atom] = b.apply(expr.op, *(_again(s, b, arg, made) for arg in expr.args), attrs=expr.attrs)
    return made[atom]


def forgotten_sign(block: Block) -> tuple[int, int] | None:
    """How far a number is shifted to the right, sign and all, before it is mixed with itself; and how long it is."""
    made = {var: stm.expr for stm in statements(block) for var in stm.vars}
    for expr in made.values():
        match expr:
            case Apply("xor", (x, y)):
                for one, other in ((x, y), (y, x)):
                    match made.get(other) if isinstance(other, Var) else None:
                        case Apply("shr", (source, Lit(places))) if source == one:
                            return int(places), 8 * one.type.dtype.itemsize
                        case _:
                            pass
            case _:
                pass
    return None
