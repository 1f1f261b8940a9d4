"""Run random programs backwards: whoever claims to be an inverse must bring back what there was.

    python -m tapeless.testing.reversible -n 10000 --seed 0 [--family exact] [--seconds 600] [--jobs 2]

Families of programs, which take turns when none is named:

    exact     reversible by construction, in integers and floats that are never rounded: back to the same bits
    kept      as exact, but conditions read what their branches change, and loops have conditions: back to the same bits
              from what was kept
    whole     as kept, and integers change by floats of all digits that are rounded, as fixed-point numbers do
    smooth    reversible by construction, in floats of 60 digits: back to 30 of them; and derivatives whose loops run
              backwards equal those that keep every state, to 18 digits, of programs and of their inverses
    bent      as smooth, but conditions read what their branches change, and loops have conditions: derivatives only,
              whose loops keep bits and counts
    careless  as exact, but an amount may read what it changes: an inverse is refused, or right
    random    programs of `generate` with some of their values as results: wherever an inverse is found of some of the
              parameters, or of an iteration of a loop, it is right in 60 digits

Half of the programs are prepared for differentiation before, and some inverses are compiled as well. A refusal in a
family that is reversible by construction is counted, with the production of the statement that could not be undone.
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

from .campaign import Summary, campaign, stopped_by_signals
from .reversible_judge import FAMILIES, judge_seed
from .verify import Verdict
from .worker import Worker

SERVE = "--serve"
PROGRAM = (sys.executable, "-m", "tapeless.testing.reversible", SERVE)


@dataclass(slots=True)
class Directions(Summary):
    """Verdicts by family, and why inverses were refused."""

    families: Counter[str] = field(default_factory=Counter[str])
    claims: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])

    def add(self, seed: int, verdict: Verdict) -> None:
        if verdict.kind not in ("ok", "refused"):
            Summary.add(self, seed, verdict)
            return
        self.counts["ok"] += 1
        family, _, inverses = verdict.stage.partition(" ")
        self.families[family] += 1
        self.claims[family] += int(inverses)
        if verdict.kind == "refused":
            self.reasons[f"{family}: {verdict.detail}"] += 1

    def report(self) -> str:
        """What was found in each family, a line each."""
        lines = [f"{family}: {self.families[family]} programs, {self.claims[family]} inverses" for family in FAMILIES]
        refused = [f"  {count} refused in {reason}" for reason, count in self.reasons.most_common(20)]
        return "\n".join([*lines, *refused])


def serve(family: str | None) -> None:
    """Answer each seed on a line of its own with a verdict."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything prints is not an answer
    for line in sys.stdin:
        print(json.dumps(asdict(judge_seed(int(line), family))), file=answers, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(argv)
    if options.serve:
        serve(options.family)
        return 0
    chosen = ("--family", options.family) if options.family else ()
    workers = [Worker(*chosen, program=PROGRAM) for _ in range(max(1, options.jobs))]
    stop, summary = threading.Event(), Directions()
    with stopped_by_signals(stop):
        seeds = range(options.seed, options.seed + options.n)
        campaign(seeds, workers, stop, seconds=options.seconds, summary=summary)
    for seed, verdict in summary.failures[:20]:
        print(f"seed {seed}: {verdict.kind} at {verdict.stage}: {verdict.detail[:300]}")
    print(f"{summary.report()}\n{summary}", flush=True)
    return 1 if summary.failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tapeless.testing.reversible", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("-n", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--family", choices=FAMILIES, help="programs of one family only")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument(SERVE, action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
