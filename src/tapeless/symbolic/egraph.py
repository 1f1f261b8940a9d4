"""Equality saturation of sums and products by egglog: which other sums and products are equal to those that are there.

A program over numbered terms goes in: leaves, and sums, differences and products of earlier terms. Rules are applied
until nothing new comes, or the graph is large, or the time is over; all nodes of the graph come out. Every term is
loaded by one rule without premises: each `let` at the top level would rebuild the graph.

    a + b = b + a           (a + b) + c = a + (b + c)     (a + b) - c = a + (b - c)     (a - b) - c = a - (b + c)
    a b = b a               (a b) c = a (b c)             a - (b - c) = (a + c) - b     a b + a c = a (b + c)
                                                                                        a b - a c = a (b - c)

Needs the extra `egglog`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from ..errors import MissingExtraError
from ..records import dataclass

SECONDS = 0.25  # of processor time for all rounds
ROUNDS, MOST_NODES = 9, 6000
GROWTH = 3  # by how much a round multiplies the nodes, about

_OPS = {"add": "Add", "sub": "Sub", "mul": "Mul"}
_NAMES = {name: op for op, name in _OPS.items()}
_BOTH_WAYS = (
    ("(Add (Add a b) c)", "(Add a (Add b c))"),
    ("(Sub (Add a b) c)", "(Add a (Sub b c))"),
    ("(Sub (Sub a b) c)", "(Sub a (Add b c))"),
    ("(Sub a (Sub b c))", "(Sub (Add a c) b)"),
    ("(Mul (Mul a b) c)", "(Mul a (Mul b c))"),
)
_ONE_WAY = (
    ("(Add a b)", "(Add b a)"),
    ("(Mul a b)", "(Mul b a)"),
    ("(Add (Mul a b) (Mul a c))", "(Mul a (Add b c))"),
    ("(Sub (Mul a b) (Mul a c))", "(Mul a (Sub b c))"),
)
_RULES = "\n".join(
    ["(datatype V (In i64) (Add V V) (Sub V V) (Mul V V))", "(ruleset load)", "(ruleset rules)"]
    + [f"(rewrite {left} {right} :ruleset rules)" for left, right in _ONE_WAY]
    + [f"(birewrite {left} {right} :ruleset rules)" for left, right in _BOTH_WAYS]
)


@dataclass(frozen=True, slots=True)
class Term:
    """`add`, `sub` or `mul` of two earlier terms by number; `leaf` stands for itself."""

    op: str
    args: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the saturated graph: an operation on classes, and the class to which it belongs.

    A leaf has the number of its term as its only argument.
    """

    op: str
    args: tuple[int, ...]
    own: int


def saturated(terms: Sequence[Term], seconds: float = SECONDS) -> list[Node]:
    """All that was found equal to the terms, or to a part of something equal."""
    graph = bindings().EGraph()
    end = time.process_time() + seconds
    size = _run(graph, f"{_RULES}\n{_loading(terms)}\n(run load 1)\n(print-size)")
    for _ in range(ROUNDS):
        before, size = size, _run(graph, "(run rules 1)\n(print-size)")
        if size == before or size * GROWTH > MOST_NODES or time.process_time() > end:
            break
    return _read(json.loads(graph.serialize([]).to_json())["nodes"])


def bindings() -> Any:
    """What egglog offers to other programs; raises where it is not installed."""
    try:
        from egglog import bindings as found
    except ImportError as missing:
        raise MissingExtraError(
            "egglog=True lets egglog look for shorter code, and egglog is not installed",
            fix="pip install 'tapeless[egglog]'",
        ) from missing
    return found


def _loading(terms: Sequence[Term]) -> str:
    lets = "\n".join(f"(let t{k} {_text(k, term)})" for k, term in enumerate(terms))
    return f"(rule () ({lets}) :ruleset load)"


def _text(k: int, term: Term) -> str:
    if term.op == "leaf":
        return f"(In {k})"
    return f"({_OPS[term.op]} {' '.join(f't{arg}' for arg in term.args)})"


def _run(graph: Any, program: str) -> int:
    """How many nodes there are afterwards."""
    *_, sizes = graph.run_program(*graph.parse_program(program))
    return sum(size for _, size in sizes.sizes)


def _read(nodes: dict[str, dict[str, Any]]) -> list[Node]:
    numbers: dict[str, int] = {}

    def number(name: str) -> int:
        return numbers.setdefault(nodes[name]["eclass"], len(numbers))

    found: list[Node] = []
    for name, node in nodes.items():
        if node["op"] == "In":
            (leaf,) = node["children"]
            found.append(Node("leaf", (int(nodes[leaf]["op"]),), number(name)))
        elif node["op"] in _NAMES:
            found.append(Node(_NAMES[node["op"]], tuple(map(number, node["children"])), number(name)))
    return found
