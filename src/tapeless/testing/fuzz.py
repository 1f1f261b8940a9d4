"""Run many random programs against the interpreter.

    python -m tapeless.testing.fuzz -n 500 --seed 0 [--jobs 2] [--passes-only] [--shrink 3] [--out DIR]

Programs are judged in worker processes, so a crash costs one program. Failures are kept: their seeds in
`seeds.txt`, and the first few, shrunk, as text and as a file that `--replay` takes. Exit status 1 when
anything was wrong or crashed. Ctrl-C ends the run with the summary so far.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..ir.core import Function
from .generate import random_program
from .shrink import describe, shrink
from .verify import VARIANTS, Verdict
from .wire import decode, encode
from .worker import PASSES_ONLY, Worker


@dataclass(slots=True)
class Summary:
    """What a run has found so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    failures: list[tuple[int, Verdict]] = field(default_factory=list[tuple[int, Verdict]])
    unstable: list[int] = field(default_factory=list[int])

    def add(self, seed: int, verdict: Verdict) -> None:
        self.counts[verdict.kind] += 1
        if verdict.kind == "unstable":
            self.unstable.append(seed)
        elif verdict.kind != "ok":
            self.failures.append((seed, verdict))

    def __str__(self) -> str:
        kinds = ", ".join(f"{self.counts[kind]} {kind}" for kind in ("ok", "unstable", "wrong", "crashed"))
        return f"{sum(self.counts.values())} programs: {kinds}"


def fuzz(seeds: Sequence[int], *, jobs: int = 2, passes_only: bool = False, progress: bool = True) -> Summary:
    """Judge the programs of these seeds; an interrupt ends it early."""
    summary, lock, stopped = Summary(), threading.Lock(), threading.Event()
    pending = iter(seeds)
    workers = [Worker(*_worker_options(passes_only)) for _ in range(max(1, jobs))]

    def work(worker: Worker) -> None:
        while not stopped.is_set():
            with lock:
                seed = next(pending, None)
            if seed is None:
                return
            verdict = worker.judge(str(seed))
            with lock:
                if not stopped.is_set():
                    summary.add(seed, verdict)

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            if progress:
                print(f"\r{summary}", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        pass
    finally:
        stopped.set()
        for worker in workers:
            worker.stop()
        if progress:
            print("\r\033[K", end="", file=sys.stderr)
    return summary


def shrunk(
    function: Function, args: list[Any], verdict: Verdict, worker: Worker, seconds: float
) -> tuple[Function, list[Any]]:
    """A small program that fails at the same stage in the same way."""
    variants = [variant for variant in VARIANTS if verdict.stage == f"compiled {variant}"] or VARIANTS

    def fails(candidate: Function, values: list[Any]) -> bool:
        found = worker.judge(encode(candidate, values, variants))
        return _sort_of_failure(found) == _sort_of_failure(verdict)

    return shrink(function, args, fails, seconds=seconds)


def _worker_options(passes_only: bool) -> tuple[str, ...]:
    return (PASSES_ONLY,) if passes_only else ()


def _sort_of_failure(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.kind, verdict.stage, verdict.detail.split(" ")[0]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    options = _parser().parse_args(argv)
    if options.replay is not None:
        return _replay(options)
    seeds = range(options.seed, options.seed + options.n)
    print(f"judging the programs of {options.n} seeds from {options.seed}", flush=True)
    summary = fuzz(seeds, jobs=options.jobs, passes_only=options.passes_only, progress=sys.stderr.isatty())
    for seed, verdict in summary.failures[:20]:
        print(f"seed {seed}: {verdict.kind} at {verdict.stage}: {verdict.detail[:300]}")
    _keep(summary, options)
    print(summary)
    return 1 if summary.failures else 0


def _keep(summary: Summary, options: argparse.Namespace) -> None:
    """Write the seeds of failures, and the first few failures shrunk."""
    if not summary.failures:
        return
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "seeds.txt").write_text("".join(f"{seed} {v.kind} {v.stage}\n" for seed, v in summary.failures))
    print(f"failing seeds are in {out / 'seeds.txt'}")
    worker = Worker(*_worker_options(options.passes_only), seconds=20.0)
    for seed, verdict in _distinct(summary.failures, options.shrink):
        if _sort_of_failure(worker.judge(str(seed))) != _sort_of_failure(verdict):
            print(f"seed {seed} does not fail a second time in the same way")
            continue
        function, args = shrunk(*random_program(seed), verdict, worker, options.shrink_seconds)
        (out / f"{seed}.json").write_text(encode(function, args))
        print(f"\nseed {seed}, {verdict.kind} at {verdict.stage}, shrunk to {out / f'{seed}.json'}:")
        print(describe(function, args))
    worker.stop()


def _distinct(failures: list[tuple[int, Verdict]], most: int) -> Iterator[tuple[int, Verdict]]:
    """The first failure of each stage."""
    by_stage = {verdict.stage: (seed, verdict) for seed, verdict in reversed(failures)}
    return itertools.islice(by_stage.values(), most)


def _replay(options: argparse.Namespace) -> int:
    """Judge stored programs again."""
    worker = Worker(*_worker_options(options.passes_only))
    failed = False
    for path in options.replay:
        verdict = worker.judge(Path(path).read_text().strip())
        failed = failed or verdict.kind not in ("ok", "unstable")
        print(f"{path}: {verdict.kind} {verdict.stage} {verdict.detail}")
        if options.show:
            print(describe(*decode(Path(path).read_text())[:2]))
    worker.stop()
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tapeless.testing.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-n", type=int, default=500, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
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
