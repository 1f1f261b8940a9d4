"""The reference elimination: what an order costs, on graphs small enough to count by hand."""

import numpy as np
import pytest

from tapeless.eliminate.graph import Graph
from tapeless.eliminate.published import published
from tapeless.eliminate.structure import CONST, MINUS, ONE, VAR, Edge, Values
from tapeless.eliminate.tables import Elimination, cost, eliminate
from tapeless.eliminate.work import work
from tapeless.records import replace

from .random_tables import random_tables


def scalars(inputs, count, outputs, edges):
    return Graph(inputs, ((),) * count, outputs, edges)


LION = scalars(
    2, 8, (4, 5, 6, 7), {(0, 2): VAR, (1, 2): VAR, (2, 3): VAR, (2, 7): VAR} | {(3, k): VAR for k in (4, 5, 6, 7)}
)


def test_the_lion_costs_what_the_literature_says():
    tables = published(LION)
    assert cost(tables, (2, 3)) == 2 * 2 + 2 * 4
    assert cost(tables, (3, 2)) == 4 + 2 * 4


def test_eliminating_one_vertex_leaves_the_others():
    left, price = eliminate(published(LION), 3)
    assert price == 4
    assert sorted(map(tuple, np.argwhere(left.kind).tolist())) == [(0, 2), (1, 2), (2, 4), (2, 5), (2, 6), (2, 7)]


def test_known_factors_are_free_in_the_work_model():
    for known in (ONE, MINUS, CONST):
        chain = scalars(1, 4, (3,), {(0, 1): VAR, (1, 2): known, (2, 3): VAR})
        assert cost(work(chain), (1, 2)) == 1
        assert cost(published(chain), (1, 2)) == 2


def test_a_sum_of_constants_is_a_constant():
    twice = scalars(1, 4, (3,), {(0, 1): ONE, (0, 2): ONE, (1, 2): ONE, (2, 3): VAR})
    assert cost(work(twice), (1, 2)) == 0


def test_structure_decides_the_cost_of_tensors():
    diagonal = Edge(Values.VAR, ((0, 0),), (0,))
    matrix = Edge(Values.VAR, (), (0,), (0,))
    graph = Graph(1, ((3,), (5,), (5,), (5,)), (3,), {(0, 1): matrix, (1, 2): diagonal, (2, 3): diagonal})
    assert cost(work(graph), (1, 2)) == 15 + 15
    assert cost(work(graph), (2, 1)) == 5 + 15


def test_what_is_no_order_or_no_graph_is_refused():
    with pytest.raises(ValueError, match="permutation"):
        cost(published(LION), (2, 2))
    with pytest.raises(ValueError, match="no edge"):
        scalars(1, 3, (1,), {(0, 1): VAR, (1, 2): VAR})
    with pytest.raises(ValueError, match="different sizes"):
        Graph(1, ((3,), (5,)), (1,), {(0, 1): Edge(Values.VAR, ((0, 0),))})


@pytest.mark.parametrize("seed", range(20))
def test_damage_is_what_the_prices_of_the_neighbours_grow_by(seed):
    scalar = random_tables(seed, 9)
    sizes = np.random.default_rng(seed).integers(1, 5, scalar.extents.shape)
    for tables in (scalar, replace(scalar, extents=sizes, flags=np.where(scalar.flags == 0, 7, scalar.flags))):
        before = Elimination(tables)
        for vertex in tables.intermediates:
            after = before.copy()
            after.eliminate(vertex)
            near = {*before.before[vertex], *before.after[vertex]}
            assert before.damage(vertex) == sum(after.price(one) - before.price(one) for one in near)
