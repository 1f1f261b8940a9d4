"""Results of a run as Markdown: times, speed-ups beside the published ones, and what was counted."""

from __future__ import annotations

from bench.coarsen.problems import PROBLEMS
from bench.grad.tables import _line, _ratio

OURS, PLAIN = "tapeless", "tapeless uncoarsened"
Row = dict[str, dict]


def time_table(table: dict[str, Row], peers: list[str]) -> str:
    """Microseconds for one gradient, and for the value alone."""
    lines = [_line(["problem", *peers]), _line(["---"] * (len(peers) + 1))]
    lines += [_line([name, *(_time(row.get(peer)) for peer in peers)]) for name, row in table.items()]
    return "CPU µs for one gradient (for the value alone), the least median of rounds in turns\n\n" + "\n".join(lines)


def speedup_table(table: dict[str, Row]) -> str:
    """How many times faster the coarsened gradient is: the published one than DiffKt's own, ours than others.

    PyTorch's tape is of the same kind as what DiffKt was compared with.
    """
    head = ["problem", "published", "over tapeless uncoarsened", "operations", "bytes"]
    head += ["over JAX", "over PyTorch", "over best other"]
    lines = [_line(head), _line(["---"] * len(head))]
    for name, row in table.items():
        times = {peer: result["ms"] for peer, result in row.items() if "ms" in result}
        ours, plain = times.pop(OURS, None), times.pop(PLAIN, None)
        jax = min((ms for peer, ms in times.items() if peer.startswith("jax")), default=None)
        best = min(times.values(), default=None)
        low, high = PROBLEMS[name].speedup
        published = f"{low:g}" if low == high else f"{low:g}–{high:g}"
        counts = row.get("counts", {})
        lines.append(
            _line([
                name, published, _ratio(plain, ours), _change(counts, "operations"), _change(counts, "bytes"),
                _ratio(jax, ours), _ratio(times.get("torch"), ours), _ratio(best, ours),
            ])
        )  # fmt: skip
    return "Speed-up of the gradient by coarsening; counted operations and bytes written, off → on\n\n" + "\n".join(
        lines
    )


def _change(counts: dict, what: str) -> str:
    return f"{counts['off'][what]:,.0f} → {counts['on'][what]:,.0f}" if counts else "–"


def _time(result: dict | None) -> str:
    match result:
        case None:
            return "–"
        case {"failed": why}:
            return f"failed: {why}"
        case {"wrong": error}:
            return f"WRONG by {error:.0e}"
        case {"ms": ms, "primal_ms": primal}:
            return f"{ms * 1e3:.4g} ({primal * 1e3:.3g})"
        case _:
            return "not timed"
