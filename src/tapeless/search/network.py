"""What the agent thinks of a board: how good each move looks, and what the rest will cost.

A network on the graph itself: every vertex knows its degrees, its size and its role; a few rounds of messages along the
edges, in both directions, tell it what is near. It does not depend on how the vertices are numbered, nor on how many
there are.
"""

# pyright: basic
# JAX is annotated in part only.
from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .game import Board, Rules

ROUNDS, WIDTH = 4, 64
_FEATURES = 9

Params = Any


class Opinion(NamedTuple):
    """Logits of the moves, those that are not there excluded, and the expected cost of the rest in units, negative."""

    logits: Any
    value: Any


def init(key: Any) -> Params:
    """Random parameters."""
    keys = iter(jax.random.split(key, 2 * ROUNDS + 5))

    def dense(inside: int, outside: int, scale: float = 1.0) -> dict[str, Any]:
        weights = jax.random.normal(next(keys), (inside, outside)) * scale * (2.0 / inside) ** 0.5
        return {"w": weights, "b": jnp.zeros(outside)}

    return {
        "first": dense(_FEATURES, WIDTH),
        "rounds": [{"in": dense(3 * WIDTH, WIDTH), "out": dense(WIDTH, WIDTH, 0.3)} for _ in range(ROUNDS)],
        "policy": [dense(2 * WIDTH, WIDTH), dense(WIDTH, 1, 0.1)],
        "value": [dense(2 * WIDTH, WIDTH), dense(WIDTH, 1, 0.1)],
    }


def judge(params: Params, rules: Rules, board: Board) -> Opinion:
    """The opinion on one board."""
    edges = (board.kind != 0).astype(jnp.float32)
    into, out = edges.sum(0), edges.sum(1)
    state = jax.nn.relu(_dense(params["first"], _features(rules, board, into, out)))
    for layer in params["rounds"]:
        heard = jnp.concatenate(
            [_normal(state), edges @ state / (1.0 + out[:, None]), edges.T @ state / (1.0 + into[:, None])], axis=1
        )
        state = state + _dense(layer["out"], jax.nn.relu(_dense(layer["in"], heard)))
    state = _normal(state)
    left = board.left.astype(jnp.float32)
    whole = jnp.sum(state * left[:, None], axis=0) / (1.0 + left.sum())
    both = jnp.concatenate([state, jnp.broadcast_to(whole, state.shape)], axis=1)
    logits = _mlp(params["policy"], both)[:, 0]
    share = _mlp(params["value"], both)[:, 0]
    # What each vertex that is left will cost, summed up: the cost of nothing is nothing.
    value = -jnp.sum(jax.nn.softplus(share - 4.0) * left)
    return Opinion(jnp.where(board.left, logits, -1e9), value)


def _features(rules: Rules, board: Board, into: Any, out: Any) -> Any:
    left = board.left.astype(jnp.float32)
    return jnp.stack(
        [
            left,
            rules.inputs.astype(jnp.float32),
            rules.outputs.astype(jnp.float32),
            jnp.log1p(into),
            jnp.log1p(out),
            jnp.log1p(into * out),
            jnp.log(rules.sizes[:, -1]),
            (into == 1).astype(jnp.float32),
            (out == 1).astype(jnp.float32),
        ],
        axis=1,
    )


def _dense(layer: dict[str, Any], x: Any) -> Any:
    return x @ layer["w"] + layer["b"]


def _mlp(layers: list[dict[str, Any]], x: Any) -> Any:
    return _dense(layers[1], jax.nn.relu(_dense(layers[0], x)))


def _normal(x: Any) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.square(centred).mean(axis=-1, keepdims=True) + 1e-5)
