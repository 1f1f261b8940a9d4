"""Summed: an array to which every iteration adds rows, in a loop of its own.

    for n [a] (i, a) { for m [a, ...] (j, a, ...) { accumulate a v j } }        a: [m] or [m, k], v a number or a row

The inner loop has to be a loop, since it carries more than the array; the outer one is a sum of arrays, made from zeros
in each iteration (`sums`). That is no more work than the rows are: the inner loop runs as often as the array has rows.
So do return sweeps add to the adjoints of parameters that a model has for each of its layers, or for each time step.

Where a branch decides how that is done, by what is the same for all iterations, `decided` tells it: of the two loops
that one becomes when the branch is around it, one is a sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from ..ir.core import Apply, Block, For, If, Stm
from ..ir.types import Atom, Var
from .rewrite import name_of
from .uses import sites as sites_of
from .uses import use_counts

Sites = Mapping[str, tuple[Stm, int]]


def is_summed(param: Var, result: Atom, sites: Sites, uses: Counter[str]) -> bool:
    """Is this what becomes of a carried array?"""
    if not isinstance(result, Var) or result.name not in sites or uses[result.name] != 1 or param.type.rank > 2:
        return False
    stm, k = sites[result.name]
    match stm.expr:
        case For(count, init, body) if init[k] == param and count == param.type.shape[0] and uses[param.name] == 1:
            return _adds_rows(body.params[1 + k], body.body.results[k], body.body, uses)
        case _:
            return False


def decided(param: Var, result: Atom, block: Block, inside: Set[str]) -> Atom | None:
    """The condition of the branch that makes the next value of a carried array, if it is not one of `inside`.

    In one of the arms the array is summed.
    """
    for stm in block.stms:
        if result in stm.vars and isinstance(stm.expr, If) and name_of(stm.expr.cond) not in inside:
            k = stm.vars.index(result)  # type: ignore[arg-type]
            arms = (stm.expr.then, stm.expr.orelse)
            if any(is_summed(param, arm.results[k], sites_of(arm), use_counts(arm)) for arm in arms):
                return stm.expr.cond
    return None


def _adds_rows(array: Var, result: Atom, body: Block, uses: Counter[str]) -> bool:
    """Does an iteration add to one row after another, and nothing else?"""
    makers = {var: stm.expr for stm in body.stms for var in stm.vars}
    while result != array:
        match makers.get(result) if isinstance(result, Var) else None:
            case Apply("accumulate", (before, _, _)) if isinstance(result, Var) and uses[result.name] == 1:
                result = before
            case _:
                return False
    return uses[array.name] == 1
