"""Parallel loops that tell nothing one by one, but together: columns or halves of an array that change into each other.

    p, q = a[:, 1].copy(), a[:, 2].copy()
    a[:, 1] = c * p - s * q
    a[:, 2] = s * p + c * q

Each column is made by a loop of its own, since the first one is written in between. Those of one size whose results are
known are solved as one loop, whose body has the statements of all: there two equations are one system.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.core import Block, Lambda, Map, Stm
from ..ir.types import I64, Atom, Type, Var
from ..ir.walk import free_vars, fresh, inline
from .see_through import with_reads_once
from .solving import Solving
from .undo_forms import undo_elements

MOST_LOOPS = 8


def solve_maps(s: Solving) -> bool:
    """Learn what several loops tell together; was there something?"""
    before = s.told
    for maps in _groups(s):
        _undo_together(s, maps)
        if s.told > before:
            return True
    return False


def _groups(s: Solving) -> Iterator[list[Stm]]:
    """Loops of one size, some of whose results are known, and which read something that is not."""
    groups: dict[Atom, list[Stm]] = {}
    for stm in s.block.stms:
        if isinstance(stm.expr, Map) and stm.vars and _tells_more(s, stm):
            groups.setdefault(stm.expr.size, []).append(stm)
    for group in groups.values():
        if 1 < len(group) <= MOST_LOOPS:
            yield group


def _tells_more(s: Solving, stm: Stm) -> bool:
    known = any(s.at_hand(var) is not None for var in stm.vars)
    return known and any(s.try_value(var) is None for var in free_vars(stm.expr))


def _undo_together(s: Solving, maps: list[Stm]) -> None:
    counter, stms, results = fresh("i", Type(I64)), list[Stm](), list[Atom]()
    vars: list[Var] = []
    for stm in maps:
        assert isinstance(stm.expr, Map)
        body = inline(stm.expr.body, (counter,))
        vars += stm.vars[-len(body.results) :]
        stms += body.stms
        results += body.results
    first = maps[0].expr
    assert isinstance(first, Map)
    body = with_reads_once(s, Block(tuple(stms), tuple(results)))
    whole = Stm(tuple(vars), Map(first.size, Lambda((counter,), body)), maps[-1].pos)
    undo_elements(s, whole, [s.at_hand(var) for var in vars])
