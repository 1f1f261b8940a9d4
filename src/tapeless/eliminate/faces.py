"""Edge and face elimination, on the dual graph (Naumann 2004): more general than vertex elimination, never dearer.

The dual graph has a *node* for every edge i -> j that lies on a path from an input to an output, and for each input and
each output one node that ends it. A *face* is a pair of adjacent nodes, i -> j and j -> k. Eliminating it is one
product: it is added to a node with the same predecessors as the first and the same successors as the second, or becomes
a new node; then the face goes. A node left without predecessors or successors goes too, and nodes with equal
predecessors and equal successors are added up. When no face is left, the nodes are the entries of the Jacobian.

Eliminating all faces after an edge is *front elimination* of that edge, all before it *back elimination*, all at a
vertex *vertex elimination*: an order of vertices, edges or faces is a list of moves, and costs what its products cost.
Nodes are numbered as they arise, edges first in ascending order: an order of faces is a list of pairs of numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, Protocol, TypeVar

import numpy as np

from ..records import dataclass
from .tables import Elimination, Tables

Value = TypeVar("Value")

Face = tuple[int, int]  # the numbers of two adjacent nodes


class Algebra(Protocol[Value]):
    """What is multiplied and added along the edges: kinds while costs are counted, numbers while a Jacobian is."""

    def times(self, post: Value, pre: Value, path: tuple[int, int, int]) -> Value:
        """The product of the edge middle -> target with the edge source -> middle; the path names the three."""
        ...

    def plus(self, old: Value, new: Value) -> Value:
        """The sum of two edges between the same vertices."""
        ...


@dataclass(slots=True)
class Node(Generic[Value]):
    """An edge of the graph that is left, (source, target), with the nodes before and after it."""

    ends: tuple[int, int]
    value: Value
    before: set[int]
    after: set[int]


class Dual(Generic[Value]):
    """The dual of a graph while its faces are eliminated; inputs and outputs are the nodes of negative number."""

    def __init__(self, inputs: int, outputs: tuple[int, ...], edges: Mapping[tuple[int, int], Value]) -> None:
        self.nodes: dict[int, Node[Value]] = {}
        self._between: dict[tuple[int, int], list[int]] = {}
        self._count = 0
        for ends in _useful(inputs, outputs, edges):
            self._add(Node(ends, edges[ends], set(), set()))
        for node in self.nodes.values():
            source, target = node.ends
            node.before = {one for one, other in self.nodes.items() if other.ends[1] == source}
            node.after = {one for one, other in self.nodes.items() if other.ends[0] == target}
            if source < inputs:
                node.before = {-1 - source}
            if target in outputs:
                node.after = {-1 - target}

    def faces(self) -> list[Face]:
        """All faces that join two edges, ascending."""
        return [(one, other) for one in sorted(self.nodes) for other in sorted(self.nodes[one].after) if other >= 0]

    def vertex(self, middle: int) -> list[Face]:
        """The faces at a vertex: eliminating them all is vertex elimination."""
        return [face for face in self.faces() if self.nodes[face[0]].ends[1] == middle]

    def front(self, source: int, target: int) -> list[Face]:
        """The faces after an edge: eliminating them all is its front elimination."""
        return [face for face in self.faces() if self.nodes[face[0]].ends == (source, target)]

    def back(self, source: int, target: int) -> list[Face]:
        """The faces before an edge: eliminating them all is its back elimination."""
        return [face for face in self.faces() if self.nodes[face[1]].ends == (source, target)]

    def eliminate(self, faces: Iterable[Face], algebra: Algebra[Value]) -> None:
        """Eliminate faces one after the other; one that was merged away with an equal one is passed over."""
        for first, second in faces:
            if first in self.nodes and second in self.nodes[first].after:
                self._eliminate(first, second, algebra)

    def jacobian(self, algebra: Algebra[Value]) -> dict[tuple[int, int], Value]:
        """The entries, by (input, output), when no face is left."""
        if self.faces():
            raise ValueError("faces are left")
        entries: dict[tuple[int, int], Value] = {}
        for node in self.nodes.values():
            old = entries.get(node.ends)
            entries[node.ends] = node.value if old is None else algebra.plus(old, node.value)
        return entries

    def _eliminate(self, first: int, second: int, algebra: Algebra[Value]) -> None:
        pre, post = self.nodes[first], self.nodes[second]
        source, middle, target = *pre.ends, post.ends[1]
        value = algebra.times(post.value, pre.value, (source, middle, target))
        same = self._same((source, target), pre.before, post.after)
        if same is None:
            self._join(self._add(Node((source, target), value, set(pre.before), set(post.after))))
        else:
            self.nodes[same].value = algebra.plus(self.nodes[same].value, value)
        pre.after.discard(second)
        post.before.discard(first)
        for number in (first, second):
            self._settle(number, algebra)

    def _settle(self, number: int, algebra: Algebra[Value]) -> None:
        """Remove a node that leads nowhere, or add it to its equal."""
        node = self.nodes[number]
        if not node.before or not node.after:
            self._remove(number, algebra)
            return
        same = self._same(node.ends, node.before, node.after, number)
        if same is not None:
            self.nodes[same].value = algebra.plus(self.nodes[same].value, node.value)
            self._remove(number, algebra)

    def _remove(self, number: int, algebra: Algebra[Value]) -> None:
        node = self.nodes.pop(number)
        self._between[node.ends].remove(number)
        neighbours = sorted(one for one in node.before | node.after if one >= 0)
        for one in neighbours:
            self.nodes[one].after.discard(number)
            self.nodes[one].before.discard(number)
        for one in neighbours:
            if one in self.nodes:
                self._settle(one, algebra)

    def _same(self, ends: tuple[int, int], before: set[int], after: set[int], besides: int = -1) -> int | None:
        for number in self._between.get(ends, ()):
            node = self.nodes[number]
            if number != besides and node.before == before and node.after == after:
                return number
        return None

    def _add(self, node: Node[Value]) -> int:
        number = self._count
        self._count += 1
        self.nodes[number] = node
        self._between.setdefault(node.ends, []).append(number)
        return number

    def _join(self, number: int) -> None:
        for one in self.nodes[number].before:
            if one >= 0:
                self.nodes[one].after.add(number)
        for one in self.nodes[number].after:
            if one >= 0:
                self.nodes[one].before.add(number)


def _useful(inputs: int, outputs: tuple[int, ...], edges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges on a path from an input to an output, ascending."""
    left = set(edges)
    while True:
        reached = {target for _, target in left} | set(range(inputs))
        needed = {source for source, _ in left} | set(outputs)
        useful = {(source, target) for source, target in left if source in reached and target in needed}
        if useful == left:
            return sorted(left)
        left = useful


