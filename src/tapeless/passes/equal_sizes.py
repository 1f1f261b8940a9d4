"""Sizes that are the same whenever the program goes on: checks say so, and arrays that go by other sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir.core import Apply, Check, Stm
from ..ir.types import Atom


def equal_sizes(stms: Iterable[Stm]) -> list[set[Atom]]:
    """The sets of those that are the same, of two sizes at least."""
    groups: list[set[Atom]] = []
    for pair in (set(two) for stm in stms for two in _equations(stm)):
        joined = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*joined)]
    return groups


def _equations(stm: Stm) -> Iterator[tuple[Atom, ...]]:
    match stm.expr:
        case Check("equal", args):
            yield args
        case Apply("reshape", (x, *shape)) if len(shape) == len(x.type.shape):
            yield from zip(x.type.shape, shape, strict=True)
        case _:
            pass
