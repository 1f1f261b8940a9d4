"""Accumulated Jacobians: equal to differences of 60-digit numbers in any order, for the multiplications counted."""

from __future__ import annotations

import pytest

from tapeless.eliminate import emit
from tapeless.testing import accumulation
from tapeless.testing.accumulation import check


@pytest.mark.parametrize("seed", range(150))
def test_any_order_gives_the_jacobian_for_the_multiplications_counted(seed: int) -> None:
    assert check(seed)


@pytest.mark.parametrize("seed", range(1000, 1150))
def test_branches_and_choices(seed: int) -> None:
    check(seed, choices=True)


def test_wrong_counts_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accumulation, "cost", lambda *_: 1000)
    with pytest.raises(AssertionError, match="multiplications, not 1000"):
        check(1)


def test_wrong_entries_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit, "plus", lambda _b, old, _new, _dtype: old)
    with pytest.raises(AssertionError, match="gives"):
        any(not check(seed) for seed in range(20))
