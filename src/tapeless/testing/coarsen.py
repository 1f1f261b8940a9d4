"""Run random programs of branches, recurrences and sums with coarsening on and off; report which rules fired.

    python -m tapeless.testing.coarsen -n 10000 --seed 0 [--seconds 600] [--jobs 2] [--shrink 2]

Programs are those of `generate` with the productions of `coarsen_loops`, judged by `coarsen_judge` in processes of
their own. The report counts the programs in which each rule of `tapeless.symbolic` fired, and names those that never
did. Failures are shrunk and written to --out, from where `--replay` takes them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ..symbolic.rules import all_rules
from .campaign import Summary, campaign, stopped_by_signals
from .coarsen_judge import judge_coarse, request
from .fuzz import shrunk
from .shrink import describe
from .verify import Verdict
from .wire import decode, encode
from .worker import Worker

SERVE = "--serve"
PROGRAM = (sys.executable, "-m", "tapeless.testing.coarsen", SERVE)


@dataclass(slots=True)
class Rules(Summary):
    """Verdicts, and in how many programs each rule fired."""

    fired: Counter[str] = field(default_factory=Counter[str])

    def add(self, seed: int, verdict: Verdict) -> None:
        Summary.add(self, seed, verdict)
        if verdict.kind == "ok":
            self.fired.update(verdict.detail.split())

    def report(self) -> str:
        """A line for each rule, and the names of those that never fired."""
        names = [rule.name for rule in all_rules()]
        lines = [f"  {self.fired[name]:6} programs: {name}" for name in names if self.fired[name]]
        never = [name for name in names if not self.fired[name]]
        return "\n".join([*lines, f"  rules that never fired: {', '.join(never) or 'none'}"])


def serve() -> None:
    """Answer each seed, or program, on a line of its own with a verdict."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything prints is not an answer
    for line in sys.stdin:
        wanted = decode(line) if line.startswith("{") else request(int(line))
        print(json.dumps(asdict(judge_coarse(wanted))), file=answers, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(argv)
    if options.serve:
        serve()
        return 0
    if options.replay is not None:
        return _replay(options.replay)
    workers = [Worker(program=PROGRAM) for _ in range(max(1, options.jobs))]
    stop, summary = threading.Event(), Rules()
    with stopped_by_signals(stop):
        seeds = range(options.seed, options.seed + options.n)
        campaign(seeds, workers, stop, seconds=options.seconds, summary=summary)
        for seed, verdict in summary.failures[:20]:
            print(f"seed {seed}: {verdict.kind} at {verdict.stage}: {verdict.detail[:300]}")
        _keep(summary, options, stop)
    print(f"{summary.report()}\n{summary}", flush=True)
    return 1 if summary.failures else 0


def _keep(summary: Rules, options: argparse.Namespace, stop: threading.Event) -> None:
    """Write the first failures, shrunk."""
    worker, out = Worker(program=PROGRAM, seconds=20.0), Path(options.out)
    for seed, verdict in summary.failures[: options.shrink]:
        if stop.is_set():
            break
        out.mkdir(parents=True, exist_ok=True)
        small = shrunk(request(seed), verdict, worker, options.shrink_seconds, stop)
        (out / f"{seed}.json").write_text(encode(small))
        print(f"\nseed {seed}, {verdict.kind} at {verdict.stage}, shrunk to {out / f'{seed}.json'}:")
        print(describe(small.function, small.args))
    worker.stop()


def _replay(paths: Sequence[str]) -> int:
    verdicts = [judge_coarse(decode(Path(path).read_text())) for path in paths]
    for path, verdict in zip(paths, verdicts, strict=True):
        print(f"{path}: {verdict.kind} {verdict.stage} {verdict.detail}")
    return 1 if any(verdict.kind not in ("ok", "unstable") for verdict in verdicts) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tapeless.testing.coarsen", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("-n", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--shrink", type=int, default=2, metavar="K", help="shrink the first K failures")
    parser.add_argument("--shrink-seconds", type=float, default=60.0, help="time for shrinking one of them")
    parser.add_argument("--out", default="build/fuzz-coarsen", help="where failures are written")
    parser.add_argument("--replay", nargs="+", metavar="FILE", help="judge stored failures instead")
    parser.add_argument(SERVE, action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
