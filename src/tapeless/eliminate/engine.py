"""Where the search gets its fast inner loop from.

The inner loop (`kernel.sweep`) is a program for our own compiler, which stands above this package. So it is installed
from there: `install` takes a function that compiles it when it is first wanted. Compiling takes a second or two, once
in a process; searches that are shorter than that go without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..records import dataclass
from . import kernel

if TYPE_CHECKING:
    from .anneal import Sweep

WORTH_COMPILING = 1.0  # seconds of search


@dataclass(slots=True)
class _Engine:
    """How to compile the inner loop, and what came of it."""

    compile: Callable[[], Sweep] | None = None
    compiled: Sweep | None = None


_engine = _Engine()


def install(compile: Callable[[], Sweep]) -> None:
    """Say how to compile `kernel.sweep`."""
    _engine.compile = compile


def sweep(seconds: float) -> Sweep:
    """The inner loop for a search of so many seconds."""
    if _engine.compiled is None and _engine.compile is not None and seconds >= WORTH_COMPILING:
        _engine.compiled = _engine.compile()
    return _engine.compiled or kernel.sweep
