"""Which of two computations is faster on this machine, with these arguments?"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ...backend.jaxlib.library import jax

_ROUNDS = 5


def faster(first: Callable[[], Any], second: Callable[[], Any]) -> bool:
    """Is the first at least as fast as the second? Both are run in turn; the best time of each counts."""
    for each in (first, second):
        jax.block_until_ready(each())
    best = [float("inf"), float("inf")]
    for _ in range(_ROUNDS):
        for k, each in enumerate((first, second)):
            start = time.perf_counter()
            jax.block_until_ready(each())
            best[k] = min(best[k], time.perf_counter() - start)
    return best[0] <= best[1]
