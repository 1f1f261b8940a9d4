"""From a linearised graph and an order to a program: the products and sums that accumulate the Jacobian.

Eliminating vertex j adds, for each edge i -> j and each edge j -> k, their product to the edge i -> k. What is left in
the end are the edges from inputs to outputs, the entries of the Jacobian; an entry without an edge is zero, and was
never computed. The order decides how many multiplications that takes (`work`); the entries are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.build import Builder
from .factors import Factor, plus, product, without_coefficient
from .linear import Ends, Linear


def accumulate(b: Builder, linear: Linear, order: Sequence[int]) -> Mapping[Ends, Factor]:
    """Emit the products and sums of an order; the entries that are not zero, by (output, input)."""
    if sorted(order) != list(linear.graph.intermediates):
        raise ValueError("an order is a permutation of the intermediates")
    before: list[dict[int, Factor]] = [{} for _ in linear.graph.shapes]
    after: list[set[int]] = [set() for _ in linear.graph.shapes]
    for (source, target), edge in linear.factors.items():
        before[target][source] = edge
        after[source].add(target)
    for vertex in order:
        _eliminate(b, linear, before, after, vertex)
    return {(output, source): edge for output in linear.graph.outputs for source, edge in before[output].items()}


def _eliminate(b: Builder, linear: Linear, before: list[dict[int, Factor]], after: list[set[int]], vertex: int) -> None:
    sources, targets = sorted(before[vertex]), sorted(after[vertex])
    pres = {source: before[vertex][source] for source in sources}
    posts = {target: before[target].pop(vertex) for target in targets}
    if len(targets) > 1:
        pres = {source: without_coefficient(b, pre, linear.dtype) for source, pre in pres.items()}
    if len(sources) > 1:
        posts = {target: without_coefficient(b, post, linear.dtype) for target, post in posts.items()}
    for source, pre in pres.items():
        after[source].discard(vertex)
        for target, post in posts.items():
            term = product(b, post, pre)
            if term is None:
                continue
            old = before[target].get(source)
            total = term if old is None else plus(b, old, term, linear.dtype)
            if total is None:
                del before[target][source]
                after[source].discard(target)
            else:
                before[target][source] = total
                after[source].add(target)
    before[vertex], after[vertex] = {}, set()
