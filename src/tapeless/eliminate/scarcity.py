"""Products of a Jacobian with vectors: eliminate while that saves multiplications, and multiply with what is left.

A tangent is pushed through a linearised graph, or an adjoint pulled back, by one product for each edge that is not 1 or
-1. Some eliminations leave fewer such edges than before: the two of a chain become one, and an edge between the same
ends takes that one in. An edge is met by as many vectors as are known at the vertex they come from, so a step is worth

    (vectors that meet edges before it) - (those after it) - (products it takes)

multiplications. Steps are taken while one is worth more than nothing; then, for several vectors, vertices are
eliminated one after the other, the least loss first, up to where the sum was best: the whole Jacobian only where its
entries are fewer than its factors (Griewank, Vogel 2003: scarcity; Lyons, Utke 2008). A step is the elimination of a
vertex, of one edge into it (front), or of one edge out of it (back); all chains between two vertices are one step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from ..records import dataclass
from .graph import Graph
from .linear import Ends
from .structure import Edge, Values
from .structure import plus as edge_plus
from .structure import product as edge_product

V = TypeVar("V")

MOST = 400  # intermediates of a graph that is eliminated altogether to see where the sum is best


@dataclass(frozen=True, slots=True)
class Step:
    """Eliminate a vertex; with `source` only its edge from there, with `target` only its edge to there."""

    middle: int
    source: int | None = None
    target: int | None = None


@dataclass(frozen=True, slots=True)
class Vectors:
    """How many vectors, of numbers not known to be 1 or -1, come to each vertex: tangents, or adjoints if `back`."""

    counts: Sequence[int]
    back: bool = False

    def meet(self, source: int, target: int) -> int:
        """How many meet an edge."""
        return self.counts[target if self.back else source]


@dataclass(frozen=True, slots=True)
class Scarce:
    """Steps that take `once` products, after which all vectors take `later`; the graph as it is takes `plain`."""

    steps: tuple[Step, ...]
    plain: int
    once: int
    later: int

    @property
    def total(self) -> int:
        return self.once + self.later


class Algebra(Protocol[V]):
    """What is multiplied and added along edges; None is an exact zero."""

    def times(self, post: V, pre: V) -> V | None:
        """The product of an edge with one that ends where it starts."""
        ...

    def plus(self, old: V, new: V) -> V | None:
        """The sum of two edges between the same vertices."""
        ...


class Factors(Generic[V]):
    """A graph while some of it is eliminated: `before[v]` holds the edges into v by their source."""

    def __init__(self, vertices: int, edges: Mapping[Ends, V]) -> None:
        self.before: list[dict[int, V]] = [{} for _ in range(vertices)]
        self.after: list[set[int]] = [set() for _ in range(vertices)]
        for (source, target), edge in edges.items():
            self.before[target][source] = edge
            self.after[source].add(target)

    def ends(self, step: Step) -> tuple[Sequence[int], Sequence[int]]:
        """The vertices before and behind that a step joins."""
        before, after = self.before[step.middle], self.after[step.middle]
        # An edge may have turned out to be zero.
        sources = [v for v in sorted(before) if step.source in (None, v)]
        targets = [v for v in sorted(after) if step.target in (None, v)]
        return sources, targets

    def take(self, step: Step, algebra: Algebra[V]) -> None:
        """Take a step."""
        middle, (sources, targets) = step.middle, self.ends(step)
        for source in sources:
            for target in targets:
                term = algebra.times(self.before[target][middle], self.before[middle][source])
                if term is not None:
                    self._add(source, target, term, algebra)
        if step.target is None:
            for source in sources:
                self._remove(source, middle)
        if step.source is None:
            for target in targets:
                self._remove(middle, target)

    def _add(self, source: int, target: int, term: V, algebra: Algebra[V]) -> None:
        old = self.before[target].get(source)
        total = term if old is None else algebra.plus(old, term)
        if total is None:
            self._remove(source, target)
        else:
            self.before[target][source] = total
            self.after[source].add(target)

    def _remove(self, source: int, target: int) -> None:
        del self.before[target][source]
        self.after[source].discard(target)


def scarce(graph: Graph, vectors: Vectors) -> Scarce:
    """The steps that are worth it for these vectors."""
    search = _Search(graph, vectors)
    plain = search.later()
    search.climb()
    best = Scarce(tuple(search.steps), plain, search.once, search.later())
    if max(vectors.counts) > 1 and len(graph.intermediates) <= MOST:
        for later in search.descend():
            if search.once + later < best.total:
                best = Scarce(tuple(search.steps), plain, search.once, later)
    return best


class _Kinds:
    """The classes of edges, of which only products of numbers known when the program runs cost something."""

    def times(self, post: Edge, pre: Edge) -> Edge:
        return edge_product(post, pre, 0).edge

    def plus(self, old: Edge, new: Edge) -> Edge:
        return edge_plus(old, new)


class _Search:
    def __init__(self, graph: Graph, vectors: Vectors) -> None:
        self.graph, self.vectors = graph, vectors
        self.kinds = _Kinds()
        self.left = Factors(len(graph.shapes), graph.edges)
        self.steps: list[Step] = []
        self.once = 0

    def later(self) -> int:
        """The products of all vectors with the edges that are there."""
        edges = ((s, t, edge) for t, found in enumerate(self.left.before) for s, edge in found.items())
        return sum(self.weight(edge, source, target) for source, target, edge in edges)

    def weight(self, edge: Edge | None, source: int, target: int) -> int:
        unit = edge is None or edge.values in (Values.ONE, Values.MINUS)
        return 0 if unit else self.vectors.meet(source, target)

    def take(self, group: Sequence[Step], products: int) -> None:
        self.steps += group
        self.once += products
        for step in group:
            self.left.take(step, self.kinds)

    def climb(self) -> None:
        """Take every step that is worth it."""
        count = -1
        while count < len(self.steps):
            count = len(self.steps)
            for ends, chains in self.chains().items():
                products, fewer = self.effect_of_chains(ends, chains)
                if fewer > products:
                    self.take([Step(vertex) for chain in chains for vertex in chain], products)
            for step in self.single_steps():
                products, fewer = self.effect(step)
                if fewer > products:
                    self.take([step], products)

    def descend(self) -> Iterator[int]:
        """Eliminate all vertices, the least loss first; after each, the products of all vectors."""
        later = self.later()
        effects = {vertex: self.effect(Step(vertex)) for vertex in self.graph.intermediates}
        while effects:
            vertex = min(effects, key=lambda v: effects[v][0] - effects[v][1])
            products, fewer = effects.pop(vertex)
            near = self.near({vertex})
            self.take([Step(vertex)], products)
            for other in (near | self.near(near)) & effects.keys():
                effects[other] = self.effect(Step(other))
            later -= fewer
            yield later

    def near(self, vertices: Iterable[int]) -> set[int]:
        return {end for v in vertices for end in (*self.left.before[v], *self.left.after[v])}

    def single_steps(self) -> Iterator[Step]:
        """Steps that may be worth it, as the graph is when they are asked for."""
        for vertex in self.graph.intermediates:
            if self.left.before[vertex] and self.left.after[vertex]:
                yield Step(vertex)
        # One vector saves one product where an edge goes, and as many are needed to let it go.
        for vertex in self.graph.intermediates if max(self.vectors.counts) > 1 else ():
            sources, targets = self.left.ends(Step(vertex))
            if len(sources) > 1 and targets:
                yield from (Step(vertex, source=source) for source in sources if source in self.left.before[vertex])
            sources, targets = self.left.ends(Step(vertex))
            if len(targets) > 1 and sources:
                yield from (Step(vertex, target=target) for target in targets if target in self.left.after[vertex])

    def chains(self) -> dict[Ends, list[list[int]]]:
        """All chains of vertices with one edge in and one out, those between the same two vertices together."""
        inner = {vertex for vertex in self.graph.intermediates if self.is_inner(vertex)}
        found: dict[Ends, list[list[int]]] = defaultdict(list)
        for vertex in sorted(inner):
            (source,) = self.left.before[vertex]
            if source in inner:
                continue
            chain = [vertex]
            while (behind := next(iter(self.left.after[chain[-1]]))) in inner:
                chain.append(behind)
            found[source, behind].append(chain)
        return found

    def is_inner(self, vertex: int) -> bool:
        return len(self.left.before[vertex]) == 1 == len(self.left.after[vertex])

    def effect_of_chains(self, ends: Ends, chains: Sequence[Sequence[int]]) -> tuple[int, int]:
        """The products that it takes to eliminate chains, and how many products with vectors that saves."""
        source, behind = ends
        total = self.left.before[behind].get(source)
        products, fewer = 0, self.weight(total, source, behind)
        for first, *others in chains:
            edge, last = self.left.before[first][source], first
            fewer += self.weight(edge, source, first)
            for vertex in (*others, behind):
                post = self.left.before[vertex][last]
                fewer += self.weight(post, last, vertex)
                products += _is_product(post, edge)
                edge, last = self.kinds.times(post, edge), vertex
            total = edge if total is None else self.kinds.plus(total, edge)
        return products, fewer - self.weight(total, source, behind)

    def effect(self, step: Step) -> tuple[int, int]:
        """The products that a step takes, and how many products with vectors it saves."""
        middle, (sources, targets) = step.middle, self.left.ends(step)
        products = fewer = 0
        for source in sources:
            pre = self.left.before[middle][source]
            for target in targets:
                post, old = self.left.before[target][middle], self.left.before[target].get(source)
                products += _is_product(post, pre)
                term = self.kinds.times(post, pre)
                new = term if old is None else self.kinds.plus(old, term)
                fewer += self.weight(old, source, target) - self.weight(new, source, target)
        if step.target is None:
            fewer += sum(self.weight(self.left.before[middle][source], source, middle) for source in sources)
        if step.source is None:
            fewer += sum(self.weight(self.left.before[target][middle], middle, target) for target in targets)
        return products, fewer


def _is_product(post: Edge, pre: Edge) -> bool:
    """Does it take a multiplication when the program runs?"""
    values = {post.values, pre.values}
    return Values.VAR in values and values.isdisjoint((Values.ONE, Values.MINUS))
