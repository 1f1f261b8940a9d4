"""Edge elimination by splitting vertices."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

import tapeless as tp
from tapeless.eliminate.faces import Counting, dual_of
from tapeless.eliminate.graph import Graph
from tapeless.eliminate.published import published
from tapeless.eliminate.scarcity import Factors, Step
from tapeless.eliminate.splits import Split, best_apart, edges_apart, graph_apart, improved, tables_apart
from tapeless.eliminate.structure import VAR
from tapeless.eliminate.tables import cost
from tapeless.eliminate.work import work
from tapeless.testing.elimination import cheapest, random_graph

LION = Graph(
    2,
    ((),) * 8,
    (4, 5, 6, 7),
    {(0, 2): VAR, (1, 2): VAR, (2, 3): VAR, (2, 7): VAR} | {(3, k): VAR for k in (4, 5, 6, 7)},
)


class Exact:
    def times(self, post, pre):
        return post * pre

    def plus(self, old, new):
        return old + new


def jacobian(edges, vertices, middles):
    factors = Factors(vertices, edges)
    for vertex in middles:
        factors.take(Step(vertex), Exact())
    return factors.before


def lion(x, y):
    """The lion: edges beat vertices."""
    a = np.sin(x * y)
    b = np.exp(a)
    return np.sin(b), np.cos(b), np.tanh(b), a * b


def test_splits_are_found_on_the_lion():
    tables = published(LION)
    assert cheapest(tables) == 12
    assert improved(tables, (2, 3), 5.0).cost == 11
    assert best_apart(tables, [(3, 2), (2, 3)], 5.0).cost == 11


def test_a_split_costs_what_the_elimination_of_the_edge_costs():
    tables = published(LION)
    for source, target in ((2, 3), (2, 7), (3, 4)):
        for split, faces in ((Split(source, target), "back"), (Split(target, source), "front")):
            if split.vertex in LION.intermediates:
                dual, counting = dual_of(tables), Counting(tables)
                dual.eliminate(getattr(dual, faces)(source, target), counting)
                wider = tables_apart(tables, split)
                rest = [v for v in wider.intermediates if v != split.new]
                first = cost(wider, [split.new, *rest]) - cost(eliminated(wider, split.new), rest)
                assert first == counting.cost


def eliminated(tables, vertex):
    from tapeless.eliminate.tables import Elimination
    from tapeless.records import replace

    state = Elimination(tables)
    state.eliminate(vertex)
    # The vertex is none any more: it stands for nothing, as an input would.
    return replace(tables, kind=state.kinds(), outputs=(*tables.outputs, vertex))


@pytest.mark.parametrize("seed", range(40))
def test_splits_leave_the_jacobian_and_the_model_as_they_are(seed):
    dice = Random(seed)
    graph = random_graph(dice, 6)
    numbers = {ends: Fraction(dice.randint(1, 9)) for ends in graph.edges}
    want = jacobian(numbers, len(graph.shapes), graph.intermediates)
    for vertex in graph.intermediates:
        for other in {s for s, t in graph.edges if t == vertex} | {t for s, t in graph.edges if s == vertex}:
            split = Split(vertex, other)
            wider = graph_apart(graph, split)
            order = dice.sample(wider.intermediates, len(wider.intermediates))
            got = jacobian(edges_apart(numbers, split), len(wider.shapes), order)
            for output in graph.outputs:
                assert got[split.number(output)] == want[output]
            for model in (published, work):
                assert cost(tables_apart(model(graph), split), order) == cost(model(wider), order)


def test_it_is_never_worse():
    for seed in range(30):
        tables = work(random_graph(Random(seed), 6))
        order = tables.intermediates
        assert improved(tables, order, 0.05).cost <= cost(tables, order)


def test_the_method():
    def counted(method):
        return tp.count_multiplications(lion, 0.3, 0.7, argnums=(0, 1), method=method, model="published", budget=0.5)

    assert counted("edges") < counted("search")
    got = tp.jacobian(lion, argnums=(0, 1), method="edges")(0.3, 0.7)
    want = tp.jacobian(lion, argnums=(0, 1), method="reverse")(0.3, 0.7)
    np.testing.assert_allclose(np.array(got), np.array(want), rtol=1e-14)
    assert "edges" in tp.show_elimination(lion, 0.3, 0.7, argnums=(0, 1), method="edges").html
