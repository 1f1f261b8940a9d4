"""Plant mistakes in the rules of coarsening, one at a time, and see whether their tests catch each.

    python tools/mutate_symbolic.py [FILE ...] [--sample K --seed S] [--list]

A mutant is a changed file of `tapeless.symbolic`, loaded in the place of the right one by a process that runs
`tests/symbolic` until the first failure. Survivors are printed with their lines: the change means nothing, or there is
a hole. Exit status 1 when there are survivors.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from tapeless.testing.rule_mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parents[1]
SYMBOLIC = ROOT / "src" / "tapeless" / "symbolic"
# Words for people are held to by reading; how long the search for fewer operations goes on changes no result.
NOT_RULES = {"__init__", "describe", "latex", "rules", "extract"}
TESTS = ("test_loops.py", "test_graph.py", "test_small_steps.py", "test_resynthesis.py", "test_stable.py")
SECONDS = 300  # of processor time: a busy machine catches nothing


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help="names of modules of tapeless.symbolic; all rules by default")
    parser.add_argument("--sample", type=int, default=0, help="try only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--run", nargs=2, metavar=("MODULE", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        return _run_tests(*options.run)
    paths = [path for path in sorted(SYMBOLIC.glob("*.py")) if path.stem not in NOT_RULES]
    found = [m for path in paths if not options.files or path.stem in options.files for m in mutants(path)]
    if options.sample:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    if options.list:
        print("\n".join(map(str, found)))
        return 0
    start = time.monotonic()
    open = [mutant for mutant in found if not _is_caught(mutant)]
    print(f"{len(found) - len(open)} of {len(found)} caught in {time.monotonic() - start:.0f} s")
    return 1 if open else 0


def _is_caught(mutant: Mutant) -> bool:
    changed = Path(os.environ.get("TMPDIR", "/tmp")) / f"mutant-{os.getpid()}.py"
    changed.write_text(mutant.source)
    command = [sys.executable, __file__, "--run", mutant.module, str(changed)]
    # Compiled code of the right rules must not answer for wrong ones.
    environment = os.environ | {"TAPELESS_CACHE": "0"}
    caught = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False).returncode != 0
    changed.unlink()
    if not caught:
        print(f"survived {mutant}", flush=True)
    return caught


class _Instead(importlib.abc.MetaPathFinder):
    """Finds one module in another file."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path

    def find_spec(self, fullname: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:  # noqa: ARG002
        return importlib.util.spec_from_file_location(fullname, self.path) if fullname == self.name else None


def _run_tests(module: str, path: str) -> int:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, resource.RLIM_INFINITY))
    sys.meta_path.insert(0, _Instead(f"tapeless.symbolic.{module}", path))
    tests = [str(ROOT / "tests" / "symbolic" / name) for name in TESTS]
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))


if __name__ == "__main__":
    sys.exit(main())
