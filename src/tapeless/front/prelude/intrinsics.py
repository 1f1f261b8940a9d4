"""What the prelude needs beyond NumPy: conditions with NumPy's own exceptions, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_regular(condition: Any) -> None:
    """Raise `LinAlgError` unless the condition holds."""
    if not condition:
        raise np.linalg.LinAlgError("Singular matrix")


def require_nonempty(size: Any) -> None:
    """Raise `ValueError` when nothing is there to choose from."""
    if size <= 0:
        raise ValueError("zero-size array has no element to choose")


def require_equal(m: Any, n: Any) -> None:
    """Raise `ValueError` unless two sizes agree."""
    if m != n:
        raise ValueError(f"the sizes {m} and {n} do not agree")


def prefer_known(size: Any) -> None:
    """Say that what follows is much better for a size that is known while compiling."""


def short_range(start: Any, stop: Any) -> Any:
    """`range(start, stop)`; where both are known and few numbers lie between, the loop over it unrolls."""
    return range(start, stop)


def unsupported(what: str) -> None:
    """Refuse an option while compiling."""
    raise NotImplementedError(f"{what} is not compiled")
