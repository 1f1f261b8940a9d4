"""Results as Markdown: counts of multiplications, times with ratios, times from nothing to a first Jacobian."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tasks import Task

# Names of peers and what they are called in tables.
PEERS = {
    "jax forward": "jax.jacfwd",
    "jax reverse": "jax.jacrev",
    "torch forward": "torch jacfwd",
    "torch reverse": "torch jacrev",
    "casadi": "CasADi map",
    "jax ours": "ours in JAX",
    "jax native": "ours native, from JAX",
    "tapeless": "ours native",
}
JAX = ("jax forward", "jax reverse")
NONE = "–"

Report = dict[str, Any]


def count_table(report: Report, model: str) -> str:
    """What each way of finding an order reaches; `=` marks what is proven to be the best."""
    rows = report[model]
    budgets = list(dict.fromkeys(budget for row in rows.values() for budget in row["search"]))
    fixed = ["forward", "reverse", "markowitz", *(["paper", "known"] if model == "published" else [])]
    learnt = ["AlphaZero", "AlphaZero + search"] if model == "published" else []
    head = ["task", "intermediates", *fixed, "auto", *(f"search {budget} s" for budget in budgets), *learnt]
    lines = [
        [name, row["intermediates"], *(row[key] for key in fixed), _proven(row["auto"]["cost"], row["bound"])]
        + [
            _proven(row["search"][budget]["cost"] if budget in row["search"] else None, row["bound"])
            for budget in budgets
        ]
        + [_proven(row.get(key), row["bound"]) for key in ("alphazero", "alphazero_search")[: len(learnt)]]
        + [row["bound"] or NONE]
        for name, row in rows.items()
    ]
    return _table([*head, "at least"], lines)


def proof_table(proofs: Sequence[Report]) -> str:
    """Graphs with the cost of their best orders, and how much work the proof was."""
    keys = ("name", "model", "intermediates", "forward", "reverse", "cost", "sets")
    head = ["function", "model", "intermediates", "forward", "reverse", "best", "sets looked at"]
    return _table(head, [[row[key] for key in keys] for row in proofs])


def rate_table(report: Report) -> str:
    """How many vertices the search eliminates, by CPU time."""
    rates = {name: row["eliminations_per_second"] for name, row in report["published"].items()}
    return _table(["task", "eliminations per second"], [[name, f"{rate:.2e}"] for name, rate in rates.items()])


def agent_table(logs: Mapping[str, Report], tasks: Mapping[str, Task]) -> str:
    """What each agent found, and what its training took."""
    lines = []
    for name, log in logs.items():
        found = next(result for result in log["results"] if result["task"] == name)
        settings, counts = log["settings"], tasks[name].counts
        iterations, seconds = len(log["history"]), log["history"][-1][0]
        games = f"{iterations} x {settings['games']}"
        lines.append(
            [name, counts.paper, found["cost"], found["at_last"], games, settings["simulations"], f"{seconds:.0f}"]
        )
    return _table(["task", "paper", "found", "at last", "games", "simulations", "seconds"], lines)


def time_tables(report: Report) -> Iterator[str]:
    """A table for each number of threads and type: milliseconds for all points, and how many times as fast we are."""
    rows = report["rows"]
    for threads, dtype in dict.fromkeys((row["threads"], row["type"]) for row in rows):
        chosen = [row for row in rows if (row["threads"], row["type"]) == (threads, dtype)]
        yield f"{threads} thread{'s' * (threads > 1)}, {dtype}, ms for all points\n\n{_time_table(chosen)}"


def compile_table(report: Report) -> str:
    """CPU milliseconds from nothing to the Jacobian at one point, on one thread."""
    shown = ("jax forward", "jax reverse", "jax ours", "jax native", "tapeless")
    rows = [row for row in report["rows"] if row["threads"] == 1]
    lines = []
    for task, dtype in dict.fromkeys((row["task"], row["type"]) for row in rows):
        first = {row["peer"]: row.get("first_cpu_ms") for row in rows if (row["task"], row["type"]) == (task, dtype)}
        times = [NONE if first.get(peer) is None else f"{first[peer]:.0f}" for peer in shown]
        ratios = [_ratio(first.get("jax reverse"), first.get(peer)) for peer in ("tapeless", "jax ours")]
        lines.append([task, dtype, *times, *ratios])
    head = ["task", "type", *(PEERS[peer] for peer in shown), "jacrev / native", "jacrev / ours in JAX"]
    return "CPU ms to trace and compile the Jacobian at one point, and run it once\n\n" + _table(head, lines)


def _time_table(rows: Sequence[Report]) -> str:
    peers = [peer for peer in PEERS if any(row["peer"] == peer for row in rows)]
    batches = dict.fromkeys(key for row in rows for key in row if key.isdigit())
    lines = []
    for task in dict.fromkeys(row["task"] for row in rows):
        found = {row["peer"]: row for row in rows if row["task"] == task}
        for batch in (batch for batch in batches if any(batch in row for row in found.values())):
            cells = [_cell(found.get(peer), batch) for peer in peers]
            times = {peer: row[batch]["ms"] for peer, row in found.items() if "ms" in row.get(batch, {})}
            jax = min((times[peer] for peer in JAX if peer in times), default=None)
            native, casadi = times.get("tapeless"), times.get("casadi")
            ratios = [_ratio(jax, native), _ratio(casadi, native), _ratio(jax, times.get("jax ours"))]
            lines.append([task, batch, *cells, *ratios])
    head = ["task", "points", *(PEERS[peer] for peer in peers), "JAX / native", "CasADi / native", "JAX / ours in JAX"]
    return _table(head, lines)


def _cell(row: Report | None, batch: str) -> str:
    match row:
        case None:
            return NONE
        case {"failed": why} if batch not in row:
            return f"failed: {why}"
        case _:
            result = row.get(batch, {})
            return _short(result["ms"]) if "ms" in result else f"WRONG by {result.get('error', 0):.0e}"


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 1000 else f"{number:.3g}"


def _ratio(other: float | None, ours: float | None) -> str:
    return f"**{other / ours:.1f}**" if other and ours else NONE


def _proven(cost: int | None, bound: int) -> str:
    return NONE if cost is None else f"{cost} =" if cost == bound else str(cost)


def _table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)
