"""Exact search against all orders."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from tapeless.eliminate.exact import exact, is_provable, outlook
from tapeless.eliminate.graph import Graph
from tapeless.eliminate.published import published
from tapeless.eliminate.structure import CONST, MINUS, ONE, VAR
from tapeless.eliminate.tables import cost
from tapeless.eliminate.work import work

from .random_tables import random_tables


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_no_order_is_cheaper(first: int) -> None:
    for seed in range(first, first + 25):
        tables = random_tables(seed, most=5)
        found = exact(tables, tables.intermediates)
        assert found.proven
        assert cost(tables, found.order) == found.cost
        assert found.cost == min(cost(tables, order) for order in permutations(tables.intermediates)), seed


def test_a_bound_is_no_proof() -> None:
    for seed in range(40):
        tables = random_tables(seed, most=12)
        full = exact(tables, tables.intermediates)
        hasty = exact(tables, tables.intermediates, steps=3)
        assert hasty.bound <= full.cost <= hasty.cost == cost(tables, hasty.order)


def random_graph(seed: int) -> Graph:
    """A graph of at most six intermediates with edges of all classes."""
    dice = random.Random(seed)
    inputs, inner, outputs = dice.randint(1, 3), dice.randint(1, 6), dice.randint(1, 3)
    edges = {}
    for target in range(inputs, inputs + inner + outputs):
        sources = range(min(target, inputs + inner))
        for source in dice.sample(sources, min(len(sources), dice.randint(1, 3))):
            edges[source, target] = dice.choice((ONE, ONE, MINUS, CONST, VAR, VAR, VAR))
    count = inputs + inner + outputs
    return Graph(inputs, ((),) * count, tuple(range(inputs + inner, count)), edges)


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_in_all_models_of_scalars(first: int) -> None:
    for seed in range(first, first + 20):
        graph = random_graph(seed)
        for tables in (published(graph), work(graph), work(graph, free_constants=False)):
            found = exact(tables, tables.intermediates)
            assert found.proven
            assert cost(tables, found.order) == found.cost
            assert found.cost == min(cost(tables, order) for order in permutations(tables.intermediates)), seed
            assert outlook(tables).bound <= found.cost


def test_graphs_of_arrays_are_refused() -> None:
    graph = Graph(1, ((2,), (2,), (2,)), (2,), {(0, 1): VAR, (1, 2): VAR})
    assert not is_provable(work(graph))
    with pytest.raises(ValueError, match="scalars"):
        exact(work(graph), (1,))
