"""What the cases are made of: the record of one call, and the arguments to call with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """One call. `function` is an object, or the name of a method or attribute of the first argument."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        owner = getattr(self.function, "__self__", None)
        prefix = f"{owner.__name__}." if isinstance(owner, np.ufunc) else ""
        name = self.function if isinstance(self.function, str) else prefix + self.function.__name__
        kinds = ",".join(_kind(a) for a in self.args)
        options = ",".join(f"{k}={v}" if not isinstance(v, np.ndarray) else k for k, v in self.kwargs.items())
        return f"{name}({kinds}{';' if options else ''}{options})"


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    return type(value).__name__ if isinstance(value, np.generic) else repr(value)[:20]


def case(function: Any, *args: Any, **kwargs: Any) -> Case:
    return Case(function, args, kwargs)


RNG = np.random.default_rng(7)
VECTOR = np.array([-2.5, -1.0, 0.0, 0.75, 3.0])
MATRIX = RNG.normal(size=(3, 4))
CUBE = RNG.normal(size=(2, 3, 4))
INTS = np.array([3, -1, 0, 2, 7])
INT_MATRIX = np.array([[3, -1, 5], [0, 2, -7]])
SMALL = INTS.astype(np.int32)
SINGLE = MATRIX.astype(np.float32)
BOOLS = np.array([True, False, True, True, False])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 1.0, -0.0])
WITH_NAN = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [2.0, -5.0, np.nan]])
EMPTY = np.zeros(0)
ONE = np.array([2.5])
SQUARE = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
SPD = SQUARE @ SQUARE.T
FLOATS = (VECTOR, MATRIX, CUBE, SINGLE, EMPTY, ONE, np.float64(0.4), np.float32(0.4), 0.5)
NUMBERS = (*FLOATS, INTS, SMALL, INT_MATRIX, 3)
