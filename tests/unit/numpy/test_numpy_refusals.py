"""Calls that raise what NumPy raises when the program runs, and calls that are refused while compiling."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

import tapeless as tp
from tapeless.errors import TapelessError

from .numpy_data import Case, case
from .numpy_harness import Weak, call

X = np.array([1.0, -2.0, 3.0])
I = np.array([0, 1, -5])
M = np.arange(6.0).reshape(2, 3)
FLAGS = np.array([True, False])

RAISING: list[tuple[Case, type[Exception]]] = [
    (case(np.linalg.solve, np.ones((2, 2)), X[:2]), np.linalg.LinAlgError),
    (case(np.linalg.inv, np.zeros((3, 3))), np.linalg.LinAlgError),
    (case(np.linalg.cholesky, -np.eye(3)), np.linalg.LinAlgError),
    (case(np.linalg.solve, M, X[:2]), np.linalg.LinAlgError),
    (case(np.linalg.solve, np.eye(2), X), ValueError),
    (case(np.interp, 1.0, X, X[:2]), ValueError),
    (case(np.digitize, X, X), ValueError),
    (case(np.histogram, np.array([1.0, np.nan])), ValueError),
    (case(np.linalg.cross, np.ones(4), np.ones(4)), ValueError),
    (case(np.min, np.zeros(0)), ValueError),
    (case(min, np.zeros(0)), ValueError),
    (case(max, np.zeros(0)), ValueError),
    (case(np.geomspace, np.float64(0.0), 2.0, 3), ValueError),
    (case(math.fsum, np.array([np.inf, -np.inf])), ValueError),
    (case(math.fsum, np.array([1e308, 1e308])), OverflowError),
    (case(math.factorial, Weak(-1)), ValueError),
    (case(math.comb, Weak(-1), Weak(2)), ValueError),
    (case(math.isqrt, Weak(-1)), ValueError),
    (case(np.argmax, np.zeros(0)), ValueError),
    (case(np.max, np.zeros((3, 0)), axis=1), ValueError),
    (case(np.take, X, np.array([0, 3])), IndexError),
    (case(np.split, X, 2), ValueError),
    (case(np.split, X, 0), ZeroDivisionError),
    (case(np.add.at, np.zeros(3), np.array([0, 3]), 1.0), IndexError),
    (case(np.bincount, I), ValueError),
    (case(np.bincount, np.abs(I), weights=X[:2]), ValueError),
    (case(np.reshape, M, (4, 2)), ValueError),
    (case(np.reshape, M, (4, -1)), ValueError),
    (case(np.concatenate, (M, M[:, :2]), axis=0), ValueError),
    (case(np.stack, (X, X[:2])), ValueError),
    (case(np.dot, X, X[:2]), ValueError),
    (case(np.matmul, M, M), ValueError),
    (case(np.einsum, "ij,jk->ik", M, M), ValueError),
    (case(np.add, X, X[:2]), ValueError),
    (case(np.where, FLAGS, X, 0.0), ValueError),
    (case(np.power, I, np.int64(-1)), ValueError),
    (case(np.zeros, np.int64(-1)), ValueError),
    (case(np.interp, 1.0, np.zeros(0), np.zeros(0)), ValueError),
    (case(np.average, X, weights=np.array([1.0, -2.0, 1.0])), ZeroDivisionError),
    (case(np.quantile, X, np.float64(1.5)), ValueError),
    (case(np.pad, np.zeros(0), 1, mode="edge"), ValueError),
    (case(math.sqrt, Weak(-1.0)), ValueError),
    (case(math.log, Weak(0.0)), ValueError),
    (case(math.log, Weak(0)), ValueError),
    (case(math.asin, Weak(1.5)), ValueError),
    (case(math.sin, Weak(math.inf)), ValueError),
    (case(math.exp, Weak(1000.0)), OverflowError),
    (case(math.pow, Weak(0.0), Weak(-1.0)), ValueError),
    (case(math.pow, Weak(-2.0), Weak(0.5)), ValueError),
    (case(math.fmod, Weak(1.0), Weak(0.0)), ValueError),
    (case(math.floor, Weak(math.nan)), ValueError),
    (case(math.floor, Weak(math.inf)), OverflowError),
    (case(int, Weak(math.nan)), ValueError),
    (case(int, np.float64(math.inf)), OverflowError),
    (case(math.gamma, Weak(-1.0)), ValueError),
    (case(math.lgamma, Weak(0.0)), ValueError),
]


def plain(value: Any) -> Any:
    return value.value if isinstance(value, Weak) else value


@pytest.mark.parametrize(("case", "error"), RAISING, ids=str)
def test_raises_what_numpy_raises(case: Case, error: type[Exception]) -> None:
    with pytest.raises(error):
        case.function(*map(plain, case.args), **case.kwargs)
    with pytest.raises(error):
        call(case.function, case.args, case.kwargs)


REFUSED: list[tuple[Case, str]] = [
    (case(np.sqrt, FLAGS), "half precision"),
    (case(np.subtract, FLAGS, FLAGS), "booleans"),
    (case(np.negative, FLAGS), "booleans"),
    (case(np.bitwise_and, X, X), "floating-point"),
    (case(np.where, FLAGS, X), "both x and y"),
    (case(np.add, X, X, where=FLAGS), "where="),
    (case(np.add, X, 1.0, out=np.zeros(3, np.int64)), "cannot be stored"),
    (case(np.sum, M, axis=2), "axis 2"),
    (case(np.sum, M, axis=np.int64(0)), "known while compiling"),
    (case(np.sum, M, axis=(0, 0)), "twice"),
    (case(np.zeros, 3, dtype=np.float16), "element type"),
    (case(np.zeros, 3, dtype=complex), "element type"),
    (case(np.reshape, M, (-1, -1)), "only one size"),
    (case(np.reshape, M, 6, order="F"), "row-major"),
    (case(np.squeeze, M, 0), "size one"),
    (case(np.einsum, "...i->i", M), "ellipsis"),
    (case(np.einsum, "ij,jk", M), "operands"),
    (case(np.linalg.norm, M, 2), "norm"),
    (case(np.linalg.norm, M, "nuc"), "norm"),
    (case(np.linalg.norm, X, "fro"), "norm"),
    (case(np.linalg.norm, np.ones((2, 2, 2)), 1), "norm"),
    (case(np.linalg.norm, M, 1, keepdims=True), "norm"),
    (case(np.linalg.solve, np.ones((2, 2, 2)), X), "one matrix"),
    (case(np.diff, X, -1), "negative order"),
    (case(np.gradient, X, edge_order=3), "edge_order"),
    (case(np.cov, X, X, True, False), "takes 3"),
    (case(np.var, M, 0, np.float32), "takes 2"),
    (case(np.convolve, X, X, "other"), "mode"),
    (case(np.repeat, X, np.array([1, 2, 3])), "repeats"),
    (case(np.pad, X, 1, mode="mean"), "mode"),
    (case(np.matmul, 2.0, X), "dimension"),
    (case(np.concatenate, (X, M)), "number of dimensions"),
    (case(np.stack, ()), "at least one"),
    (case(np.take, X, X), "integers"),
    (case(np.kron, X, M), "dimensions"),
    (case(np.arange, 0, 5, 0), "step of zero"),
    (case(math.sin, X), "single numbers"),
    (case(np.float_power.at, X, np.array([0]), 2.0), "not known"),
    (case(np.unique, X, axis=0), "along an axis"),
    (case(np.sqrt, X, where=X > 0), "out="),
    (case(np.quantile, X, M), "matrix of quantiles"),
    (case(np.lexsort, (M, M)), "not vectors"),
    (case(np.nonzero, np.float64(2.0)), "of a number"),
    (case(functools.reduce, np.add, X), "a loop"),
    (case(np.fft.fft, X), "not known"),
]


@pytest.mark.parametrize(
    "take_apart", [lambda x: np.split(x, -3), lambda x: np.array_split(x, 0), lambda x: np.array_split(x, -1)]
)
def test_there_are_no_fewer_than_one_part(take_apart: Any) -> None:
    for function in (take_apart, tp.jit(take_apart)):
        with pytest.raises(ValueError, match="larger than 0"):
            function(X)


@pytest.mark.parametrize(("case", "words"), REFUSED, ids=str)
def test_refuses(case: Case, words: str) -> None:
    with pytest.raises(TapelessError, match=words):
        call(case.function, case.args, case.kwargs)
