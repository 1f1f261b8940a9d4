"""What a loop notes of its states on its way, to be compared with what running backwards finds.

Let y_i be the state before iteration i. Of some of them, at most `PLACES`, two numbers of each inexact value are noted
(`marks`): a weighted sum w . y_i, and the largest magnitude. Running backwards, the sum is computed again of what is
found. Errors d of N elements change it by w . d, which is of the size of |d| unless they happen to cancel; it may
differ by sqrt(N) times

    the largest of  `DRIFT` times the largest number there or at the next place,
                    `DUST` times the largest number of all: what rounding leaves of values smaller than they will be.

Looked at is one state in each part of the loop, which has 2^s iterations: four, or more where there would be too many
parts. Places are spread over the parts by the golden ratio, so that they meet all phases of what goes round. What is
wrong for a part of the loop at a time, and right before and after, may be missed.
Where these are depends on the counter alone, and noting adds to zeros: a loop that notes has an inverse if it had one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Atoms, Builder
from ..ir.core import For, Lambda, Stm
from ..ir.types import F64, Atom, Lit, Var, i64
from ..ir.walk import fresh
from ..records import dataclass
from .marks import mark, mark_type, root_of_size, top
from .near import DRIFT, DUST
from .values import zeros
from .witness import NOTHING, Witness, unless_all

PLACES = 64
# Looking at an array costs about as much as a step of a stencil: no more than each fourth state is looked at.
LEAST_SHIFT = 2

# The golden ratio less one, in parts of 2^16.
_PHI = 40503


@dataclass(frozen=True, slots=True)
class Noted(Witness):
    """Sums and magnitudes of each noted value, by its number; a part of the loop has 2^`shift` iterations."""

    shift: Atom
    sums: Mapping[int, Var]
    tops: Mapping[int, Var]

    def values(self) -> Atoms:
        """The shift, sums and magnitudes."""
        return (self.shift, *self.sums.values(), *self.tops.values())

    def renamed(self, values: Sequence[Var]) -> Noted:
        """Made of these instead."""
        shift, *rest = values
        sums, tops = rest[: len(self.sums)], rest[len(self.sums) :]
        return Noted(shift, dict(zip(self.sums, sums, strict=True)), dict(zip(self.tops, tops, strict=True)))

    def dust(self, b: Builder, lasts: Sequence[Atom]) -> Mapping[int, Atom]:
        found: dict[int, Atom] = {}
        for k, tops in self.tops.items():
            largest = b.apply("max", top(b, tops), top(b, lasts[k]))
            found[k] = b.apply("mul", largest, Lit(DUST[lasts[k].type.dtype], F64))
        return found

    def compared(self, b: Builder, i: Atom, values: Sequence[Atom], carried: Atoms, dust: Mapping[int, Atom]) -> Atoms:
        here, row = _place(b, i, self.shift)

        def compare(b: Builder) -> Atoms:
            return (unless_all(b, [self._is_same(b, k, row, values[k], dust) for k in self.sums]),)

        return (b.apply("add", carried[0], b.if_(here, compare, lambda _b: (i64(0),))[0]),)

    def _is_same(self, b: Builder, k: int, row: Atom, value: Atom, dust: Mapping[int, Atom]) -> Atom:
        noted, found = b.apply("index", self.sums[k], row), mark(b, value)
        if k not in self.tops:
            return b.apply("eq", noted, found)
        after = b.apply("min", b.apply("add", row, i64(1)), i64(PLACES - 1))
        largest = b.apply("max", b.apply("index", self.tops[k], row), b.apply("index", self.tops[k], after))
        limit = b.apply("max", b.apply("mul", largest, Lit(DRIFT[value.type.dtype], F64)), dust[k])
        error = b.apply("abs", b.apply("sub", found, noted))
        return b.apply("le", error, b.apply("mul", limit, root_of_size(b, value)))


def noting(b: Builder, stm: Stm, which: Sequence[int]) -> Witness:
    """Let a loop that was emitted into `b` note its carried values `which`."""
    expr = stm.expr
    if not which or not isinstance(expr, For):
        return NOTHING
    at, before = b.stms.index(stm), Builder(stm.pos)
    shift = _shift(before, expr.count)
    kept = [(k, note) for k in which for note in ((mark, top) if expr.init[k].type.dtype.is_float else (mark,))]
    types = [mark_type(expr.init[k].type).stacked(i64(PLACES)) for k, _ in kept]
    params, finals = ([fresh("noted", type) for type in types] for _ in range(2))
    body = _noting(expr.body, shift, kept, params)
    loop = For(expr.count, (*expr.init, *(zeros(before, type) for type in types)), body)
    b.stms[at : at + 1] = [*before.stms, Stm((*stm.vars, *finals), loop, stm.pos)]
    sums, tops = ({k: x for (k, note), x in zip(kept, finals, strict=True) if note is wanted} for wanted in (mark, top))
    return Noted(shift, sums, tops)


def _noting(body: Lambda, shift: Atom, kept: Sequence[tuple[int, object]], params: Sequence[Var]) -> Lambda:
    """The iteration of a loop that also adds what is noted of its start to arrays."""
    inner, state = Builder(), body.params[1:]
    here, row = _place(inner, body.params[0], shift)

    def note(b: Builder) -> Atoms:
        made = [top(b, state[k]) if note is top else mark(b, state[k]) for k, note in kept]
        return tuple(b.apply("accumulate", param, x, row) for param, x in zip(params, made, strict=True))

    noted = inner.if_(here, note, lambda _b: params)
    results = (*inner.splice(body.body), *noted)
    return Lambda((*body.params, *params), inner.block(results))


def _shift(b: Builder, count: Atom) -> Atom:
    """The least s with PLACES 2^s >= count."""
    if isinstance(count, Lit):
        return i64(max(LEAST_SHIFT, (max(0, int(count.value) - 1) // PLACES).bit_length()))

    def is_short(b: Builder, shift: Var) -> Atoms:
        return (b.apply("lt", b.apply("shl", i64(PLACES), shift), count),)

    def longer(b: Builder, shift: Var) -> Atoms:
        return (b.apply("add", shift, i64(1)),)

    return b.while_((i64(LEAST_SHIFT),), is_short, longer)[0]


def _place(b: Builder, i: Atom, shift: Atom) -> tuple[Atom, Atom]:
    """Is the state before iteration i looked at? And which part of the loop is it in?"""
    part = b.apply("shr", i, shift, hint="part")
    inside = b.apply("sub", i, b.apply("shl", part, shift))
    phase = b.apply("and", b.apply("mul", part, i64(_PHI)), i64(0xFFFF))
    place = b.apply("shr", b.apply("shl", phase, shift), i64(16))
    return b.apply("eq", inside, place), part
