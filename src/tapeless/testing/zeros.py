"""Derivatives at points with zeros, where slopes of roots, quotients and logarithms are infinite and may be masked.

Where a derivative is finite as it was made, it must be the same when it is shortened: to compute it in another way may
not bring in what a factor of zero hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.core import Function
from ..ir.eval import evaluate
from .compare import Outcome, outcome, tolerance
from .dice import Dice
from .limit import time_limit

_ONE_OF = 3  # numbers are zero
_SECONDS = 0.5


def with_zeros(args: Sequence[Any], dice: Dice) -> list[Any]:
    """The arguments, with zeros in the place of some floats."""
    return [_with_zeros(np.asarray(arg), dice) if np.asarray(arg).dtype.kind == "f" else arg for arg in args]


def _with_zeros(values: Any, dice: Dice) -> Any:
    some: Any = np.array(values)
    for place in np.ndindex(some.shape):
        if dice.between(1, _ONE_OF) == 1:
            some[place] = 0.0
    return some[()]


def disagreement(function: Function, other: Function, args: Sequence[Any]) -> str:
    """What is finite as `function` gives it, and not the same by `other`, in words."""
    try:
        expected, found = _outcome(function, args), _outcome(other, args)
    except TimeoutError:  # a loop that ends when a number is small enough
        return ""
    if expected.fault or found.fault:
        return "" if expected.fault == found.fault else f"raises {found.fault or 'nothing'} at zeros"
    return _differing(expected, found, tolerance(function))


def _outcome(function: Function, args: Sequence[Any]) -> Outcome:
    with np.errstate(all="ignore"), time_limit(_SECONDS):
        return outcome(lambda: evaluate(function, args))


def _differing(expected: Outcome, found: Outcome, limit: float) -> str:
    for k, (x, y) in enumerate(zip(expected.results, found.results, strict=True)):
        left, right = np.asarray(x), np.asarray(y)
        if left.dtype.kind != "f":
            continue
        finite = np.isfinite(left)
        scale = max(1.0, float(np.max(np.abs(left[finite]), initial=0.0)))
        # A comparison with NaN is false: what must be finite is.
        if not np.all(np.abs(right[finite] - left[finite]) <= limit * scale):
            return f"result {k} is {y}, must be {x} where that is finite"
    return ""
