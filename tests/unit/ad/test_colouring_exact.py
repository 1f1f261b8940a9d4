"""Colourings against what their definition says, found the slow way; and no work that cannot help."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from tapeless.ad import colouring, recovery
from tapeless.ad.colouring import (
    Pattern,
    _greedy_columns,
    _greedy_star,
    _neighbours,
    _smallest_last,
    colour_columns,
    colour_symmetric,
    fewest_columns,
    pattern_of,
)


def pattern_from(dense: np.ndarray) -> Pattern:
    rows, columns = np.nonzero(dense)
    return pattern_of(rows, columns, (dense.shape[0], dense.shape[1]))


def drawn(seed: int, symmetric: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 12, 2)
    if symmetric:
        shape[1] = shape[0]
    dense = rng.random(shape) < rng.choice([0.1, 0.25, 0.5, 0.9])
    return dense | dense.T if symmetric else dense


def first_fit(dense: np.ndarray, order: Sequence[int]) -> list[int]:
    """Each column in turn gets the first colour of which no column shares a row with it."""
    colours = [-1] * dense.shape[1]
    for column in order:
        taken = {colours[other] for other in range(len(colours)) if (dense[:, column] & dense[:, other]).any()}
        colours[column] = next(c for c in range(len(colours)) if c not in taken)
    return colours


def first_star(dense: np.ndarray, order: Sequence[int]) -> list[int]:
    """Each vertex in turn gets the first colour with which what is coloured is a star colouring."""
    colours = [-1] * len(dense)
    for v in order:
        colours[v] = next(c for c in range(len(dense)) if is_star(dense, [*colours[:v], c, *colours[v + 1 :]]))
    return colours


def is_star(dense: np.ndarray, colours: Sequence[int]) -> bool:
    """Do neighbours differ, and has no path on four coloured vertices two colours only?"""
    near = [[w for w in range(len(dense)) if dense[v, w] and w != v and colours[w] >= 0] for v in range(len(dense))]
    coloured = [v for v, colour in enumerate(colours) if colour >= 0]
    if any(colours[v] == colours[w] for v in coloured for w in near[v]):
        return False
    paths = [(a, b, c, d) for b in coloured for c in near[b] for a in near[b] for d in near[c] if a != c and d != b]
    return all(a == d or len({colours[v] for v in path}) > 2 for path in paths for a, *_, d in [path])


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_the_columns_of_the_transposed_matrix(seed: int):
    found, expected = pattern_from(drawn(seed)).transposed(), pattern_from(drawn(seed).T)
    assert found.shape == expected.shape
    assert np.array_equal(found.starts, expected.starts)
    assert np.array_equal(found.columns, expected.columns)


@pytest.mark.parametrize("seed", range(30))
def test_columns_get_the_first_colour_that_is_free(seed: int):
    dense = drawn(seed)
    pattern = pattern_from(dense)
    order = np.random.default_rng(seed).permutation(dense.shape[1])
    found = _greedy_columns(pattern, pattern.transposed(), order)
    expected = first_fit(dense, order.tolist())
    assert (found.colours.tolist(), found.count) == (expected, max(expected) + 1)


@pytest.mark.parametrize("seed", range(30))
def test_the_better_of_two_orders_is_taken(seed: int):
    dense = drawn(seed)
    crowding = [int(dense.sum(axis=1)[dense[:, c]].sum()) for c in range(dense.shape[1])]
    orders = range(dense.shape[1]), sorted(range(dense.shape[1]), key=lambda c: -crowding[c])
    expected = min((first_fit(dense, order) for order in orders), key=max)
    found = colour_columns(pattern_from(dense))
    assert (found.colours.tolist(), found.count) == (expected, max(expected) + 1)


@pytest.mark.parametrize("seed", range(40))
def test_vertices_get_the_first_colour_that_leaves_stars(seed: int):
    dense = drawn(seed, symmetric=True)
    near = _neighbours(pattern_from(dense))
    order = np.random.default_rng(seed).permutation(len(dense)).tolist()
    found = _greedy_star(near, order)
    expected = first_star(dense, order)
    assert (found.colours.tolist(), found.count) == (expected, max(expected) + 1)


def test_all_orders_of_a_small_graph():
    """A path of three with a triangle: every way to close a path on four vertices occurs."""
    dense = np.zeros((6, 6), bool)
    for v, w in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (3, 5)):
        dense[v, w] = dense[w, v] = True
    near = _neighbours(pattern_from(dense))
    for order in permutations(range(6)):
        assert _greedy_star(near, order).colours.tolist() == first_star(dense, order)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_three_orders_is_taken(seed: int):
    dense = drawn(seed, symmetric=True)
    near, sizes = _neighbours(pattern_from(dense)), dense.sum(axis=1)
    orders = range(len(dense)), sorted(range(len(dense)), key=lambda v: -sizes[v]), _smallest_last(near)
    counts = [max(first_star(dense, order)) + 1 for order in orders]
    assert colour_symmetric(pattern_from(dense)).count == min(counts)


@pytest.mark.parametrize("seed", range(20))
def test_the_smallest_comes_last(seed: int):
    """Of what is left of the graph, the vertex that comes last has the fewest neighbours."""
    near = _neighbours(pattern_from(drawn(seed, symmetric=True)))
    order = _smallest_last(near)
    assert sorted(order) == list(range(len(near)))
    while order:
        left = set(order)
        degrees = {v: len(left.intersection(near[v])) for v in order}
        assert degrees[order.pop()] == min(degrees.values())


def test_an_empty_matrix():
    assert colour_symmetric(pattern_from(np.zeros((0, 0), bool))).count == 0
    assert fewest_columns(pattern_from(np.zeros((0, 3), bool))) == 0


EYE, FULL = np.eye(6, dtype=bool), np.ones((3, 4), bool)
# Two entries in each row, and three colours: there are five columns in the circle. All of them are equally crowded.
CIRCLE = np.eye(5, dtype=bool) | np.roll(np.eye(5, dtype=bool), 1, axis=1)
CROWDED = np.concatenate([CIRCLE, np.arange(5)[None] == 3])
LATE = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]], bool)  # the last column is the most crowded


@pytest.mark.parametrize(("dense", "tries"), [(FULL, 0), (EYE, 1), (CIRCLE, 1), (LATE, 1), (CROWDED, 2)])
def test_no_order_is_tried_in_vain(monkeypatch: pytest.MonkeyPatch, dense: np.ndarray, tries: int):
    calls = counted(monkeypatch, colouring, "_greedy_columns")
    colour_columns(pattern_from(dense))
    assert len(calls) == tries


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    """Where calls of a function are noted."""
    calls: list[object] = []
    original = getattr(module, name)

    def noted(*args: object) -> object:
        calls.append(args)
        return original(*args)

    monkeypatch.setattr(module, name, noted)
    return calls


ROW = EYE | (np.arange(6)[:, None] == 2)
OVERLAPS = np.array([[1, 0, 1, 1], [1, 1, 1, 0], [0, 1, 1, 1]], bool)  # no two of four columns, nor of three rows


@pytest.mark.parametrize(
    ("dense", "forward", "count", "tries"),
    [
        (EYE, True, 1, 1), (ROW, False, 2, 1), (ROW.T, True, 2, 1), (FULL, False, 3, 1), (FULL.T, True, 3, 1),
        (OVERLAPS, False, 3, 2), (OVERLAPS.T, True, 3, 1), (CIRCLE, True, 3, 2),
    ],
)  # fmt: skip
def test_the_direction_with_fewer_colours_is_taken(
    monkeypatch: pytest.MonkeyPatch, dense: np.ndarray, forward: bool, count: int, tries: int
):
    calls = counted(monkeypatch, recovery, "colour_columns")
    plan = recovery.plan_for(pattern_from(dense), [dense.shape[0]], [dense.shape[1]], "auto")
    assert (plan.forward, plan.colouring.count, len(calls)) == (forward, count, tries)
    rows, columns = dense.shape
    words = f"{count} colours of {'columns, forward' if forward else 'rows, reverse'} mode"
    assert str(plan).startswith(f"{rows} x {columns} with {dense.sum()} nonzeros (")
    assert str(plan).endswith(words)


def test_a_pattern_that_is_finer_on_one_side_is_mirrored():
    upper = np.triu(CIRCLE)
    plan = recovery.plan_for(pattern_from(upper), [5], [5], "symmetric")
    expected = pattern_from(upper | upper.T)
    assert np.array_equal(plan.pattern.starts, expected.starts)
    assert np.array_equal(plan.pattern.columns, expected.columns)


def test_the_pattern_is_cut_between_leaves():
    plan = recovery.plan_for(pattern_from(FULL), [1, 2], [3, 1], "forward")
    assert [[block.shape for block in line] for line in plan.blocks] == [[(1, 3), (1, 1)], [(2, 3), (2, 1)]]
