"""Programs in which two places may be one, told apart: what is one element is seen to be one.

    x[i] += x[j]        becomes        if i == j:  x[i] += x[i]        else:  x[i] += x[j]

In one arm the places are known to differ, and in the other one they are the same, so that a read of the one is what was
written at the other. Where both arms can be undone, nothing has to be assumed, nor checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.build import Builder
from ..ir.core import Block, Function, If, Lambda, Stm
from ..ir.types import Var
from ..ir.walk import free_vars, fresh, inline, map_lambdas, substitute
from ..passes import simplify
from ..passes.affine import Affine
from ..passes.notes import Notes
from .solving import Assumed

MOST_PAIRS = 2


def told_apart(block: Block, assumed: Sequence[Assumed]) -> Block | None:
    """The block with cases for pairs of indices that may be equal; None if there are none that are variables."""
    pairs: list[tuple[str, str]] = []
    for one, other in assumed:
        names = _variable(one), _variable(other)
        if names[0] and names[1] and (names[0], names[1]) not in pairs and (names[1], names[0]) not in pairs:
            pairs.append((names[0], names[1]))
    if not 0 < len(pairs) <= MOST_PAIRS:
        return None
    outside = {var.name: var for var in free_vars(block)}
    for one, other in pairs:
        block = _with_cases(block, one, other, outside)
    return _simplified(block)


def _variable(form: Affine) -> str | None:
    """The name of a variable that an index is."""
    match [*form.terms.items()]:
        case [(name, 1)] if form.const == 0:
            return name
        case _:
            return None


def _with_cases(block: Block, one: str, other: str, known: dict[str, Var]) -> Block:
    """The block with cases from where both variables are known, there or in a block within."""
    known = dict(known)
    if one in known and other in known:
        return _cases(block, 0, known[one], known[other])
    stms: list[Stm] = []
    for number, stm in enumerate(block.stms):

        def within(lam: Lambda, known: dict[str, Var] = known) -> Lambda:
            params = {param.name: param for param in lam.params}
            return Lambda(lam.params, _with_cases(lam.body, one, other, known | params))

        stms.append(Stm(stm.vars, map_lambdas(stm.expr, within), stm.pos))
        known |= {var.name: var for var in stm.vars}
        if one in known and other in known:
            return _cases(
                Block((*stms, *block.stms[number + 1 :]), block.results), number + 1, known[one], known[other]
            )
    return Block(tuple(stms), block.results)


def _cases(block: Block, start: int, one: Var, other: Var) -> Block:
    """The block with what follows its first statements in two cases."""
    tail = Block(block.stms[start:], block.results)
    made = {var for stm in tail.stms for var in stm.vars}
    if not tail.stms or any(size in made for result in block.results for size in result.type.shape):
        return block
    b = Builder(tail.stms[0].pos)
    b.stms += block.stms[:start]
    same = b.apply("eq", one, other)
    equal = substitute(inline(Lambda((), tail), ()), {other: one})
    ends = [fresh("t", result.type) for result in block.results]
    b.stms.append(Stm(tuple(ends), If(same, equal, tail), b.pos))
    return b.block(ends)


def _simplified(block: Block) -> Block:
    free = free_vars(block)
    sizes = {size for var in free for size in var.type.shape}
    return simplify.run(Function("block", tuple(var for var in free if var not in sizes), block), Notes()).body
