"""The same program with every rounded operation off by a few units in the last place.

Two correct implementations may round differently (fused multiply-add, reordered sums, elementary functions of
2 ulp). Where such a difference decides a branch or is amplified, no comparison of results is fair. `jitter`
makes the interpreter itself take such a different path: if its results move, the program is unstable.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Function, Lambda, Stm
from ..ir.types import F32, Type, Var
from ..ir.walk import fresh, map_lambdas
from .dice import Dice
from .scope import real

# Float operations that move, select or decide, but never round.
EXACT = {
    "neg", "abs", "sign", "min", "max", "fmin", "fmax", "copysign", "select", "bitcast",
    "floor", "ceil", "trunc", "rint", "floordiv", "index", "convert",
}  # fmt: skip
ULPS = 4


def jitter(function: Function, seed: int) -> Function:
    """`function` with random relative errors of at most `ULPS` units after every rounded scalar operation."""
    dice = Dice(seed)

    def block(old: Block) -> Block:
        return Block(tuple(new for stm in old.stms for new in statement(stm)), old.results)

    def statement(stm: Stm) -> tuple[Stm, ...]:
        if isinstance(stm.expr, Apply):
            return _disturbed(stm, stm.expr, dice)
        return (Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, block(lam.body))), stm.pos),)

    return Function(function.name, function.params, block(function.body), function.donated)


def _disturbed(stm: Stm, expr: Apply, dice: Dice) -> tuple[Stm, ...]:
    out = stm.vars[0]
    if expr.op in EXACT or out.type.is_array or not out.type.dtype.is_float:
        return (stm,)
    unit = 2.0**-23 if out.type.dtype is F32 else 2.0**-52
    factor = real(out.type.dtype, 1.0 + dice.between(-ULPS, ULPS) * unit)
    raw: Var = fresh(out.name, Type(out.type.dtype))
    return Stm((raw,), expr, stm.pos), Stm((out,), Apply("mul", (raw, factor)), stm.pos)
