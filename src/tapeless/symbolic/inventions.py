"""Values that are not there, but of which several that are there could be made: common factors and common terms.

Where two values C are products A V with the same V, or sums A + V, and V is the sum or product of two values, computing
V pays: x c + y c + ... becomes (x + y + ...) c. Candidates V are the quotients and differences of all pairs, of which
those are kept that are sums or products of other pairs; both by fingerprints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..records import dataclass
from . import fingerprints as fp
from .classes import Classes, Ints
from .extract import Way
from .relations import OPS, combined, is_as_good, marked, pairs, product_way

MOST_CLASSES, MOST_KEPT, MOST_WAYS = 320, 240, 6
_LAST, _SHORT = (1 << 20) - 1, (1 << 17) - 1


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


def inventions(classes: Classes, sizes: NDArray[np.float64]) -> list[Invention]:
    """The values that are worth computing, the most useful ones first."""
    if len(classes.prints) > MOST_CLASSES:
        return []
    values = classes.fields()
    made, wanted = _common(values, _made(classes, values[0]), _wanted(classes, values[0]))
    uses = _uses(classes, wanted)
    ways = _ways(made, uses)
    found = [_entry(classes, sizes, key, ways[key], uses[key]) for key in uses]
    kept = [entry for entry in found if entry is not None]
    kept.sort(key=lambda entry: -len({use.target for use in entry.uses}))
    return kept[:MOST_KEPT]


# -- candidates -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _All:
    """What pairs of classes make in the first field, one operation after another, up to the sign."""

    made: Ints
    keys: Ints
    left: Ints
    right: Ints

    @staticmethod
    def of(made: list[Ints], left: Ints, right: Ints) -> _All:
        found = np.concatenate(made)
        return _All(found, np.minimum(found, fp.FIELDS[0] - found), left, right)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Some pairs: the keys of both fields together, the signs, the operations, and the classes."""

    keys: Ints
    signs: Ints
    ops: Ints
    left: Ints
    right: Ints

    @staticmethod
    def of(every: _All, which: Ints, second: Callable[[Ints, Ints, int], Ints]) -> _Pairs:
        """Some of all pairs; `second` gives what an operation makes of them in the other field."""
        ops, at = np.divmod(which, len(every.left))
        left, right, made, p = every.left[at], every.right[at], every.made[which], fp.FIELDS[1]
        signs = np.where(made > fp.FIELDS[0] // 2, -1, 1)
        other = np.select([ops == op for op in range(len(OPS))], [second(left, right, op) for op in range(len(OPS))])
        other = np.where(signs < 0, (p - other) % p, other)
        return _Pairs(every.keys[which] * (1 << 31) + other, signs, ops, left, right)

    def rows(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Key, classes, operation and sign of each."""
        table = np.stack((self.keys, self.left, self.right, self.ops, self.signs), axis=1)
        return map(tuple, table.tolist())


def _made(classes: Classes, values: Ints) -> _All:
    """Sums, differences and products of all pairs."""
    useful = np.flatnonzero(classes.useful())
    rows, columns = pairs(len(useful))
    made = [combined(values[useful], 0, rows, columns, op, second) for op, second in OPS]
    return _All.of(made, useful[rows], useful[columns])


def _wanted(classes: Classes, values: Ints) -> _All:
    """Quotients C / A and differences C - A and C + A, of a C that is computed and an A before it."""
    places = np.array(classes.places)
    is_open = [bool(ways) and ways[0].op in ("mul", "scale", "add") for ways in classes.ways]
    computed, there = np.flatnonzero((places > -1) & is_open), np.flatnonzero(classes.useful())
    which = np.flatnonzero(places[there][None, :] < places[computed][:, None])
    targets, others = computed[which // len(there)], there[which % len(there)]
    return _All.of([_difference(values, 0, targets, others, op) for op in range(len(OPS))], targets, others)


def _difference(values: Ints, f: int, targets: Ints, others: Ints, op: int) -> Ints:
    """C / A, C - A or C + A in a field."""
    p, (name, second) = fp.FIELDS[f], OPS[op]
    if name == "mul":
        inverse = np.array([pow(x, -1, p) if x else 0 for x in values.tolist()], np.int64)
        return values[targets] * inverse[others] % p
    return (values[targets] - second * values[others]) % p


def _common(values: tuple[Ints, Ints], made: _All, wanted: _All) -> tuple[_Pairs, _Pairs]:
    """What is both made and wanted, and is not there: few are left when tables of bits have been asked."""
    table = marked(made.keys, _LAST)
    table[values[0] & _LAST] = False
    asked = np.flatnonzero(table.take(wanted.keys & _LAST))
    # What is wanted once is no invention.
    asked = asked[np.bincount(wanted.keys[asked] & _SHORT, minlength=1)[wanted.keys[asked] & _SHORT] > 1]
    there = np.flatnonzero(marked(wanted.keys[asked], _LAST).take(made.keys & _LAST))
    there = there[marked(wanted.keys[asked] >> 11, _LAST)[made.keys[there] >> 11]]
    asked = asked[marked(made.keys[there] >> 11, _LAST)[wanted.keys[asked] >> 11]]
    return (
        _Pairs.of(made, there, lambda i, j, op: combined(values[1], 1, i, j, *OPS[op])),
        _Pairs.of(wanted, asked, lambda c, a, op: _difference(values[1], 1, c, a, op)),
    )


def _uses(classes: Classes, wanted: _Pairs) -> dict[int, list[Use]]:
    """What new values are wanted for, where that are at least two classes."""
    found: dict[int, list[Use]] = defaultdict(list[Use])
    for key, target, other, op, sign in wanted.rows():
        found[key].append(Use(target, OPS[op][0], other, sign, OPS[op][1]))
    return {
        key: uses
        for key, uses in found.items()
        if len({use.target for use in uses}) > 1 and _print(key) not in classes.having
    }


def _ways(made: _Pairs, uses: dict[int, list[Use]]) -> dict[int, list[Way]]:
    """How new values can be made."""
    found: dict[int, list[Way]] = {key: [] for key in uses}
    for key, i, j, op, sign in made.rows():
        if key in found and len(found[key]) < MOST_WAYS and not (i == j and OPS[op][0] == "add"):
            found[key].append(Way(OPS[op][0], (i, j), sign, OPS[op][1]))
    return found


def _print(key: int) -> fp.Print:
    return key >> 31, key & ((1 << 31) - 1)


# -- what is kept -----------------------------------------------------------------------------------


def _entry(
    classes: Classes, sizes: NDArray[np.float64], key: int, ways: list[Way], uses: list[Use]
) -> Invention | None:
    places = classes.places
    if not ways:
        return None
    place, first = min((max(places[a] for a in way.args), k) for k, way in enumerate(ways))
    way, place = ways[first], place + 0.5
    mask = classes.sum(*way.args)
    i, j = way.args
    scale = sizes[i] * sizes[j] if way.op == "mul" else np.maximum(sizes[i], sizes[j])
    good = [
        made
        for use in uses
        if places[use.target] > max(place, places[use.other])
        and (made := _allowed(classes, use, mask)) is not None
        and _rounds_as_well(classes, use, way, scale, sizes)
    ]
    if len({use.target for use in good}) < 2:
        return None
    kept = [
        other
        for other in ways
        if max(places[a] for a in other.args) + 0.5 == place and classes.sum(*other.args) == mask
    ]
    return Invention(_print(key), place, mask, kept, good)


def _allowed(classes: Classes, use: Use, mask: int) -> Use | None:
    """The use, if target and what it is made of depend on the same. V is the first operand of `scale`, a slope."""
    inputs = classes.inputs
    if use.op == "add":
        return use if classes.dependence.union(inputs[use.other], mask) == inputs[use.target] else None
    found = classes.product(classes.operand(use.other), (mask, frozenset()), inputs[use.target])
    if found is None or found == ("scale", False):
        return None
    return Use(use.target, found[0], use.other, use.sign, use.second)


def _rounds_as_well(
    classes: Classes, use: Use, way: Way, scale: NDArray[np.float64], sizes: NDArray[np.float64]
) -> bool:
    """Are the terms of which the class is made not larger than those of its own sum?"""
    k, a = use.target, use.other
    if use.op != "add":
        return way.op == "mul" or is_as_good(sizes[a] * scale, classes, k, sizes)
    return is_as_good(np.maximum(sizes[a], scale), classes, k, sizes)


def way_of(use: Use, k: int) -> Way:
    """How the target of a use is made of the new value, which is class k."""
    if use.op != "add":
        return product_way((use.op, use.op == "scale"), use.other, k, use.sign)
    # C - A = s V is C = A + s V, C + A = s V is C = -(A - s V).
    sign, second = (1, use.sign) if use.second > 0 else (-1, -use.sign)
    return Way("add", (use.other, k), sign, second)