class Counting:
    """Kinds of a model, and the multiplications counted so far."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._state = Elimination(tables)
        self.cost = 0

    def times(self, post: int, pre: int, path: tuple[int, int, int]) -> int:
        self.cost += self._state.product_cost(post, pre, path)
        return int(self._tables.product[post, pre])

    def plus(self, old: int, new: int) -> int:
        return int(self._tables.plus[old, new])


def dual_of(tables: Tables) -> Dual[int]:
    """The dual graph of a model, its nodes with the kinds of the edges."""
    edges = {(s, t): int(tables.kind[s, t]) for s, t in np.argwhere(tables.kind).tolist()}
    return Dual(tables.inputs, tables.outputs, edges)


def face_cost(tables: Tables, order: Iterable[Face]) -> int:
    """The multiplications of eliminating these faces, which must be all."""
    dual, counting = dual_of(tables), Counting(tables)
    dual.eliminate(order, counting)
    if dual.faces():
        raise ValueError("an order of faces must leave none")
    return counting.cost


def faces_of_order(tables: Tables, order: Iterable[int]) -> list[Face]:
    """An order of vertices as an order of faces: it costs the same."""
    dual, counting = dual_of(tables), Counting(tables)
    faces: list[Face] = []
    for vertex in order:
        group = dual.vertex(vertex)
        dual.eliminate(group, counting)
        faces.extend(group)
    return faces
