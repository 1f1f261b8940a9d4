"""Sums over what is changed by them: reflections, `x -= 2 * (v @ x) / (v @ v) * v`, `A -= 2 * np.outer(w, w @ A)`.

Let t be such a sum, t = f(x). Were it known, x would follow from what it became, x = g(t). So t = f(g(t)), with x no
more. If that is affine, f(g(t)) = a + c t,

    t = a / (1 - c)

with a the sum over what x became, and c the sum over what the change does: -1 for a reflection, n for `x += np.sum(x)`.
Arrays of sums are solved place by place. That 1 - c is not nearly zero is checked when the inverse runs: a projection
comes to 0, and has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.build import Builder, is_literal
from ..ir.core import Apply, Block, Check, Function, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Type, Var
from ..ir.walk import fresh, operands, statements
from ..passes import dce
from ..passes.notes import Notes
from .slopes import NotAffine, slope_of
from .solving import CannotInvert, Solving, without_words

LOST = "what is changed by a sum over itself must leave that sum in sight for this to be undone"
WORST = 1000.0  # how much rounding may be amplified
MOST_TRIES = 6


def solve_fixed_points(s: Solving) -> bool:
    """Learn a sum over unknown values that these were changed by; was there one?"""
    if not s.checks or s.supposes or not s.wanted:
        return False
    for tried, stm in enumerate(_sums(s)):
        if tried == MOST_TRIES:
            break
        with s.b.at(stm.pos):
            value = _fixed_point(s, stm)
        if value is not None:
            s.learn(stm.vars[0], value)
            return True
    return False


def _sums(s: Solving) -> Iterator[Stm]:
    """Statements that make one unknown float or array of floats by sums, also of a few summands each."""
    used: dict[Atom, int] = {}
    for stm in statements(s.block):
        for atom in operands(stm.expr):
            used[atom] = used.get(atom, 0) + 1
    unknown = [stm for stm in s.block.stms if len(stm.vars) == 1 and s.try_value(stm.vars[0]) is None]
    floats = [stm for stm in unknown if stm.vars[0].type.dtype.is_float]
    yield from (stm for stm in floats if _holds_sum(stm))
    for stm in floats:
        match stm.expr:
            case Map() if not _holds_sum(stm) and _reads_several(stm):
                yield stm
            case Apply("add", _) if used.get(stm.vars[0], 0) > 1:
                yield stm
            case _:
                pass


def _holds_sum(stm: Stm) -> bool:
    return any(isinstance(inner.expr, Reduce) for inner in statements(Block((stm,), ())))


def _reads_several(stm: Stm) -> bool:
    """Does a loop read an array at several literal places, as a sum of a few rows does?"""
    reads: dict[Atom, int] = {}
    for inner in statements(Block((stm,), ())):
        match inner.expr:
            case Apply("index", (array, *at)) if any(isinstance(i, Lit) for i in at):
                reads[array] = reads.get(array, 0) + 1
            case _:
                pass
    return any(count > 1 for count in reads.values())


def _fixed_point(s: Solving, stm: Stm) -> Atom | None:
    """The value of a sum from the equation that what follows from it makes it again."""
    (var,) = stm.vars
    try:
        t = fresh("t", s.type(var.type))
        trial = s.supposing(stm, t)
        part = dce.run(Function("part", (), without_words(Block((stm,), (var,)))), Notes()).body
        code = trial.b.block(trial.computed(part))
        code = Block(tuple(made for made in code.stms if not isinstance(made.expr, Check)), code.results)
        b = s.b.child()
        b.stms.append(Stm((t,), _zeros(t.type), b.pos))
        b.stms += code.stms
        slope = slope_of(b, code, t)
    except (CannotInvert, NotAffine):
        return None
    if _is_one(slope, b):
        return None  # t = t says nothing
    s.b.splice(b.block(()))
    return _solved(s.b, code.results[0], slope)


def _is_one(slope: Atom, b: Builder) -> bool:
    """Is a slope the number 1, everywhere?"""
    made = next((stm.expr for stm in b.stms if slope in stm.vars), None)
    return is_literal(slope, 1) or (isinstance(made, Apply) and made.op == "replicate" and is_literal(made.args[0], 1))


def _zeros(type: Type) -> Apply:
    zero = Lit(0.0, type.dtype)
    return Apply("replicate", (zero, *type.shape)) if type.shape else Apply("add", (zero, zero))


def _solved(b: Builder, rest: Atom, slope: Atom) -> Atom:
    """`rest / (1 - slope)`, place by place."""
    if rest.type.shape:

        def place(inner: Builder, i: Var) -> list[Atom]:
            return [_solved(inner, inner.apply("index", rest, i), inner.apply("index", slope, i))]

        return b.map_(rest.type.shape[0], place)[0]
    dtype = rest.type.dtype
    below = b.apply("sub", Lit(1.0, dtype), slope)
    large = b.apply("mul", b.apply("abs", below), Lit(WORST, dtype))
    b.check("assert", b.apply("gt", large, b.apply("add", b.apply("abs", slope), Lit(1.0, dtype))), info=LOST)
    return b.apply("div", rest, below)
