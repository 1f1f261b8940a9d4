"""Are two outcomes of one program the same, as far as rounding allows?

Integers and bools are equal, floats differ by at most `RELATIVE` of the largest magnitude in their array (at
least 1), NaN equals NaN, faults are of the same kind. The bound leaves a factor of about 10^6 over the
unit of rounding: programs run at most some 10^5 operations, and the generator keeps them well conditioned.
A difference is put down to instability only when the interpreter itself, run with disturbed rounding
(`jitter`), moves as far as that.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.core import CHECKS, Function
from ..ir.eval import evaluate
from ..ir.types import F32
from ..ir.walk import statements
from .jitter import jitter
from .limit import time_limit

RELATIVE = {"f64": 1e-9, "f32": 2e-3}
TRIALS = 6
SECONDS = 5.0  # generated programs take milliseconds
AMPLIFIED = 100.0  # a difference below this many times the effect of disturbed rounding is unstable

# The exceptions that checks raise, by name; `raise` may name any, generated programs use RuntimeError.
_FAULTS: dict[str, type[Exception]] = {
    name: np.linalg.LinAlgError if name == "LinAlgError" else getattr(builtins, name)
    for name in [name for name, _ in CHECKS.values() if name != "Exception"] + ["RuntimeError"]
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: results, or the name of the exception of a failed check."""

    results: tuple[Any, ...] = ()
    fault: str = ""


def outcome(run: Callable[[], Sequence[Any]]) -> Outcome:
    """Run, and turn the exceptions that checks raise into a fault; others are bugs and pass."""
    try:
        return Outcome(tuple(run()))
    except tuple(_FAULTS.values()) as error:
        # The most derived name: LinAlgError is a ValueError as well.
        kinds = [name for name, kind in _FAULTS.items() if isinstance(error, kind)]
        return Outcome(fault=max(kinds, key=lambda name: len(_FAULTS[name].__mro__)))


def reference(function: Function, args: Sequence[Any]) -> Outcome:
    """What the interpreter gives; raises TimeoutError when it does not end."""
    with time_limit(SECONDS):
        return outcome(lambda: evaluate(function, args))


def tolerance(function: Function) -> float:
    """The relative bound of a program: single precision anywhere makes everything it touches coarse."""
    coarse = any(var.type.dtype is F32 for stm in statements(function.body) for var in stm.vars)
    coarse = coarse or any(param.type.dtype is F32 for param in function.params)
    return RELATIVE["f32" if coarse else "f64"]


def difference(expected: Outcome, found: Outcome, relative: float) -> str:
    """What is different, in words; empty when the outcomes agree."""
    if expected.fault or found.fault:
        if expected.fault == found.fault:
            return ""
        return f"expected {expected.fault or 'results'}, found {found.fault or 'results'}"
    if len(expected.results) != len(found.results):
        return f"expected {len(expected.results)} results, found {len(found.results)}"
    for k, (x, y) in enumerate(_pairs(expected, found)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"result {k}: expected {x.dtype}{list(x.shape)}, found {y.dtype}{list(y.shape)}"
        distance = _distance(x, y)
        if distance > (relative if x.dtype.kind == "f" else 0.0):
            return f"result {k} differs by {distance:.3g}: expected {_brief(x)}, found {_brief(y)}"
    return ""


def same_bits(left: Outcome, right: Outcome) -> bool:
    """Bit-equal, NaN equal to NaN of any payload."""
    if left.fault or right.fault or len(left.results) != len(right.results):
        return left.fault == right.fault
    return all(_same_bits(x, y) for x, y in _pairs(left, right))


def unstable(function: Function, args: Sequence[Any], expected: Outcome, found: Outcome) -> bool:
    """Would disturbed rounding explain this difference?"""
    spread = [0.0] * len(expected.results)
    for seed in range(TRIALS):
        moved = reference(jitter(function, seed), args)
        if moved.fault != expected.fault:
            return True
        for k, (x, y) in enumerate(_pairs(expected, moved)):
            if x.shape != y.shape:
                return True
            spread[k] = max(spread[k], _distance(x, y))
    if expected.fault or found.fault:
        return False
    relative = tolerance(function)
    for k, (x, y) in enumerate(_pairs(expected, found)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return False
        allowed = AMPLIFIED * spread[k]
        if x.dtype.kind != "f":
            allowed = np.inf if spread[k] else 0.0
        if _distance(x, y) > max(allowed, relative if x.dtype.kind == "f" else 0.0):
            return False
    return True


def _pairs(left: Outcome, right: Outcome) -> list[tuple[Any, Any]]:
    """The results side by side, as arrays."""
    return [(np.asarray(x), np.asarray(y)) for x, y in zip(left.results, right.results, strict=True)]


def _distance(x: Any, y: Any) -> float:
    """The largest difference of two arrays of one shape, relative to their scale; infinite where only one is NaN."""
    if x.size == 0:
        return 0.0
    if x.dtype.kind != "f":
        return float(np.count_nonzero(x != y))
    x, y = x.astype(np.float64), y.astype(np.float64)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    if same.all():
        return 0.0
    if not (np.isfinite(x[~same]).all() and np.isfinite(y[~same]).all()):
        return float("inf")
    scale = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    return float(np.abs(x[~same] - y[~same]).max()) / scale


def _same_bits(x: Any, y: Any) -> bool:
    if x.shape != y.shape or x.dtype != y.dtype:
        return False
    if x.dtype.kind != "f":
        return bool((x == y).all())
    words = np.int64 if x.dtype.itemsize == 8 else np.int32
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    return bool(((x.view(words) == y.view(words)) | (np.isnan(x) & np.isnan(y))).all())


def _brief(x: Any) -> str:
    text = np.array2string(np.asarray(x), threshold=8, edgeitems=3, precision=12).replace("\n", " ")
    return text if len(text) <= 160 else text[:157] + "..."
