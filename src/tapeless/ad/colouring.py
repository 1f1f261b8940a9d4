"""Colouring: which columns (or rows) of a sparse matrix can share one sweep.

A sweep along the sum of some columns answers the sum of their entries, row by row. Columns of which no two have an
entry in the same row can be told apart afterwards: they get one *colour*. For a symmetric matrix less suffices, because
every entry off the diagonal appears twice: a *star colouring* gives neighbours different colours and leaves no path on
four vertices with only two. Then any two colours induce stars, and of the two ends of an edge the one that is a leaf of
its star meets the other's colour in no other neighbour: there the entry stands alone. (Gebremedhin, Manne, Pothen: What
color is your Jacobian?, 2005.)

Both are found greedily, in several orders of the vertices; the fewest colours win. A matrix is a `Pattern`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The places of entries of a matrix of a shape, by rows: those of row r are columns[starts[r]:starts[r + 1]]."""

    shape: tuple[int, int]
    starts: Ints
    columns: Ints

    @property
    def count(self) -> int:
        return len(self.columns)

    def rows(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def transposed(self) -> Pattern:
        return pattern_of(self.columns, self.rows(), (self.shape[1], self.shape[0]))


@dataclass(frozen=True, slots=True)
class Colouring:
    """The colour of each column, and how many colours there are."""

    colours: Ints
    count: int


def pattern_of(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Pattern:
    """The pattern with entries at these places, none of them twice."""
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return Pattern(shape, starts.astype(np.int64), columns[order].astype(np.int64))


def fewest_columns(pattern: Pattern) -> int:
    """A bound from below: the columns of one row differ in colour."""
    return int(np.diff(pattern.starts).max(initial=0))


def colour_columns(pattern: Pattern) -> Colouring:
    """Colours of columns, such that two columns with an entry in the same row differ."""
    if fewest_columns(pattern) == pattern.shape[1]:
        return Colouring(np.arange(pattern.shape[1]), pattern.shape[1])
    by_column = pattern.transposed()
    sizes = np.diff(pattern.starts)
    crowding = np.bincount(pattern.columns, weights=sizes[pattern.rows()], minlength=pattern.shape[1])
    natural, crowded_first = np.arange(pattern.shape[1]), np.argsort(-crowding, kind="stable")
    best = _greedy_columns(pattern, by_column, natural)
    if best.count > fewest_columns(pattern) and np.any(natural != crowded_first):
        other = _greedy_columns(pattern, by_column, crowded_first)
        best = min(best, other, key=lambda found: found.count)
    return best


def colour_symmetric(pattern: Pattern) -> Colouring:
    """A star colouring of the graph whose edges are the entries off the diagonal of a symmetric pattern."""
    near = _neighbours(pattern)
    largest_first = np.argsort(-np.diff(pattern.starts), kind="stable").tolist()
    found = [_greedy_star(near, order) for order in (range(len(near)), largest_first, _smallest_last(near))]
    return min(found, key=lambda colouring: colouring.count)


def recover(pattern: Pattern, colouring: Colouring) -> Ints:
    """For each entry its place in the matrix of sweeps, [colours, rows] laid out by rows."""
    return colouring.colours[pattern.columns] * pattern.shape[0] + pattern.rows()


def recover_symmetric(pattern: Pattern, colouring: Colouring) -> Ints:
    """The same under a star colouring: where the column's colour appears twice in the row, by the mirrored entry."""
    rows, columns, colours, size = pattern.rows(), pattern.columns, colouring.colours, pattern.shape[0]
    met = rows * colouring.count + colours[columns]
    times = np.bincount(met, minlength=size * colouring.count)
    alone = times[met] == 1
    return np.where(alone, colours[columns] * size + rows, colours[rows] * size + columns)


def _greedy_columns(pattern: Pattern, by_column: Pattern, order: Ints) -> Colouring:
    """Each column in turn gets the first colour that no column with an entry in one of its rows has."""
    colours = np.full(pattern.shape[1], -1, np.int64)
    # taken[c] is the column for which colour c was last found to be taken; the last place is for "no colour yet".
    taken = np.full(pattern.shape[1] + 2, -1, np.int64)
    starts, columns = pattern.starts.tolist(), pattern.columns
    owners, rows = by_column.starts.tolist(), by_column.columns.tolist()
    count = 0
    for column in order.tolist():
        for row in rows[owners[column] : owners[column + 1]]:
            taken[colours[columns[starts[row] : starts[row + 1]]]] = column
        colour = int(np.argmax(taken[: count + 1] != column))
        colours[column] = colour
        count = max(count, colour + 1)
    return Colouring(colours, count)


def _greedy_star(near: Sequence[Sequence[int]], order: Sequence[int]) -> Colouring:
    """Each vertex in turn gets the first colour that closes no path on four vertices of two colours."""
    colours = [-1] * len(near)
    marks = _Marks([{} for _ in near], [{} for _ in near], [set() for _ in near])
    count = 0
    for v in order:
        taken: set[int] = set()
        for w in near[v]:
            if colours[w] >= 0:
                taken.add(colours[w])
                taken |= marks.around[w].keys() if marks.around[v][colours[w]] > 1 else marks.closed[w]
        colour = next(c for c in range(count + 1) if c not in taken)
        colours[v] = colour
        count = max(count, colour + 1)
        for w in near[v]:
            marks.meet(v, w, colour, colours[w])
    return Colouring(np.array(colours, np.int64), count)


@dataclass(frozen=True, slots=True)
class _Marks:
    """What a star colouring knows of each vertex, so that no neighbour's neighbours are visited.

    `around[x][c]` neighbours of x have colour c, of which `first[x][c]` got it first. `closed[w]` are the colours of
    the neighbours of w that have another neighbour with the colour of w: a new neighbour of w must not take them.
    """

    around: list[dict[int, int]]
    first: list[dict[int, int]]
    closed: list[set[int]]

    def meet(self, v: int, w: int, colour: int, other: int) -> None:
        """The vertex v got a colour; its neighbour w has the colour `other`, or none yet (-1)."""
        seen = self.around[w].get(colour, 0)
        self.around[w][colour] = seen + 1
        if seen == 0:
            self.first[w][colour] = v
        elif other >= 0:
            self.closed[v].add(other)
            self.closed[self.first[w][colour]].add(other)
        if other >= 0 and self.around[v][other] > 1:
            self.closed[w].add(colour)


def _neighbours(pattern: Pattern) -> list[list[int]]:
    """The columns of each row, without the diagonal."""
    columns: list[int] = pattern.columns.tolist()
    starts: list[int] = pattern.starts.tolist()
    return [[c for c in columns[starts[v] : starts[v + 1]] if c != v] for v in range(pattern.shape[0])]


def _smallest_last(near: Sequence[Sequence[int]]) -> list[int]:
    """The order in which every vertex has few neighbours before it: repeatedly, one of least degree is put last."""
    degrees = [len(neighbours) for neighbours in near]
    buckets: list[set[int]] = [set() for _ in range(max(degrees, default=0) + 1)]
    for v, degree in enumerate(degrees):
        buckets[degree].add(v)
    last: list[int] = []
    least = 0
    while len(last) < len(near):
        while not buckets[least]:
            least += 1
        v = buckets[least].pop()
        last.append(v)
        degrees[v] = -1
        for w in near[v]:
            if degrees[w] >= 0:
                buckets[degrees[w]].discard(w)
                degrees[w] -= 1
                buckets[degrees[w]].add(w)
        least = max(0, least - 1)
    return last[::-1]
