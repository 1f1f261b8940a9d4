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
KEY, FEWEST_BITS, MOST_BITS = 31, 16, 20  # bits of a key, and of those that a table is asked for


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

    def rows(self, which: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int, int]]:
        """Key, classes, operation and sign of some of them."""
        parts = (self.keys, self.left, self.right, self.ops, self.signs)
        return zip(*(part[which].tolist() for part in parts), strict=True)

    def with_several(self) -> NDArray[np.bool_]:
        """Those whose key has several classes on the left."""
        if not len(self.keys):
            return np.zeros(0, np.bool_)
        order = np.argsort(self.keys, kind="stable")
        keys, left = self.keys[order], self.left[order]
        starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        several = np.minimum.reduceat(left, starts) < np.maximum.reduceat(left, starts)
        found = np.empty(len(keys), np.bool_)
        found[order] = np.repeat(several, np.diff(starts, append=len(keys)))
        return found


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
    bits = min(MOST_BITS, max(FEWEST_BITS, len(made.keys).bit_length() + 1))
    last, rest = (1 << bits) - 1, KEY - bits
    table = marked(made.keys, last)
    table[values[0] & last] = False
    asked = np.flatnonzero(table.take(wanted.keys & last))
    # What is wanted once is no invention. Nearly all is: every difference is made by the pair that asks for it.
    for shift in (0, rest):
        some = wanted.keys[asked] >> shift & last
        asked = asked[np.bincount(some, minlength=1).take(some) > 1]
    there = np.flatnonzero(marked(wanted.keys[asked], last).take(made.keys & last))
    there = there[marked(wanted.keys[asked] >> rest, last)[made.keys[there] >> rest]]
    asked = asked[marked(made.keys[there] >> rest, last)[wanted.keys[asked] >> rest]]
    return (
        _Pairs.of(made, there, lambda i, j, op: combined(values[1], 1, i, j, *OPS[op])),
        _Pairs.of(wanted, asked, lambda c, a, op: _difference(values[1], 1, c, a, op)),
    )


def _uses(classes: Classes, wanted: _Pairs) -> dict[int, list[Use]]:
    """What new values are wanted for, where that are at least two classes."""
    found: dict[int, list[Use]] = defaultdict(list[Use])
    for key, target, other, op, sign in wanted.rows(wanted.with_several()):
        found[key].append(Use(target, OPS[op][0], other, sign, OPS[op][1]))
    return {key: uses for key, uses in found.items() if _print(key) not in classes.having}


def _ways(made: _Pairs, uses: dict[int, list[Use]]) -> dict[int, list[Way]]:
    """How new values can be made."""
    found: dict[int, list[Way]] = {key: [] for key in uses}
    if not uses:
        return found
    keys = np.sort(np.array(list(uses)))
    asked = keys.take(np.searchsorted(keys, made.keys), mode="clip") == made.keys
    for key, i, j, op, sign in made.rows(asked):
        if len(found[key]) < MOST_WAYS and not (i == j and OPS[op][0] == "add"):
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
