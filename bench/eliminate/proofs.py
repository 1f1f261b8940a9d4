"""Orders that are proven to be the best: make the certificates, or verify those that are published.

    python bench/eliminate/proofs.py                        verify results/proofs.json
    python bench/eliminate/proofs.py --make --seconds 60    search and prove, and write it

The graphs are those of the published scalar tasks and of functions from practice (tasks/real.py), in the models of
counts.py. A certificate is an order and its cost. Verifying counts the order again, and lets exact search find out
again that no order is cheaper: it begins with the reversed program, not with the order that it is to confirm.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks import TASKS
from tasks.real import REAL
from tasks.trace import trace

import tapeless  # noqa: F401 - installs the compiler of the search
from tapeless.eliminate import engine, heuristics
from tapeless.eliminate.anneal import Annealer
from tapeless.eliminate.exact import exact, is_provable
from tapeless.eliminate.published import published
from tapeless.eliminate.tables import Tables, cost
from tapeless.eliminate.work import work

PROOFS = Path(__file__).resolve().parent / "results" / "proofs.json"
ANNEALED = 2.0  # seconds of search before a proof

Row = dict[str, Any]


def main() -> None:
    options = _options()
    if options.make:
        rows = [row for name, model, tables in graphs() if (row := _proof(name, model, tables, options.seconds))]
        PROOFS.write_text("[\n" + ",\n".join(" " + json.dumps(row) for row in rows) + "\n]\n")
    wrong = [row for row in json.loads(PROOFS.read_text()) if not is_confirmed(row)]
    for row in wrong:
        print(f"NOT CONFIRMED: {row['name']}, {row['model']}")
    print(f"{len(json.loads(PROOFS.read_text())) - len(wrong)} proofs confirmed")
    sys.exit(bool(wrong))


def graphs() -> Iterator[tuple[str, str, Tables]]:
    """All graphs that proofs are tried for, in each model."""
    for name in (*TASKS, *REAL):
        for model in ("published", "work", "costly"):
            if (tables := graph(name, model)) is not None:
                yield name, model, tables


def graph(name: str, model: str) -> Tables | None:
    """A graph of scalars in a model; None where there is none."""
    if name in TASKS:
        task = TASKS[name]
        if model == "published":
            tables = task.tables()
            return tables if is_provable(tables) else None
        if task.stored or task.function is None:
            return None
        function, inputs = task.function, len(task.shapes)
    else:
        function, inputs = REAL[name]
    if model == "published":
        return published(trace(function, inputs))
    return work(trace(function, inputs, shared=True), free_constants=model == "work")


def is_confirmed(row: Row) -> bool:
    """Does the order cost what it says, and is none cheaper?"""
    tables = graph(row["name"], row["model"])
    if (
        tables is None
        or sorted(row["order"]) != list(tables.intermediates)
        or cost(tables, row["order"]) != row["cost"]
    ):
        return False
    return cost(tables, row["order"]) == row["cost"] == exact(tables, heuristics.reverse(tables)).bound


def _proof(name: str, model: str, tables: Tables, seconds: float) -> Row | None:
    starts = (heuristics.forward, heuristics.reverse, heuristics.minimal_damage)
    start = min((tuple(rule(tables)) for rule in starts), key=lambda order: cost(tables, order))
    annealed = Annealer(tables, engine.sweep(10.0)).search(start, ANNEALED)
    begin = time.process_time()
    found = exact(tables, annealed.order, seconds)
    passed = time.process_time() - begin
    print(f"  {name}, {model}: {found.cost}, at least {found.bound}, {passed:.1f} s", file=sys.stderr, flush=True)
    if not found.proven:
        return None
    rules = {rule.__name__: cost(tables, rule(tables)) for rule in (heuristics.forward, heuristics.reverse)}
    return {
        "name": name, "model": model, "intermediates": len(tables.intermediates), **rules, "cost": found.cost,
        "sets": found.sets, "seconds": round(passed, 2), "order": list(found.order),
    }  # fmt: skip


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each proof")
    return parser.parse_args()


if __name__ == "__main__":
    main()
