"""Early: sizes are computed as soon as what they are made of is known.

    a = map n (i) {...};  m = add n k;  c = concat a b m    ->    m = add n k;  a = map n (i) {...};  c = concat a b m

An array that is only joined to others, or written into a part of another, is built there at once if that other one's
size is known by then (`backend.destinations`). Sums and products of numbers cannot fail.
"""

from __future__ import annotations

from collections import defaultdict

from ..ir.core import Apply, Block, Check, Function, Lambda, Stm
from ..ir.types import I64, Type, Var
from ..ir.walk import map_lambdas, operands
from .notes import Notes

_SAFE = frozenset({"add", "sub", "mul", "min", "max"})


def run(function: Function, _notes: Notes) -> Function:
    """The function with sizes in front."""
    return Function(function.name, function.params, _block(function.body), function.donated)


def _block(block: Block) -> Block:
    wanted, known = _sizes(block), dict[Var, int]()
    behind: defaultdict[int, list[Stm]] = defaultdict(list)
    for number, stm in enumerate(block.stms):
        place = number
        if stm.vars and stm.vars[0] in wanted and _is_safe(stm):
            place = max((known.get(x, -1) for x in operands(stm.expr) if isinstance(x, Var)), default=-1)
        behind[place].append(stm)
        known.update((var, place) for var in stm.vars)
    ordered = (stm for place in range(-1, len(block.stms)) for stm in behind[place])
    return Block(tuple(map(_inside, ordered)), block.results)


def _inside(stm: Stm) -> Stm:
    if isinstance(stm.expr, Apply | Check):
        return stm
    return Stm(stm.vars, map_lambdas(stm.expr, lambda lam: Lambda(lam.params, _block(lam.body))), stm.pos)


def _sizes(block: Block) -> set[Var]:
    """What is made in a block and is a size of arrays in it, or goes into one."""
    wanted = {n for stm in block.stms for var in stm.vars for n in var.type.shape if isinstance(n, Var)}
    for stm in reversed(block.stms):
        if isinstance(stm.expr, Apply) and not wanted.isdisjoint(stm.vars) and _is_safe(stm):
            wanted.update(x for x in stm.expr.args if isinstance(x, Var))
    return wanted


def _is_safe(stm: Stm) -> bool:
    """May it be computed wherever its operands are known?"""
    return isinstance(stm.expr, Apply) and stm.expr.op in _SAFE and stm.vars[0].type == Type(I64)
