"""The game against the reference rules, and a short training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tapeless.records import replace

jax = pytest.importorskip("jax")
pytest.importorskip("mctx")

from tasks import TASKS  # noqa: E402
from tests.unit.eliminate.random_tables import random_tables  # noqa: E402

from tapeless.eliminate.tables import Elimination, Tables, cost  # noqa: E402
from tapeless.search.checkpoint import load, save  # noqa: E402
from tapeless.search.game import boards, play  # noqa: E402
from tapeless.search.train import Agent, School, Settings, orders, train  # noqa: E402

SMALL = Settings(iterations=2, games=4, simulations=4, considered=4, batch=32, steps=2, imitation=5)


def tensors() -> Tables:
    """A chain of a vector, a matrix and a number, by the product's own rule: a cost of two or three extents."""
    kind = np.zeros((5, 5), np.int16)
    for source, target in ((0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 4)):
        kind[source, target] = 1
    table = np.array([[0, 0], [0, 1]], np.int16)
    flags = np.array([[-1, -1], [-1, 0b110101]], np.int16)
    extents = np.array([[3, 1], [2, 3], [4, 2], [5, 1], [1, 1]])
    return Tables(kind, table, np.array([[0, 1], [1, 1]], np.int16), flags, extents, 1, (4,))


def test_the_rules_are_those_of_the_reference() -> None:
    graphs = [*(random_tables(seed, most=9) for seed in range(6)), tensors()]
    rules, first = boards(graphs, [1.0] * len(graphs))
    for number, graph in enumerate(graphs):
        own, board = jax.tree.map(lambda x, number=number: x[number], (rules, first))
        state = Elimination(graph)
        for vertex in np.random.default_rng(number).permutation(graph.intermediates).tolist():
            board, price = play(own, board, vertex)
            assert int(price) == state.eliminate(vertex)
            np.testing.assert_array_equal(np.asarray(board.kind)[: len(graph.kind), : len(graph.kind)], state.kinds())
        assert not np.asarray(board.left).any()
        again, nothing = play(own, board, graph.intermediates[0])
        assert float(nothing) == 0.0
        np.testing.assert_array_equal(again.kind, board.kind)


def test_graphs_of_arrays_with_many_kinds_of_edges() -> None:
    """Numbers of kinds beyond those of a byte are no others."""
    graph = TASKS["perceptron"].tables()
    more = 200 - len(graph.product)
    padded = [np.pad(table, (0, more)) for table in (graph.product, graph.plus)]
    wide = replace(graph, product=padded[0], plus=padded[1], flags=np.pad(graph.flags, (0, more), constant_values=-1))
    for tables in (graph, wide):
        rules, board = jax.tree.map(lambda x: x[0], boards([tables], [1.0]))
        assert board.kind.dtype == (np.int8 if tables is graph else np.int16)
        total, move = 0.0, jax.jit(play)
        for vertex in reversed(graph.intermediates):
            board, price = move(rules, board, vertex)
            total += float(price)
        assert total == 392


GRAPHS = [random_tables(seed, most=8) for seed in (7, 9)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Agent, Path, list[int]]:
    """An agent, the file it was kept in half-way, and when it reported."""
    path = tmp_path_factory.mktemp("agents") / "agent.npz"
    seen: list[int] = []

    def keep(agent: Agent) -> None:
        seen.append(agent.iteration)
        if agent.iteration == 1:
            save(agent, path)

    return train(GRAPHS, SMALL, report=keep), path, seen


def test_training_goes_on_where_it_stopped(trained: tuple[Agent, Path, list[int]]) -> None:
    whole, path, seen = trained
    rest = train(GRAPHS, SMALL, load(path, School(GRAPHS, SMALL).beginner()))
    assert seen == [1, 2]
    assert rest.best == whole.best
    numbers = (jax.tree.leaves(agent.params) for agent in (rest, whole))
    assert all(np.allclose(a, b) for a, b in zip(*numbers, strict=True))
    assert all(price == cost(graph, order) for graph, (price, order) in zip(GRAPHS, whole.best, strict=True))


def test_a_trained_agent_plays_orders(trained: tuple[Agent, Path, list[int]]) -> None:
    graph = GRAPHS[0]
    found = orders(trained[0], graph, SMALL, 4)
    assert found == sorted(found)
    assert all(sorted(order) == list(graph.intermediates) for _, order in found)


def test_an_agent_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "agent.npz"
    save(Agent({"w": np.zeros(3)}, (), 0, []), path)
    with pytest.raises(ValueError, match="another shape"):
        load(path, Agent({"w": np.zeros(4)}, (), 0, []))
