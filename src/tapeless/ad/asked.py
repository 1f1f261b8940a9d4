"""Branches whose numbers are read only where a truth value of their own holds.

    x, good = if c { ...; x, good } else { ...; y, False }
    z = if good { ... x ... } else { ... }

Where `good` is false the adjoint of x is zero, whatever the order of the derivative. Where it is true c is true. So the
return sweep takes the first arm only where `good` holds: numbers that have overflowed in it, for which it was not good
enough, never meet that zero. Closed forms of loops are such branches.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.core import Block, If, Stm
from ..ir.types import BOOL, Lit, Var
from ..passes.uses import mentioned


def asked(block: Block) -> dict[str, Var]:
    """The truth value by which the numbers of a branch are asked for, by the name of its first variable."""
    return {
        stm.vars[0].name: good
        for stm in block.stms
        for good in _candidates(stm)
        if _numbers(stm).isdisjoint(_read_elsewhere(block, stm, good))
    }


def _candidates(stm: Stm) -> Iterable[Var]:
    """The truth values that a branch gives, and that are false unless its condition holds."""
    if not isinstance(stm.expr, If) or not _numbers(stm):
        return ()
    pairs = zip(stm.vars, stm.expr.orelse.results, strict=True)
    return [var for var, other in pairs if var.type.dtype is BOOL and isinstance(other, Lit) and not other.value]


def _numbers(stm: Stm) -> set[str]:
    return {var.name for var in stm.vars if var.type.dtype.is_float}


def _read_elsewhere(block: Block, branch: Stm, good: Var) -> set[str]:
    """What is mentioned in a block other than by a branch, and where a truth value holds."""
    found = {atom.name for atom in block.results if isinstance(atom, Var)}
    for stm in block.stms:
        if stm is branch:
            continue
        match stm.expr:
            case If(cond, _, orelse) if cond == good:
                found |= mentioned(orelse)
            case _:
                found |= mentioned(stm)
    return found
