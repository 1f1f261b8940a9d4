"""The binomial schedule is optimal: closed form, dynamic programming, carrying it out, and the published counts."""

from functools import cache
from math import comb

import pytest

from tapeless.ad.treeverse import capacity, forward_steps, repetitions, split


@cache
def fewest(length: int, slots: int) -> int:
    """The optimum by trying every first split."""
    if length == 1:
        return 0
    if slots == 1:
        return length * (length - 1) // 2
    return min(k + fewest(k, slots) + fewest(length - k, slots - 1) for k in range(1, length))


def run_back(length: int, slots: int) -> tuple[int, int]:
    """Carry out the schedule: the forward steps, and the most states kept at a time."""
    kept, steps, most = [0], 0, 1
    for step in reversed(range(length)):
        at = kept[-1]
        while at < step:
            far = split(step + 1 - at, slots - len(kept) + 1)
            assert far >= 1
            steps, at = steps + far, at + far
            if at < step:
                kept.append(at)
                most = max(most, len(kept))
        assert at == step
        if kept[-1] == step:
            kept.pop()
    return steps, most


@pytest.mark.parametrize("slots", range(1, 9))
def test_closed_form_and_schedule_are_the_optimum(slots: int):
    for length in range(1, 60):
        assert forward_steps(length, slots) == fewest(length, slots)
        steps, most = run_back(length, slots)
        assert steps == fewest(length, slots)
        assert most <= slots


@pytest.mark.parametrize(("length", "slots"), [(1000, 1), (5000, 3), (10_000, 5), (10_000, 160), (10_000, 20_000)])
def test_schedule_of_long_chains(length: int, slots: int):
    steps, most = run_back(length, slots)
    assert steps == forward_steps(length, slots)
    assert most <= slots


def test_capacity_counts_repetitions():
    assert capacity(3, -1) == 0
    assert capacity(5, 14) == comb(19, 5)
    assert repetitions(comb(19, 5), 5) == 14
    assert repetitions(comb(19, 5) + 1, 5) == 15


def treeverse(slots: int, times: int, base: int, start: int, end: int) -> int:
    """Forward steps of the algorithm of 1992 with its own split, which is optimal for full capacities only."""
    steps = start - base
    slots -= start > base
    while times > 0:
        middle = -(-(slots * start + times * end) // (times + slots))
        if middle >= end and slots > 0:
            middle = max(start + 1, end - 1)
        if middle >= end:
            break
        steps += treeverse(slots, times, start, middle, end)
        times, end = times - 1, middle
    assert end == start + 1
    return steps


@pytest.mark.parametrize(
    ("slots", "times", "published"),
    [
        (5, 14, 123_094), (10, 7, 70_226), (20, 4, 47_971), (40, 3, 39_127), (80, 3, 37_137), (160, 2, 29_836),
        (320, 2, 29_680),
    ],
)  # fmt: skip
def test_published_counts(slots: int, times: int, published: int):
    """Forward and gradient steps of 10^4 states (facts/reversible.md 2.6): ours are as few, or fewer."""
    gradients = 9_999
    assert repetitions(gradients + 1, slots) == times
    assert treeverse(slots, times, 0, 0, gradients) + gradients == published
    assert forward_steps(gradients, slots) + gradients <= published
