"""Bennett's schedule: it is sound, and takes as many steps and states as published."""

from __future__ import annotations

import pytest

from tapeless.ad.bennett import best_sectors, calls, places, schedule
from tapeless.ad.treeverse import forward_steps

# A chain of 10^4 states, so of 9999 steps: parts, states at most, steps (Liu and Xu, Acta Phys. Sin. 70, 2021).
PUBLISHED = [(5, 24, 178601), (10, 38, 68588), (20, 53, 56936), (40, 82, 36758), (80, 143, 29836), (160, 221, 19839)]


@pytest.mark.parametrize(("sectors", "states", "steps"), PUBLISHED)
def test_published_counts(sectors, states, steps):
    assert calls(9999, sectors, undo=False) == steps
    assert places(9999, sectors, undo=False) == states


def test_the_formula():
    assert (calls(16, 2), places(16, 2)) == (81, 6)
    for k, m in ((2, 5), (3, 4), (5, 3)):
        assert calls(k**m, k) == (2 * k - 1) ** m
        assert places(k**m, k) == m * (k - 1) + 2


@pytest.mark.parametrize("undo", [True, False])
@pytest.mark.parametrize("sectors", [2, 3, 5, 9])
@pytest.mark.parametrize("steps", [0, 1, 2, 3, 7, 16, 23, 60, 101])
def test_the_schedule(steps, sectors, undo):
    alive, most, count = {0}, 1, 0
    for before, clears in schedule(steps, sectors, undo=undo):
        count += 1
        assert before in alive
        assert (before + 1 in alive) == clears
        alive ^= {before + 1}
        most = max(most, len(alive))
    assert count == calls(steps, sectors, undo=undo)
    assert most == places(steps, sectors, undo=undo)
    assert steps in alive
    if undo:
        assert alive == {0, steps}


def test_the_best_number_of_parts():
    assert best_sectors(9999, 3) is None
    found = best_sectors(9999, 24)
    assert found is not None
    assert places(9999, found, undo=False) <= 24
    assert calls(9999, found, undo=False) <= 178601


@pytest.mark.parametrize(("steps", "most"), [(8, 9), (9, 6), (11, 7), (21, 12), (30, 8)])
def test_no_other_number_of_parts_takes_fewer_steps(steps, most):
    found = best_sectors(steps, most)
    assert found is not None
    others = [k for k in range(2, steps + 2) if places(steps, k, undo=False) <= most]
    assert calls(steps, found, undo=False) == min(calls(steps, k, undo=False) for k in others)


@pytest.mark.parametrize("most", [3, 4, 6, 10, 20, 40, 100])
@pytest.mark.parametrize("steps", [2, 3, 7, 16, 23, 60, 101, 500, 999, 10_000])
def test_binomial_checkpoints_never_take_more_steps(steps, most):
    """With as many states: even if Bennett's steps there were all that a return sweep took (decision 11)."""
    sectors = best_sectors(steps, min(most, steps + 1))
    if sectors is not None:
        assert forward_steps(steps + 1, places(steps, sectors, undo=False)) <= calls(steps, sectors, undo=False)


def test_the_counts_without_undoing_the_outermost_parts():
    for k, m in ((2, 5), (3, 4), (5, 3), (10, 2)):
        assert calls(k**m, k, undo=False) == k * (2 * k - 1) ** (m - 1)
        assert places(k**m, k, undo=False) == m * (k - 1) + 2
