"""The best order that can be found in a given time.

First what is known from earlier searches of the same graph; then the rules of the literature; then a proof that nothing
is cheaper, if the graph is small enough for one; then annealing with the time that is left. The answer is never worse
than the better of forward and reverse, and is kept for the next time.

Without a time the effort is a fixed one, of some thirty milliseconds for a hundred vertices: the same graph gets the
same order on every machine. A proof is then tried only where the first bound says that it may come to an end.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import TypeAlias

from ..records import dataclass
from . import engine, heuristics, store
from .anneal import Annealer
from .canonical import canonical
from .exact import exact, is_provable, outlook
from .tables import Tables, cost

Priced: TypeAlias = tuple[tuple[int, ...], int]  # an order and its cost

PROOF = 0.4  # the share of the time that a proof may take,
DOUBTFUL = 0.1  # and that of one which will hardly come to an end
STEPS = 4000  # vertices judged for a proof without a given time,
NEAR = 0.8  # which is tried from this ratio of bound to cost on,
SMALL = 16  # or where so few vertices have to be ordered at once
LARGE = 400  # intermediates beyond which only the plain rules are tried


@dataclass(frozen=True, slots=True)
class Choice:
    """An order, its cost, and a cost that no order is below."""

    order: tuple[int, ...]
    cost: int
    bound: int

    @property
    def is_proven(self) -> bool:
        """Is no order cheaper?"""
        return self.cost == self.bound


def choose(
    tables: Tables, model: str, seconds: float | None = None, seed: int = 0, rules: Iterable[Priced] = ()
) -> Choice:
    """The best order found in about so many seconds, or with a small effort that is always the same.

    `rules` are the orders of the plain rules with their costs where these are known: forward, reverse and Markowitz.
    """
    begin = time.monotonic()
    graph = canonical(tables, model)
    known = store.read(graph, tables)
    if known is not None and known.is_proven:
        return Choice(graph.inwards(known.order), known.cost, known.bound)
    best = Choice(*min(_candidates(tables, rules), key=itemgetter(1)), 0)
    if known is not None:
        order, price = (graph.inwards(known.order), known.cost) if known.cost < best.cost else (best.order, best.cost)
        best = Choice(order, price, known.bound)
    if len(tables.intermediates) <= LARGE:
        best = _proven(tables, best, seconds)
        if seconds is not None and not best.is_proven:
            best = _annealed(tables, best, begin + seconds - time.monotonic(), seed)
    store.write(store.Order(graph.name, model, graph.outwards(best.order), best.cost, best.bound), known)
    return best


def _candidates(tables: Tables, rules: Iterable[Priced]) -> Iterator[Priced]:
    """The orders of the plain rules, and more greedy ones of a graph that is not large."""
    yield from rules or (_priced(tables, rule(tables)) for rule in heuristics.RULES.values())
    if len(tables.intermediates) <= LARGE:
        yield _priced(tables, heuristics.relative_markowitz(tables))
        yield _priced(tables, heuristics.minimal_damage(tables))


def _priced(tables: Tables, order: list[int]) -> Priced:
    return tuple(order), cost(tables, order)


def _proven(tables: Tables, best: Choice, seconds: float | None) -> Choice:
    """Prove that the best is that, or improve it, for graphs of scalars."""
    if not is_provable(tables):
        return best
    seen = outlook(tables)
    is_near = seen.bound >= NEAR * best.cost or seen.largest <= SMALL
    if seen.bound == best.cost or (seconds is None and not is_near):
        return Choice(best.order, best.cost, max(seen.bound, best.bound))
    if seconds is None:
        proof = exact(tables, best.order, steps=STEPS)
    else:
        proof = exact(tables, best.order, seconds * (PROOF if is_near else DOUBTFUL))
    return Choice(proof.order, proof.cost, max(proof.bound, best.bound))


def _annealed(tables: Tables, best: Choice, seconds: float, seed: int) -> Choice:
    found = Annealer(tables, engine.sweep(seconds), seed).search(best.order, seconds)
    return best if found.cost >= best.cost else Choice(found.order, found.cost, best.bound)
