"""Checks in compiled code: the fault of the first iteration that has one, in lanes and on threads too."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.text import parse_function
from tapeless.runtime import host

OPTIONS = {
    "auto": Options(),
    "lanes and threads": Options(lanes="always", block=8, threads_from=0),
    "scalar": Options(lanes="never"),
}

GATHER = """def f(x: f64[m], k: i64[n]) {
  y.1: f64[n] = map n (i.2: i64) {
    j.3: i64 = index k i.2
    check nonzero j.3 "zero"
    check bounds j.3 m
    v.4: f64 = index x j.3
    w.5: f64 = sqrt v.4
    return w.5
  }
  return y.1
}"""

MASKED = """def f(x: f64[n]) {
  s.1: f64 = reduce n [0.0] (a.2: f64, b.3: f64) {
    c.4: f64 = add a.2 b.3
    return c.4
  } (i.5: i64) {
    v.6: f64 = index x i.5
    p.7: bool = gt v.6 0.0
    r.8: f64 = if p.7 {
      q.9: bool = lt v.6 100.0
      check assert q.9
      t.10: f64 = exp v.6
      return t.10
    } else {
      return 0.0
    }
    return r.8
  }
  return s.1
}"""

TEMPORARIES = """def f(n: i64, k: i64) {
  a.1: f64[n] = replicate 1.0 n
  b.2: f64[n] = for n [a.1] (i.3: i64, c.4: f64[n]) {
    d.5: f64[n] = map n (j.6: i64) {
      u.7: f64 = index c.4 j.6
      v.8: f64 = add u.7 1.0
      return v.8
    }
    check bounds i.3 k
    return d.5
  }
  return b.2
}"""


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
class TestFaults:
    def test_the_lowest_iteration_is_reported(self, options: Options) -> None:
        function = parse_function(GATHER)
        keys = np.ones(100, dtype=np.int64)
        keys[71], keys[72], keys[73], keys[90] = 0, 10, 11, 12
        with pytest.raises(ZeroDivisionError):
            cpu.compile_and_run(function, [np.ones(5), keys], 2, options)
        keys[71] = 1
        with pytest.raises(IndexError, match="10"):
            cpu.compile_and_run(function, [np.ones(5), keys], 2, options)
        keys[72] = keys[73] = keys[90] = 4
        assert cpu.compile_and_run(function, [np.ones(5), keys], 2, options)[0].sum() == 100

    def test_a_lane_that_is_switched_off_does_not_fail(self, options: Options) -> None:
        function = parse_function(MASKED)
        x = np.where(np.arange(40) % 3 == 0, -500.0, 1.0)
        expected = np.exp(1.0) * (x > 0).sum()
        assert cpu.compile_and_run(function, [x], 1, options)[0] == pytest.approx(expected, rel=1e-13)
        x[37] = 500.0
        with pytest.raises(AssertionError):
            cpu.compile_and_run(function, [x], 1, options)

    def test_a_fault_releases_all_memory(self, options: Options) -> None:
        function = parse_function(TEMPORARIES)
        loaded = cpu.load(cpu.compile(function, options=options))
        before = host.memory().live_blocks
        for _ in range(5):
            with pytest.raises(IndexError):
                cpu.run(loaded, function, [np.int64(300), np.int64(7)])
        assert host.memory().live_blocks == before


def test_too_large_an_array_is_out_of_memory() -> None:
    function = parse_function("def f(n: i64) {\n z.1: f64[n, n] = replicate 0.0 n n\n return z.1\n}")
    for n in (1 << 40, 1 << 62):
        with pytest.raises(MemoryError):
            cpu.compile_and_run(function, [np.int64(n)])
