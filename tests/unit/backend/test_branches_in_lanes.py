"""A condition that differs between lanes: cheap arms run straight, dear ones only where some lane takes them."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.check import check
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

from .test_codegen import assert_close

LANES = Options(lanes="always")

X = np.concatenate([np.linspace(-2, 2, 37), [np.nan, np.inf, 0.25]])


def _program(then: str, results: str = "p -1.5", orelse: str = "") -> str:
    return f"""
def f(x: f64[n], c: f64) {{
  a: f64[n], b: f64[n] = map n (i: i64) {{
    e: f64 = index x i
    small: bool = lt e c
    s: f64, t: f64 = if small {{
      {then}
      return {results}
    }} else {{
      {orelse}
      return e c
    }}
    return s t
  }}
  return a b
}}
"""


CHEAP = "d: f64 = mul e e\n      p: f64 = add d c"
DEAR = "d: f64 = exp e\n      g: f64 = sin d\n      p: f64 = div g e"
INDIRECT = "k: i64 = convert[i64] e\n      m: i64 = max k 0\n      q: i64 = min m 3\n      p: f64 = index x q"
SHARED = "d: f64 = mul c c\n      p: f64 = add d 1.0"
PROGRAMS = {
    "cheap": _program(CHEAP),
    "dear": _program(DEAR),
    "both": _program(CHEAP, orelse="u: f64 = mul e 3.0"),
    "reads": _program(INDIRECT),
    "uniform": _program(SHARED),
    "numbers": _program("", "2.0 -1.5"),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("threshold", [0.3, -9.0, 9.0])
def test_arms_in_lanes(name, threshold):
    function = parse_function(PROGRAMS[name])
    check(function)
    for array in (X, X[:3], X[:0]):
        if name == "reads" and len(array) < 4:
            continue
        args = [array, threshold]
        for expected, found in zip(
            evaluate(function, args), cpu.compile_and_run(function, args, options=LANES), strict=True
        ):
            assert_close(found, expected)


@pytest.mark.parametrize(("name", "jumps"), [("cheap", False), ("uniform", False), ("dear", True), ("reads", True)])
def test_only_dear_arms_are_jumped_over(name, jumps):
    text = cpu.emit(parse_function(PROGRAMS[name]), options=LANES)
    assert ("%arm" in text) == jumps
