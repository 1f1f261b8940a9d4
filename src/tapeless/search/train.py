"""Training an agent on one graph or on several together.

Each iteration plays a batch of games, then takes gradient steps on their positions: the policy learns what the search
preferred, the value what the rest of the game cost. It starts by imitating greedy orders, which saves the agent from
discovering them. The best order of every graph is kept, whoever played it; Ctrl-C ends the training with what there is.
"""

# pyright: basic
# JAX is annotated in part only.
from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from sys import maxsize
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from ..eliminate import heuristics
from ..eliminate.tables import Tables, cost
from .game import Board, Rules, boards, play
from .network import Params, init, judge
from .selfplay import Games, games


@dataclass(frozen=True, slots=True)
class Settings:
    """How to train. `imitation` are gradient steps on greedy orders before the first game."""

    iterations: int = 200
    games: int = 64
    simulations: int = 32
    considered: int = 8
    exploration: float = 1.0
    batch: int = 1024
    steps: int = 32
    imitation: int = 300
    rate: float = 1e-3
    seed: int = 0


@dataclass(slots=True)
class Agent:
    """What was learnt, and the best orders that it played itself. `history` has a line per iteration: seconds, and the
    cost of the best and of the mean game of each graph."""

    params: Params
    optimiser: Any
    iteration: int
    best: list[tuple[int, tuple[int, ...]]]
    history: list[tuple[float, list[int], list[float]]] = field(default_factory=list[Any])


class Lesson(NamedTuple):
    """Positions to learn from, one per row; `graph` says whose rules hold."""

    boards: Board
    policy: Any
    rest: Any
    graph: Any


Report = Callable[[Agent], None]


def train(
    graphs: Sequence[Tables], settings: Settings, agent: Agent | None = None, report: Report | None = None
) -> Agent:
    """Train until the iterations are done or Ctrl-C; given an agent, go on with it."""
    school = School(graphs, settings)
    agent = agent or school.beginner()
    start = time.monotonic() - (agent.history[-1][0] if agent.history else 0.0)
    try:
        while agent.iteration < settings.iterations:
            school.iterate(agent)
            agent.history[-1] = (time.monotonic() - start, *agent.history[-1][1:])
            if report is not None:
                report(agent)
    except KeyboardInterrupt:
        pass
    return agent


def orders(agent: Agent, graph: Tables, settings: Settings, count: int) -> list[tuple[int, tuple[int, ...]]]:
    """Orders that a trained agent plays on a graph, the cheapest first."""
    school = School([graph], settings)
    played = school.play(agent.params, jax.random.key(settings.seed + 1), count)
    return sorted(_played(graph, np.asarray(played.moves)[:, g]) for g in range(count))


