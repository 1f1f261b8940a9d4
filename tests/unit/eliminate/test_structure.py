"""Structures against dense arrays: what a product or a sum is said to be holds of its entries."""

from math import prod
from random import Random

import numpy as np
import pytest

from tapeless.eliminate.graph import Graph
from tapeless.eliminate.structure import MINUS, ONE, Edge, Values, plus, product, without_units
from tapeless.eliminate.tables import cost
from tapeless.eliminate.work import work


def random_edge(random, target, source):
    """An edge between arrays of these shapes; axes of equal size may be linked."""
    links, free = [], list(range(len(source)))
    for t, size in enumerate(target):
        fitting = [s for s in free if source[s] == size]
        if fitting and random.random() < 0.6:
            s = random.choice(fitting)
            free.remove(s)
            links.append((t, s))
    along_target = tuple(t for t in range(len(target)) if random.random() < 0.5)
    along_source = tuple(s for s in free if random.random() < 0.5)
    return Edge(random.choice(list(Values)), tuple(links), along_target, along_source)


def dense(edge, target, source, draw):
    """An array of that structure: values drawn along the stored axes, spread over the others, zero off the links."""
    sizes = [size if t in edge.along_target else 1 for t, size in enumerate(target)]
    sizes += [size if s in edge.along_source else 1 for s, size in enumerate(source)]
    stored = any(size > 1 for size in sizes)
    match edge.values:
        case Values.VAR | Values.CONST:
            values = draw.integers(2, 9, sizes)
        case Values.ONE | Values.MINUS:
            values = draw.integers(0, 2, sizes) if stored else np.ones(sizes, int)
            values = -values if edge.values == Values.MINUS else values
    result = np.broadcast_to(values, (*target, *source)).copy()
    for t, s in edge.links:
        shape = [1] * result.ndim
        shape[t] = shape[len(target) + s] = target[t]
        result *= np.eye(target[t], dtype=int).reshape(shape)
    return result


def assert_is(edge, array, target):
    """The array is zero off the links, and on them the same along all axes that are not stored."""
    mask = np.ones(array.shape, bool)
    for t, s in edge.links:
        shape = [1] * array.ndim
        shape[t] = shape[len(target) + s] = target[t]
        mask &= np.eye(target[t], dtype=bool).reshape(shape)
    assert not np.any(array[~mask])
    names = {len(target) + s: t for t, s in edge.links}
    seen = {}
    for place in np.argwhere(mask):
        stored = tuple(place[axis] for axis in edge.along_target)
        stored += tuple(place[len(target) + axis] for axis in edge.along_source)
        assert all(place[axis] == place[tied] for axis, tied in names.items())
        assert seen.setdefault(stored, array[tuple(place)]) == array[tuple(place)]
    if edge.values in (Values.ONE, Values.MINUS):
        assert set(np.unique(array)) <= {0, 1 if edge.values == Values.ONE else -1}


SHAPES = [(), (2,), (3,), (2, 3), (3, 2), (2, 2), (3, 1), (2, 3, 2)]


@pytest.mark.parametrize("seed", range(300))
def test_products_and_sums_have_the_structure_that_is_said(seed):
    random, draw = Random(seed), np.random.default_rng(seed)
    target, middle, source = (random.choice(SHAPES) for _ in range(3))
    post, pre = random_edge(random, target, middle), random_edge(random, middle, source)
    left, right = dense(post, target, middle, draw), dense(pre, middle, source, draw)
    found = product(post, pre, len(middle))
    assert_is(found.edge, np.tensordot(left, right, len(middle)), target)
    other = random_edge(random, target, source)
    added = np.tensordot(left, right, len(middle)) + dense(other, target, source, draw)
    assert_is(plus(found.edge, other), added, target)
    if post.values == pre.values == Values.VAR:
        sizes = {"target": target, "middle": middle, "source": source}
        count = prod(sizes[side][axis] for side, axis in found.axes)
        assert count <= products_of_entries(left, right, len(middle))


def products_of_entries(left, right, middle):
    """How many products of entries other than zero the dense contraction does: no structure may cost more."""
    return int(np.tensordot((left != 0).astype(int), (right != 0).astype(int), middle).sum())


def test_axes_of_size_one_say_nothing():
    edge = Edge(Values.VAR, ((0, 0), (1, 1)), (0, 1), ())
    assert without_units(edge, (1, 3), (1, 3)) == Edge(Values.VAR, ((1, 1),), (1,), ())


def test_a_matrix_product_costs_what_it_multiplies():
    """y = A B with A (2, 3) and B (3, 4); then f(y) elementwise, then the sum."""
    by_left = Edge(Values.VAR, ((0, 0),), (1,), (1,))
    elementwise = Edge(Values.VAR, ((0, 0), (1, 1)), (0, 1), ())
    graph = Graph(1, ((2, 3), (2, 4), (2, 4), ()), (3,), {(0, 1): by_left, (1, 2): elementwise, (2, 3): ONE})
    tables = work(graph)
    assert cost(tables, (2, 1)) == 2 * 4 * 3
    assert cost(tables, (1, 2)) == 2 * 4 * 3
    assert cost(tables, (2, 1)) == cost(work(graph, free_constants=False), (2, 1))


def test_multiples_of_the_identity_cost_one():
    scaled = Edge(Values.VAR, ((0, 0),))
    graph = Graph(1, ((5,), (5,), (5,), (5,)), (3,), {(0, 1): scaled, (1, 2): scaled, (2, 3): MINUS_DELTA})
    assert cost(work(graph), (1, 2)) == 1


MINUS_DELTA = Edge(MINUS.values, ((0, 0),))


def test_malformed_edges_are_refused():
    with pytest.raises(ValueError, match="two links"):
        Edge(Values.VAR, ((0, 0), (0, 1)))
    with pytest.raises(ValueError, match="by its target axis"):
        Edge(Values.VAR, ((0, 0),), (), (0,))
    with pytest.raises(ValueError, match="ascending"):
        Edge(Values.VAR, (), (1, 0))


def test_more_axes_than_a_mask_holds_are_refused():
    with pytest.raises(ValueError, match="at most"):
        work(Graph(1, ((2,) * 6, ()), (1,), {(0, 1): ONE}))
