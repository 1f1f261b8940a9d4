"""Choosing an order, and remembering it under a name that does not depend on the numbering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tapeless import config
from tapeless.eliminate import store
from tapeless.eliminate.canonical import canonical
from tapeless.eliminate.choose import choose
from tapeless.eliminate.tables import Tables, cost
from tapeless.records import replace
from tapeless.runtime import cache

from .random_tables import random_tables

SEED = 7  # a graph whose forward order is not the best


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path) -> object:
    with config(cache_dir=str(tmp_path)):
        yield


def renumbered(tables: Tables, seed: int) -> tuple[Tables, list[int]]:
    """The same graph with its intermediates numbered otherwise, and the new number of each vertex."""
    dice = np.random.default_rng(seed)
    number = list(range(len(tables.kind)))
    inner = list(tables.intermediates)
    for old, new in zip(inner, dice.permutation(inner).tolist(), strict=True):
        number[old] = new
    kind = np.zeros_like(tables.kind)
    for i, j in np.argwhere(tables.kind).tolist():
        kind[number[i], number[j]] = tables.kind[i, j]
    return replace(tables, kind=kind), number


@pytest.mark.parametrize("seed", range(20))
def test_the_name_does_not_depend_on_numbers(seed: int) -> None:
    tables = random_tables(seed, most=10)
    other, _ = renumbered(tables, seed)
    here, there = canonical(tables, "work"), canonical(other, "work")
    assert here.name == there.name
    assert here.name != canonical(tables, "published").name
    order = tables.intermediates
    assert here.inwards(here.outwards(order)) == order
    assert cost(other, there.inwards(here.outwards(order))) == cost(tables, order)


def test_another_graph_has_another_name() -> None:
    names = {canonical(random_tables(seed, most=10), "work").name for seed in range(100)}
    assert len(names) == 100


@pytest.mark.parametrize("seed", range(10))
def test_never_worse_than_forward_and_reverse(seed: int) -> None:
    tables = random_tables(seed, most=25)
    found = choose(tables, "work")
    plain = (tables.intermediates, tables.intermediates[::-1])
    assert found.bound <= found.cost == cost(tables, found.order) <= min(cost(tables, order) for order in plain)
    assert choose(tables, "work", seconds=0.02).cost <= found.cost


def test_an_order_is_remembered_and_only_a_better_one_replaces_it() -> None:
    tables = random_tables(SEED, most=8)
    graph = canonical(tables, "work")
    assert store.read(graph, tables) is None
    dear = tables.intermediates
    price = cost(tables, dear)
    given = store.Order(graph.name, "work", graph.outwards(dear), price, 0)
    assert store.write(given, None)
    assert store.read(graph, tables) == given
    assert not store.write(given, given)
    found = choose(tables, "work")
    known = store.read(graph, tables)
    assert known is not None
    assert known.is_proven
    assert known.cost == found.cost < price
    assert list(store.kept()) == [known]


@pytest.mark.parametrize(
    "wrong",
    [{"order": [0, 0, 0]}, {"order": []}, {"cost": 0}, {"order": ["a"]}, {"order": None}, {"cost": "1"}, {"name": 3}],
)
def test_what_is_stored_is_not_trusted(wrong: dict[str, object]) -> None:
    tables = random_tables(SEED, most=8)
    graph = canonical(tables, "work")
    good = store.Order(graph.name, "work", graph.outwards(tables.intermediates), cost(tables, tables.intermediates), 0)
    cache.put(cache.lasting_key(store.KIND, graph.name), b"", {"kind": store.KIND, **good.to_json(), **wrong})
    assert store.read(graph, tables) is None
    assert choose(tables, "work").cost <= good.cost