class School:
    """The graphs of a training, their boards, and the compiled steps."""

    def __init__(self, graphs: Sequence[Tables], settings: Settings) -> None:
        self.graphs, self.settings = graphs, settings
        self.greedy = [_greedy_orders(graph) for graph in graphs]
        self.known = [min((cost(g, o), o) for o in found) for g, found in zip(graphs, self.greedy, strict=True)]
        self.rules, self.first = boards(graphs, [max(1.0, price) for price, _ in self.known])
        self.longest = max(len(graph.intermediates) for graph in graphs)
        schedule = optax.cosine_decay_schedule(settings.rate, max(1, settings.iterations * settings.steps), 0.05)
        self.optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(schedule))
        self._games = jax.jit(
            partial(games, steps=self.longest, simulations=settings.simulations, considered=settings.considered),
            static_argnames=("scale",),
        )
        self._learn = jax.jit(self._step)

    def beginner(self) -> Agent:
        """An agent that has seen greedy orders only."""
        params = init(jax.random.key(self.settings.seed))
        agent = Agent(params, self.optimiser.init(params), 0, [(maxsize, ())] * len(self.graphs))
        lesson = self._imitated()
        dice = np.random.default_rng(self.settings.seed)
        for _ in range(self.settings.imitation):
            self._study(agent, lesson, dice)
        return agent

    def iterate(self, agent: Agent) -> None:
        """Play, learn, note."""
        key = jax.random.fold_in(jax.random.key(self.settings.seed), agent.iteration)
        played = self.play(agent.params, key, self.settings.games)
        owners = self._owners(self.settings.games)
        moves, costs = np.asarray(played.moves), np.asarray(played.prices).sum(axis=0)
        for owner, graph in enumerate(self.graphs):
            best = np.flatnonzero(owners == owner)[costs[owners == owner].argmin()]
            agent.best[owner] = min(agent.best[owner], _played(graph, moves[:, best]))
        lesson = _flat(played, owners)
        dice = np.random.default_rng((self.settings.seed, agent.iteration))
        for _ in range(self.settings.steps):
            self._study(agent, lesson, dice)
        agent.iteration += 1
        means = [float(costs[owners == owner].mean()) for owner in range(len(self.graphs))]
        agent.history.append((0.0, [price for price, _ in agent.best], means))

    def play(self, params: Params, key: Any, count: int) -> Games:
        """So many games, shared among the graphs."""
        owners = self._owners(count)
        rules, first = jax.tree.map(lambda x: x[owners], (self.rules, self.first))
        return self._games(params, key, rules, first, scale=self.settings.exploration)

    def _owners(self, count: int) -> np.ndarray[Any, Any]:
        return np.arange(count) % len(self.graphs)

    def _study(self, agent: Agent, lesson: Lesson, dice: np.random.Generator) -> None:
        chosen = dice.integers(0, len(lesson.rest), min(self.settings.batch, len(lesson.rest)))
        part = jax.tree.map(lambda x: x[chosen], lesson)
        agent.params, agent.optimiser = self._learn(agent.params, agent.optimiser, part)

    def _step(self, params: Params, state: Any, lesson: Lesson) -> tuple[Params, Any]:
        rules = jax.tree.map(lambda x: x[lesson.graph], self.rules)
        slopes = jax.grad(_loss)(params, rules, lesson)
        updates, state = self.optimiser.update(slopes, state, params)
        return optax.apply_updates(params, updates), state

    def _imitated(self) -> Lesson:
        """The positions of greedy orders, with the move that was made as the policy."""
        lessons: list[Lesson] = []
        for owner, found in enumerate(self.greedy):
            rules, first = jax.tree.map(lambda x, owner=owner: x[owner], (self.rules, self.first))
            lessons += [_lesson(rules, first, order, owner) for order in found]
        return jax.tree.map(lambda *x: jnp.concatenate(x), *lessons)


def _lesson(rules: Rules, board: Board, order: Sequence[int], owner: int) -> Lesson:
    def step(board: Board, vertex: Any) -> tuple[Board, tuple[Board, Any]]:
        after, price = play(rules, board, vertex)
        return after, (board, price)

    moves = jnp.array(order)
    _, (seen, prices) = jax.lax.scan(step, board, moves)
    rest = jnp.cumsum(prices[::-1])[::-1] / rules.unit
    policy = jax.nn.one_hot(moves, board.left.shape[0])
    return Lesson(seen, policy, rest, jnp.full(len(order), owner))


def _flat(played: Games, owners: np.ndarray[Any, Any]) -> Lesson:
    """All positions in which a move was possible."""
    steps = played.rest.shape[0]
    graph = jnp.broadcast_to(jnp.asarray(owners), played.rest.shape)
    rows = jax.tree.map(
        lambda x: x.reshape((steps * x.shape[1], *x.shape[2:])), (played.boards, played.policy, played.rest, graph)
    )
    return Lesson(*rows)


def _loss(params: Params, rules: Rules, lesson: Lesson) -> Any:
    opinions = jax.vmap(judge, (None, 0, 0))(params, rules, lesson.boards)
    going = lesson.boards.left.any(axis=1).astype(jnp.float32)
    surprise = -jnp.sum(lesson.policy * jax.nn.log_softmax(opinions.logits), axis=1)
    error = jnp.square(opinions.value + lesson.rest)
    return jnp.sum((surprise + 10.0 * error) * going) / (1.0 + going.sum())


def _greedy_orders(graph: Tables) -> list[tuple[int, ...]]:
    found = [heuristics.reverse(graph), heuristics.relative_markowitz(graph)]
    found += [heuristics.minimal_damage(graph, weight) for weight in (0.0, 0.5, 1.0)]
    return [tuple(order) for order in found]


def _played(graph: Tables, moves: np.ndarray[Any, Any]) -> tuple[int, tuple[int, ...]]:
    """The order of a game, counted by the reference."""
    order = tuple(moves[: len(graph.intermediates)].tolist())
    return cost(graph, order), order
