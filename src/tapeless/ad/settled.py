"""Settled reads: arrays whose final value can stand for what they held during the loop.

A loop that fills an array, `a[i+1] = f(a[i])`, reads only places that no later iteration writes. Then the array after
the loop holds at these places what the iteration read, and the return sweep needs neither a stack nor a journal. This
is decided by the first index of the one write and of all reads: the same multiple of the counter and otherwise the same
in all iterations, but for a constant by which the read is behind the write.
"""

from __future__ import annotations

from ..ir.core import Apply, Block, Lambda
from ..ir.types import Atom, Var
from ..ir.walk import statements
from ..passes.affine import Affine, form_of
from ..passes.uses import bound_names, use_counts
from .journal import Write


def is_settled(body: Lambda, k: int, writes: list[Write]) -> bool:
    """Does every read of carried array k concern a place that this and all later iterations leave alone?"""
    if len(writes) != 1 or not writes[0].certain or writes[0].access.op != "update":
        return False
    counter, param, write = body.params[0], body.params[k + 1], writes[0]
    defs = {var.name: stm.expr for stm in statements(body.body) for var in stm.vars}
    place = form_of(write.place[0], defs)
    changing = bound_names(body.body) | {other.name for other in body.params[1:]}
    if place.coefficient(counter.name) == 0 or not changing.isdisjoint(place.terms):
        return False
    uses = use_counts(body.body)
    reads = _reads(body.body, param)
    alone = uses[write.out.name] == 1  # the next iteration's array, and nothing else
    return (
        alone
        and len(reads) == uses[param.name] - 1
        and all(_is_behind(form_of(r, defs), place, counter) for r in reads)
    )


def _reads(block: Block, array: Var) -> list[Atom]:
    """The first index of each read of the array, at any depth."""
    return [
        stm.expr.args[1]
        for stm in statements(block)
        if isinstance(stm.expr, Apply) and stm.expr.op == "index" and stm.expr.args[0] == array
    ]


def _is_behind(read: Affine, write: Affine, counter: Var) -> bool:
    """Is the place read one that the write has passed, in every iteration?"""
    ahead = write.plus(read, -1)
    return not ahead.terms and ahead.const * write.coefficient(counter.name) > 0
