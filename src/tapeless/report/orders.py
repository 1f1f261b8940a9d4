"""The orders of elimination that are kept (`eliminate.store`): listed, exported, imported and verified.

An order belongs to a graph, which is known by its name alone, a hash of its structure; so only a program that has that
graph can tell what an order costs, and it counts again whenever it reads one. Exported orders are a list of JSON
objects.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from ..eliminate import store
from ..eliminate.canonical import canonical
from ..eliminate.methods import MODELS, Plan
from ..errors import ArgumentError
from .table import format_table


def listed() -> tuple[list[dict[str, Any]], str]:
    """All orders, as data and as a table."""
    orders = sorted(store.kept(), key=lambda order: (order.model, -len(order.order), order.name))
    rows = [(o.name[:12], o.model, str(len(o.order)), str(o.cost), _bound(o)) for o in orders]
    text = format_table(("graph", "model", "vertices", "multiplications", "at least"), rows) if rows else "none"
    return [order.to_json() for order in orders], text


def exported(path: Path) -> int:
    """Write all orders to a file; how many."""
    orders = [order.to_json() for order in store.kept()]
    path.write_text(json.dumps(orders, indent=1), encoding="utf-8")
    return len(orders)


def imported(path: Path) -> tuple[int, int]:
    """Keep the orders of a file that are better than those known: how many, and how many are no orders."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArgumentError(f"{path} is not a file of orders", why=str(error)) from None
    entries = cast(list[Any], found) if isinstance(found, list) else []
    known = {order.name: order for order in store.kept()}
    orders = [store.Order.from_json(entry) for entry in entries]
    good = [order for order in orders if order is not None and _is_order(order)]
    return sum(store.write(order, known.get(order.name)) for order in good), len(orders) - len(good)


def verified() -> tuple[int, list[str]]:
    """How many orders name each of their vertices once, and the graphs of the others."""
    orders = list(store.kept())
    bad = [order.name for order in orders if not _is_order(order)]
    return len(orders) - len(bad), bad


def verified_for(plan: Plan, model: str) -> str:
    """What is kept for the graph of a function, counted again."""
    tables = MODELS[model](plan.graph)
    graph = canonical(tables, model)
    known = store.read(graph, tables)
    if known is None:
        return f"nothing that holds is kept for its graph {graph.name[:12]}"
    return f"the order kept for its graph {graph.name[:12]} takes {known.cost} multiplications, as it says"


def _is_order(order: store.Order) -> bool:
    return len(set(order.order)) == len(order.order) and min(order.order, default=0) >= 0


def _bound(order: store.Order) -> str:
    return "proven" if order.is_proven else str(order.bound)
