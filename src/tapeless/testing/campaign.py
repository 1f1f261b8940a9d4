"""Many seeds through worker processes, until they are done, time is up, or a signal asks to stop.

Whatever ends a run, its summary is complete up to there: signals only set an event (also when SIGINT was ignored, as
in the background of a shell), and as many of them as come.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from .verify import Verdict
from .worker import Worker

_STATUS_SECONDS = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Summary:
    """What a run has found so far."""

    counts: Counter[str] = field(default_factory=Counter[str])
    failures: list[tuple[int, Verdict]] = field(default_factory=list[tuple[int, Verdict]])
    unstable: list[int] = field(default_factory=list[int])

    def add(self, seed: int, verdict: Verdict) -> None:
        """Count one verdict."""
        self.counts[verdict.kind] += 1
        if verdict.kind == "unstable":
            self.unstable.append(seed)
        elif verdict.kind != "ok":
            self.failures.append((seed, verdict))

    def __str__(self) -> str:
        kinds = ", ".join(f"{self.counts[kind]} {kind}" for kind in ("ok", "unstable", "wrong", "crashed"))
        return f"{self.counts.total()} programs: {kinds}"


def campaign(
    seeds: Iterable[int],
    workers: Sequence[Worker],
    stop: threading.Event,
    *,
    seconds: float | None = None,
    status: bool = True,
    summary: Summary | None = None,
) -> Summary:
    """Judge the programs of these seeds until `stop` is set; the workers are stopped at the end.

    Verdicts go into `summary`, where one is given.
    """
    summary, lock, start = summary or Summary(), threading.Lock(), time.monotonic()
    pending = iter(seeds)
    ended = threading.Event()
    threads = [threading.Thread(target=_work, args=(w, pending, summary, lock, ended), daemon=True) for w in workers]
    for thread in threads:
        thread.start()
    last = start
    while any(thread.is_alive() for thread in threads) and not stop.wait(0.1):
        now = time.monotonic()
        if seconds is not None and now - start > seconds:
            break
        if status and now - last > _STATUS_SECONDS:
            last = now
            rate = summary.counts.total() / (now - start)
            wrong = f"; failing seeds {[seed for seed, _ in summary.failures[-5:]]}" if summary.failures else ""
            print(f"{summary}; {now - start:.0f} s, {rate:.1f} a second{wrong}", file=sys.stderr, flush=True)
    with lock:
        ended.set()
    while alive := [thread for thread in threads if thread.is_alive()]:
        for worker in workers:
            worker.interrupt()
        alive[0].join(0.1)
    for worker in workers:
        worker.stop()
    return summary


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Generator[None]:
    """Set `stop` at SIGINT and SIGTERM instead of ending the process; nothing outside the main thread."""

    def on_signal(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _work(
    worker: Worker, pending: Iterator[int], summary: Summary, lock: threading.Lock, ended: threading.Event
) -> None:
    while True:
        with lock:
            seed = None if ended.is_set() else next(pending, None)
        if seed is None:
            return
        verdict = worker.judge(str(seed))
        with lock:
            if ended.is_set():  # what the worker's end looks like is no verdict
                return
            summary.add(seed, verdict)
