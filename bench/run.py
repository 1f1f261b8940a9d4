"""Forward values of eight numerical programs: Tapeless beside its peers, in one run, as ratios.

    make bench                        the whole table, one thread and two
    python bench/run.py --threads 1 --problems roe,arm --peers tapeless,numba

Each (peer, problem) runs in a process of its own, pinned to its cores, one after the other. Every result is
compared with NumPy's. The table shows milliseconds, and the ratio of Tapeless to the best of the others: below 1 we
are faster.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE / "out"
PROBLEMS = ("mixture", "bundle", "burgers", "lotka_volterra", "csr", "kmeans", "arm", "roe")
PEERS = ("numpy", "tapeless", "numba", "jax", "c plain", "c vector")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--peers", default=",".join(PEERS))
    options = parser.parse_args()
    problems, peers = options.problems.split(","), options.peers.split(",")
    OUT.mkdir(exist_ok=True)
    results = []
    for threads in map(int, options.threads.split(",")):
        table = {problem: measure(problem, peers, threads) for problem in problems}
        results.append({"threads": threads, "table": table})
        print(f"\n{threads} thread{'s' * (threads > 1)}, median ms (first call in brackets)\n")
        print(markdown(table, peers))
    (OUT / "results.json").write_text(json.dumps(results, indent=1))


def measure(problem: str, peers: list[str], threads: int) -> dict[str, dict]:
    """All peers on one problem."""
    row = {}
    for peer in peers:
        name, _, variant = peer.partition(" ")
        if name == "c" and (threads > 1 or not shutil.which("gcc")):
            continue
        if variant == "vector" and problem in ("burgers", "lotka_volterra", "csr"):
            continue  # no lanes to fill that plain C does not fill already
        print(f"  {problem}: {peer} ...", end="\r", file=sys.stderr, flush=True)
        row[peer] = run_worker(name, variant, problem, threads)
    return row


def run_worker(peer: str, variant: str, problem: str, threads: int) -> dict:
    environment = {
        **os.environ,
        "TAPELESS_BENCH_C": variant,
        "TAPELESS_BENCH_THREADS": str(threads),
        "TAPELESS_THREADS": str(threads),
        "TAPELESS_CACHE": "0",
        "NUMBA_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false" if threads == 1 else "",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(HERE.parent / "src"),
    }
    command = [python_of(peer), HERE / "worker.py", peer, problem, OUT / f"reference_{problem}.npy"]
    if shutil.which("taskset"):
        command = ["taskset", "-c", ",".join(map(str, range(threads))), *command]
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, cwd=HERE)
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1][:200]}
    return json.loads(done.stdout.splitlines()[-1])


def python_of(peer: str) -> str:
    """Numba and JAX live in an environment of their own, made at first use; the rest runs in ours."""
    if peer not in ("numba", "jax"):
        return sys.executable
    folder = HERE / ".venv"
    python = folder / "bin" / "python"
    if not python.exists():
        print("  installing the peers ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"], check=True)
    return str(python)


def markdown(table: dict[str, dict[str, dict]], peers: list[str]) -> str:
    lines = ["| program | " + " | ".join(peers) + " | ours / best other |", "|---" * (len(peers) + 2) + "|"]
    for problem, row in table.items():
        cells = [cell(row.get(peer)) for peer in peers]
        others = [r["ms"] for peer, r in row.items() if peer != "tapeless" and "ms" in r]
        ours = row.get("tapeless", {}).get("ms")
        ratio = f"**{ours / min(others):.2f}**" if ours and others else "–"
        lines.append(f"| {problem} | " + " | ".join(cells) + f" | {ratio} |")
    return "\n".join(lines)


def cell(result: dict | None) -> str:
    if result is None:
        return "–"
    if "failed" in result:
        return f"failed: {result['failed']}"
    wrong = " WRONG" if result["error"] > 1e-9 else ""
    return f"{result['ms']:.3g} ({result['first_ms']:.0f}){wrong}"


if __name__ == "__main__":
    main()
