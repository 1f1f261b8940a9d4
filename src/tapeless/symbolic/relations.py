"""All pairs of values whose sum, difference or product is another value, by fingerprints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.core import Apply, Stm
from ..ir.types import Lit
from . import fingerprints as fp
from .extract import Way

Ints = NDArray[np.int64]
_POINTS = 6


def related(
    prints: Sequence[fp.Print],
    places: Sequence[float],
    inputs: Sequence[int],
    ways: Sequence[Sequence[Way]],
    sizes: NDArray[np.float64],
) -> Iterator[tuple[int, Way]]:
    """Classes and further ways to compute them."""
    values = [np.array([p[f] for p in prints], np.int64) for f in range(2)]
    order = np.argsort(values[0])
    useful = np.array([p not in (fp.ZERO, fp.ONE) for p in prints])
    for op, second in (("mul", 1), ("add", 1), ("add", -1)):
        for i, j, k, sign in _matches(values, order, useful, op, second):
            if places[k] <= max(places[i], places[j]) or inputs[i] | inputs[j] != inputs[k]:
                continue
            if op == "add" and not is_as_good(np.maximum(sizes[i], sizes[j]), k, ways[k][0], sizes):
                continue
            way = Way(op, (i, j), sign, second)
            if not any(old.op == op and set(old.args) == {i, j} for old in ways[k]):
                yield k, way


def _matches(
    values: Sequence[Ints], order: Ints, useful: NDArray[np.bool_], op: str, second: int
) -> Iterator[tuple[int, int, int, int]]:
    """i, j, k and a sign so that value i `op` value j is sign times value k."""
    rows, columns = np.triu_indices(len(order), 0 if op == "mul" else 1)
    kept = useful[rows] & useful[columns]
    rows, columns = rows[kept], columns[kept]
    made, signs = combined(values, rows, columns, op, second, None)
    found = order[np.minimum(np.searchsorted(values[0], made, sorter=order), len(order) - 1)]
    hits = np.nonzero(values[0][found] == made)[0]
    check, _ = combined(values, rows[hits], columns[hits], op, second, signs[hits])
    hits = hits[values[1][found[hits]] == check]
    for at in hits:
        yield int(rows[at]), int(columns[at]), int(found[at]), int(signs[at])


def combined(
    values: Sequence[Ints], rows: Ints, columns: Ints, op: str, second: int, signs: Ints | None
) -> tuple[Ints, Ints]:
    """The combinations in the first field with their signs; or in the second field, under given signs."""
    f = 0 if signs is None else 1
    p, x, y = fp.FIELDS[f], values[f][rows], values[f][columns]
    made = (x * y if op == "mul" else x + second * y) % p
    if signs is None:
        signs = np.where(made > p // 2, -1, 1)
    return np.where(signs < 0, (p - made) % p, made), signs


def is_as_good(terms: NDArray[np.float64], k: int, own: Way, sizes: NDArray[np.float64]) -> bool:
    """Are terms of a sum not larger than those of the sum that it stands for?"""
    if own.op != "add":
        return False
    before = np.maximum(sizes[own.args[0]], sizes[own.args[1]])
    return bool(np.all(terms <= 2.0 * before + sizes[k]))


def samples(stms: Sequence[Stm], of: Mapping[str | Lit, tuple[int, int]], count: int) -> NDArray[np.float64]:
    """How large the values of each class are at some points."""
    rng = np.random.default_rng(3)
    sizes = np.ones((count, _POINTS))
    known: dict[str | Lit, Any] = {}

    def value(atom: Any) -> Any:
        key = atom if isinstance(atom, Lit) else atom.name
        if key not in known:
            known[key] = float(atom.value) if isinstance(atom, Lit) else rng.uniform(-2.0, 2.0, _POINTS)
            sizes[of[key][0]] = np.abs(known[key])
        return known[key]

    with np.errstate(all="ignore"):
        for stm in stms:
            assert isinstance(stm.expr, Apply)
            compute = _NUMPY.get(stm.expr.op)
            args = [value(arg) for arg in stm.expr.args]
            # What else there is counts as another input.
            made = rng.uniform(-2.0, 2.0, _POINTS) if compute is None else compute(*args)
            known[stm.vars[0].name] = made
            sizes[of[stm.vars[0].name][0]] = np.abs(made)
    return sizes


_NUMPY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sin": np.sin,
    "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "abs": np.abs,
}  # fmt: skip
