"""What can be decided before a search: dead vertices and those on a chain go first, twins go together.

*Dead vertices*, without predecessors or without successors, cost nothing and take edges away: first, in every model.

*Chains.* A vertex j with one predecessor i and one successor k. Compare an order with the one that takes j first (cost
one, the least j can cost). While j is there, it is a successor of what comes before it and a predecessor of what comes
after; taken first, k stands there instead of j, or i. As long as k is there, that is one successor for one, or for none
where the edge to k exists already: eliminating i and what replaces it costs no more. The same holds for k as long as i
is there. So j may go first, unless both i and k go before it: certainly when i is an input or k an output. (When both
go first the set behind j may have become large, and it is a hub that saves products; there, another place for i or for
k has always been found to do as well: no counterexample in all small and many thousand random graphs, but no proof.)

*Twins.* Vertices with the same predecessors and the same successors may be eliminated one after the other (Bentert and
others 2025, for graphs of numbers): a search need only place one of them.

Both are proven where every product costs one, the `published` model of scalars. For other models of scalars, and for
chains between intermediates, they are as good as the tests make them: `proven=False`. Of arrays neither holds (a chain
of matrices has good and bad orders): there only dead vertices are taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..records import dataclass, replace
from .tables import Elimination, Tables


@dataclass(frozen=True, slots=True)
class Reduction:
    """`first` goes first, in this order, and costs `cost`; `tables` is what is left; each of `groups` goes together."""

    first: tuple[int, ...]
    cost: int
    tables: Tables
    groups: tuple[tuple[int, ...], ...]

    def order(self, representatives: Sequence[int]) -> list[int]:
        """The whole order, given one of the first vertices of all groups."""
        members = {group[0]: group for group in self.groups}
        return [*self.first, *(vertex for one in representatives for vertex in members[one])]


def reduced(tables: Tables, *, proven: bool = True) -> Reduction:
    """Dead vertices and chains eliminated, twins found; with `proven` only what keeps the optimum for certain."""
    state = Elimination(tables)
    numbers = bool(np.all(tables.extents == 1))
    unit = numbers and bool(np.all(tables.flags[1:, 1:] == 0))
    trusted = unit if proven else numbers
    left = list(tables.intermediates)
    first: list[int] = []
    cost = 0
    while (vertex := _decided(state, left, trusted, proven)) is not None:
        cost += state.eliminate(vertex)
        first.append(vertex)
        left.remove(vertex)
    groups = _twins(state, left) if trusted else tuple((vertex,) for vertex in left)
    return Reduction(tuple(first), cost, replace(tables, kind=state.kinds()), groups)


def _decided(state: Elimination, left: Sequence[int], chains: bool, proven: bool) -> int | None:
    """A vertex that may go next, dead ones before those on chains."""
    dead = [vertex for vertex in left if not state.before[vertex] or not state.after[vertex]]
    if dead or not chains:
        return dead[0] if dead else None
    return next((vertex for vertex in left if _is_chain(state, vertex, proven)), None)


def _is_chain(state: Elimination, vertex: int, at_the_rim: bool) -> bool:
    """Whether a vertex has one edge in and one out; if asked, one of them from an input or to an output."""
    before, after = state.before[vertex], state.after[vertex]
    if len(before) != 1 or len(after) != 1:
        return False
    return not at_the_rim or min(before) < state.tables.inputs or min(after) in state.tables.outputs


def _twins(state: Elimination, vertices: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    groups: dict[tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]], list[int]] = {}
    for vertex in vertices:
        # Kinds are compared as well: the members of a group are interchangeable in every model.
        ends = frozenset(state.before[vertex].items()), frozenset(state.after[vertex].items())
        groups.setdefault(ends, []).append(vertex)
    return tuple(map(tuple, groups.values()))
