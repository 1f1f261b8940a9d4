"""All pairs of values whose sum, difference or product is another value, by fingerprints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.core import Apply, Stm
from ..ir.op import lookup
from ..ir.types import Lit
from . import fingerprints as fp
from .classes import Classes, Ints
from .extract import Way

OPS = (("mul", 1), ("add", 1), ("add", -1))
_POINTS, _MOST_POINTS, _NOWHERE = 32, 22, 8.0
# Most pairs make nothing that is there: a table of the last bits tells in one read.
_LAST = (1 << 16) - 1


def related(classes: Classes, sizes: NDArray[np.float64]) -> Iterator[tuple[int, Way]]:
    """Classes and further ways to compute them."""
    values, useful = classes.fields(), np.flatnonzero(classes.useful())
    there = _There(values[0], np.array(classes.places))
    for op, second in OPS:
        for i, j, k, sign in _matches(classes, values, useful, there, op, second):
            way = _way(classes, sizes, Way(op, (i, j), sign, second), k)
            if way is not None and not any(old.op == way.op and set(old.args) == {i, j} for old in classes.ways[k]):
                yield k, way


def _way(classes: Classes, sizes: NDArray[np.float64], way: Way, k: int) -> Way | None:
    """The way, if it may stand for the class k."""
    (i, j), places = way.args, classes.places
    if places[k] <= max(places[i], places[j]):
        return None
    if way.op == "add":
        good = classes.sum(i, j) == classes.inputs[k] and is_as_good(np.maximum(sizes[i], sizes[j]), classes, k, sizes)
        return way if good else None
    found = classes.product(classes.operand(i), classes.operand(j), classes.inputs[k])
    return None if found is None else product_way(found, i, j, way.sign)


def product_way(found: tuple[str, bool], i: int, j: int, sign: int) -> Way:
    """A product by the operation that was found for it."""
    op, is_turned = found
    return Way(op, (j, i) if is_turned else (i, j), sign, cost=lookup(op).cost)


class _There:
    """The classes by their keys in the first field: which pairs make one that is computed after both."""

    def __init__(self, keys: Ints, places: NDArray[np.float64]) -> None:
        self.table, self.places = marked(keys, _LAST), places
        order = np.lexsort((places, keys))
        self.keys, self.latest = keys[order], places[order]

    def made_by(self, keys: Ints, rows: Ints, columns: Ints) -> Ints:
        """The numbers of the pairs."""
        hits = np.flatnonzero(self.table[keys & _LAST])
        at = np.searchsorted(self.keys, keys[hits], side="right") - 1
        both = np.maximum(self.places[rows[hits]], self.places[columns[hits]])
        return hits[(self.keys[at] == keys[hits]) & (self.latest[at] > both)]


def _matches(
    classes: Classes, values: tuple[Ints, Ints], useful: Ints, there: _There, op: str, second: int
) -> Iterator[tuple[int, int, int, int]]:
    """i, j, k and a sign so that value i `op` value j is sign times value k, which is computed after both."""
    rows, columns = (useful[some] for some in pairs(len(useful)))
    made = combined(values[0], 0, rows, columns, op, second)
    hits = there.made_by(np.minimum(made, fp.FIELDS[0] - made), rows, columns)
    rows, columns = rows[hits], columns[hits]
    other = combined(values[1], 1, rows, columns, op, second)
    for i, j, x, y in zip(rows.tolist(), columns.tolist(), made[hits].tolist(), other.tolist(), strict=True):
        if i == j and op == "add":
            continue
        key, sign = fp.unsigned((x, y))
        for k in classes.having.get(key, ()):
            yield i, j, k, sign


@lru_cache(maxsize=8)
def pairs(count: int) -> tuple[Ints, Ints]:
    """All pairs of numbers below `count`, the first not above the second."""
    return np.triu_indices(count)


def marked(values: Ints, last: int) -> NDArray[np.bool_]:
    """A table of the last bits that occur."""
    table = np.zeros(last + 1, np.bool_)
    table[values & last] = True
    return table


def combined(values: Ints, f: int, rows: Ints, columns: Ints, op: str, second: int) -> Ints:
    """The combinations of pairs in a field."""
    p, x, y = fp.FIELDS[f], values[rows], values[columns]
    return (x * y if op == "mul" else x + second * y) % p


def is_as_good(terms: NDArray[np.float64], classes: Classes, k: int, sizes: NDArray[np.float64]) -> bool:
    """Are terms of a sum not larger than those of the sum that it stands for, but for points that are chance?"""
    own = classes.ways[k][0]
    if own.op != "add":
        return False
    return are_small(terms, 2.0 * np.maximum(sizes[own.args[0]], sizes[own.args[1]]) + sizes[k])


def are_small(terms: NDArray[np.float64], bound: NDArray[np.float64]) -> bool:
    """Are terms within a bound, but for points that are chance?"""
    return int((terms <= bound).sum()) >= _MOST_POINTS and bool((terms <= _NOWHERE * bound).all())


def samples(
    stms: Sequence[Stm],
    of: Mapping[str | Lit, tuple[int, int]],
    conditions: Mapping[str, tuple[str, bool]],
    count: int,
) -> NDArray[np.float64]:
    """How large the values of each class are at some points; conditions take all outcomes in turn."""
    dice = Random(3)
    sizes = np.ones((count, _POINTS))
    known: dict[str | Lit, Any] = {}
    bases = list(dict.fromkeys(base for base, _ in conditions.values()))

    def value(atom: Any) -> Any:
        key = atom if isinstance(atom, Lit) else atom.name
        if isinstance(key, str) and key in conditions:
            base, holds = conditions[key]
            return (np.arange(_POINTS) >> bases.index(base) % 3 & 1 == 1) == holds
        if key not in known:
            known[key] = float(atom.value) if isinstance(atom, Lit) else _drawn(dice)
            sizes[of[key][0]] = np.abs(known[key])
        return known[key]

    with np.errstate(all="ignore"):
        for stm in stms:
            assert isinstance(stm.expr, Apply)
            compute = _NUMPY.get(stm.expr.op)
            args = [value(arg) for arg in stm.expr.args]
            # What else there is counts as another input.
            made = _drawn(dice) if compute is None else compute(*args)
            known[stm.vars[0].name] = made
            sizes[of[stm.vars[0].name][0]] = np.abs(made)
    return sizes


def _drawn(dice: Random) -> NDArray[np.float64]:
    return np.array([dice.uniform(-2.0, 2.0) for _ in range(_POINTS)])


_NUMPY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sin": np.sin,
    "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "abs": np.abs, "scale": np.multiply, "select": np.where,
}  # fmt: skip
