"""Results of a run as Markdown: times with ratios, first derivatives, and other tools' published rows beside ours."""

from __future__ import annotations

import math

from bench.grad.harness import Problem
from bench.markdown import NOTHING, head, line, outcome, ratio

Row = dict[str, dict]


def time_table(table: dict[str, Row], peers: list[str]) -> str:
    """Milliseconds for one derivative, and ratios."""
    objectives = {name: _c_objective(row) for name, row in table.items()}
    more = ["ours / C's primal"] if any(objectives.values()) else []
    lines = head(["problem", *peers, "ours / best other", "ours / best C", "ours / our primal", *more])
    ratios: list[float] = []
    for name, row in table.items():
        times = {peer: result["ms"] for peer, result in row.items() if "ms" in result}
        ours = times.pop("tapeless", None)
        best = min(times.values(), default=None)
        best_c = min((t for p, t in times.items() if _is_c(p)), default=None)
        units = [best, best_c, row.get("tapeless", {}).get("primal_ms"), *([objectives[name]] if more else [])]
        if ours and best:
            ratios.append(ours / best)
        lines.append(
            line(
                [
                    name,
                    *(_time(row.get(p)) for p in peers),
                    *(ratio(ours, unit, bold=True) for unit in units),
                ]
            )
        )
    note = ""
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        note = f"\n\nours / best other, geometric mean of {len(ratios)}: {mean:.2f}"
    title = "CPU ms for one derivative: the least median of several rounds in turns (peak memory of the process in MB)"
    return f"{title}\n\n" + "\n".join(lines) + note


def latency_table(table: dict[str, Row], peers: list[str]) -> str:
    """CPU milliseconds until the first derivative: tracing, compiling (child processes too) and one run."""
    lines = head(["problem", *peers])
    for name, row in table.items():
        firsts = [row.get(peer, {}).get("first_ms") for peer in peers]
        lines.append(line([name, *("–" if first is None else f"{first:.0f}" for first in firsts)]))
    return "CPU ms until the first derivative\n\n" + "\n".join(lines)


def published_table(table: dict[str, Row], problems: dict[str, Problem]) -> str:
    """Other tools' published derivative times, scaled to this machine by the two columns of JAX."""
    tools = list(dict.fromkeys(tool for name in table for tool in problems[name].published if tool != "JAX"))
    if not tools:
        return ""
    lines = head(["problem", "scale", "tapeless", *tools])
    for name, row in table.items():
        published = problems[name].published
        if not published:
            continue
        jax, ours = row.get("jax", {}).get("ms"), row.get("tapeless", {}).get("ms")
        scale = jax / published["JAX"][1] if jax and "JAX" in published else 1.0
        known = ["–" if tool not in published else f"{published[tool][1] * scale:.3g}" for tool in tools]
        lines.append(line([name, f"{scale:.2f}", "–" if ours is None else f"{ours:.3g}", *known]))
    return (
        "CPU ms for one derivative; published rows of the other tools, scaled by JAX here / JAX there "
        "(1.00 where one of the two is missing)\n\n" + "\n".join(lines)
    )


def _c_objective(row: Row) -> float | None:
    """Milliseconds of the primal program in plain C, where a peer is there for that."""
    return row.get("c", {}).get("primal_ms")


def _is_c(peer: str) -> bool:
    return peer.split(maxsplit=1)[0] == "c"


def _time(result: dict | None) -> str:
    return outcome(result, lambda found: f"{found['ms']:.3g} ({found['peak_mb']:.0f})" if "ms" in found else NOTHING)
