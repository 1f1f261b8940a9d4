"""Linear algebra of small fixed sizes: no loop is left, everything is scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tapeless.front.capture import lower, specialise
from tapeless.ir.check import check
from tapeless.ir.core import For, While
from tapeless.ir.eval import evaluate
from tapeless.ir.walk import statements
from tapeless.passes.pipeline import optimise

from .numpy_harness import same

RNG = np.random.default_rng(3)


def solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b)


def inverse(a: Any, b: Any) -> Any:
    return np.linalg.inv(a) @ b


def determinant(a: Any, b: Any) -> Any:
    return np.linalg.det(a) * b


def factor(a: Any, b: Any) -> Any:
    return np.linalg.cholesky(a @ a.T) @ b


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("program", [solve, inverse, determinant, factor])
def test_unrolls(program: Callable[..., Any], size: int) -> None:
    # A zero on top of the diagonal makes the exchange of rows necessary.
    a = RNG.normal(size=(size, size)) + np.fliplr(np.eye(size)) * 3
    a[0, 0] = 0.0 if size > 1 else 2.0
    b = RNG.normal(size=size)
    call = specialise(program, (a, b), {}, static_shapes=True)
    function = optimise(lower(program, call.specs).function)
    check(function)
    assert not [s for s in statements(function.body) if isinstance(s.expr, For | While)]
    same(evaluate(function, [a, b])[0], program(a, b))


@pytest.mark.parametrize("size", [2, 3, 7])
def test_any_size(size: int) -> None:
    a, b = RNG.normal(size=(size, size)), RNG.normal(size=size)
    call = specialise(solve, (a, b), {})
    function = optimise(lower(solve, call.specs).function)
    same(evaluate(function, [a, b])[0], solve(a, b))
