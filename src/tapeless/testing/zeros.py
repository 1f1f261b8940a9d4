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
from .compare import Outcome, difference, outcome, tolerance, unstable
from .dice import Dice
from .limit import time_limit
from .oracle import Oracle, flat

_ONE_OF = 3  # numbers are zero
_SECONDS = 0.5
_LONG = 1e-9  # of agreement in long numbers: constants of derivatives are folded in the machine's


def with_zeros(args: Sequence[Any], dice: Dice) -> list[Any]:
    """The arguments, with zeros in the place of some floats."""
    return [_with_zeros(np.asarray(arg), dice) if np.asarray(arg).dtype.kind == "f" else arg for arg in args]


def _with_zeros(values: Any, dice: Dice) -> Any:
    some: Any = np.array(values)
    for place in np.ndindex(some.shape):
        if dice.between(1, _ONE_OF) == 1:
            some[place] = 0.0
    return some[()]


def disagreement(function: Function, other: Function, args: Sequence[Any], *, exact: bool = False) -> str:
    """What is finite as `function` gives it, and not the same by `other`, in words.

    Zeros let large numbers cancel: what is left is rounding, and no derivative. A difference of finite numbers counts
    where it is more than disturbed rounding makes of `function` itself. With `exact` both forms have the same
    constants: then what rounding explains must be the same in long numbers.
    """
    try:
        expected, found = _outcome(function, args), _outcome(other, args)
        if expected.fault or found.fault:
            return "" if expected.fault == found.fault else f"raises {found.fault or 'nothing'} at zeros"
        found = _promised(expected, found)
        detail = difference(expected, found, tolerance(function))
        if detail and _rounding(function, args, expected, found):
            return detail if exact and not _same_in_long_numbers(function, other, args) else ""
    except TimeoutError:  # a loop that ends when a number is small enough
        return ""
    return detail


def _outcome(function: Function, args: Sequence[Any]) -> Outcome:
    with np.errstate(all="ignore"), time_limit(_SECONDS):
        return outcome(lambda: evaluate(function, args))


def _promised(expected: Outcome, found: Outcome) -> Outcome:
    """What was found, with what is expected where nothing is promised: integers, and floats that are not finite."""
    results: list[Any] = []
    for x, y in zip(expected.results, found.results, strict=True):
        finite = np.isfinite(x) if np.asarray(x).dtype.kind == "f" else False
        results.append(np.where(finite, y, x) if np.shape(x) == np.shape(y) else y)
    return Outcome(tuple(results))


def _rounding(function: Function, args: Sequence[Any], expected: Outcome, found: Outcome) -> bool:
    """Can rounding explain a difference? It makes no number of NaN, nor NaN of a number."""
    pairs = zip(expected.results, found.results, strict=True)
    if not all(np.array_equal(np.isfinite(x), np.isfinite(y)) for x, y in pairs):
        return False
    with np.errstate(all="ignore"):
        return unstable(function, args, expected, found)


def _same_in_long_numbers(function: Function, other: Function, args: Sequence[Any]) -> bool:
    expected, found = (Oracle(form).evaluate(args) for form in (function, other))
    if expected.fault or found.fault:
        return expected.fault == found.fault
    floats = [k for k, type in enumerate(function.result_types) if type.dtype.is_float]
    pairs = ((flat(expected.results[k]), flat(found.results[k])) for k in floats)
    return all(_near(x, y) for xs, ys in pairs for x, y in zip(xs, ys, strict=True))


def _near(x: Any, y: Any) -> bool:
    """Long numbers to within a limit; nothing is promised where the first is not finite."""
    return not np.isfinite(float(x)) or bool(abs(x - y) <= _LONG * max(1, abs(x)))
