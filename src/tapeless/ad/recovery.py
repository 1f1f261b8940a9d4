"""Plans of sparse Jacobians: which sweeps to make, and where each entry stands in what they answer.

The sweeps answer a matrix [colours, rows] (forward mode) or [colours, columns] (reverse mode) of numbers. `plan_for`
chooses the direction with fewer colours, unless one is asked for, and cuts the pattern into the blocks of one leaf of
the result by one leaf of the argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from ..records import dataclass
from .colouring import (
    Colouring,
    Ints,
    Pattern,
    colour_columns,
    colour_symmetric,
    fewest_columns,
    pattern_of,
    recover,
    recover_symmetric,
)

Method: TypeAlias = Literal["auto", "forward", "reverse", "symmetric"]


@dataclass(frozen=True, slots=True)
class Matrix:
    """One block: its shape, its entries by rows as in `Pattern`, and for each entry its place in the answer."""

    shape: tuple[int, int]
    starts: Ints
    columns: Ints
    places: Ints


@dataclass(frozen=True, slots=True)
class Plan:
    """How to evaluate Jacobians of one pattern; `blocks` are per leaf of the result, per leaf of the argument."""

    pattern: Pattern
    forward: bool
    colouring: Colouring
    blocks: tuple[tuple[Matrix, ...], ...]

    def __str__(self) -> str:
        (rows, columns), count = self.pattern.shape, self.pattern.count
        share = 100.0 * count / max(1, rows * columns)
        mode = "columns, forward mode" if self.forward else "rows, reverse mode"
        return f"{rows} x {columns} with {count} nonzeros ({share:.3g} %), {self.colouring.count} colours of {mode}"


def plan_for(pattern: Pattern, rows: Sequence[int], columns: Sequence[int], method: Method) -> Plan:
    """The plan for a pattern; `rows` and `columns` are the sizes of the leaves of the result and of the argument."""
    if method == "symmetric":
        pattern = _mirrored(pattern)
        colouring = colour_symmetric(pattern)
        return Plan(pattern, True, colouring, _blocks(pattern, recover_symmetric(pattern, colouring), rows, columns))
    forward, colouring = _direction(pattern, method)
    if forward:
        places = recover(pattern, colouring)
    else:
        # The rows are the columns of the transposed matrix; its entries go back to where they were.
        size = pattern.shape[1]
        places = colouring.colours[pattern.rows()] * size + pattern.columns
    return Plan(pattern, forward, colouring, _blocks(pattern, places, rows, columns))


def _direction(pattern: Pattern, method: Method) -> tuple[bool, Colouring]:
    """Forward or reverse, and the colouring: where both are allowed, that with fewer colours."""
    if method != "auto":
        return method == "forward", colour_columns(pattern if method == "forward" else pattern.transposed())
    mirrored = pattern.transposed()
    forward_first = fewest_columns(pattern) <= fewest_columns(mirrored)
    first, second = (pattern, mirrored) if forward_first else (mirrored, pattern)
    best = colour_columns(first)
    # A direction whose bound from below is no better need not be tried.
    if fewest_columns(second) < best.count:
        other = colour_columns(second)
        if other.count < best.count:
            return not forward_first, other
    return forward_first, best


def _mirrored(pattern: Pattern) -> Pattern:
    """The smallest symmetric pattern with these entries: an analysis may be finer on one side of the diagonal."""
    rows, columns, size = pattern.rows(), pattern.columns, pattern.shape[0]
    numbers = np.unique(np.concatenate([rows * size + columns, columns * size + rows]))
    return pattern_of(numbers // max(1, size), numbers % max(1, size), pattern.shape)


def _blocks(
    pattern: Pattern, places: Ints, rows: Sequence[int], columns: Sequence[int]
) -> tuple[tuple[Matrix, ...], ...]:
    if len(rows) == len(columns) == 1:
        return ((Matrix(pattern.shape, pattern.starts, pattern.columns, places),),)
    found: list[tuple[Matrix, ...]] = []
    all_rows = pattern.rows()
    tops, lefts = np.cumsum([0, *rows]).tolist(), np.cumsum([0, *columns]).tolist()
    for top, height in zip(tops, rows, strict=False):
        line: list[Matrix] = []
        for left, width in zip(lefts, columns, strict=False):
            within = (top <= all_rows) & (all_rows < top + height)
            within &= (left <= pattern.columns) & (pattern.columns < left + width)
            part = pattern_of(all_rows[within] - top, pattern.columns[within] - left, (height, width))
            # Entries are in order of row and column, and stay so in each block.
            line.append(Matrix(part.shape, part.starts, part.columns, places[within]))
        found.append(tuple(line))
    return tuple(found)
