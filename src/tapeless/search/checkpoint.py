"""Agents on disk: the numbers of their parameters as arrays, everything else as JSON. Nothing in them is evaluated."""

# pyright: basic
# JAX is annotated in part only.
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jax
import numpy as np

from .train import Agent


def save(agent: Agent, path: Path) -> None:
    """Write an agent; a file that was there is replaced as a whole."""
    leaves = jax.tree.leaves((agent.params, agent.optimiser))
    meta = json.dumps({"iteration": agent.iteration, "best": agent.best, "history": agent.history})
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, meta=np.array(meta), **{f"leaf{k}": leaf for k, leaf in enumerate(leaves)})
    os.replace(temporary, path)


def load(path: Path, like: Agent) -> Agent:
    """Read an agent that was trained as `like` is: same network, same optimiser."""
    with np.load(path, allow_pickle=False) as stored:
        meta: Any = json.loads(str(stored["meta"]))
        leaves, structure = jax.tree.flatten((like.params, like.optimiser))
        found = [stored[f"leaf{k}"] for k in range(len(leaves))]
    if [leaf.shape for leaf in found] != [np.shape(leaf) for leaf in leaves]:
        raise ValueError(f"{path} holds an agent of another shape")
    params, optimiser = jax.tree.unflatten(structure, found)
    best = [(int(price), tuple(order)) for price, order in meta["best"]]
    return Agent(params, optimiser, int(meta["iteration"]), best, [tuple(line) for line in meta["history"]])
