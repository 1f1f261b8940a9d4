"""One spelling suggestion for an unknown name, when a known one is near."""

from __future__ import annotations

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest known name within two edits, else nothing."""
    near = [other for other in set(known) - {name} if _distance(name, other) <= _allowed(name)]
    if not near:
        return ""
    best = min(near, key=lambda other: (_distance(name, other), -_common_prefix(name, other), other))
    return f"; did you mean {best!r}?"


def _common_prefix(x: str, y: str) -> int:
    return next((k for k, (a, b) in enumerate(zip(x, y, strict=False)) if a != b), min(len(x), len(y)))


def _allowed(name: str) -> int:
    # Two edits turn any two-letter name into any other, which would suggest nonsense.
    return 2 if len(name) > 3 else 1


def _distance(x: str, y: str) -> int:
    """The number of insertions, deletions, replacements and swaps of neighbours; 3 stands for more."""
    if abs(len(x) - len(y)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        new = [i]
        for j, b in enumerate(y, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == y[j - 2] and x[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        before, row = row, new
    return min(row[-1], 3)
