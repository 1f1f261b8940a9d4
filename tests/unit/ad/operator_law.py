"""Operators of reductions, scans and histograms: associative, and their neutral elements neutral.

The reference interpreter combines from the left, one element after another, where a mistake in either does not show.
Values are small whole numbers, so that sums are exact and equal elements frequent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tapeless.ir.core import Function, Hist, Lambda, Reduce, Scan
from tapeless.ir.eval import evaluate
from tapeless.ir.types import BOOL, F32, F64, I32, I64, Lit, Type
from tapeless.ir.walk import free_vars, statements

TRIALS = 40
_NUMBERS = {F32: np.float32, F64: np.float64, I32: np.int32, I64: np.int64}


def lawful_operators(function: Function) -> int:
    """Assert the laws for all operators on scalars that read nothing outside; how many there are."""
    rng, found = np.random.default_rng(0), 0
    for op, neutral in _operators(function):
        found += 1
        types = [param.type for param in op.params[: len(neutral)]]
        for _ in range(TRIALS):
            x, y, z = (_drawn(rng, types) for _ in range(3))
            assert _combined(op, _combined(op, x, y), z) == _combined(op, x, _combined(op, y, z))
            assert _combined(op, neutral, x) == _combined(op, x, neutral) == x
    return found


def _operators(function: Function) -> Iterator[tuple[Lambda, list[Any]]]:
    for stm in statements(function.body):
        if isinstance(stm.expr, Reduce | Scan | Hist) and not free_vars(stm.expr.op):
            literals = [x.value for x in stm.expr.neutral if isinstance(x, Lit)]
            if len(literals) == len(stm.expr.neutral):
                yield stm.expr.op, literals


def _drawn(rng: np.random.Generator, types: Sequence[Type]) -> list[Any]:
    return [bool(rng.integers(2)) if type.dtype is BOOL else _NUMBERS[type.dtype](rng.integers(4)) for type in types]


def _combined(op: Lambda, x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    return evaluate(Function("op", op.params, op.body), [*x, *y])
