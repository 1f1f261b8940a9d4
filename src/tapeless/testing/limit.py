"""A limit on the time of interpreted code: shrinking, and wrong passes, make loops that never end.

The time is that of the processor, so that a busy machine makes no difference.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def time_limit(seconds: float) -> Generator[None, None, None]:
    """Raise TimeoutError after `seconds` of computing; no limit without alarms, or outside the main thread."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expire(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"no result after {seconds:g} s")

    before = signal.signal(signal.SIGVTALRM, expire)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
