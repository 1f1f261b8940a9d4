"""Compiling without collections of garbage."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Compiling makes many small objects and no cycles worth collecting meanwhile: collections cost a quarter of it.

    What it leaves is looked at here, since at the next allocation all objects of the process might be.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.collect(0)
            gc.enable()
