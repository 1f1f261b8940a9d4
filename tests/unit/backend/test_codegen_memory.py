"""Memory of compiled code: updates in place, buffers that change hands, nothing leaked, nothing overwritten."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.core import Function
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.runtime import host

from .codegen_programs import PROGRAMS, Program

FILL = """def f(n: i64) {
  z.1: f64[n] = replicate 0.0 n
  r.2: f64[n] = for n [z.1] (i.3: i64, a.4: f64[n]) {
    v.5: f64 = convert[f64] i.3
    p.6: bool = gt v.5 10.0
    b.7: f64[n] = if p.6 {
      c.8: f64[n] = update a.4 v.5 i.3
      return c.8
    } else {
      return a.4
    }
    d.9: f64[n] = accumulate b.7 1.0 i.3
    return d.9
  }
  return r.2
}"""

STEPS = """def f(x: f64[n], k: i64) {
  r.1: f64[n] = for k [x] (i.2: i64, u.3: f64[n]) {
    v.4: f64[n] = map n (j.5: i64) {
      a.6: f64 = index u.3 j.5
      b.7: f64 = mul a.6 0.5
      return b.7
    }
    return v.4
  }
  return r.1
}"""

SHARED = """def f(n: i64) {
  z.1: f64[n] = replicate 1.0 n
  v.2: f64[n] = slice z.1 0 n 1
  a.3: f64[n] = update z.1 5.0 0
  b.4: f64[n] = update a.3 6.0 1
  c.5: f64[n] = update a.3 7.0 2
  return v.2 a.3 b.4 c.5
}"""

KEPT = """def f(x: f64[n]) {
  a.1: f64[n] = update x 5.0 0
  return a.1 x x
}"""


def _allocations(function: Function, args: list[object], results: int) -> int:
    """How many buffers a call asks for besides those of its results."""
    loaded = cpu.load(cpu.compile(function))
    before = host.memory().allocations
    cpu.run(loaded, function, args)
    return host.memory().allocations - before - results


def test_a_loop_that_fills_an_array_works_in_place() -> None:
    function = parse_function(FILL)
    assert _allocations(function, [np.int64(5000)], 1) == 0
    args = [np.int64(40)]
    np.testing.assert_array_equal(cpu.compile_and_run(function, args)[0], evaluate(function, args)[0])


@pytest.mark.parametrize("steps", [0, 1, 2, 1000])
def test_time_steps_exchange_two_buffers(steps: int) -> None:
    function = parse_function(STEPS)
    assert _allocations(function, [np.ones(5000), np.int64(steps)], 1) <= 1


def test_what_is_still_read_is_copied_before_an_update() -> None:
    function = parse_function(SHARED)
    for found, wanted in zip(
        cpu.compile_and_run(function, [np.int64(5)]), evaluate(function, [np.int64(5)]), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)


def test_arguments_that_are_not_donated_stay_as_they_are() -> None:
    function, x = parse_function(KEPT), np.arange(6.0)
    loaded = cpu.load(cpu.compile(function))
    changed, same, again = cpu.run(loaded, function, [x], copy=False)
    np.testing.assert_array_equal(x, np.arange(6.0))
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(again, x)
    assert changed[0] == 5.0


def test_a_donated_argument_holds_the_result() -> None:
    function = parse_function(next(p.text for p in PROGRAMS if p.name.startswith("a donated")))
    x, y = np.arange(5000.0), np.ones(5000)
    loaded = cpu.load(cpu.compile(function))
    before = host.memory().allocations
    cpu.run(loaded, function, [x, y], copy=False)
    np.testing.assert_array_equal(x, np.arange(5000.0) + 1)
    # Only the second result, a copy of y, is new.
    assert host.memory().allocations - before == 1


@pytest.mark.parametrize("options", [Options(), Options(lanes="always", block=8)], ids=["auto", "lanes"])
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_nothing_leaks(program: Program, options: Options) -> None:
    function = parse_function(program.text)
    loaded = cpu.load(cpu.compile(function, options=options))
    args = program.arguments(np.random.default_rng(1), 300)
    cpu.run(loaded, function, args)
    before = host.memory().live_blocks
    for _ in range(20):
        cpu.run(loaded, function, args)
    assert host.memory().live_blocks == before


def test_a_thousand_calls_leak_nothing() -> None:
    function = parse_function(STEPS)
    loaded = cpu.load(cpu.compile(function))
    before = host.memory().live_blocks
    for _ in range(1000):
        cpu.run(loaded, function, [np.ones(300), np.int64(3)])
    assert host.memory().live_blocks == before
