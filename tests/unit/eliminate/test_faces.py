"""Edge and face elimination, and the reductions, on graphs whose optimum is found by trying everything."""

from fractions import Fraction
from functools import cache
from random import Random

import pytest
from tasks import TASKS

from tapeless.eliminate.faces import Counting, Dual, dual_of, face_cost, faces_of_order
from tapeless.eliminate.graph import Graph
from tapeless.eliminate.heuristics import reverse
from tapeless.eliminate.published import published
from tapeless.eliminate.reduce import reduced
from tapeless.eliminate.structure import VAR
from tapeless.eliminate.tables import Elimination, cost
from tapeless.eliminate.work import work
from tapeless.testing.elimination import Exact, cheapest, check, random_graph

LION = Graph(
    2,
    ((),) * 8,
    (4, 5, 6, 7),
    {(0, 2): VAR, (1, 2): VAR, (2, 3): VAR, (2, 7): VAR} | {(3, k): VAR for k in (4, 5, 6, 7)},
)


@pytest.mark.parametrize("start", range(0, 200, 40))
def test_all_eliminations_of_random_graphs_agree(start):
    for seed in range(start, start + 40):
        check(seed)


def test_sums_of_free_paths_that_cost_something():
    """Eliminating a vertex of one target first made a free path add up with another one further up."""
    check(1453)


def test_the_check_notices_a_lost_sum():
    class Forgetful(Exact):
        def plus(self, old, new):
            return old if old else new

    dual = Dual(1, (3,), {(0, 1): Fraction(2), (0, 2): Fraction(3), (1, 3): Fraction(5), (2, 3): Fraction(7)})
    algebra = Forgetful()
    dual.eliminate(dual.faces(), algebra)
    assert dual.jacobian(Exact()) != {(0, 3): Fraction(31)}


def test_edges_beat_vertices_on_the_lion():
    tables = published(LION)
    assert min(cost(tables, order) for order in ((2, 3), (3, 2))) == 12
    dual, counting = dual_of(tables), Counting(tables)
    dual.eliminate(dual.back(3, 7), counting)
    for vertex in (2, 3):
        dual.eliminate(dual.vertex(vertex), counting)
    assert dual.faces() == []
    assert counting.cost == 11


def test_an_order_of_a_task_costs_the_same_as_its_faces():
    tables = TASKS["propane_combustion"].tables()
    order = reverse(tables)
    assert face_cost(tables, faces_of_order(tables, order)) == cost(tables, order) == 90


def test_an_order_of_faces_must_be_complete():
    with pytest.raises(ValueError, match="none"):
        face_cost(published(LION), [])


def best_of_groups(reduction):
    """The optimum among orders that keep groups together."""
    members = {group[0]: group for group in reduction.groups}
    start = Elimination(reduction.tables)

    @cache
    def best(left):
        results = []
        for one in left:
            state = start.copy()
            for other in members.keys() - left:
                for vertex in members[other]:
                    state.eliminate(vertex)
            price = sum(state.eliminate(vertex) for vertex in members[one])
            results.append(price + best(left - {one}))
        return min(results, default=0)

    return reduction.cost + best(frozenset(members))


@pytest.mark.parametrize("proven", [True, False])
def test_reductions_keep_the_optimum(proven):
    found = 0
    for seed in range(120):
        graph = random_graph(Random(seed), 6)
        for tables in (published(graph), work(graph)):
            reduction = reduced(tables, proven=proven)
            found += bool(reduction.first) + any(len(group) > 1 for group in reduction.groups)
            assert best_of_groups(reduction) == cheapest(tables)
    assert found > 20


def test_reductions_keep_the_optimum_of_graphs_with_dead_ends():
    """Of graphs of two inputs, three intermediates and two outputs, the first intermediate on a chain."""
    possible = [(s, t) for t in range(2, 7) for s in range(min(t, 5)) if (s, t) not in ((0, 2), (1, 2), (2, 3))]
    chosen = Random(1).sample(range(2 ** len(possible)), 400)
    for bits in chosen:
        edges = {pair: VAR for place, pair in enumerate(possible) if bits >> place & 1}
        edges |= {(0, 2): VAR, (2, 3): VAR}
        tables = published(Graph(2, ((),) * 7, (5, 6), edges))
        assert best_of_groups(reduced(tables, proven=False)) == cheapest(tables)


def test_an_order_of_the_reduced_graph_is_one_of_the_whole():
    tables = TASKS["propane_combustion"].tables()
    reduction = reduced(tables)
    order = reduction.order([group[0] for group in reduction.groups])
    assert sorted(order) == list(tables.intermediates)
    assert len(reduction.first) > 5


def test_of_arrays_only_dead_vertices_are_decided():
    tables = TASKS["encoder"].tables()
    reduction = reduced(tables, proven=False)
    assert reduction.cost == 0
    assert 0 < len(reduction.first) < 10
    assert all(len(group) == 1 for group in reduction.groups)
