"""What an iteration makes for the next one is read from what that one kept, where that saves work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeless as tp
from tapeless.ad import loops
from tapeless.ad.handed_on import HandedOn
from tapeless.ad.planner import Plan
from tapeless.config import config
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.numbers_count import CountingTower
from tapeless.ir.text import parse_function
from tapeless.passes import dce
from tapeless.passes.notes import Notes

from .vjp_harness import jacobians, vjp

RNG = np.random.default_rng(7)


def steps(u, w, n):
    """Two fields, of which the slope of a step needs the one before and the one after."""
    old, now, other = u * 0.5, u * 1.0, u * 0.0
    for _ in range(n):
        new = np.zeros_like(u)
        new[1:-1] = (w[1:-1] * (now[2:] + now[:-2]) - old[1:-1] + other[1:-1]) / 1.25
        other[1:-1] = 0.5 * other[1:-1] + w[1:-1] * (new[2:] - new[:-2])
        old, now = now, new
    return np.sum(now * now)


def with_source(u, w, n, at=2):
    """The same, where an element of the field after is changed that the slope needs as it was."""
    old, now, other = u * 0.5, u * 1.0, u * 0.0
    total = 0.0
    for k in range(n):
        new = np.zeros_like(u)
        new[1:-1] = (w[1:-1] * (now[2:] + now[:-2]) - old[1:-1] + other[1:-1]) / 1.25
        other[1:-1] = 0.5 * other[1:-1] + w[1:-1] * (new[2:] - new[:-2])
        new[at] = 0.25 * new[at] * w[at] + k
        new[at + 1] += w[0] * k
        old, now = now, new
        total += np.sum(now * now)
    return total


def at_own_place(u, w, n):
    """The place of the change is the number of the iteration."""
    now, other = u * 1.0, u * 0.0
    for k in range(n):
        new = np.sin(w * now + other)
        other = 0.5 * other + new * w * new
        new[k] = new[k] * w[k]
        now = new
    return np.sum(now * other)


def at_found_place(u, w, n):
    """The place of the change is found on the way."""
    now, other = u * 1.0, u * 0.0
    for _ in range(n):
        new = np.sin(w * now + other)
        other = 0.5 * other + new * w * new
        k = int(np.argmax(new))
        new[k] = new[k] * w[k]
        now = new
    return np.sum(now * other)


PROGRAMS = [steps, with_source, at_own_place, at_found_place]


def arguments(n: int) -> tuple[np.ndarray, np.ndarray, int]:
    return RNG.normal(size=40), RNG.uniform(0.2, 0.4, size=40), n


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_gradient(function, n):
    u, w, n = arguments(n)
    found = tp.grad(function, (0, 1))(u, w, n)
    way = (RNG.normal(size=40), RNG.normal(size=40))
    slope = tp.jvp(lambda u, w: function(u, w, n), (u, w), way)[1]
    np.testing.assert_allclose(sum(np.sum(g * d) for g, d in zip(found, way, strict=True)), slope, rtol=1e-11)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_it_is_what_computing_again_gives(function):
    args = arguments(6)
    kept, computed = (tp.grad(function, (0, 1), memory=memory)(*args) for memory in (None, tp.States(3)))
    for x, y in zip(kept, computed, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


def test_second_derivatives():
    u, w, n = arguments(3)
    tp.testing.check_grads(tp.grad(lambda u: with_source(u, w, n)), u)


@pytest.mark.parametrize("mode", ["compile", "interpret"])
def test_as_compiled_and_as_meant(mode):
    u, w, n = arguments(3)
    with config(mode=mode):
        found = tp.grad(with_source, (0, 1))(u, w, n)
    meant = tp.grad(with_source, (0, 1), memory=tp.States(1))(u, w, n)
    for x, y in zip(found, meant, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (steps, "8*n"),  # not the field before that one, and not the third one
        (with_source, "8*n + 16"),  # and what the two changes overwrite
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_is_kept(function, kept):
    assert f"keeps {kept} bytes of every iteration (" in tp.grad(function, (0, 1)).explain(*arguments(5))


# An iteration makes `new` with sines, reads it, and writes an element of it: S says where, `first` is carried.
PLACED = """
def f(u: f64[n], v: f64[n], key: i64[n], t: i64) {
  k0: i64 = index key 0
  last: i64, end: f64[n], rest: f64[n] = for t [k0 u v] (i: i64, first: i64, now: f64[n], other: f64[n]) {
    new: f64[n] = map n (j: i64) {
      a: f64 = index now j
      s: f64 = sin a
      return s
    }
    more: f64[n] = map n (j2: i64) {
      e: f64 = index new j2
      o: f64 = index other j2
      q: f64 = mul e e
      p: f64 = mul o q
      return p
    }
    found: i64 = index key i
    old: f64 = index new AT
    x: f64 = mul old old
    new1: f64[n] = update new x AT
    next: i64 = sub 2 first
    return next new1 more
  }
  return end rest
}
"""
# A whole row is written.
ROW = """
def f(u: f64[n, m], v: f64, zeros: f64[m], t: i64) {
  end: f64[n, m], rest: f64 = for t [u v] (i: i64, now: f64[n, m], other: f64) {
    new: f64[n, m] = map n (j: i64) {
      row: f64[m] = map m (l: i64) {
        a: f64 = index now j l
        s: f64 = sin a
        return s
      }
      return row
    }
    e: f64 = index new i 0
    more: f64 = mul other e
    new1: f64[n, m] = update new zeros i
    return new1 more
  }
  return end rest
}
"""
NUMBER = """
def f(x: f64, v: f64, t: i64) {
  y: f64, rest: f64 = for t [x v] (i: i64, z: f64, other: f64) {
    s: f64 = sin z
    more: f64 = mul other s
    return s more
  }
  return y rest
}
"""
U, V, KEY = np.array([0.5, 1.25, -0.75]), np.array([2.0, 0.3, 1.1]), np.array([2, 0, 2])


def sines(text: str, args: list[Any], plan: Plan | None = None) -> int:
    """How many sines a derivative takes, which must be right."""
    function = parse_function(text)
    check(function)
    forward, reverse = jacobians(function, args)
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-14)
    tower = CountingTower()
    derived = dce.run(vjp(function, plan), Notes())
    values = evaluate(function, args)
    seeds = [np.ones_like(x) for x, type in zip(values, function.result_types, strict=True) if type.dtype.is_float]
    evaluate(derived, [*args, *seeds], tower)
    return tower.counts["sin"]


@pytest.mark.parametrize(
    ("place", "again"), [("i", False), ("1", False), ("k0", False), ("first", True), ("found", True)]
)
def test_elements_at_places_known_outside_are_put_back(place: str, again: bool) -> None:
    assert sines(PLACED.replace("AT", place), [U, V, KEY, 3]) == 9 * (1 + again)


def test_rows_that_are_overwritten_are_computed_again() -> None:
    assert sines(ROW, [np.outer(U, V), 0.7, V, 3]) == 2 * 27


def test_numbers_are_computed_again() -> None:
    assert sines(NUMBER, [0.5, 0.7, 3]) == 2 * 3


@pytest.mark.parametrize(("states", "again"), [(None, False), (3, True)])
def test_there_is_no_row_for_the_end_under_a_limit(states: int | None, again: bool) -> None:
    """Three states fit, a fourth one does not."""
    text = PLACED.replace("AT", "i").replace("for t", "for 3")
    assert sines(text, [U, V, KEY, 3], Plan(states=states)) == 9 * (1 + again)


# The field after is read, with what is made of it in the same pass.
BESIDE = """
def f(u: f64[n], v: f64[n], t: i64) {
  end: f64[n], rest: f64[n] = for t [u v] (i: i64, now: f64[n], other: f64[n]) {
    new: f64[n], beside: f64[n] = map n (j: i64) {
      a: f64 = index now j
      s: f64 = sin a
      q: f64 = mul s s
      return s q
    }
    more: f64[n] = map n (j2: i64) {
      e: f64 = index new j2
      g: f64 = index READ j2
      h: f64 = mul e g
      o: f64 = index other j2
      p: f64 = mul o h
      return p
    }
    return new more
  }
  return end rest
}
"""
# Two arrays change places, and an element of one is written.
EXCHANGED = """
def f(u: f64[n], v: f64[n], w: f64[n], t: i64) {
  end: f64[n], last: f64[n], rest: f64[n] = for t [u v w] (i: i64, one: f64[n], two: f64[n], other: f64[n]) {
    e: f64 = index one i
    s: f64 = sin e
    new: f64[n] = update one s i
    more: f64[n] = map n (j: i64) {
      a: f64 = index new j
      o: f64 = index other j
      p: f64 = mul o a
      return p
    }
    return two new more
  }
  return end last rest
}
"""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (BESIDE.replace("READ", "now"), 1),
        (BESIDE.replace("READ", "beside"), 0),  # the pass has to run for the other
        (EXCHANGED, 0),  # nothing is made
    ],
)
def test_what_saves_no_work_is_not_handed_on(text: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    function, found, handed_on = parse_function(text), list[HandedOn](), loops.handed_on

    def spied(*args: Any) -> Any:
        loop, handed = handed_on(*args)
        found.extend(handed)
        return loop, handed

    check(function)
    monkeypatch.setattr(loops, "handed_on", spied)
    forward, reverse = jacobians(function, [*(U, V, 0.7 * U)[: len(function.params) - 1], 3])
    np.testing.assert_allclose(reverse, forward, rtol=1e-12, atol=1e-14)
    assert len(found) == count
