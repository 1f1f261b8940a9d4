"""Train an AlphaZero agent on published tasks; what it found is written as small JSON.

    python bench/eliminate/train.py roe_flux_1d --iterations 300 --games 256 --out results.json
    python bench/eliminate/train.py g,roe_flux_1d --agent joint.npz    (one agent for several; goes on if it exists)

Ctrl-C ends a training with what it has. Counts are those of the published model.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from tasks import TASKS

from tapeless.eliminate.tables import cost
from tapeless.search.checkpoint import load, save
from tapeless.search.train import Agent, School, Settings, orders, train


def main() -> None:
    """The command line."""
    options = _options()
    names = options.tasks.split(",")
    graphs = [TASKS[name].tables() for name in names]
    settings = Settings(
        options.iterations, options.games, options.simulations, options.considered, batch=options.batch,
        steps=options.steps, imitation=options.imitation, rate=options.rate, seed=options.seed,
    )  # fmt: skip
    agent = None
    if options.agent is not None and options.agent.exists():
        agent = load(options.agent, School(graphs, replace(settings, imitation=0)).beginner())
    end = time.monotonic() + options.seconds

    def report(agent: Agent) -> None:
        seconds, best, means = agent.history[-1]
        shown = ", ".join(f"{n} {b} (mean {m:.1f})" for n, b, m in zip(names, best, means, strict=True))
        print(f"{agent.iteration:4d}  {seconds:6.0f} s  {shown}", file=sys.stderr, flush=True)
        if time.monotonic() > end:
            raise KeyboardInterrupt

    agent = train(graphs, settings, agent, report)
    if options.agent is not None:
        save(agent, options.agent)
    # The same agent without noise, when all is learnt.
    calm = replace(settings, exploration=0.0)
    results = []
    for name, graph, best in zip(names, graphs, agent.best, strict=True):
        final = orders(agent, graph, calm, 1)[0]
        price, order = min(best, final)
        assert cost(graph, order) == price
        counts = TASKS[name].counts
        print(f"{name}: {price} (at last {final[0]}), the paper's agent {counts.paper}, best known {counts.known}")
        results.append({"task": name, "cost": price, "at_last": final[0], "order": order})
    if options.out is not None:
        log = {"settings": vars(options) | {"agent": None, "out": None}, "results": results, "history": agent.history}
        options.out.write_text(json.dumps(log))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    standard = Settings()
    parser.add_argument("tasks", help="names, separated by commas: " + ", ".join(TASKS))
    for name in ("iterations", "games", "simulations", "considered", "batch", "steps", "imitation", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(standard, name))
    parser.add_argument("--rate", type=float, default=standard.rate)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--agent", type=Path, help="where the agent is kept")
    parser.add_argument("--out", type=Path, help="where the results go")
    return parser.parse_args()


if __name__ == "__main__":
    main()
