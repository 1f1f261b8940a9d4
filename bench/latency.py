"""The first value and the first gradient of the eight programs: CPU milliseconds, by what they are spent on.

    python bench/latency.py                                       all programs, the least of five processes each
    python bench/latency.py --problems arm,roe --kinds gradient --repeats 10

Each figure is that of a process of its own which has imported the compiler, and compiles with nothing remembered: its
cache holds the machine code of the runtime, which is made once for a machine (its time is the last line), but no
kernels and no orders of elimination. The first call is timed as a whole, so that it also has one run of the program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

KINDS = ("value", "gradient")
PROBLEMS = ("mixture", "bundle", "burgers", "lotka_volterra", "csr", "kmeans", "kmeans_hvp", "arm", "roe")
PHASES = ("front end", "passes", "LLVM text", "LLVM passes", "machine code", "link", "run and rest")
Row = dict[str, float]


def main() -> None:
    options = _options()
    if options.one:
        print(json.dumps(_measured(*options.one)))
        return
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared"
        runtime = _in_process(prepared, "runtime", "")
        for kind in options.kinds.split(","):
            names = [name for name in options.problems.split(",") if (kind, name) != ("value", "kmeans_hvp")]
            table = {name: _least(prepared, kind, name, options.repeats) for name in names}
            print(f"\nCPU ms until the first {kind}\n\n{_markdown(table)}")
    print(f"\nThe runtime, once for a machine: {runtime['all']:.0f} ms")
    print(f"Importing tapeless after NumPy: {runtime['import']:.0f} ms; the compiler: {runtime['compiler']:.0f} ms")


def _least(prepared: Path, kind: str, name: str, repeats: int) -> Row:
    """The fastest of some processes, each with a cache of its own."""
    rows: list[Row] = []
    for number in range(repeats):
        print(f"  {kind} {name} {number} ...          ", end="\r", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            rows.append(_in_process(shutil.copytree(prepared, Path(folder) / "cache"), kind, name))
    return min(rows, key=lambda row: row["all"])


def _in_process(cache: Path, kind: str, name: str) -> Row:
    environment = os.environ | {"TAPELESS_CACHE_DIR": str(cache), "TAPELESS_THREADS": "1"}
    command = [sys.executable, __file__, "--one", kind, name]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def _measured(kind: str, name: str) -> Row:
    """The first call in this process."""
    importlib.import_module("numpy")
    imported = _timed(lambda: importlib.import_module("tapeless"))
    start = time.process_time()
    compiled = _import_compiler()
    if kind == "runtime":
        loaded = (time.process_time() - start) * 1e3
        from tapeless.backend import native

        return {"all": _timed(native.symbols), "import": imported, "compiler": loaded}
    row = {"all": _timed(_call(kind, name))}
    from tapeless.passes.pipeline import PIPELINE

    passes = {step.name for step in PIPELINE}
    for one in compiled:
        for step, seconds in one.seconds.items():
            phase = "passes" if step in passes else step
            row[phase] = row.get(phase, 0.0) + seconds * 1e3
    return row | {"run and rest": 2 * row["all"] - sum(row.values())}


def _import_compiler() -> list[Any]:
    """Import what compiling imports when it is needed; returns the list of what will be compiled."""
    import tapeless.ad.functions
    import tapeless.backend.cpu
    import tapeless.driver
    import tapeless.eliminate.collapse
    import tapeless.eliminate.jacobian
    import tapeless.front.capture
    import tapeless.front.derived
    import tapeless.front.linear_maps
    import tapeless.front.verbs
    import tapeless.passes.checks
    import tapeless.passes.pipeline
    import tapeless.passes.reciprocals
    import tapeless.passes.whole
    import tapeless.symbolic.coarsen
    import tapeless.symbolic.resynthesis

    made: list[Any] = []
    compile_function = tapeless.driver.compile_function

    def recorded(*args: Any) -> Any:
        made.append(compile_function(*args))
        return made[-1]

    tapeless.driver.compile_function = recorded
    return made


def _call(kind: str, name: str) -> Callable[[], Any]:
    if kind == "gradient":
        from bench.grad.eight import problems, with_tapeless

        return getattr(with_tapeless, name)(*problems.PROBLEMS[name].make()).derivative
    from bench import problems, with_tapeless

    arguments, function = problems.PROBLEMS[name](), getattr(with_tapeless, name)
    return lambda: function(*arguments)


def _timed(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1e3


def _markdown(table: dict[str, Row]) -> str:
    lines = [["problem", "all", *PHASES], ["---"] * (len(PHASES) + 2)]
    for name, row in table.items():
        lines.append([name, *(f"{row.get(phase, 0.0):.0f}" for phase in ("all", *PHASES))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default=",".join(PROBLEMS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--one", nargs=2, metavar=("KIND", "NAME"), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
