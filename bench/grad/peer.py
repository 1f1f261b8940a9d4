"""A peer on one problem: a process of its own, pinned to one core, that is asked for times again and again.

The process prepares and prints what it did; then it prints a line of figures for each line that it is sent, so that
several of them, alive at the same time, can take turns (`worker` is the other end).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEER_ENVIRONMENT = HERE.parent / ".venv"
TIMES = ("ms", "primal_ms")


class Peer:
    """The process; `result` holds what is known so far, or why there is nothing to know."""

    def __init__(self, suite: str, peer: str, problem: str, reference: Path, write: bool, limit: float) -> None:
        tool, _, variant = peer.partition(" ")
        command = [python_of(tool), "-m", "bench.grad.worker", suite, tool, problem, str(reference)]
        pinned = ["taskset", "-c", "0"] if shutil.which("taskset") else []
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed by `end`
        self._process = subprocess.Popen(
            [*pinned, *command, *(["--write"] if write else [])],
            env=_environment(variant),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
        )
        self._limit = limit
        self.result = self._answer()

    @property
    def is_ready(self) -> bool:
        """Did it prepare, agree with the reference, and answer until now?"""
        return "first_ms" in self.result and "failed" not in self.result

    def take_turn(self) -> None:
        """Ask for times once more, and keep the least of each: whatever disturbs only adds to them."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        new, old = self._answer(), self.result
        self.result = {**old, **new, **{key: min(old.get(key, new[key]), new[key]) for key in new if key in TIMES}}

    def end(self) -> None:
        self._process.communicate()
        self._errors.close()

    def _answer(self) -> dict:
        """The next line of the process, or why it ended without one."""
        late = threading.Timer(self._limit, self._process.kill)
        late.start()
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        in_time = late.is_alive()
        late.cancel()
        if line:
            return json.loads(line)
        code = self._process.wait()
        self._errors.seek(0)
        why = (self._errors.read().strip().splitlines() or [f"exit {code}"])[-1][:160]
        return {"failed": why if in_time else f"over {self._limit:.0f} s"}


def _environment(variant: str) -> dict[str, str]:
    """One thread everywhere, and nothing from caches."""
    return {
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


def python_of(tool: str) -> str:
    """The peers live in an environment of their own, made or completed at first use; the rest runs in ours."""
    if tool in ("tapeless", "c", "numpy"):
        return sys.executable
    python = PEER_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(PEER_ENVIRONMENT, with_pip=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if not (PEER_ENVIRONMENT / "lib" / version / "site-packages" / tool).exists():
        print("  installing the peers ...", file=sys.stderr)
        folders = (HERE.parent, HERE, HERE.parent / "coarsen")
        requirements = [folder / "requirements.txt" for folder in folders]
        subprocess.run(
            [python, "-m", "pip", "install", "-q", *(x for r in requirements for x in ("-r", r))], check=True
        )
    return str(python)
