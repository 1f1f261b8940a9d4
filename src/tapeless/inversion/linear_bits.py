"""Integers whose bits become sums of their bits, by exclusive or: `x ^ rotated(x, 19) ^ rotated(x, 28)`, as in ciphers.

Shifts, rotations, masks and `^` are linear maps of the bits: r = M x + c over the field of two elements. M is known
when the inverse is compiled, and so is whether it can be undone. With N = M + 1, each round of

    x = r;  repeat: x = x ^ f(x) ^ r

multiplies what is wrong with x by N. Where some power of N is 0, as for sums of shifts one way and for odd numbers of
rotations, nothing is wrong after so many rounds. Else the columns of the inverse of M are added for the bits of r - c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ir.build import Builder
from ..ir.core import Apply
from ..ir.types import BOOL, Atom, Lit, Var, i64
from .solving import Solving

Matrix = Sequence[int]  # for each bit of a result, the bits of the unknown that it is the sum of


class _NotLinear(Exception):
    """A value is no linear map of the bits of one unknown."""


class _Bit(NamedTuple):
    """A sum of bits of the unknown, and perhaps of something that is known."""

    of: int
    known: bool

    @property
    def is_zero(self) -> bool:
        return not self.of and not self.known


def undo_linear(s: Solving, result: Var, value: Atom) -> None:
    """Learn the one unknown number that a known result is made of, if it is made of its bits in a way that tells it."""
    dtype = result.type.dtype
    if result.type.shape or dtype.is_float or dtype is BOOL:
        return
    reading = _Reading(s, 8 * dtype.itemsize)
    try:
        matrix = [bit.of for bit in reading.defined(result)]
    except _NotLinear:
        return
    unknown, inverse = reading.unknown, _inverse(matrix)
    if unknown is None or unknown == result or inverse is None:
        return
    rounds = _rounds(matrix)
    if rounds is None:
        s.learn(unknown, _by_columns(s, reading, result, value, inverse))
    else:
        s.learn(unknown, _by_rounds(s, reading, result, value, rounds))


class _Reading:
    """Reads a value as sums of the bits of what is unknown in it: of one number."""

    def __init__(self, s: Solving, bits: int) -> None:
        self.s, self.bits = s, bits
        self.unknown: Var | None = None

    def defined(self, var: Var) -> list[_Bit]:
        """A variable by its definition, whether it is known or not."""
        match self.s.definition(var):
            case Apply("xor" | "or" | "add" as op, (x, y)):
                return [_sum(op, *pair) for pair in zip(self._of(x), self._of(y), strict=True)]
            case Apply("not", (x,)):
                return [_Bit(bit.of, True) for bit in self._of(x)]
            case Apply("and", (x, Lit(mask)) | (Lit(mask), x)):
                return [bit if int(mask) >> k & 1 else _ZERO for k, bit in enumerate(self._of(x))]
            case Apply("shl" | "shr" | "lshr" as op, (x, Lit(places))) if 0 <= places < self.bits:
                return _shifted(op, self._of(x), int(places))
            case _:
                return self._unknown_bits(var)

    def _of(self, atom: Atom) -> list[_Bit]:
        if isinstance(atom, Lit):
            return [_Bit(0, bool(int(atom.value) >> k & 1)) for k in range(self.bits)]
        if self.s.try_value(atom) is not None:
            return [_Bit(0, True)] * self.bits
        return self.defined(atom)

    def _unknown_bits(self, var: Var) -> list[_Bit]:
        if self.unknown not in {None, var}:
            raise _NotLinear
        self.unknown = var
        return [_Bit(1 << k, False) for k in range(self.bits)]

    def emit(self, b: Builder, var: Var, guess: Atom) -> Atom:
        """The value of a variable by its definition, if the unknown were this."""
        return self._emit_defined(b, var, {self.unknown: guess})

    def _emit_defined(self, b: Builder, var: Var, made: dict[Var | None, Atom]) -> Atom:
        expr = self.s.definition(var)
        assert isinstance(expr, Apply)
        return b.apply(expr.op, *(self._emit(b, arg, made) for arg in expr.args))

    def _emit(self, b: Builder, atom: Atom, made: dict[Var | None, Atom]) -> Atom:
        if not isinstance(atom, Var) or self.s.try_value(atom) is not None:
            return self.s.value(atom)
        if atom not in made:
            made[atom] = self._emit_defined(b, atom, made)
        return made[atom]


_ZERO = _Bit(0, False)


def _sum(op: str, x: _Bit, y: _Bit) -> _Bit:
    """`or` and `add` are sums of bits where one of them is surely zero; then nothing carries."""
    if op != "xor" and not (x.is_zero or y.is_zero):
        raise _NotLinear
    return _Bit(x.of ^ y.of, x.known or y.known)


def _shifted(op: str, bits: list[_Bit], places: int) -> list[_Bit]:
    if op == "shl":
        return [_ZERO] * places + bits[: len(bits) - places]
    return bits[places:] + [_ZERO if op == "lshr" else bits[-1]] * places


# -- matrices over the field of two elements ------------------------------------------------------


def _inverse(matrix: Matrix) -> list[int] | None:
    """The inverse by Gauss and Jordan, None if there is none: rows carry what they are made of above their own bits."""
    n = len(matrix)
    rows = [row | 1 << (n + k) for k, row in enumerate(matrix)]
    for column in range(n):
        pivot = next((k for k in range(column, n) if rows[k] >> column & 1), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for k in range(n):
            if k != column and rows[k] >> column & 1:
                rows[k] ^= rows[column]
    return [row >> n for row in rows]


def _rounds(matrix: Matrix) -> int | None:
    """The least power of `matrix + 1` that is zero, None if none is."""
    wrong = [row ^ 1 << k for k, row in enumerate(matrix)]
    power, rounds = wrong, 1
    while any(power):
        if rounds == len(matrix):
            return None
        power, rounds = _product(power, wrong), rounds + 1
    return rounds


def _product(one: Matrix, other: Matrix) -> list[int]:
    rows: list[int] = []
    for row in one:
        total = 0
        for k, summand in enumerate(other):
            if row >> k & 1:
                total ^= summand
        rows.append(total)
    return rows


# -- code -----------------------------------------------------------------------------------------


def _by_rounds(s: Solving, reading: _Reading, result: Var, value: Atom, rounds: int) -> Atom:
    def step(b: Builder, _: Var, guess: Var) -> list[Atom]:
        return [b.apply("xor", b.apply("xor", guess, reading.emit(b, result, guess)), value)]

    return s.b.for_(i64(rounds), (value,), step)[0]


def _by_columns(s: Solving, reading: _Reading, result: Var, value: Atom, inverse: Matrix) -> Atom:
    dtype, n = result.type.dtype, len(inverse)

    def number(bits: int) -> Lit:
        return Lit(bits - (bits >> (n - 1) << n), dtype)

    rest = s.b.apply("xor", value, reading.emit(s.b, result, number(0)))
    columns = [sum((row >> k & 1) << place for place, row in enumerate(inverse)) for k in range(n)]
    table = s.b.apply("stack", *map(number, columns))

    def step(b: Builder, k: Var, rest: Var, total: Var) -> list[Atom]:
        lowest = b.apply("neg", b.apply("and", rest, number(1)))
        more = b.apply("and", b.apply("index", table, k), lowest)
        return [b.apply("lshr", rest, number(1)), b.apply("xor", total, more)]

    return s.b.for_(i64(n), (rest, number(0)), step)[1]
