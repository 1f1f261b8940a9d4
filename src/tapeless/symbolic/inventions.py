"""Values that are not there, but of which several that are there could be made: common factors and common terms.

Where two values C are products A V with the same V, or sums A + V, and V is the sum or product of two values, computing
V pays: x c + y c + ... becomes (x + y + ...) c. Candidates V are the quotients and differences of all pairs, of which
those are kept that are sums or products of other pairs; both by fingerprints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass
from . import fingerprints as fp
from .extract import Way
from .relations import Ints, combined, is_as_good

MOST_CLASSES, MOST_KEPT = 320, 240


@dataclass(frozen=True, slots=True)
class Use:
    """What a new value V is good for: `target` is sign * V * other, or target - second * other is sign * V."""

    target: int
    op: str
    other: int
    sign: int
    second: int


@dataclass(frozen=True, slots=True)
class Invention:
    """A new value: where it can be computed, what it depends on, how, and what it is good for."""

    print_: fp.Print
    place: float
    inputs: int
    ways: list[Way]
    uses: list[Use]


def inventions(
    prints: Sequence[fp.Print],
    places: Sequence[float],
    inputs: Sequence[int],
    ways: Sequence[Sequence[Way]],
    sizes: NDArray[np.float64],
) -> list[Invention]:
    """The values that are worth computing, the most useful ones first."""
    if len(prints) > MOST_CLASSES:
        return []
    values = [np.array([p[f] for p in prints], np.int64) for f in range(2)]
    made = _pairs(values, places, np.array([p not in (fp.ZERO, fp.ONE) for p in prints]))
    wanted = _wanted(values, places, ways)
    found: list[Invention] = []
    known = set(prints)
    for key, uses in _common(made, wanted, places, known):
        entry = _entry(key, made, uses, places, inputs, ways, sizes)
        if entry is not None:
            found.append(entry)
    found.sort(key=lambda entry: -len({use.target for use in entry.uses}))
    return found[:MOST_KEPT]


# -- candidates -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Made:
    """What all pairs make: keys of both fields together, sorted, with operation, operands and signs.

    `earliest` is where the first of the pairs that make a key can be computed.
    """

    keys: Ints
    earliest: NDArray[np.float64]
    ops: Ints
    rows: Ints
    columns: Ints
    signs: Ints


_OPS = (("mul", 1), ("add", 1), ("add", -1))


def _pairs(values: Sequence[Ints], places: Sequence[float], useful: NDArray[np.bool_]) -> _Made:
    parts: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []
    for number, (op, second) in enumerate(_OPS):
        rows, columns = np.triu_indices(len(useful), 0 if op == "mul" else 1)
        kept = useful[rows] & useful[columns]
        rows, columns = rows[kept], columns[kept]
        first, signs = combined(values, rows, columns, op, second, None)
        other, _ = combined(values, rows, columns, op, second, signs)
        parts.append((_key(first, other), np.full(len(rows), number), rows, columns, signs))
    keys, ops, rows, columns, signs = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, rows, columns = keys[order], rows[order], columns[order]
    at = np.array(places)
    _, starts, counts = np.unique(keys, return_index=True, return_counts=True)
    earliest = np.repeat(np.minimum.reduceat(np.maximum(at[rows], at[columns]), starts), counts)
    return _Made(keys, earliest, ops[order], rows, columns, signs[order])


def _key(first: Ints, second: Ints) -> Ints:
    return first * (1 << 31) + second


def _print(key: int) -> fp.Print:
    return key >> 31, key & ((1 << 31) - 1)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Quotients C / A and differences C - A and C + A: their keys, C, A, signs, and the numbers of operations."""

    keys: Ints
    targets: Ints
    others: Ints
    signs: Ints
    ops: Ints


