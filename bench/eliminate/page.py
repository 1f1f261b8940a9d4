"""Write docs/elimination_results.md from the published results: results/{counts,times}.json and results/alphazero.

python bench/eliminate/page.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables import agent_table, compile_table, count_table, proof_table, rate_table, time_tables
from tasks import TASKS

RESULTS = Path(__file__).resolve().parent / "results"
PAGE = RESULTS.parents[2] / "docs" / "elimination_results.md"

HEAD = """# Jacobians by elimination: results

Made by `bench/eliminate/page.py` from the files in `bench/eliminate/results`. What the words mean is in
[theory/elimination.md](theory/elimination.md), how to use it in [guide/jacobians.md](guide/jacobians.md).

```text
make bench-eliminate                                      counts, then times
python bench/eliminate/counts.py --seconds 10,100         counts alone; --tasks and --models choose
python bench/eliminate/times.py --tasks g --threads 1     times alone; --peers, --types and --batches choose
python bench/eliminate/proofs.py                          verify the proofs; --make makes them
python bench/eliminate/train.py g --out agent.json        train an agent
```"""

COUNTS = """## Multiplications, as the paper counts them

The ten tasks of Lohoff and Neftci (NeurIPS 2024) in the `published` model. *forward*, *reverse* and *markowitz* are
the counts of the original code, *paper* is the best that any training of its agents found, *known* the best known
before this benchmark. *auto* is what `tp.jacobian` does without a budget. Every search begins with nothing remembered.
*AlphaZero* is the agent of `tapeless.search` alone, *+ search* is local search from its order, for the longest time in
the table. `=` marks orders that are proven to be the best; no order is below *at least*."""

RATE = """Vertices that the search eliminates in a second of CPU time on one core:"""

WORK = """## Multiplications that are left

The scalar tasks with common sub-expressions shared (*work*). Products with 1, -1 and constants are free: constants
are multiplied when the program is made."""

COSTLY = """The same where a product with a constant costs one multiplication, as in earlier reports (*costly*):"""

PROOFS = """## Orders that are proven to be the best

The scalar tasks, and functions from practice: steps of integrators, dynamics of vehicles and nerve cells, sensors
(`bench/eliminate/tasks/real.py`). No order of vertices takes fewer multiplications in the model; *published*, *work*
and *costly* are those of the tables above. The orders are in `results/proofs.json`, and `python
bench/eliminate/proofs.py` verifies them: it counts each order again, and proves again that none is cheaper."""

AGENTS = """## What the agents learnt

One agent for each task; it began by imitating greedy orders. *found* is the best order of all games that it played, *at
last* that of the trained agent without noise."""

TIMES = """## Time

Jacobians at many points at once, `vmap(jac f)`: everybody computes the Jacobian at one point, maps it over the points,
and returns one array [point, result, argument]. Medians of wall time; arguments lie in the peer's own arrays. The
ratios are the time of the best of JAX's two modes, or of CasADi, by ours: above 1 we are faster. Every result was
compared with `jax.jacfwd` in f64. For Black-Scholes it is the Hessian of the price. CasADi has f64 only. The array
tasks (the last three) are differentiated by all their arguments, and beside JAX alone."""


def main() -> None:
    """The page."""
    PAGE.write_text("\n\n".join(_sections()) + "\n")


def _sections() -> Iterator[str]:
    yield HEAD
    counts = _read("counts.json")
    if counts:
        yield from (COUNTS, count_table(counts, "published"), RATE, rate_table(counts))
        yield from (WORK, count_table(counts, "work"), COSTLY, count_table(counts, "costly"))
    proofs = json.loads((RESULTS / "proofs.json").read_text())
    yield from (PROOFS, proof_table(proofs))
    logs = {name: _read(f"alphazero/{name}.json") for name in TASKS}
    yield from (AGENTS, agent_table({name: log for name, log in logs.items() if log}, TASKS))
    times = _read("times.json")
    if times:
        yield from (TIMES, f"{times['cores']} cores; `{times['command']}`.", *time_tables(times), compile_table(times))


def _read(name: str) -> dict[str, Any]:
    path = RESULTS / name
    return json.loads(path.read_text()) if path.exists() else {}


if __name__ == "__main__":
    main()
