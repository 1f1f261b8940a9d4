"""The best known orders of graphs, kept on disk by the canonical name of the graph.

An entry is data, never trusted: an order that is read is counted again, and thrown away unless it costs what it says.
`Order` is also the form in which orders are exported and imported, one JSON object each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ..runtime import cache
from .canonical import Canonical
from .tables import Tables, cost

KIND = "elimination order"


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the graph of this name, in canonical numbers. `bound`: no order costs less."""

    name: str
    model: str
    order: tuple[int, ...]
    cost: int
    bound: int

    @property
    def is_proven(self) -> bool:
        """Is no order cheaper?"""
        return self.bound == self.cost

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: Any) -> Order | None:
        """The order that this describes, if it does."""
        match data:
            case {"name": str(name), "model": str(model), "order": [*numbers], "cost": int(price), "bound": int(bound)}:
                good = all(type(number) is int for number in numbers) and 0 <= bound <= price
                return Order(name, model, tuple(numbers), price, bound) if good else None
            case _:
                return None


def read(graph: Canonical, tables: Tables) -> Order | None:
    """The order that is kept for a graph, if it is one and costs what it says."""
    entry = cache.get(cache.lasting_key(KIND, graph.name))
    known = None if entry is None else Order.from_json(entry.meta)
    if known is None or known.name != graph.name:
        return None
    order = graph.inwards(known.order)
    if sorted(order) != list(tables.intermediates) or cost(tables, order) != known.cost:
        return None
    return known


def write(order: Order, known: Order | None) -> bool:
    """Keep an order unless the one that was read is as good and as well proven."""
    if known is not None and (known.cost, -known.bound) <= (order.cost, -order.bound):
        return False
    cache.put(cache.lasting_key(KIND, order.name), b"", {"kind": KIND, **order.to_json()})
    return True


def kept() -> Iterator[Order]:
    """All orders that are kept."""
    for entry in cache.each():
        if entry.meta.get("kind") == KIND and (order := Order.from_json(entry.meta)) is not None:
            yield order
