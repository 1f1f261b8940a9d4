"""The parallel operators with functions of the user's, nested, and their plain Python meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tapeless import operators as tp
from tapeless.errors import TapelessError

from .numpy_harness import call, same

X = np.array([0.5, -1.5, 2.0, 3.5])
POINTS = np.arange(12.0).reshape(4, 3) / 5
CENTRES = np.array([[0.0, 1.0, 0.5], [2.0, 1.5, 1.0]])
KEYS = np.array([1, 0, 1, 7, -1, 2])


def squares(x: Any) -> Any:
    return tp.map(lambda v: v * v + 1.0, x)


def rows(p: Any) -> Any:
    return tp.map(lambda row: row - np.mean(row), p)


def two_results(x: Any) -> Any:
    return tp.map(lambda v: (v + 1, v > 0), x)


def with_free_variable(x: Any, p: Any) -> Any:
    return tp.map(lambda v: np.sum(p * v), x)


def kmeans_cost(points: Any, centres: Any) -> Any:
    return tp.reduce(np.add, 0.0, tp.map(lambda p: np.min(tp.map(lambda c: np.sum((p - c) ** 2), centres)), points))


def largest_with_index(x: Any) -> Any:
    return tp.reduce(lambda a, b: a if a[0] >= b[0] else b, (-np.inf, -1), (x, np.arange(len(x))))


def mean_and_count(x: Any) -> Any:
    def combine(a: Any, b: Any) -> Any:
        n = a[1] + b[1]
        return a[0] + b[0], n

    return tp.reduce(combine, (0.0, 0), (x, np.ones(len(x), np.int64)))


def column_sums(p: Any) -> Any:
    return tp.reduce(lambda a, b: a + b, 0.0, p)


def affine_scan(a: Any, b: Any) -> Any:
    return tp.scan(lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1]), (1.0, 0.0), (a, b))


def running_rows(p: Any) -> Any:
    return tp.scan(np.maximum, -np.inf, p)


def counts(keys: Any) -> Any:
    return tp.hist(np.add, np.zeros(3, np.int64), keys, np.ones(len(keys), np.int64))


def log_sums(keys: Any, x: Any) -> Any:
    return tp.hist(lambda a, b: np.logaddexp(b, a), np.full(3, -np.inf), keys, x, neutral=-np.inf)


def scattered(keys: Any, x: Any) -> Any:
    return tp.scatter(np.zeros(3), keys, x)


def in_parallel(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in tp.prange(len(x)):
        out[i] = 2 * x[i]
    return out


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (squares, (X,)),
    (rows, (POINTS,)),
    (two_results, (X,)),
    (with_free_variable, (X, POINTS)),
    (kmeans_cost, (POINTS, CENTRES)),
    (largest_with_index, (X,)),
    (mean_and_count, (X,)),
    (column_sums, (POINTS,)),
    (affine_scan, (X, X + 1)),
    (running_rows, (POINTS,)),
    (counts, (KEYS,)),
    (log_sums, (KEYS[:4], X)),
    (scattered, (KEYS[:4], X)),
    (in_parallel, (X,)),
]


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_means_what_plain_python_does(program: Callable[..., Any], args: tuple[Any, ...]) -> None:
    want = program(*args)
    answer = call(program, args, {})
    assert answer.is_tuple == isinstance(want, tuple)
    for part, wanted in zip(answer.parts, want if isinstance(want, tuple) else (want,), strict=True):
        same(part, wanted)


def writes_outside(x: Any) -> Any:
    total = np.zeros(1)

    def add(v: Any) -> Any:
        total[0] += v
        return v

    return tp.map(add, x)


def wider_operator(x: Any) -> Any:
    return tp.reduce(lambda a, b: a + b * 0.5, 0, x)


def no_neutral(keys: Any, x: Any) -> Any:
    return tp.hist(lambda a, b: a + b, np.zeros(3), keys, x)


@pytest.mark.parametrize(
    ("program", "args", "words"),
    [
        (writes_outside, (X,), "surroundings"),
        (wider_operator, (KEYS,), "accumulator"),
        (no_neutral, (KEYS[:4], X), "neutral"),
    ],
)
def test_refuses(program: Callable[..., Any], args: tuple[Any, ...], words: str) -> None:
    with pytest.raises(TapelessError, match=words):
        call(program, args, {})


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="length"):
        tp.map(np.add, X, X[:2])
    with pytest.raises(ValueError, match="agree"):
        call(tp.map, (np.add, X, X[:2]), {})
