"""Results of a run as Markdown: times, ratios beside the published ones, and what grows with the number of steps."""

from __future__ import annotations

from bench.markdown import head, line, outcome, ratio
from bench.reversible.problems import PROBLEMS, WAVES

Row = dict[str, dict]
OURS, BACKWARDS = "tapeless", "tapeless reversible"
# Of the published run in time, for which waves are extrapolated.
LONG = 10_000
# Memory grows like this power of the number of steps; C undoes the steps, as the reversible gradient does.
MEMORY = {"c": 0.0, OURS: 1.0, BACKWARDS: 0.0, "tapeless states": 0.0, "jax": 1.0, "jax checkpoint": 0.5}


def time_table(table: dict[str, Row], peers: list[str]) -> str:
    """Milliseconds for one derivative, and for the ordinary objective."""
    lines = head(["problem", *peers])
    lines += [line([name, *(_time(row.get(peer)) for peer in peers)]) for name, row in table.items()]
    return "CPU ms for one derivative (for the objective alone), the least median\n\n" + "\n".join(lines)


def ratio_table(table: dict[str, Row]) -> str:
    """Derivatives in units of an ordinary objective: the published one of theirs, ours of ours and of plain C.

    The published objective is an ordinary program that is compiled one scalar at a time, as C is here; ours runs in
    lanes, which makes it several times faster and its derivative look dear. "reversible / tapeless" is the price of
    keeping nothing; "loops" says whether they could run backwards.
    """
    columns = ["problem", "published", "tapeless / C", "reversible / C", "tapeless / its own", "reversible / its own"]
    columns += ["reversible / tapeless", "ns an item, published", "ours", "loops"]
    lines = head(columns)
    for name, row in table.items():
        problem = PROBLEMS[name]
        objective = _of(row, OURS, "primal_ms") or _of(row, BACKWARDS, "primal_ms")
        ours, backwards = _of(row, OURS, "ms"), _of(row, BACKWARDS, "ms")
        published = problem.times
        cells = [
            "–" if published is None else f"{published[1] / published[0]:.3g}",
            ratio(ours, _of(row, "c", "primal_ms")),
            ratio(backwards, _of(row, "c", "primal_ms")),
            ratio(ours, objective),
            ratio(backwards, objective),
            ratio(backwards, ours),
            *_per_item(name, ours),
            row.get(BACKWARDS, {}).get("note", "–"),
        ]
        lines.append(line([name, *cells]))
    return "Derivative / ordinary objective\n\n" + "\n".join(lines)


def _per_item(name: str, ours: float | None) -> tuple[str, str]:
    """The published time of a whole batch, or of one item of it, and ours."""
    problem = PROBLEMS[name]
    if problem.items == 1 or problem.times is None:
        return "–", "–"
    share = problem.items if problem.family == "bundle" else 1
    return f"{problem.times[1] * 1e9 / share:.0f}", "–" if ours is None else f"{ours * 1e6 / problem.items:.1f}"


def memory_table(table: dict[str, Row], peers: list[str]) -> str:
    """Waves: what a step costs in time and in memory, from runs with few and with many steps."""
    lines = head(["wave", *peers])
    for cells, many in WAVES:
        few = min(steps for same, steps in WAVES if same == cells)
        names = [f"wave_{cells}x{few}", f"wave_{cells}x{many}"]
        if few == many or not all(name in table for name in names):
            continue
        growths = [_growth(peer, *(table[name].get(peer, {}) for name in names), few, many) for peer in peers]
        lines.append(line([f"{cells} x {cells}, {few} to {many} steps", *growths]))
    title = f"ms that a step takes, MB more for many steps than for few; extrapolated to {LONG} steps: seconds, GB"
    return f"{title}\n\n" + "\n".join(lines) if len(lines) > 2 else ""


def _growth(peer: str, first: dict, second: dict, few: int, many: int) -> str:
    if "ms" not in first or "ms" not in second:
        return "–"
    time, memory = (second["ms"] - first["ms"]) / (many - few), max(second["peak_mb"] - first["peak_mb"], 0.0)
    # With a fixed number of states the steps are repeated more often the longer the run.
    least = "at least " if peer == "tapeless states" else ""
    power = MEMORY[peer]
    factor = (LONG**power - few**power) / (many**power - few**power) if power else 1.0
    long_memory = memory * factor / 1024
    return f"{time:.3g} ms, {memory:.3g} MB; {least}{time * LONG / 1e3:.3g} s, {long_memory:.3g} GB"


def _of(row: Row, peer: str, key: str) -> float | None:
    return row.get(peer, {}).get(key)


def _time(result: dict | None) -> str:
    return outcome(result, _with_objective)


def _with_objective(found: dict) -> str:
    return f"{found['ms']:.3g} ({found['primal_ms']:.3g})" if "primal_ms" in found else f"{found['ms']:.3g}"
