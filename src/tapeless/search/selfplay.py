"""Games that the agent plays against itself, each move chosen by a tree search with the true rules as its model.

Gumbel AlphaZero (Danihelka and others 2022): the root samples moves without replacement and halves them by what the
search finds; the improved policy is what the network learns. Rewards are prices, negative, in units of the graph.
"""

# pyright: basic
# JAX is annotated in part only.
from __future__ import annotations

from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import mctx

from .game import Board, Rules, play
from .network import Params, judge


class Games(NamedTuple):
    """One position per step and game: the board, the improved policy, the cost of the rest; and the moves."""

    boards: Board
    policy: Any
    rest: Any
    moves: Any
    prices: Any


def games(
    params: Params, key: Any, rules: Rules, first: Board, steps: int, simulations: int, considered: int, scale: float
) -> Games:
    """Play one game on each board to its end."""

    def step(board: Board, key: Any) -> tuple[Board, Any]:
        chosen = _search(params, key, rules, board, simulations, considered, scale)
        after, price = jax.vmap(play)(rules, board, chosen.action)
        return after, (board, chosen.action_weights, chosen.action, price)

    _, (boards, policy, moves, prices) = jax.lax.scan(step, first, jax.random.split(key, steps))
    rest = jnp.cumsum(prices[::-1], axis=0)[::-1] / rules.unit
    return Games(boards, policy, rest, moves, prices)


def _search(
    params: Params, key: Any, rules: Rules, board: Board, simulations: int, considered: int, scale: float
) -> Any:
    tree = cast("Any", mctx)  # its annotations are those of another library's dataclasses
    opinions = jax.vmap(judge, (None, 0, 0))(params, rules, board)
    root = tree.RootFnOutput(prior_logits=opinions.logits, value=opinions.value, embedding=board)

    def expand(params: Params, _key: Any, action: Any, board: Board) -> tuple[Any, Board]:
        after, price = jax.vmap(play)(rules, board, action)
        opinions = jax.vmap(judge, (None, 0, 0))(params, rules, after)
        going = after.left.any(axis=1).astype(jnp.float32)
        output = tree.RecurrentFnOutput(
            reward=-price / rules.unit, discount=going, prior_logits=opinions.logits, value=opinions.value
        )
        return output, after

    return tree.gumbel_muzero_policy(
        params, key, root, expand, num_simulations=simulations, invalid_actions=~board.left,
        max_num_considered_actions=considered, gumbel_scale=scale,
    )  # fmt: skip
