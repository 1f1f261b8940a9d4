"""Optimal checkpoints for a chain of steps: integers only (Griewank 1992; Griewank and Walther, ACM TOMS 799, 2000).

A chain of `length` steps is run back, its last step first. A step can be run back when the state before it is at
hand; a state is at hand when it was just computed, or when it is in one of `slots` places, the state before the first
step being in one of them. With beta(s, r) = C(s + r, s), a chain of at most beta(s, r) steps needs no step more than
r times, and the fewest forward steps altogether are

    forward_steps(n, s) = r n - beta(s + 1, r - 1),     r the least with beta(s, r) >= n.

This is convex and piecewise linear in n, so going forward by k steps, keeping the state there, and running back first
the n - k steps behind it with a slot less and then the k steps before it with all slots is optimal exactly when

    beta(s, r-2) <= k <= beta(s, r-1)   and   beta(s-1, r-1) <= n - k <= beta(s-1, r).

`split` takes the largest such k. The step that is run back is not counted as a forward step.
"""

from __future__ import annotations

from math import comb


def capacity(slots: int, repetitions: int) -> int:
    """beta(s, r): the longest chain with `slots` places in which no step runs forward more than `repetitions` times."""
    return comb(slots + repetitions, slots) if repetitions >= 0 else 0


def repetitions(length: int, slots: int) -> int:
    """How often a step runs forward at most."""
    count = 0
    while capacity(slots, count) < length:
        count += 1
    return count


def forward_steps(length: int, slots: int) -> int:
    """The fewest forward steps by which a chain can be run back."""
    count = repetitions(length, slots)
    return count * length - capacity(slots + 1, count - 1)


def split(length: int, slots: int) -> int:
    """How far to go before the next state is kept, for a chain of at least two steps. The last step is never passed."""
    count = repetitions(length, slots)
    return min(capacity(slots, count - 1), length - capacity(slots - 1, count - 1))
