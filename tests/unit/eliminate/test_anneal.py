"""The search for orders: compiled as in plain Python, and as good as the best of small graphs."""

from __future__ import annotations

import pytest

import tapeless as tp
from tapeless.eliminate import engine, kernel
from tapeless.eliminate.anneal import Annealer
from tapeless.eliminate.exact import exact
from tapeless.eliminate.tables import cost

from .random_tables import random_tables


@pytest.fixture(scope="module")
def compiled() -> object:
    return tp.jit(kernel.sweep, check="none")


def test_long_searches_run_compiled() -> None:
    assert isinstance(engine.sweep(10.0), tp.Jitted)


def test_compiled_search_takes_the_same_path(compiled: tp.Jitted) -> None:
    for seed in range(5):
        tables = random_tables(seed, most=20)
        start = tables.intermediates[::-1]
        plain, fast = (Annealer(tables, sweep, seed).anneal(start, 4) for sweep in (kernel.sweep, compiled))
        assert plain == fast
        assert plain.cost == cost(tables, plain.order)


def test_small_graphs_are_solved(compiled: tp.Jitted) -> None:
    for seed in range(30):
        tables = random_tables(seed, most=9)
        start = tables.intermediates
        assert Annealer(tables, compiled).anneal(start, 60).cost == exact(tables, start).cost, seed


def test_nothing_to_eliminate() -> None:
    tables = next(t for t in map(random_tables, range(1000)) if len(t.intermediates) == 1)
    assert Annealer(tables).search(tables.intermediates, 0.01).order == tables.intermediates
