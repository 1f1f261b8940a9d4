"""Ranges of known length that strips of lanes cover need no scalar code for a rest, unless a check may fail in them."""

import numpy as np
import pytest

import tapeless as tp
from tapeless.backend import cpu
from tapeless.backend.target import Options, host
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.ir.types import F64

LANES = Options(lanes="always")
MAP = """
def f(x: f64[SIZE]) {
  y: f64[SIZE] = map SIZE (i: i64) {
    a: f64 = index x i
    b: f64 = div 3.0 a
    return b
  }
  return y
}
"""
SUM = """
def f(x: f64[SIZE]) {
  s: f64 = reduce SIZE [0.0] (p: f64, q: f64) {
    r: f64 = add p q
    return r
  } (i: i64) {
    a: f64 = index x i
    b: f64 = div 3.0 a
    return b
  }
  return s
}
"""
CHECKED = """
def f(x: f64[SIZE], at: i64[SIZE]) {
  y: f64[SIZE] = map SIZE (i: i64) {
    k: i64 = index at i
    check bounds k SIZE
    a: f64 = index x k
    return a
  }
  return y
}
"""


def divisions(text: str) -> tuple[int, int]:
    """How often the body stands there in lanes, and as scalar code."""
    lines = [line for line in text.splitlines() if " = fdiv " in line]
    return sum("x double>" in line for line in lines), sum("x double>" not in line for line in lines)


@pytest.mark.parametrize("size", [8, 9, 25, 64])
def test_a_map_of_known_length_has_no_rest(size):
    function = parse_function(MAP.replace("SIZE", str(size)))
    assert divisions(cpu.emit(function, options=LANES)) == (1, 0)
    x = np.linspace(1, 2, size)
    (found,) = cpu.compile_and_run(function, [x], options=LANES)
    assert found.tobytes() == evaluate(function, [x])[0].tobytes()


@pytest.mark.parametrize(("strips", "rest"), [(1, 0), (2, 0), (3, 0), (4, 0), (3, 1), (0, 5)])
def test_a_sum_of_known_length_has_what_it_needs(strips, rest):
    size = strips * host().lanes([F64]) + rest
    function = parse_function(SUM.replace("SIZE", str(size)))
    assert divisions(cpu.emit(function, options=LANES))[1] == (rest > 0)
    x = np.linspace(1, 2, size)
    np.testing.assert_allclose(cpu.compile_and_run(function, [x], options=LANES), evaluate(function, [x]), rtol=1e-14)


def test_a_check_that_fails_in_lanes_is_found_by_scalar_code():
    function = parse_function(CHECKED.replace("SIZE", "16"))
    at = np.arange(16)
    at[[5, 11]] = 99
    with pytest.raises(IndexError, match="99"):
        cpu.compile_and_run(function, [np.ones(16), at], options=LANES)


def smoothed(x, start, width):
    """The strips between the ends are written to whole lines, wherever the part begins."""
    y = np.zeros(len(x))
    y[start : start + width] = np.sqrt(x[start : start + width]) * 2.0 + 1.0
    return y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_any_length_at_any_distance_from_a_line(dtype):
    x = np.linspace(1, 2, 400).astype(dtype)
    compiled = tp.jit(smoothed)
    for start in range(18):
        for width in (0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 130, 200, 300):
            np.testing.assert_allclose(compiled(x, start, width), smoothed(x, start, width), rtol=1e-6)
