"""Jacobians of the tasks at many points: Tapeless, native and in JAX, beside its peers; of array tasks, beside JAX.

    python bench/eliminate/times.py
    python bench/eliminate/times.py --tasks g --types f64 --threads 1 --batches 512 --seconds 0.2 --peers "jax,tapeless"

Everybody computes the Jacobian at one point, mapped over the points (never the Jacobian of the mapped function), and
returns one array. Each (task, type, threads, peer) runs in a process of its own, pinned to its cores, one after the
other. Every result is compared with jax.jacfwd in f64 of the same run. Results go to bench/out/eliminate/times.json,
and with --publish to results/times.json. With --keep those of other settings that are there stay, so that the whole
table can be measured in pieces.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from setting import ARRAYS, BATCHES, MOST, TIMED, TYPES
from tables import PEERS, compile_table, time_tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "bench" / "out" / "eliminate"
REFERENCE = "jax forward"
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def main() -> None:
    options = _options()
    threads = sorted({len(CORES) if word == "all" else int(word) for word in options.threads.split(",")})
    peers = [peer for peer in PEERS if peer.startswith(tuple(options.peers.split(",")))]
    OUT.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for task in options.tasks.split(","):
        _make_reference(task, options)
        for count in threads:
            for dtype in options.types.split(","):
                for peer in peers:
                    if _takes_part(peer, task, dtype):
                        rows.append(_row(peer, task, dtype, count, options))
    print("\n\n".join([*time_tables({"rows": rows}), compile_table({"rows": rows})]))
    for folder in (OUT, HERE / "results") if options.publish else (OUT,):
        kept = _others(folder / "times.json", rows) if options.keep else []
        words = ["--keep", "(in pieces)"] if options.keep else sys.argv[1:]
        report = {
            "command": " ".join(["times.py", *words]), "cores": len(CORES), "rows": sorted([*kept, *rows], key=_place)
        }  # fmt: skip
        (folder / "times.json").write_text(json.dumps(report, indent=1) + "\n")


def _takes_part(peer: str, task: str, dtype: str) -> bool:
    return peer.startswith("jax") if task in ARRAYS else peer != "casadi" or dtype == "f64"


def _others(path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a file whose settings were not measured now."""
    before: list[dict[str, Any]] = json.loads(path.read_text())["rows"] if path.exists() else []
    new = {_place(row) for row in rows}
    return [row for row in before if _place(row) not in new]


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """The setting of a row, in the order of the table."""
    return row["threads"], list(TYPES).index(row["type"]), TIMED.index(row["task"]), list(PEERS).index(row["peer"])


def _row(peer: str, task: str, dtype: str, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    batches = [batch for batch in options.batches.split(",") if task not in ARRAYS or int(batch) <= MOST]
    words = ["--batches", ",".join(batches), "--seconds", str(options.seconds)]
    found = _process(peer, task, dtype, threads, words, options.limit)
    row = {"task": task, "type": dtype, "threads": threads, "peer": peer, **found}
    print(f"  {json.dumps(row)}", file=sys.stderr, flush=True)
    return row


def _make_reference(task: str, options: argparse.Namespace) -> None:
    _reference(task).unlink(missing_ok=True)
    found = _process(REFERENCE, task, "f64", 1, ["--batches", "1", "--seconds", "0", "--write"], options.limit)
    if not _reference(task).exists():
        sys.exit(f"no reference for {task}: {found}")


def _reference(task: str) -> Path:
    return OUT / f"reference_{task}.npy"


def _process(peer: str, task: str, dtype: str, threads: int, words: list[str], limit: float) -> dict[str, Any]:
    """What one process printed, and why it did not print more."""
    command = [_python(peer), str(HERE / "time_one.py"), peer, task, dtype, "--threads", str(threads), *words]
    command += ["--reference", str(_reference(task))]
    if shutil.which("taskset"):
        command = ["taskset", "-c", ",".join(map(str, CORES[:threads])), *command]
    printed, failure = "", ""
    try:
        done = subprocess.run(
            command, check=False, env=_environment(dtype, threads), capture_output=True, text=True, timeout=limit
        )
        printed = done.stdout
        if done.returncode:
            failure = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:160]
    except subprocess.TimeoutExpired as late:
        printed = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        failure = f"over {limit:.0f} s"
    found: dict[str, Any] = {}
    for line in printed.splitlines():
        if line.startswith("{") and line.endswith("}"):
            found |= json.loads(line)
    return found | ({"failed": failure} if failure else {})


def _environment(dtype: str, threads: int) -> dict[str, str]:
    single = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "TAPELESS_THREADS": str(threads),
        "TAPELESS_CACHE": "0",
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
        "XLA_FLAGS": single if threads == 1 else "",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_X64": str(int(dtype == "f64")),
    }


def _python(peer: str) -> str:
    """PyTorch and CasADi live in the environment of the other benchmarks, the rest in ours."""
    if peer.startswith(("jax", "tapeless")):
        return sys.executable
    sys.path.insert(0, str(ROOT))
    from bench.grad.peer import python_of

    return python_of(peer.partition(" ")[0])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TIMED))
    parser.add_argument("--peers", default="", help=f"beginnings of names, with commas between: {', '.join(PEERS)}")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--threads", default="1,all")
    parser.add_argument("--batches", default=",".join(map(str, BATCHES)))
    parser.add_argument("--seconds", type=float, default=0.5, help="for each batch of each process")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one process")
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--keep", action="store_true", help="results of other settings")
    return parser.parse_args()


if __name__ == "__main__":
    main()
