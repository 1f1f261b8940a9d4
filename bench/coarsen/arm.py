"""Derivatives of the kinematics of a robot arm: ours, and C code from symbolic engines, in operations and ns.

    make bench-coarsen
    python bench/coarsen/arm.py --kernels "cost Hessian" --engines sympy,wrenfold

Each kernel is computed at POINTS points in one call. C is compiled twice: `scalar` (-O2 -march=native) point by point,
and `vector` (-O3 -ffast-math, eight points side by side in lanes, sines and cosines of glibc's vector library). Ours
computes points side by side, without -ffast-math. All results are compared with complex steps before anything is timed;
then kernels take turns, and the least of the medians counts. Operations of C code are the floating-point instructions
of one evaluation compiled with -O1, calls of sin and cos among them; ours are those of the optimised program.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "bench" / "out" / "coarsen"
sys.path.insert(0, str(ROOT))

from bench.coarsen import arm_program  # noqa: E402
from bench.coarsen.arm_engine import ENGINES  # noqa: E402
from bench.coarsen.arm_reference import reference  # noqa: E402
from bench.grad.harness import disagreement  # noqa: E402
from bench.grad.peer import python_of  # noqa: E402
from bench.grad.worker import median_ms  # noqa: E402
from bench.markdown import head, line, outcome, ratio  # noqa: E402

import tapeless as tp  # noqa: E402
from tapeless.ir.core import Apply  # noqa: E402
from tapeless.ir.walk import statements  # noqa: E402

POINTS, ROUNDS = 512, 5
SHAPES = {"position Jacobian": (3, 6), "pose Jacobian": (12, 6), "cost gradient": (6,), "cost Hessian": (6, 6)}
FLAGS = {
    "scalar": ["-O2", "-march=native"],
    # A pair of sine and cosine has no form in lanes, so that pairs must not be made.
    "vector": ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-fdisable-tree-sincos"],
    "count": ["-O1", "-ffp-contract=off"],
}
LANES = 8
LOOPS = {
    "scalar": """
#define STRIDE 1
#include <math.h>
{kernel}
void many(long n, const double *q, double *out) {{
  for (long i = 0; i < n; i++) kernel(q + 6 * i, out + {size} * i);
}}
""",
    "vector": """
#define STRIDE {lanes}
#include <math.h>
{kernel}
void many(long n, const double *q, double *out) {{
  for (long i = 0; i < n; i += {lanes}) {{
    _Alignas(64) double a[6 * {lanes}], r[{size} * {lanes}];
    for (int k = 0; k < 6; k++)
      for (int l = 0; l < {lanes}; l++) a[{lanes} * k + l] = q[6 * (i + l) + k];
    #pragma omp simd
    for (int l = 0; l < {lanes}; l++) kernel(a + l, r + l);
    for (int l = 0; l < {lanes}; l++)
      for (int k = 0; k < {size}; k++) out[{size} * (i + l) + k] = r[{lanes} * k + l];
  }}
}}
""",
    "count": """
