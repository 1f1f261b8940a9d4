"""What a benchmark of derivatives is made of: problems, and each peer's calls for them.

A suite is a folder with `problems.py` (a table PROBLEMS of names and inputs) and one module `with_PEER.py` for each
peer, which holds a function for every family of problems: arguments in, `Calls` out. Everything that a peer may
prepare once (compile, move to its own arrays, gather) happens there; what is timed are the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Arguments = tuple[Any, ...]
Milliseconds = float


def as_arrays(result: Any) -> list[np.ndarray]:
    """A result as NumPy arrays: one, or one for each entry of a tuple or list."""
    parts = result if isinstance(result, tuple | list) else [result]
    return [np.asarray(part, dtype=np.float64) for part in parts]


class Calls(NamedTuple):
    """A peer's derivative as a function of no arguments, complete on return, and how to read what it returns.

    A peer without a derivative is there for its primal program. `note`: what there is to say about how it was computed.
    """

    derivative: Callable[[], Any] | None
    primal: Callable[[], Any] | None = None
    arrays: Callable[[Any], Sequence[np.ndarray]] = as_arrays
    note: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Inputs of one row of a table.

    `published` holds other tools' times of the same row on another machine, objective and derivative, in
    milliseconds; the column "JAX" there tells how fast that machine was.
    """

    family: str
    make: Callable[[], Arguments]
    tolerance: float = 1e-8
    published: dict[str, tuple[Milliseconds, Milliseconds]] = field(default_factory=dict)


def disagreement(arrays: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> float:
    """The largest relative error in the maximum norm, over the arrays; infinite where they do not correspond."""
    if [a.shape for a in arrays] != [e.shape for e in expected]:
        return float("inf")
    errors = [
        np.max(np.abs(a - e), initial=0.0) / (np.max(np.abs(e), initial=0.0) or 1.0)
        for a, e in zip(arrays, expected, strict=True)
    ]
    worst = max(errors, default=0.0)
    return float(worst) if np.isfinite(worst) else float("inf")
