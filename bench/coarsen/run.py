"""Coarsening as published, and Tapeless on the same programs: with it and without, beside its peers, in one run.

    make bench-coarsen
    python bench/coarsen/run.py --problems bgd,spring --peers "tapeless,tapeless uncoarsened,jax"
    TAPELESS_BENCH_SECONDS=0.02 python bench/coarsen/run.py     short rounds: does all of it run?

Peers run as in `bench/grad/run.py`: each in a process of its own on one core, compared in value and gradient with the
reference (computed without a compiler) before it is timed, then in turns; the least of the medians counts. `arm.py` is
the other half: kernels of a robot arm as C code of symbolic engines.

    tapeless               what `tp.grad` does by itself
    tapeless uncoarsened   `tp.config(coarsen=False)`: plain AD, with every other pass. No closed forms, no elimination,
                           derivatives are not shortened: the baseline of the published figures, of its kind
    tapeless statements    `tp.config(segments="plain")`: with closed forms and shorter derivatives, but derived one
                           statement after another: what the choice of segments gains by itself
    jax, jax forward       jit; reverse mode, and for BGDHyperOpt forward mode through a loop that ends
    torch, torch compile   eager, and compiled
    casadi, casadi c       its virtual machine, and its C code through gcc
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "bench" / "out" / "coarsen"
sys.path.insert(0, str(ROOT))

from bench.coarsen import problems  # noqa: E402
from bench.coarsen.counts import count  # noqa: E402
from bench.coarsen.tables import OURS, PLAIN, speedup_table, time_table  # noqa: E402
from bench.coarsen.with_tapeless import VARIANTS  # noqa: E402
from bench.grad import run as grad  # noqa: E402

# What is switched off in each of the programs that are counted.
COUNTED = {"off": VARIANTS["uncoarsened"], "statements": VARIANTS["statements"], "on": {}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="", help="names, or beginnings of names, with commas between")
    parser.add_argument("--peers", default=",".join(problems.PEERS))
    parser.add_argument("--slow", action="store_true", help="also what takes a minute to prepare")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one process to answer")
    options = parser.parse_args()
    peers = [peer for peer in problems.PEERS if peer in options.peers.split(",")]
    names = [name for name in problems.PROBLEMS if name.startswith(tuple(options.problems.split(",")))]
    for folder in (OUT, grad.OUT):
        folder.mkdir(parents=True, exist_ok=True)
    table = {name: _row(name, peers, options) for name in names}
    print("\n" + time_table(table, peers))
    print("\n" + speedup_table(table))
    (OUT / "results.json").write_text(json.dumps(table, indent=1))


def _row(name: str, peers: list[str], options: argparse.Namespace) -> dict[str, dict]:
    grad.reference_of("coarsen", name).unlink(missing_ok=True)
    row = grad.measure("coarsen", problems, name, peers, options.slow, options.limit)
    if OURS in peers and PLAIN in peers:
        problem = problems.PROBLEMS[name]
        words = ("on",) if name in problems.UNCOUNTED else tuple(COUNTED)
        row["counts"] = {word: asdict(count(problem.family, problem.make(), COUNTED[word])) for word in words}
    return row


if __name__ == "__main__":
    main()
