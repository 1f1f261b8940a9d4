"""Random graphs with exact numbers on their edges: every order and every kind of elimination gives the same Jacobian.

    python -m tapeless.testing.elimination -n 10000 --seed 1

The Jacobian is the sum over all paths of the products along them, in fractions, so that equal means equal. Checked for
each graph are forward, reverse and random orders of vertices, random sequences of front and back eliminations of edges,
and random sequences of faces; that a vertex order costs the same as its faces in all models of scalars; that the
products done are as many as the published model counts; and that exact search finds the cheapest of all orders.
`accumulation` does the same with programs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from tapeless.eliminate.exact import exact
from tapeless.eliminate.faces import Dual, face_cost, faces_of_order
from tapeless.eliminate.graph import Graph
from tapeless.eliminate.published import published
from tapeless.eliminate.structure import CONST, MINUS, ONE, VAR
from tapeless.eliminate.tables import Elimination, Tables, cost
from tapeless.eliminate.work import work

Numbers = dict[tuple[int, int], Fraction]


@dataclass(slots=True)
class Exact:
    """Fractions, and how many products were done."""

    products: int = field(default=0)

    def times(self, post: Fraction, pre: Fraction, path: tuple[int, int, int]) -> Fraction:
        del path
        self.products += 1
        return post * pre

    def plus(self, old: Fraction, new: Fraction) -> Fraction:
        return old + new


def random_graph(random: Random, most: int = 8) -> Graph:
    """A graph of numbers with up to so many intermediates, each of them on a path from an input to an output."""
    inputs, inner, outputs = random.randint(1, 4), random.randint(1, most), random.randint(1, 4)
    count = inputs + inner + outputs
    density = random.choice([0.1, 0.2, 0.4, 0.7])
    classes = [ONE, MINUS, CONST, VAR, VAR, VAR]
    last = inputs + inner  # what follows are outputs
    edges = {
        (source, target): random.choice(classes)
        for target in range(inputs, count)
        for source in range(min(target, last))
        if random.random() < density
    }
    for vertex in range(inputs, last):
        if all(target != vertex for _, target in edges):
            edges[random.randrange(vertex), vertex] = random.choice(classes)
        if all(source != vertex for source, _ in edges):
            edges[vertex, random.randrange(max(vertex + 1, inputs), count)] = random.choice(classes)
    return Graph(inputs, ((),) * count, tuple(range(last, count)), edges)


def check(seed: int, most: int = 8) -> None:
    """Check one random graph."""
    random = Random(seed)
    graph = random_graph(random, most)
    numbers = {ends: Fraction(random.randint(-9, 9) or 1, random.randint(1, 9)) for ends in graph.edges}
    expected = _paths(graph, numbers)
    order = list(graph.intermediates)
    shuffled = random.sample(order, len(order))
    for vertices in (order, order[::-1], shuffled):
        _check_vertices(seed, graph, numbers, vertices, expected)
    _check_equal(seed, "edges", _by_edges(random, graph, numbers), expected)
    _check_equal(seed, "faces", _by_faces(random, graph, numbers), expected)
    for tables in (published(graph), work(graph), work(graph, free_constants=False)):
        if face_cost(tables, faces_of_order(tables, shuffled)) != cost(tables, shuffled):
            raise AssertionError(f"seed {seed}: the faces of an order cost something else")
        found = exact(tables, order)
        if not found.proven or not cost(tables, found.order) == found.cost == cheapest(tables):
            raise AssertionError(
                f"seed {seed}: exact search found {found}, the cheapest order costs {cheapest(tables)}"
            )


def cheapest(tables: Tables) -> int:
    """What the cheapest order costs, by trying all; what is left after a set of vertices is looked at once."""
    layer = {frozenset[int](): (0, Elimination(tables))}
    for _ in tables.intermediates:
        longer: dict[frozenset[int], tuple[int, Elimination]] = {}
        for gone, (price, state) in layer.items():
            for vertex in tables.intermediates:
                if vertex in gone:
                    continue
                total, more = price + state.price(vertex), gone | {vertex}
                if more not in longer:
                    after = state.copy()
                    after.eliminate(vertex)
                    longer[more] = total, after
                elif total < longer[more][0]:
                    longer[more] = total, longer[more][1]
        layer = longer
    return min(price for price, _ in layer.values())


def _check_vertices(seed: int, graph: Graph, numbers: Numbers, order: list[int], expected: Numbers) -> None:
    dual, exact = Dual(graph.inputs, graph.outputs, numbers), Exact()
    for vertex in order:
        dual.eliminate(dual.vertex(vertex), exact)
    _check_equal(seed, f"vertices {order}", dual.jacobian(exact), expected)
    if exact.products != cost(published(graph), order):
        raise AssertionError(f"seed {seed}: {exact.products} products were done for {order}")


def _by_edges(random: Random, graph: Graph, numbers: Numbers) -> Numbers:
    dual, exact = Dual(graph.inputs, graph.outputs, numbers), Exact()
    while faces := dual.faces():
        first, second = random.choice(faces)
        if random.random() < 0.5:
            dual.eliminate(dual.front(*dual.nodes[first].ends), exact)
        else:
            dual.eliminate(dual.back(*dual.nodes[second].ends), exact)
    return dual.jacobian(exact)


def _by_faces(random: Random, graph: Graph, numbers: Numbers) -> Numbers:
    dual, exact = Dual(graph.inputs, graph.outputs, numbers), Exact()
    while faces := dual.faces():
        dual.eliminate([random.choice(faces)], exact)
    return dual.jacobian(exact)


def _paths(graph: Graph, numbers: Numbers) -> Numbers:
    """Sums over paths, from each input on."""
    result: Numbers = {}
    for source in range(graph.inputs):
        reached = {source: Fraction(1)}
        for (start, end), number in sorted(numbers.items(), key=lambda item: item[0][1]):
            if start in reached:
                reached[end] = reached.get(end, Fraction(0)) + number * reached[start]
        result.update({(source, output): reached[output] for output in graph.outputs if output in reached})
    return result


def _check_equal(seed: int, what: str, found: Numbers, expected: Numbers) -> None:
    if found != expected:
        raise AssertionError(f"seed {seed}: {what} give {found}, not {expected}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Check eliminations of random graphs with exact numbers.")
    parser.add_argument("-n", type=int, default=1000, help="how many graphs")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first")
    parser.add_argument("--most", type=int, default=8, help="the most intermediates of a graph")
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.n):
        check(seed, options.most)
    print(f"{options.n} graphs: every elimination gave the same Jacobian, exact search the cheapest order")


if __name__ == "__main__":
    main()
