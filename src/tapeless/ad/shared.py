"""Values that two operators of the return sweep need at each index: computed once and kept, where that is cheaper.

What a body contributes to large arrays is added up by an operator of its own, apart from the operators that make the
other contributions, so the body runs in both:

    x_adj = map i { s = ...; f(s) };    w_adj = reduce i { s = ...; g(s) }

Redundant execution is right for cheap bodies. But a value s that takes many operations for each of its elements (a row
of a matrix product takes as many as the matrices have columns) is better kept, at one store and two loads for each:

    k = map i { s = ...; s };    x_adj = map i { f(k[i]) };    w_adj = reduce i { g(k[i]) }
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Apply, Block, Expr, Lambda, Map, Reduce, Stm
from ..ir.types import Atom, Lit, Var
from ..ir.walk import refresh
from ..passes.cost import UNKNOWN_TRIPS, block_cost
from ..passes.uses import bound_names, mentioned, slice_for
from .values import mentions

# So many operations for each element make a value worth keeping.
WORTH = 64.0


def keep_shared(b: Builder, size: Atom, i: Var, block: Block, parts: Sequence[Sequence[Atom]]) -> Block:
    """The body that takes from arrays what is worth keeping of what all `parts` of its values are made of.

    The arrays are made in `b`, by a map over the indices.
    """
    kept = _worth_keeping(i, block, parts)
    if not kept:
        return block
    kept = _with_what_is_made(i, block, parts, kept)
    maker = refresh(Lambda((i,), slice_for(block, kept, checks=True)))
    arrays = b.bind([var.type.stacked(size) for var in kept], Map(size, maker), "kept")
    reads = [Stm((var,), Apply("index", (array, i)), b.pos) for var, array in zip(kept, arrays, strict=True)]
    rest = [stm for stm in block.stms if not any(var in kept for var in stm.vars)]
    wanted = [x for part in parts for x in part]
    return Block(slice_for(Block((*reads, *rest), ()), wanted, checks=True).stms, block.results)


def _worth_keeping(i: Var, block: Block, parts: Sequence[Sequence[Atom]]) -> list[Var]:
    """Values that all parts need, and that are worth it: the last ones, or those before if these are fewer."""
    late, early = (_last_shared(i, block, parts, forms) for forms in ((Map, Reduce, Apply), (Map, Reduce)))
    return early if len(early) < len(late) else late


def _with_what_is_made(i: Var, block: Block, parts: Sequence[Sequence[Atom]], kept: list[Var]) -> list[Var]:
    """Also what is made on the way to values that are kept, and needed again beside them: if that is worth it."""
    local = bound_names(block) | {i.name}
    while True:
        made = {var.name for stm in slice_for(block, kept, checks=False).stms for var in stm.vars}
        rest = Block(tuple(stm for stm in block.stms if not any(var in kept for var in stm.vars)), ())
        needed = slice_for(rest, [x for part in parts for x in part], checks=False)
        again = [stm for stm in needed.stms if isinstance(stm.expr, Map | Reduce | Apply)]
        names = mentioned(needed) | {x.name for part in parts for x in part if isinstance(x, Var)}
        for stm in reversed(again):
            wanted = [var for var in stm.vars if var.name in names]
            if all(var.name in made and _is_worth_it(var, block, local) for var in wanted):
                kept = [*kept, *wanted]
                break
        else:
            return kept


def _last_shared(i: Var, block: Block, parts: Sequence[Sequence[Atom]], forms: tuple[type[Expr], ...]) -> list[Var]:
    """The last values made by these forms on the way to the results that all parts need, and that are worth it.

    Loops are not among the forms: they keep states of their own, which are too many to be kept for all indices.
    """
    local = bound_names(block) | {i.name}
    needs = [{x.name for x in part if isinstance(x, Var)} for part in parts]
    kept: list[Var] = []
    for stm in reversed(block.stms):
        wanted = [var for var in stm.vars if any(var.name in names for names in needs)]
        shared = all(any(var.name in names for var in wanted) for names in needs)
        if shared and isinstance(stm.expr, forms) and all(_is_worth_it(var, block, local) for var in wanted):
            kept += wanted
            continue
        for names in needs:
            if any(var.name in names for var in stm.vars):
                names.update(mentioned(stm))
    return kept


def _is_worth_it(var: Var, block: Block, local: set[str]) -> bool:
    """Is a value of one size for all indices expensive for each of its elements?"""
    elements = 1.0
    for size in var.type.shape:
        elements *= float(size.value) if isinstance(size, Lit) else UNKNOWN_TRIPS
    cost = block_cost(slice_for(block, (var,), checks=False))
    return not mentions(var.type, local) and cost >= WORTH * max(1.0, elements)
