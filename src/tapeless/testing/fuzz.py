"""Run many random programs against the interpreter.

    python -m tapeless.testing.fuzz -n 500 --seed 0 [--derivatives 1] [--seconds 600] [--jobs 2] [--out DIR]

Programs are judged in worker processes, so a crash costs one program. Failures are kept: their seeds in
`seeds.txt`, and the first few, shrunk, as text and as a file that `--replay` takes. Exit status 1 when
anything was wrong or crashed. SIGINT and SIGTERM end the run, or the shrinking, with the summary so far.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..ir.core import Function, Hist, Reduce, Scan
from ..ir.text import print_function
from ..ir.walk import canonical, statements
from ..records import replace
from .campaign import Summary, campaign, stopped_by_signals
from .shrink import describe, shrink
from .verify import VARIANTS, Verdict
from .wire import Request, decode, encode
from .worker import DERIVATIVES, PASSES_ONLY, Worker, request


def shrunk(failing: Request, verdict: Verdict, worker: Worker, seconds: float, stop: threading.Event) -> Request:
    """A small program that fails at the same stage in the same way; the best so far when `stop` is set."""
    variants = [variant for variant in VARIANTS if verdict.stage.endswith(f"compiled {variant}")] or failing.variants

    lawful = _operators(failing.function)

    def fails(candidate: Function, values: list[Any]) -> bool:
        if stop.is_set() or (failing.order and not _operators(candidate) <= lawful):
            return False
        found = worker.judge(encode(replace(failing, function=candidate, args=values, variants=variants)))
        return _sort_of_failure(found) == _sort_of_failure(verdict)

    function, args = shrink(failing.function, failing.args, fails, seconds=seconds)
    return replace(failing, function=function, args=args, variants=variants)


def _operators(function: Function) -> set[str]:
    """The operators of a program as text: rules rely on their being associative, as an edited one may not be."""
    forms = (stm.expr for stm in statements(function.body))
    return {
        print_function(canonical(Function(f"{form.neutral}", form.op.params, form.op.body)))
        for form in forms
        if isinstance(form, Reduce | Scan | Hist)
    }


def _worker_options(passes_only: bool, order: int) -> tuple[str, ...]:
    derivatives = (DERIVATIVES, str(order)) if order else ()
    return (PASSES_ONLY, *derivatives) if passes_only else derivatives


def _sort_of_failure(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.kind, verdict.stage, verdict.detail.split(" ")[0]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(argv)
    if options.replay is not None:
        return _replay(options)
    stop = threading.Event()
    with stopped_by_signals(stop):
        summary = _judge_seeds(options, stop)
        for seed, verdict in summary.failures[:20]:
            print(f"seed {seed}: {verdict.kind} at {verdict.stage}: {verdict.detail[:300]}")
        _keep(summary, options, stop)
        print(summary, flush=True)
    return 1 if summary.failures else 0


def _judge_seeds(options: argparse.Namespace, stop: threading.Event) -> Summary:
    what = f"derivatives up to order {options.derivatives} of the" if options.derivatives else "the"
    print(f"judging {what} programs of {options.n} seeds from {options.seed}", flush=True)
    seeds = range(options.seed, options.seed + options.n)
    kind = _worker_options(options.passes_only, options.derivatives)
    workers = [Worker(*kind) for _ in range(max(1, min(options.jobs, options.n)))]
    return campaign(seeds, workers, stop, seconds=options.seconds)


def _keep(summary: Summary, options: argparse.Namespace, stop: threading.Event) -> None:
    """Write the seeds of failures, and the first few failures shrunk."""
    if not summary.failures:
        return
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "seeds.txt").write_text("".join(f"{seed} {v.kind} {v.stage}\n" for seed, v in summary.failures))
    print(f"failing seeds are in {out / 'seeds.txt'}")
    worker = Worker(*_worker_options(options.passes_only, options.derivatives), seconds=20.0)
    for seed, verdict in _distinct(summary.failures, options.shrink):
        if stop.is_set():
            break
        if _sort_of_failure(worker.judge(str(seed))) != _sort_of_failure(verdict):
            print(f"seed {seed} does not fail a second time in the same way")
            continue
        small = shrunk(request(seed, options.derivatives), verdict, worker, options.shrink_seconds, stop)
        (out / f"{seed}.json").write_text(encode(small))
        print(f"\nseed {seed}, {verdict.kind} at {verdict.stage}, shrunk to {out / f'{seed}.json'}:")
        print(describe(small.function, small.args))
    worker.stop()


def _distinct(failures: list[tuple[int, Verdict]], most: int) -> Iterator[tuple[int, Verdict]]:
    """The first failure of each stage."""
    by_stage = {verdict.stage: (seed, verdict) for seed, verdict in reversed(failures)}
    return itertools.islice(by_stage.values(), most)


def _replay(options: argparse.Namespace) -> int:
    """Judge stored programs again."""
    worker = Worker(*_worker_options(options.passes_only, 0))
    failed = False
    for path in options.replay:
        verdict = worker.judge(Path(path).read_text().strip())
        failed = failed or verdict.kind not in ("ok", "unstable")
        print(f"{path}: {verdict.kind} {verdict.stage} {verdict.detail}")
        if options.show:
            stored = decode(Path(path).read_text())
            print(describe(stored.function, stored.args))
    worker.stop()
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tapeless.testing.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-n", type=int, default=500, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--derivatives", type=int, default=0, choices=(0, 1, 2), help="judge derivatives of this order")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes")
    parser.add_argument("--passes-only", action="store_true", help="leave compiled code out")
    parser.add_argument("--shrink", type=int, default=3, metavar="K", help="shrink a failure of each of K stages")
    parser.add_argument("--shrink-seconds", type=float, default=60.0, help="time for shrinking one failure")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where failures are written")
    parser.add_argument("--replay", nargs="+", metavar="FILE", help="judge stored failures instead")
    parser.add_argument("--show", action="store_true", help="print the programs that are replayed")
    return parser


if __name__ == "__main__":
    sys.exit(main())
