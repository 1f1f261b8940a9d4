"""Reversible automatic differentiation as published, and Tapeless on the same problems: ratios, in one run.

    make bench-reversible
    python bench/reversible/run.py --problems sparse,wave_300 --peers "tapeless,tapeless reversible"

Peers run as in `bench/grad/run.py`: each in a process of its own, compared with the reference (computed without a
compiler, and itself compared with published values) before it is timed, then in turns; the least of the medians counts.

    c                      gradients written by hand in C, where that is short
    tapeless               what `tp.grad` does by itself: nothing is asked for
    tapeless reversible    `memory="reversible"`: loops run backwards where they can
    tapeless states        `memory=tp.States(20)`: binomial checkpoints (treeverse)
    jax, jax checkpoint    scans, without and with `jax.checkpoint` of blocks of sqrt(n) steps
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = HERE.parent / "out" / "reversible"
sys.path.insert(0, str(ROOT))

from bench.grad.peer import Peer  # noqa: E402
from bench.reversible import problems  # noqa: E402
from bench.reversible.tables import memory_table, ratio_table, time_table  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="", help="names, or beginnings of names, with commas between")
    parser.add_argument("--peers", default=",".join(problems.PEERS))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--slow", action="store_true", help="also what takes gigabytes or seconds for one gradient")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one process to answer")
    options = parser.parse_args()
    peers = [peer for peer in problems.PEERS if peer in options.peers.split(",")]
    OUT.mkdir(parents=True, exist_ok=True)
    table = {}
    for name in problems.PROBLEMS:
        present = [peer for peer in peers if is_run(peer, name, options.slow)]
        if present and name.startswith(tuple(options.problems.split(","))):
            table[name] = measure(name, present, options)
    for section in (time_table(table, peers), ratio_table(table), memory_table(table, peers)):
        if section:
            print(f"\n{section}")
    (OUT / "results.json").write_text(json.dumps(table, indent=1))


def is_run(peer: str, name: str, slow: bool) -> bool:
    missing = peer == "c" and not shutil.which("gcc")
    return not missing and (peer, name) not in problems.SKIPPED and (slow or (peer, name) not in problems.SLOW)


def measure(name: str, peers: list[str], options: argparse.Namespace) -> dict[str, dict]:
    """All peers on one problem, after the reference."""
    reference = OUT / f"reference_{name}.npz"
    first = Peer(problems.__package__, problems.REFERENCE, name, reference, True, options.limit)
    first.end()
    if not first.is_ready:
        raise SystemExit(f"no reference for {name}: {first.result}")
    started = {peer: Peer(problems.__package__, peer, name, reference, False, options.limit) for peer in peers}
    for _ in range(options.rounds):
        for peer in started.values():
            if peer.is_ready:
                peer.take_turn()
    for label, peer in started.items():
        peer.end()
        print(f"  {name}, {label}: {peer.result}", file=sys.stderr, flush=True)
    return {label: peer.result for label, peer in started.items() if "absent" not in peer.result}


if __name__ == "__main__":
    main()
