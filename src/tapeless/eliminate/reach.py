"""Edges of a scalar graph in one direction, as bit masks, and what they become when vertices between are eliminated.

An edge is *varying* when a product of two such costs something, *costly* when a product of it with a varying one does,
and free otherwise. A path is varying if one of its edges is, costly if one is; where a model counts products with
constants, the sum of two free paths is a constant, and costly (1 + 1 = 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .tables import FREE, Tables


class Met(NamedTuple):
    """The vertices that are met, and those among them over varying, and over costly paths."""

    all: int
    varying: int
    costly: int

    @property
    def other(self) -> int:
        """Those over paths that are costly, not varying."""
        return self.costly & ~self.varying


class Reach:
    """The neighbours of each vertex in one direction; `forwards` says that their numbers are higher.

    `counts_sums` says that sums of free paths are costly.
    """

    def __init__(self, forwards: bool, counts_sums: bool) -> None:
        self.forwards, self.counts_sums = forwards, counts_sums
        self.near: dict[int, Met] = {}

    def of(self, vertex: int) -> Met:
        return self.near.get(vertex, NOBODY)

    def add(self, vertex: int, neighbour: int, varies: bool, costs: bool) -> None:
        old, bit = self.of(vertex), 1 << neighbour
        self.near[vertex] = Met(
            old.all | bit, old.varying | (bit if varies else 0), old.costly | (bit if costs or varies else 0)
        )

    def edges(self, chosen: int) -> tuple[Met, ...]:
        """The edges of some vertices."""
        return tuple(self.of(vertex) for vertex in bits(chosen))

    def without(self, gone: int, left: int) -> Reach:
        """The edges of those that are left when some are gone."""
        made = Reach(self.forwards, self.counts_sums)
        made.near = {vertex: self.outside(vertex, gone) for vertex in bits(left)}
        return made

    def outside(self, vertex: int, gone: int) -> Met:
        """Who is met first outside of `gone`."""
        met = self.of(vertex)
        if not met.all & gone:
            return met
        seen, varying, costly = met
        done = 0
        while todo := seen & gone & ~done:
            # In the order of the graph, so that all paths to the next one are known.
            inner = todo & -todo if self.forwards else 1 << todo.bit_length() - 1
            done |= inner
            more = self.near.get(inner.bit_length() - 1, NOBODY)
            if self.counts_sums:
                costly |= seen & more.all
            seen |= more.all
            varying |= more.all if varying & inner else more.varying
            costly |= more.all if costly & inner else more.costly
        return Met(seen & ~gone, varying & ~gone, (costly | varying) & ~gone)

    def cut(self, vertex: int, chosen: int) -> int:
        """At least so many vertices stand between this one and everything outside: a bound of those met over varying
        paths, whoever is gone.

        Paths that share no vertex are taken one after the other, each of which must be cut. They begin with an edge
        that varies, so that whoever cuts them is counted.
        """
        free = ~0
        count = 0
        for start in bits(self.of(vertex).varying):
            left = self._path(start, chosen, free)
            count += left is not None
            free = free if left is None else left
        return count

    def _path(self, at: int, chosen: int, free: int) -> int | None:
        """The free vertices without those of a path from `at` to the outside, if there is one."""
        if not free >> at & 1:
            return None
        free &= ~(1 << at)
        if not chosen >> at & 1:
            return free
        # The outside first: short paths leave more to the others.
        near = self.of(at).all
        for group in (near & ~chosen, near & chosen):
            for neighbour in bits(group):
                if (left := self._path(neighbour, chosen, free)) is not None:
                    return left
        return None


NOBODY = Met(0, 0, 0)


def reaches(tables: Tables) -> tuple[Reach, Reach]:
    """The edges of a graph to sources and to targets; see `classes` for which models."""
    found = classes(tables)
    if found is None:
        raise ValueError("a model of free, constant and varying edges between scalars is needed")
    varying, costly = found
    counts_sums = costly != varying
    sources, targets = Reach(forwards=False, counts_sums=counts_sums), Reach(forwards=True, counts_sums=counts_sums)
    for i, j in np.argwhere(tables.kind).tolist():
        kind = int(tables.kind[i, j])
        sources.add(j, i, kind in varying, kind in costly)
        targets.add(i, j, kind in varying, kind in costly)
    return sources, targets


def classes(tables: Tables) -> tuple[set[int], set[int]] | None:
    """The kinds of varying and of costly edges that a graph of scalars can have; None where costs are others."""
    if not (tables.extents == 1).all():
        return None
    product: list[list[int]] = tables.product.tolist()
    plus: list[list[int]] = tables.plus.tolist()
    # Not np.unique: the first call of that imports masked arrays, which takes 10 ms.
    kinds, size = set(np.flatnonzero(np.bincount(tables.kind.ravel())).tolist()) - {0}, 0
    while size < len(kinds):
        size = len(kinds)
        kinds |= {table[x][y] for x in kinds for y in kinds for table in (product, plus)} - {0}
    paid = {(x, y) for x in kinds for y in kinds if tables.flags[x, y] != FREE}
    varying, costly = {x for x, y in paid if x == y}, {x for pair in paid for x in pair}
    wanted = {(x, y) for x in costly for y in costly if x in varying or y in varying}
    return (varying, costly) if paid == wanted else None


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
