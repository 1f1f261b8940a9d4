"""Cells and rows of the tables that benchmarks print."""

from __future__ import annotations

from collections.abc import Callable

NOTHING = "–"


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def head(cells: list[str]) -> list[str]:
    """The first two lines of a table."""
    return [line(cells), line(["---"] * len(cells))]


def ratio(one: float | None, other: float | None, *, bold: bool = False) -> str:
    if not (one and other):
        return NOTHING
    return f"**{one / other:.2f}**" if bold else f"{one / other:.2f}"


def outcome(result: dict | None, shown: Callable[[dict], str]) -> str:
    """What a peer answered: what is `shown` of it, or why it has no time."""
    match result:
        case None:
            return NOTHING
        case {"failed": why}:
            return f"failed: {why}"
        case {"wrong": error}:
            return f"WRONG by {error:.0e}"
        case _:
            return shown(result)
