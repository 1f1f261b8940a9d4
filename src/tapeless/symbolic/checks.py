"""Run-time checks that are another one in every iteration: conditions outside the loop under which none of them fails.

A closed form makes no iterations, and so none of their checks. It is used where all of them are known to hold; else the
loop runs, and raises what it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.types import BOOL
from .graph import Graph, Node
from .read import Condition, UnreadableError

# What a node is in the first and in the last iteration.
Ends = Callable[[Node], tuple[Node, Node]]


def needed(
    g: Graph, conditions: Sequence[Condition], varying: int, ends: Ends | None = None
) -> tuple[list[Condition], list[Node]]:
    """Checks that are the same in every iteration, and what must hold so that the others do.

    Raises `UnreadableError` where that is not known.
    """
    same: list[Condition] = []
    tests: list[Node] = []
    for condition in conditions:
        nodes = (*condition.args, *(node for node, _ in condition.under))
        if not any(node.mask & varying for node in nodes):
            same.append(condition)
            continue
        found = _of_check(g, condition, varying, ends)
        if found is None:
            raise UnreadableError("a check is another one in every iteration")
        tests += found
    return same, tests


def _of_check(g: Graph, condition: Condition, varying: int, ends: Ends | None) -> list[Node] | None:
    (arg, *others) = condition.args
    if others:
        return None
    if condition.kind == "nonzero":
        return _nonzero(g, arg, varying, ends)
    # Others are about a number: a size, or what must not be NaN. They are no tests by themselves.
    return _holds(arg, varying) if arg.dtype is BOOL else None


def _holds(node: Node, varying: int) -> list[Node] | None:
    """A condition that does not vary and from which a varying one follows."""
    if not node.mask & varying:
        return [node]
    if node.op == "or":
        return next((found for arg in node.args if (found := _holds(arg, varying)) is not None), None)
    if node.op == "and":
        both = [_holds(arg, varying) for arg in node.args]
        return None if None in both else [test for tests in both for test in tests or ()]
    return None


def _nonzero(g: Graph, node: Node, varying: int, ends: Ends | None) -> list[Node] | None:
    if node.op == "convert" and node.args[0].dtype is BOOL:
        return _holds(node.args[0], varying)
    if node.op == "pow" and ends is not None and not node.args[0].mask & varying:
        # A power of a positive number is nowhere smaller than at the ends.
        zero = g.const(0, node.dtype)
        return [g.apply("gt", node.args[0], zero), *(g.apply("gt", end, zero) for end in ends(node))]
    return None
