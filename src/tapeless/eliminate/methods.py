"""How a user names an order of elimination, and the order that it means for a graph.

"forward", "reverse"    the order of the program, and its reverse: what the two modes of differentiation do
"markowitz"             always the vertex of the fewest products next
"search"                the best that the budget of time finds
"auto"                  the same with a small budget; never worse than the better of forward and reverse
"edges"                 as "search" for half of the time, then edges eliminated one by one where that is cheaper
(5, 3, 4)               the vertices themselves
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from ..errors import ArgumentError
from ..records import dataclass
from .choose import choose
from .graph import Graph
from .heuristics import RULES
from .published import published
from .splits import Split, best_apart, graph_apart
from .tables import cost
from .work import work

Method: TypeAlias = 'Literal["auto", "forward", "reverse", "markowitz", "search", "edges"] | Sequence[int]'
Model: TypeAlias = Literal["work", "published"]

NAMES = ("auto", *RULES, "search", "edges")
MODELS = {"work": work, "published": published}
SEARCH = 1.0  # seconds, where none are given
_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Plan:
    """An order of a graph, what it costs, what no order is below, and what the fixed rules would cost.

    The graph is the one that was asked for after these splits.
    """

    graph: Graph
    method: str
    order: tuple[int, ...]
    cost: int
    bound: int
    rules: Mapping[str, int]
    splits: tuple[Split, ...] = ()


@dataclass(frozen=True, slots=True)
class How:
    """What a user asks for: a method, and the seconds that a search may take; None for the method's own.

    `symmetric` says that it is a gradient that is differentiated: the Jacobian equals its transpose. Multiplications
    are counted by `model`; `published` counts those of the program as it is written, with nothing shared or folded.
    """

    method: str | tuple[int, ...] = "auto"
    seconds: float | None = None
    symmetric: bool = False
    model: Model = "work"

    def plan(self, graph: Graph) -> Plan:
        """The order for a graph."""
        tables = MODELS[self.model](graph)
        rules = {name: tuple(rule(tables)) for name, rule in RULES.items()}
        costs = {name: cost(tables, order) for name, order in rules.items()}
        match self.method:
            case "auto" | "search" as name:
                seconds = SEARCH if name == "search" and self.seconds is None else self.seconds
                found = choose(tables, self.model, seconds, rules=[(rules[rule], costs[rule]) for rule in RULES])
                return Plan(graph, name, found.order, found.cost, found.bound, costs)
            case "edges":
                seconds = (SEARCH if self.seconds is None else self.seconds) / 2
                vertices = choose(tables, self.model, seconds, rules=[(rules[rule], costs[rule]) for rule in RULES])
                apart = best_apart(tables, (vertices.order, *rules.values()), seconds)
                for split in apart.splits:
                    graph = graph_apart(graph, split)
                return Plan(graph, "edges", apart.order, apart.cost, 0, costs, apart.splits)
            case str(name):
                return Plan(graph, name, rules[name], costs[name], 0, costs)
            case order:
                return Plan(graph, "order", order, cost(tables, _checked(order, graph)), 0, costs)


def _checked(order: tuple[int, ...], graph: Graph) -> tuple[int, ...]:
    if sorted(order) != list(graph.intermediates):
        raise ArgumentError(
            f"method={order} is no order of this function",
            why=f"an order names each of its vertices once: {_listed(graph.intermediates)}",
            fix="tp.show_elimination draws the graph with its numbers",
        )
    return order


def how(method: Any, budget: Any, model: Any = "work") -> How:
    """The request of a user, checked."""
    if model not in MODELS:
        raise ArgumentError(f"there is no cost model {model!r}", fix='choose "work" or "published"')
    return How(_method(method), _seconds(budget), model=model)


def _method(method: Any) -> str | tuple[int, ...]:
    if isinstance(method, str):
        if method in NAMES:
            return method
    elif isinstance(method, Sequence):
        order = tuple(cast(Sequence[Any], method))
        if all(type(vertex) is int for vertex in order):
            return order
    names = ", ".join(f'"{name}"' for name in NAMES)
    raise ArgumentError(f"there is no method {method!r}", fix=f"choose {names}, or an order of vertices")


def _seconds(budget: Any) -> float | None:
    match budget:
        case None:
            return None
        case int() | float() if not isinstance(budget, bool) and budget >= 0:
            return float(budget)
        case str() if found := re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(ms|s|min|m|h)\s*", budget):
            return float(found[1]) * _UNITS[found[2]]
        case _:
            raise ArgumentError(
                f"budget={budget!r} is no time", fix='write a number of seconds, or a string such as "50ms" or "10s"'
            )


def _listed(vertices: Sequence[int]) -> str:
    few = ", ".join(map(str, vertices[:8]))
    return f"{few}, ... {vertices[-1]}" if len(vertices) > 8 else few or "there are none"
