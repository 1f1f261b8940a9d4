"""Results of a run as Markdown: times, speed-ups beside the published ones, and what was counted."""

from __future__ import annotations

from bench.coarsen.problems import PROBLEMS
from bench.markdown import NOTHING, head, line, outcome, ratio

OURS, PLAIN, STATEMENTS = "tapeless", "tapeless uncoarsened", "tapeless statements"
Row = dict[str, dict]


def time_table(table: dict[str, Row], peers: list[str]) -> str:
    """Microseconds for one gradient, and for the value alone."""
    lines = head(["problem", *peers])
    lines += [line([name, *(outcome(row.get(peer), _time) for peer in peers)]) for name, row in table.items()]
    return "CPU µs for one gradient (for the value alone), the least median of rounds in turns\n\n" + "\n".join(lines)


def speedup_table(table: dict[str, Row]) -> str:
    """How many times faster the coarsened gradient is: the published one than DiffKt's own, ours than others.

    PyTorch's tape is of the same kind as what DiffKt was compared with.
    """
    columns = ["problem", "published", "over tapeless uncoarsened", "over tapeless statements", "operations", "bytes"]
    lines = head([*columns, "over JAX", "over PyTorch", "over best other"])
    for name, row in table.items():
        times = {peer: result["ms"] for peer, result in row.items() if "ms" in result}
        ours, plain, statements = (times.pop(name, None) for name in (OURS, PLAIN, STATEMENTS))
        jax = min((ms for peer, ms in times.items() if peer.startswith("jax")), default=None)
        others = (jax, times.get("torch"), min(times.values(), default=None))
        low, high = PROBLEMS[name].speedup
        published = f"{low:g}" if low == high else f"{low:g}–{high:g}"
        counts = row.get("counts", {})
        counted = [_change(counts, what) for what in ("operations", "bytes")]
        ratios = [ratio(other, ours) for other in others]
        lines.append(line([name, published, ratio(plain, ours, bold=True), ratio(statements, ours), *counted, *ratios]))
    return (
        "Speed-up of the gradient by coarsening, and by the choice of segments alone (over statements with closed\n"
        "forms); counted operations and bytes written, off → statements → on\n\n" + "\n".join(lines)
    )


def _change(counts: dict, what: str) -> str:
    words = ("off", "statements", "on")
    return " → ".join(f"{counts[word][what]:,.0f}" if word in counts else NOTHING for word in words)


def _time(result: dict) -> str:
    return f"{result['ms'] * 1e3:.4g} ({result['primal_ms'] * 1e3:.3g})"
