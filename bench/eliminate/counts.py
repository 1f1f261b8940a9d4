"""Multiplications of the published tasks, by every way to find an order.

    python bench/eliminate/counts.py                    all tables, ten seconds of search for each task
    python bench/eliminate/counts.py --models published --tasks g,propane_combustion --seconds 0.5
    python bench/eliminate/counts.py --seconds 10,100 --publish

In the `published` model: the ten tasks as the paper counts them, beside its best orders, the best known ones, those
that the trained agents found (results/alphazero), and local search from these. In the `work` model: the scalar tasks
with common sub-expressions shared, where products with 1, -1 and constants are free (`work`), or only those with 1 and
-1 (`costly`). Every search begins with nothing remembered. Rows go to bench/out/eliminate/counts.json, and
with --publish to results/counts.json; those of tasks that were not run stay as they are there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables import count_table, rate_table
from tasks import TASKS, Task

import tapeless as tp
from tapeless.eliminate import engine, heuristics
from tapeless.eliminate.anneal import Annealer
from tapeless.eliminate.choose import choose
from tapeless.eliminate.published import published_markowitz
from tapeless.eliminate.tables import Tables, cost
from tapeless.eliminate.work import work

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
OUT = HERE.parent / "out" / "eliminate"
RULES = {"forward": heuristics.forward, "reverse": heuristics.reverse, "markowitz": published_markowitz}
COMPILED = 10.0  # seconds of a search that runs on compiled code

Row = dict[str, Any]


def main() -> None:
    options = _options()
    seconds = [float(word) for word in options.seconds.split(",")]
    names = options.tasks.split(",")
    _compile()
    report: dict[str, dict[str, Row]] = {}
    for model in options.models.split(","):
        report[model] = {}
        for task in map(TASKS.__getitem__, names):
            if model == "published" or not (task.stored or task.function is None):
                report[model][task.name] = row = _row(task, model, seconds, options.seed)
                print(f"  {model}, {task.name}: {_short(row)}", file=sys.stderr, flush=True)
        if report[model]:
            print(f"\n{model}\n\n{count_table(report, model)}")
    if report.get("published"):
        print(f"\n{rate_table(report)}")
    OUT.mkdir(parents=True, exist_ok=True)
    for folder in (OUT, RESULTS) if options.publish else (OUT,):
        _write(folder / "counts.json", report)


def _learnt(task: Task, tables: Tables, seconds: float, seed: int) -> Row:
    """What the trained agent found alone, counted again, and what local search makes of it."""
    log = RESULTS / "alphazero" / f"{task.name}.json"
    if not log.exists():
        return {}
    order = next(found["order"] for found in json.loads(log.read_text())["results"] if found["task"] == task.name)
    improved = Annealer(tables, engine.sweep(COMPILED), seed).search(order, seconds)
    return {"alphazero": cost(tables, order), "alphazero_search": improved.cost}


def _row(task: Task, model: str, seconds: list[float], seed: int) -> Row:
    """Fixed rules, the small effort of `auto`, and searches; `bound` is the best bound that any of them proved."""
    tables = MODELS[model](task)
    row: Row = {"command": " ".join(["counts.py", *sys.argv[1:]]), "intermediates": len(tables.intermediates)}
    row |= {name: cost(tables, rule(tables)) for name, rule in RULES.items()}
    row["auto"] = _chosen(tables, model, None, seed)
    row["search"] = {f"{budget:g}": _chosen(tables, model, budget, seed) for budget in seconds}
    row["bound"] = max(found["bound"] for found in (row["auto"], *row["search"].values()))
    if model == "published":
        row |= {"paper": task.counts.paper, "known": task.counts.known, "eliminations_per_second": _rate(tables, seed)}
        row |= _learnt(task, tables, seconds[-1], seed)
    return row


def _chosen(tables: Tables, model: str, seconds: float | None, seed: int) -> Row:
    with tempfile.TemporaryDirectory() as folder, tp.config(cache_dir=folder):
        wall = time.perf_counter()
        found = choose(tables, model, seconds, seed)
        passed = time.perf_counter() - wall
    assert cost(tables, found.order) == found.cost
    return {"cost": found.cost, "bound": found.bound, "seconds": round(passed, 3)}


def _rate(tables: Tables, seed: int) -> float:
    """Vertices that the search eliminates in a second of CPU time."""
    annealer, start = Annealer(tables, engine.sweep(COMPILED), seed), tuple(heuristics.reverse(tables))
    cpu = time.process_time()
    found = annealer.search(start, 1.0)
    return found.eliminated / (time.process_time() - cpu)


def _compile() -> None:
    """The search's inner loop, before anything is timed."""
    tables = TASKS["propane_combustion"].tables()
    Annealer(tables, engine.sweep(COMPILED)).anneal(tables.intermediates, 1)


def _short(row: Row) -> str:
    searched = {budget: found["cost"] for budget, found in row["search"].items()}
    return f"auto {row['auto']['cost']}, search {searched}, at least {row['bound']}"


def _write(path: Path, report: dict[str, dict[str, Row]]) -> None:
    known: dict[str, dict[str, Row]] = json.loads(path.read_text()) if path.exists() else {}
    merged = {model: known.get(model, {}) | report.get(model, {}) for model in MODELS}
    path.write_text(json.dumps(merged, indent=1) + "\n")


MODELS: dict[str, Callable[[Task], Tables]] = {
    "published": Task.tables,
    "work": lambda task: work(task.graph(shared=True)),
    "costly": lambda task: work(task.graph(shared=True), free_constants=False),
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--seconds", default="10", help="of search, with commas between several")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--publish", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
