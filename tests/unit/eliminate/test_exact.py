"""Exact search against all orders."""

from __future__ import annotations

from itertools import permutations

import pytest

from tapeless.eliminate.exact import exact
from tapeless.eliminate.tables import cost

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
