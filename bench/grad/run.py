"""Derivatives of numerical programs: Tapeless beside its peers, in one run, as ratios.

    make bench-grad                   the eight programs, with JAX, PyTorch, CasADi, autograd, Numba and C by hand
    make bench-adbench                ADBench's four problems and the array-language set
    python bench/grad/run.py eight --problems roe,arm --peers "c plain,tapeless,jax"

Each (peer, problem) runs in a process of its own, pinned to one core. The reference peer comes first and leaves its
derivative in a file; every other peer must agree with it before it is timed. Then the peers take turns in ROUNDS
rounds: each measures the median of its calls in a round, and the least of these medians is what counts, since other
work on the machine can only add to a time, and rarely to all of them (what takes long has one round). The table shows
milliseconds of CPU time for one derivative, the ratio of Tapeless to the best of the others (below 1 we are faster),
and the ratio of our derivative to our own primal program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = HERE.parent / "out" / "grad"
sys.path.insert(0, str(ROOT))

from bench.grad.harness import Problem  # noqa: E402
from bench.grad.peer import Peer  # noqa: E402
from bench.grad.tables import latency_table, published_table, time_table  # noqa: E402

ROUNDS = 6
# A first derivative that took so long, compilation included, is not timed again and again.
LONG_MS = 20e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=("eight", "adbench", "arrays"))
    parser.add_argument("--problems", help="names, or beginnings of names, with commas between")
    parser.add_argument("--peers", help="default: all of the suite")
    parser.add_argument("--slow", action="store_true", help="also what takes a minute for one gradient")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one process")
    options = parser.parse_args()
    suite = importlib.import_module(f"bench.grad.{options.suite}.problems")
    wanted = tuple((options.problems or "").split(","))
    names = [name for name in suite.PROBLEMS if name.startswith(wanted)]
    peers = [p for p in suite.PEERS if options.peers is None or p in options.peers.split(",")]
    OUT.mkdir(parents=True, exist_ok=True)
    table = {}
    for name in names:
        table[name] = measure(options.suite, suite, name, peers, options.slow, options.limit)
    problems: dict[str, Problem] = suite.PROBLEMS
    for section in (time_table(table, peers), latency_table(table, peers), published_table(table, problems)):
        if section:
            print(f"\n{section}")
    (OUT / f"{options.suite}.json").write_text(json.dumps(table, indent=1))


def reference_of(suite_name: str, name: str) -> Path:
    """The file of the derivative that all peers must agree with."""
    return OUT / f"reference_{suite_name}_{name.replace('/', '_')}.npz"


def measure(suite_name: str, suite, name: str, peers: list[str], slow: bool, limit: float) -> dict[str, dict]:
    """All peers on one problem: they prepare, the reference first, and then take turns."""
    reference = reference_of(suite_name, name)
    if suite.REFERENCE not in peers and not reference.exists():
        Peer(suite.__package__, suite.REFERENCE, name, reference, True, limit).end()
    started: dict[str, Peer] = {}
    for peer in sorted(peers, key=lambda peer: peer != suite.REFERENCE):
        if (peer, name) in suite.SKIPPED or ((peer, name) in suite.SLOW and not slow):
            continue
        if peer.split(maxsplit=1)[0] == "c" and not shutil.which("gcc"):
            continue
        started[peer] = Peer(suite.__package__, peer, name, reference, peer == suite.REFERENCE, limit)
    for turn in range(ROUNDS):
        for peer in started.values():
            if peer.is_ready and (turn == 0 or peer.result["first_ms"] < LONG_MS):
                peer.take_turn()
    for label, peer in started.items():
        peer.end()
        print(f"  {name}, {label}: {peer.result}", file=sys.stderr, flush=True)
    return {label: peer.result for label, peer in started.items() if "absent" not in peer.result}


if __name__ == "__main__":
    main()
