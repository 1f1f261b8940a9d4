"""Programs in which two places may be one, told apart: what is one element is seen to be one.

    x[i] += x[j]        becomes        if i == j:  x[i] += x[i]        else:  x[i] += x[j]

In one arm the places are known to differ, and in the other one they are the same, so that a read of the one is what was
written at the other. Where both arms can be undone, nothing has to be assumed, nor checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.build import Builder
from ..ir.core import Block, Function, If, Lambda, Stm
from ..ir.types import I64, Atom, Lit, Type, Var, i64
from ..ir.walk import free_vars, fresh, inline, map_lambdas, substitute
from ..passes import simplify
from ..passes.affine import Affine
from ..passes.notes import Notes
from .solving import Assumed

MOST_PAIRS = 3


def told_apart(block: Block, assumed: Sequence[Assumed]) -> Block | None:
    """The block with cases for pairs of indices that may be equal; None if there are none to tell, or too many."""
    pairs = list(dict.fromkeys(_pairs(assumed)))
    if not 0 < len(pairs) <= MOST_PAIRS:
        return None
    outside = frozenset(free_vars(block))
    for var, other in pairs:
        block = _with_cases(block, var, other, outside)
    return _simplified(block)


def _pairs(assumed: Sequence[Assumed]) -> Iterator[tuple[Var, Atom]]:
    """Variables, each with a variable or a number that it may be equal to."""
    for forms in assumed:
        one, other = sorted(map(_index, forms), key=str)
        for var, value in ((one, other), (other, one)):
            if isinstance(var, Var) and value is not None:
                yield var, value
                break


def _index(form: Affine) -> Atom | None:
    """The variable or the number that an index is."""
    match [*form.terms.items()]:
        case []:
            return i64(form.const)
        case [(name, 1)] if form.const == 0:
            return Var(name, Type(I64))
        case _:
            return None


def _with_cases(block: Block, var: Var, other: Atom, known: frozenset[Var]) -> Block:
    """The block with cases from where both are known, there or in a block within.

    The one that is known later becomes the other one: what reads it stands in the cases.
    """
    stms: list[Stm] = []
    for number, stm in enumerate(block.stms):
        if isinstance(other, Var) and var in known and other not in known:
            var, other = other, var
        if var in known and (isinstance(other, Lit) or other in known):
            return _cases(Block((*stms, *block.stms[number:]), block.results), number, var, other)

        def within(lam: Lambda, pair: tuple[Var, Atom] = (var, other), known: frozenset[Var] = known) -> Lambda:
            return Lambda(lam.params, _with_cases(lam.body, *pair, known | {*lam.params}))

        stms.append(Stm(stm.vars, map_lambdas(stm.expr, within), stm.pos))
        known |= {*stm.vars}
    return Block(tuple(stms), block.results)


def _cases(block: Block, start: int, var: Var, other: Atom) -> Block:
    """The block with what follows its first statements in two cases."""
    tail = Block(block.stms[start:], block.results)
    made = {var for stm in tail.stms for var in stm.vars}
    if any(size in made for result in block.results for size in result.type.shape):
        return block
    b = Builder(tail.stms[0].pos)
    b.stms += block.stms[:start]
    same = b.apply("eq", var, other)
    equal = substitute(inline(Lambda((), tail), ()), {var: other})
    ends = [fresh("t", result.type) for result in block.results]
    b.stms.append(Stm(tuple(ends), If(same, equal, tail), b.pos))
    return b.block(ends)


def _simplified(block: Block) -> Block:
    free = free_vars(block)
    sizes = {size for var in free for size in var.type.shape}
    return simplify.run(Function("block", tuple(var for var in free if var not in sizes), block), Notes()).body
