"""Derivatives of numerical programs: Tapeless beside its peers, in one run, as ratios.

    make bench-grad                   the eight programs, with JAX, PyTorch, CasADi, autograd, Numba and C by hand
    make bench-adbench                ADBench's four problems and the array-language set
    python bench/grad/run.py eight --problems roe,arm --peers "c plain,tapeless,jax"

Each (peer, problem) runs in a process of its own, pinned to one core, one after the other. The reference peer comes
first and leaves its derivative in a file; every other peer must agree with it before it is timed. The table shows
milliseconds of CPU time for one derivative, the ratio of Tapeless to the best of the others (below 1 we are faster),
and the ratio of our derivative to our own primal program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = HERE.parent / "out" / "grad"
PEER_ENVIRONMENT = HERE.parent / ".venv"
sys.path.insert(0, str(ROOT))

from bench.grad.harness import Problem  # noqa: E402
from bench.grad.tables import latency_table, published_table, time_table  # noqa: E402


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


def measure(suite_name: str, suite, name: str, peers: list[str], slow: bool, limit: float) -> dict[str, dict]:
    """All peers on one problem, the reference first."""
    reference = OUT / f"reference_{suite_name}_{name.replace('/', '_')}.npz"
    row = {}
    order = sorted(peers, key=lambda peer: peer != suite.REFERENCE)
    if suite.REFERENCE not in peers and not reference.exists():
        worker(suite_name, suite.REFERENCE, name, reference, True, limit)
    for peer in order:
        if (peer, name) in suite.SKIPPED or ((peer, name) in suite.SLOW and not slow):
            continue
        if peer.startswith("c ") and not shutil.which("gcc"):
            continue
        result = worker(suite_name, peer, name, reference, peer == suite.REFERENCE, limit)
        print(f"  {name}, {peer}: {result}", file=sys.stderr, flush=True)
        if "absent" not in result:
            row[peer] = result
    return row


def worker(suite: str, peer: str, name: str, reference: Path, write: bool, limit: float) -> dict:
    """One process; what it measured, or why it did not."""
    tool, _, variant = peer.partition(" ")
    environment = {
        **os.environ,
        "TAPELESS_BENCH_VARIANT": variant or "plain",
        "TAPELESS_THREADS": "1",
        "TAPELESS_CACHE": "0",
        "NUMBA_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
    }
    command = [
        python_of(tool),
        "-m",
        "bench.grad.worker",
        suite,
        tool,
        name,
        str(reference),
        *(["--write"] if write else []),
    ]
    if shutil.which("taskset"):
        command = ["taskset", "-c", "0", *command]
    try:
        done = subprocess.run(
            command, check=False, env=environment, capture_output=True, text=True, timeout=limit, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"over {limit:.0f} s"}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:160]}
    return json.loads(done.stdout.splitlines()[-1])


def python_of(tool: str) -> str:
    """The peers live in an environment of their own, made or completed at first use; the rest runs in ours."""
    if tool in ("tapeless", "c", "numpy"):
        return sys.executable
    python = PEER_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(PEER_ENVIRONMENT, with_pip=True)
    package = (
        PEER_ENVIRONMENT / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages" / tool
    )
    if not package.exists():
        print("  installing the peers ...", file=sys.stderr)
        requirements = [HERE.parent / "requirements.txt", HERE / "requirements.txt"]
        subprocess.run(
            [python, "-m", "pip", "install", "-q", *(x for r in requirements for x in ("-r", r))], check=True
        )
    return str(python)


if __name__ == "__main__":
    main()