#define STRIDE 1
#include <math.h>
{kernel}
void one(const double *q, double *out) {{ kernel(q, out); }}
""",
}
MOVING = ("index", "stack", "reshape", "update", "concat", "slice", "replicate")
ARITHMETIC = ("addsd", "subsd", "mulsd", "divsd", "sqrtsd", "xorpd", "sin", "cos", "sincos", "pow")
# The best that was measured before (facts of the project): position, pose, gradient, Hessian.
BEFORE = dict(zip(arm_program.KERNELS, (59.4, 86.7, 67.1, 98.0), strict=True))

Row = dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", default=",".join(arm_program.KERNELS))
    parser.add_argument("--engines", default=",".join(ENGINES))
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    table = {kernel: measure(kernel, options.engines.split(",")) for kernel in options.kernels.split(",")}
    print(_markdown(table))
    (OUT / "arm.json").write_text(json.dumps(table, indent=1))


def measure(kernel: str, engines: list[str]) -> Row:
    """Everybody on one kernel."""
    points = np.random.default_rng(0).uniform(-2, 2, (POINTS, 6))
    expected = reference(kernel, points)
    row: Row = {}
    calls: dict[str, Callable[[], Any]] = {}
    for label, coarsen in (("tapeless", True), ("tapeless uncoarsened", False)):
        calls[label], row[label] = ours(kernel, points, coarsen=coarsen)
    for engine in engines:
        for label, call, figures in theirs(engine, kernel, points):
            calls[label], row[label] = call, figures
    for label, call in calls.items():
        error = disagreement([np.asarray(call())], [expected])
        row[label] |= {"error": error} if error < 1e-9 else {"wrong": error}
    for _ in range(ROUNDS):
        for label, call in calls.items():
            if "wrong" not in row[label]:
                ns = median_ms(call) * 1e6 / POINTS
                row[label]["ns"] = min(ns, row[label].get("ns", ns))
    print(f"  {kernel}: {row}", file=sys.stderr, flush=True)
    return row


def ours(kernel: str, points: np.ndarray, *, coarsen: bool) -> tuple[Callable[[], Any], dict[str, Any]]:
    function = getattr(arm_program, arm_program.KERNELS[kernel])

    def value(q):
        return function(*q)

    def vector(q):
        return np.array(function(*q))

    value.__annotations__ = vector.__annotations__ = {"q": tp.f64[6]}
    verbs = {"cost gradient": tp.grad, "cost Hessian": tp.hessian}
    derivative = verbs[kernel](value) if kernel in verbs else tp.jacobian(vector)

    def many(points):
        return tp.map(derivative, points)

    many.__annotations__ = {"points": tp.f64[:, 6]}
    compiled = tp.jit(many, coarsen=coarsen)
    with tp.config(coarsen=coarsen):
        one = derivative.lower(points[0]).ir
    operations = [s for s in statements(one.body) if isinstance(s.expr, Apply) and s.expr.op not in MOVING]
    return lambda: compiled(points), {"operations": len(operations)}


def theirs(engine: str, kernel: str, points: np.ndarray) -> list[tuple[str, Callable[[], Any], dict[str, Any]]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [python_of(engine), "-m", "bench.coarsen.arm_engine", engine, kernel]
    answer = json.loads(subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True).stdout)
    built = {way: _build(engine, kernel, answer["code"], way) for way in FLAGS}
    figures = {"operations": _operations(built["count"]), "to_code_ms": answer["seconds"] * 1e3}
    return [
        (
            f"{engine} {way}",
            _call(ctypes.CDLL(str(built[way])), points, np.empty((POINTS, *SHAPES[kernel]))),
            {**figures},
        )
        for way in ("scalar", "vector")
    ]


def _build(engine: str, kernel: str, code: str, way: str) -> Path:
    """The library of the loop over points, or of one evaluation."""
    source = OUT / f"{engine}_{kernel.replace(' ', '_')}_{way}.c"
    source.write_text(LOOPS[way].format(kernel=code, size=int(np.prod(SHAPES[kernel])), lanes=LANES))
    library = source.with_suffix(".so")
    command = ["gcc", *FLAGS[way], "-shared", "-fPIC", "-o", library, source, "-lmvec", "-lm"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return library


def _call(library: ctypes.CDLL, points: np.ndarray, out: np.ndarray) -> Callable[[], np.ndarray]:
    arguments = ctypes.c_long(len(points)), ctypes.c_void_p(points.ctypes.data), ctypes.c_void_p(out.ctypes.data)

    def call() -> np.ndarray:
        library.many(*arguments)
        return out

    call.keep_alive = points  # C sees only addresses
    return call


def _operations(library: Path) -> int:
    """The floating-point instructions of one evaluation; a sine with its cosine is two operations."""
    listing = ["objdump", "-d", "--no-show-raw-insn", "--disassemble=one", library]
    text = subprocess.run(listing, check=True, capture_output=True, text=True).stdout
    words = [word.strip("<>").partition("@")[0] for line in text.splitlines() for word in line.split()]
    return sum(words.count(word) for word in ARITHMETIC) + words.count("sincos")


def _markdown(table: dict[str, Row]) -> str:
    labels = list(dict.fromkeys(label for row in table.values() for label in row))
    lines = head(["kernel", *labels, "best before", "ours / best C"])
    for kernel, row in table.items():
        others = [figures["ns"] for label, figures in row.items() if "ns" in figures and label[:8] != "tapeless"]
        cells = [outcome(row.get(label), _figures) for label in labels]
        best = ratio(row["tapeless"].get("ns"), min(others, default=None), bold=True)
        lines.append(line([kernel, *cells, f"{BEFORE[kernel]:g}", best]))
    return "Operations / ns for one evaluation\n\n" + "\n".join(lines)


def _figures(figures: dict[str, Any]) -> str:
    return f"{figures['operations']} / {figures['ns']:.1f}"


if __name__ == "__main__":
    main()