def _wanted(values: Sequence[Ints], places: Sequence[float], ways: Sequence[Sequence[Way]]) -> _Wanted:
    count = len(places)
    computed = [k for k in range(count) if places[k] > -1 and ways[k] and ways[k][0].op in ("mul", "add")]
    there = [k for k in range(count) if (values[0][k], values[1][k]) not in (fp.ZERO, fp.ONE)]
    c, a = (grid.ravel() for grid in np.meshgrid(computed, there, indexing="ij"))
    inverse = [np.array([pow(int(x), -1, p) if x else 0 for x in values[f]]) for f, p in enumerate(fp.FIELDS)]
    fields = [(values[f][c], values[f][a], inverse[f][a], p) for f, p in enumerate(fp.FIELDS)]
    parts: list[tuple[Ints, Ints]] = []
    for op, second in _OPS:
        made = [(x * i if op == "mul" else x - second * y) % p for x, y, i, p in fields]
        signs = np.where(made[0] > fp.FIELDS[0] // 2, -1, 1)
        first, other = (np.where(signs < 0, (p - part) % p, part) for part, p in zip(made, fp.FIELDS, strict=True))
        parts.append((_key(first, other), signs))
    keys, signs = (np.concatenate(part) for part in zip(*parts, strict=True))
    times = len(_OPS)
    return _Wanted(keys, np.tile(c, times), np.tile(a, times), signs, np.repeat(np.arange(times), len(c)))


def _common(made: _Made, wanted: _Wanted, places: Sequence[float], known: set[fp.Print]) -> list[tuple[int, list[Use]]]:
    """Keys that pairs make and that are wanted for at least two classes."""
    at = np.minimum(np.searchsorted(made.keys, wanted.keys), len(made.keys) - 1)
    where = np.array(places)[wanted.targets]
    before = (np.array(places)[wanted.others] < where) & (made.earliest[at] < where)
    hits = np.nonzero((made.keys[at] == wanted.keys) & before)[0]
    _, group, sizes = np.unique(wanted.keys[hits], return_inverse=True, return_counts=True)
    groups: dict[int, list[Use]] = defaultdict(list[Use])
    for hit in hits[sizes[group] > 1]:
        op, second = _OPS[int(wanted.ops[hit])]
        use = Use(int(wanted.targets[hit]), op, int(wanted.others[hit]), int(wanted.signs[hit]), second)
        groups[int(wanted.keys[hit])].append(use)
    return [
        (key, found)
        for key, found in groups.items()
        if len({use.target for use in found}) > 1 and _print(key) not in known
    ]


# -- what is kept -----------------------------------------------------------------------------------


def _entry(
    key: int,
    made: _Made,
    uses: list[Use],
    places: Sequence[float],
    inputs: Sequence[int],
    ways: Sequence[Sequence[Way]],
    sizes: NDArray[np.float64],
) -> Invention | None:
    start, end = np.searchsorted(made.keys, [key, key + 1])
    options: list[tuple[float, int, Way, NDArray[np.float64]]] = []
    for at in range(int(start), min(int(end), int(start) + 6)):
        op, second = _OPS[int(made.ops[at])]
        i, j = int(made.rows[at]), int(made.columns[at])
        scale = sizes[i] * sizes[j] if op == "mul" else np.maximum(sizes[i], sizes[j])
        way = Way(op, (i, j), int(made.signs[at]), second)
        options.append((max(places[i], places[j]) + 0.5, inputs[i] | inputs[j], way, scale))
    place = min(option[0] for option in options)
    kept = [option for option in options if option[0] == place]
    mask, scale = kept[0][1], kept[0][3]
    kept = [option for option in kept if option[1] == mask]
    good = [
        use
        for use in uses
        if places[use.target] > max(place, places[use.other])
        and inputs[use.other] | mask == inputs[use.target]
        and _rounds_as_well(use, kept[0][2], scale, ways, sizes)
    ]
    if len({use.target for use in good}) < 2:
        return None
    return Invention(_print(key), place, mask, [option[2] for option in kept], good)


def _rounds_as_well(
    use: Use,
    way: Way,
    scale: NDArray[np.float64],
    ways: Sequence[Sequence[Way]],
    sizes: NDArray[np.float64],
) -> bool:
    """Are the terms of which the class is made not larger than those of its own sum?"""
    k, a = use.target, use.other
    if use.op == "mul":
        return way.op == "mul" or is_as_good(sizes[a] * scale, k, ways[k][0], sizes)
    return is_as_good(np.maximum(sizes[a], scale), k, ways[k][0], sizes)
