"""Further ways to compute the values of a run, found by equality saturation (`egraph`).

The classes of a run are loaded up to their signs, so that no negations are needed: a - b for (-a) + b. Every class of
the saturated graph is told by its fingerprint: it is one that was there, or a new one. New ones come right behind what
they are made of. A way is kept if its terms are not larger than those that its class has been made of, as everywhere:
of a new class these are the terms of the sums that it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import fingerprints as fp
from .classes import Classes, Value
from .egraph import Node, Term, saturated
from .extract import Way
from .relations import are_small

MOST_CLASSES = 500
_OPEN = {"add", "mul"}


def saturate(classes: Classes, sizes: NDArray[np.float64]) -> None:
    """Give classes further ways, and add those on which these depend; `sizes` are those of values at some points."""
    if len(classes.prints) > MOST_CLASSES:
        return
    order = sorted(range(len(classes.prints)), key=lambda k: classes.places[k])
    nodes = saturated(_terms(classes, order))
    found = _Found(classes, sizes, order)
    found.read(nodes)
    found.keep(nodes)


def _terms(classes: Classes, order: Sequence[int]) -> list[Term]:
    """The classes as terms, in order. A class is the term of its own way, or its negative."""
    at = {k: number for number, k in enumerate(order)}
    signs: dict[int, int] = {}
    terms: list[Term] = []
    for k in order:
        own = classes.ways[k][0] if classes.ways[k] else None
        if own is None or own.op not in _OPEN:
            signs[k] = 1
            terms.append(Term("leaf"))
            continue
        i, j = own.args
        if own.op == "mul":
            signs[k] = own.sign * signs[i] * signs[j]
            terms.append(Term("mul", (at[i], at[j])))
        else:
            signs[k] = own.sign * signs[i]
            terms.append(Term("add" if own.second * signs[i] * signs[j] > 0 else "sub", (at[i], at[j])))
    return terms


class _Found:
    """The classes of the graph as classes of the run; how large the terms are of which they are made, and may be."""

    def __init__(self, classes: Classes, sizes: NDArray[np.float64], order: Sequence[int]) -> None:
        self.classes, self.order, self.old = classes, order, len(classes.prints)
        self.values: dict[int, Value] = {}
        self.terms: list[NDArray[np.float64]] = list(sizes)
        for k in order:
            if classes.places[k] % 1.0:  # an invention, of which no statement tells how large it is
                own = classes.ways[k][0]
                self.terms[k] = self._terms(own.op, own.args)
        self.bounds = [_bound(classes, self.terms, k) for k in range(self.old)]

    def read(self, nodes: Sequence[Node]) -> None:
        """Give every class of the graph its value, at the earliest place."""
        changed = True
        while changed:
            changed = False
            for node in nodes:
                changed |= self._read(node)

    def _read(self, node: Node) -> bool:
        classes, known = self.classes, self.values.get(node.own)
        if node.op == "leaf":
            self.values[node.own] = self.order[node.args[0]], 1
            return known is None
        args = [self.values[arg] for arg in node.args if arg in self.values]
        if len(args) < 2:
            return False
        latest = max(classes.places[k] for k, _ in args)
        place = latest + (np.floor(latest) + 1.0 - latest) / 2.0
        if known is not None:
            is_earlier = known[0] >= self.old and place < classes.places[known[0]]
            if is_earlier:
                classes.places[known[0]] = place
            return is_earlier
        print_ = fp.apply(node.op, (), [classes.print_of(arg) for arg in args])
        (i, _), (j, _) = args
        self.values[node.own] = k, _ = classes.add(print_, place, classes.sum(i, j))
        if k == len(self.terms):
            if node.op == "mul":
                classes.factors[k] = classes.factors[i] | classes.factors[j]
            self.terms.append(self._terms(node.op, (i, j)))
            self.bounds.append(2.0 * self.terms[k])
        return True

    def keep(self, nodes: Sequence[Node]) -> None:
        """The ways that may be taken, of operands before results: what has no way is no operand."""
        places = self.classes.places
        inner = [node for node in nodes if node.op != "leaf" and node.own in self.values]
        for node in sorted(inner, key=lambda node: places[self.values[node.own][0]]):
            args = [self.values[arg] for arg in node.args if arg in self.values]
            if len(args) == 2 and all(places[k] == -1 or self.classes.ways[k] for k, _ in args):
                self._keep(node, args)

    def _keep(self, node: Node, args: Sequence[Value]) -> None:
        classes, (k, sign) = self.classes, self.values[node.own]
        (i, left), (j, right) = args
        if classes.places[k] <= max(classes.places[i], classes.places[j]) or classes.sum(i, j) != classes.inputs[k]:
            return
        if any(old.op == _kind(node.op) and set(old.args) == {i, j} for old in classes.ways[k]):
            return
        if not are_small(self._terms(node.op, (i, j)), self.bounds[k]):
            return
        if node.op == "mul":
            classes.ways[k].append(Way("mul", (i, j), sign * left * right))
        else:
            second = right if node.op == "add" else -right
            classes.ways[k].append(Way("add", (i, j), sign * left, left * second))

    def _terms(self, op: str, args: Sequence[int]) -> NDArray[np.float64]:
        left, right = (self.terms[k] for k in args)
        if op == "div":
            return left / right
        return np.maximum(left, right) if op in ("add", "sub") else left * right


def _kind(op: str) -> str:
    return "mul" if op == "mul" else "add"


def _bound(classes: Classes, sizes: Sequence[NDArray[np.float64]], k: int) -> NDArray[np.float64]:
    """How large terms may be of which a class is made that was there."""
    own = classes.ways[k][0] if classes.ways[k] else None
    if own is None or own.op != "add":
        return 2.0 * sizes[k]
    return 2.0 * np.maximum(sizes[own.args[0]], sizes[own.args[1]]) + sizes[k]
