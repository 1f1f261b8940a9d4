"""Reverse mode costs a small constant times the program, counted; and the constant does not grow with the size."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ad.functions import vjp_function
from tapeless.ad.planner import Plan, Rerun
from tapeless.front.capture import lower, specialise
from tapeless.ir.core import Function
from tapeless.ir.text import parse_function
from tapeless.passes.notes import Notes
from tapeless.testing import SMOOTH, random_program
from tapeless.testing.counting import SWEEP, Work, placed, rerun_work, reverse_work
from tapeless.testing.directed import CASES, Dense, Law

PROGRAMS = int(os.environ.get("TAPELESS_COUNTS", "60"))


def counted(function: Callable[..., Any], *args: Any) -> Work:
    call = specialise(function, args, {})  # type: ignore[arg-type]
    lowered = lower(function, call.specs)  # type: ignore[arg-type]
    return reverse_work(lowered.function, [*call.leaves, *lowered.hidden_leaves()])


def fill(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        a[i] = np.sin(x[i]) * x[i]
    return np.sum(a)


def fill_sequentially(x):
    a = np.zeros(len(x))
    a[0] = x[0]
    for i in range(1, len(x)):
        a[i] = np.tanh(a[i - 1] + x[i])
    return a[len(x) - 1]


def overwrite(x):
    a = x * 1.0
    for i in range(1, len(a)):
        a[i] = a[i] * a[i - 1]
        a[i - 1] = np.sqrt(1.0 + a[i - 1] * a[i - 1])
    return np.sum(a)


def recurrence(x):
    s = 0.5
    for i in range(len(x)):
        s = np.sin(s) + 0.1 * s * x[i]
    return s


def tally(x):
    out = np.zeros(8)
    for i in range(len(x)):
        out[i % 8] += x[i] * x[i]
    return np.sum(out * out)


def stencil(x):
    u = x * 1.0
    for _ in range(4):
        v = np.zeros(len(u))
        for i in range(1, len(u) - 1):
            v[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def running_product(x):
    return np.sum(np.cumprod(1.0 + 0.01 * x))


def until_large(x):
    s, i = 1.0, 0
    while s < 1e9 and i < len(x):
        s = s * (1.0 + 0.1 * x[i] * x[i])
        i += 1
    return s


def nested(x):
    s = 0.5
    for i in range(len(x)):
        for _ in range(3):
            t = s
            for _ in range(2):
                t = np.sin(t) * x[i]
            s = s + t
    return s


def rebinds(x):
    a, i, s = x * 2.0, 0, 0.0
    while i < len(x) and s < 1e9:
        s = s + np.sin(x[i] * s)
        a = x
        i += 1
    return s + a[1]


LOOPS = (fill, fill_sequentially, overwrite, recurrence, tally, stencil, running_product, until_large, nested, rebinds)


@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_the_constant_is_small_and_does_not_grow(function: Callable[..., Any]) -> None:
    small, large = (counted(function, np.linspace(0.5, 1.0, n)) for n in (16, 256))
    assert large.reverse <= large.bound
    assert large.reverse / large.primal <= 1.3 * small.reverse / small.primal


@pytest.mark.parametrize("first", range(0, PROGRAMS, 20))
def test_random_programs_cost_no_more_than_promised(first: int) -> None:
    works = {seed: reverse_work(*random_program(seed, profile=SMOOTH)) for seed in range(first, first + 20)}
    assert not {seed: work for seed, work in works.items() if work.reverse > work.bound}


BINS = """
def bins(x: f64[n], key: i64[n], d: f64[m]) {
  y: f64[m] = hist 1 n [NEUTRAL] [d] (a: f64, b: f64) {
    c: f64 = OPERATION a b
    return c
  } (i: i64) {
    k: i64 = index key i
    v: f64 = index x i
    return k v
  }
  return y
}
"""


@pytest.mark.parametrize(("operation", "neutral"), [("max", "-inf"), ("min", "+inf"), ("add", "0.0"), ("mul", "1.0")])
def test_histograms_of_many_values(operation: str, neutral: str) -> None:
    """One operation per value, and no more than six in the return sweep."""
    values, keys, start = np.linspace(0.5, 1.5, 600) ** 2, np.arange(600) * 7 % 30, np.ones(30)
    function = parse_function(BINS.replace("OPERATION", operation).replace("NEUTRAL", neutral))
    work = reverse_work(function, [values, keys, start])
    assert work.reverse <= (1 + SWEEP) * work.primal + work.announced


DIRECTED = [case for case in CASES if isinstance(case, Law | Dense)]


@pytest.mark.parametrize("first", range(0, len(DIRECTED), 40))
def test_programs_written_for_a_rule_cost_no_more_than_promised(first: int) -> None:
    works = {case.name: reverse_work(parse_function(case.text), case.args) for case in DIRECTED[first : first + 40]}
    assert not {name: work for name, work in works.items() if work.reverse > work.bound}


# -- what is announced ----------------------------------------------------------------------------------

NEST = """
def nest(x: f64, n: i64) {
  y: f64 = for n [x] (i: i64, s: f64) {
    t: f64 = for 3 [s] (j: i64, u: f64) {
      v: f64 = sin u
      return v
    }
    w: f64 = sqrt t
    return w
  }
  return y
}
"""


def announced(function: Function) -> tuple[dict[Any, Rerun], Notes]:
    reruns, notes = dict[Any, Rerun](), Notes()
    active = [k for k, param in enumerate(function.params) if param.type.dtype.is_float]
    vjp_function(function, active, Plan(notes=notes, reruns=reruns))
    return reruns, notes


def lowered(function: Callable[..., Any], *args: Any) -> Function:
    return lower(function, specialise(function, args, {}).specs).function  # type: ignore[arg-type]


def test_what_runs_again_is_told_in_words_and_in_numbers() -> None:
    reruns, notes = announced(lowered(nested, np.ones(2)))
    said = notes.about("return sweep")
    assert {note.pos for note in said} == reruns.keys()
    assert len(said) == 3
    assert all("run again" in note.reason for note in said)
    assert set(reruns.values()) == {Rerun(back=1)}


def test_a_while_loop_is_counted_first_and_says_so() -> None:
    reruns, notes = announced(lowered(until_large, np.ones(4)))
    assert set(reruns.values()) == {Rerun(back=1, ahead=1)}
    assert [note.decision for note in notes.about("while")] == ["runs twice"]


def test_the_weights_of_nested_loops() -> None:
    """A sine costs 14, a root 6. The outer body runs twice in all, the inner one three times."""
    function = placed(parse_function(NEST))
    assert rerun_work(function, [0.5, 5], announced(function)[0]) == 5 * (6 + 2 * 3 * 14)
