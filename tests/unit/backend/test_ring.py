"""Remainders of indices that follow one another, in lanes: near the range by addition, far from it by division."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from tapeless.backend import cpu
from tapeless.backend.target import Options
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function
from tapeless.passes import pipeline

assert pipeline  # registers the operations

REMAINDERS = parse_function("""
def remainders(m: i64, c: i64, n: i64) {
  a: i64[m] = map m (i: i64) {
    j: i64 = add i c
    r: i64 = mod j n
    return r
  }
  return a
}
""")
TURNED = parse_function("""
def turned(x: f64[n], c: i64) {
  a: f64[n] = map n (i: i64) {
    j: i64 = add i c
    r: i64 = mod j n
    e: f64 = index x r
    f: f64 = index x i
    t: f64 = mul e f
    return t
  }
  return a
}
""")
LANES = Options(lanes="always")
LEAST, MOST = -(2**63), 2**63 - 1
SIZES = (1, 2, 7, 8, 9, 16, 23, 64, 100, 2**31, 2**62 - 1, 2**62, 2**62 + 9, MOST, 0, -1, -3, -64, LEAST, LEAST + 1)


@pytest.mark.parametrize("n", SIZES)
def test_all_remainders(n: int) -> None:
    m = 21
    for around, by in itertools.product((0, n, 2 * n, -n, -2 * n, 3 * n, MOST - m, LEAST), (-17, -8, -1, 0, 1, 9)):
        c = around + by
        if not LEAST <= c <= MOST - m:
            continue
        (want,) = evaluate(REMAINDERS, [m, c, n])
        (got,) = cpu.compile_and_run(REMAINDERS, [m, c, n], options=LANES)
        np.testing.assert_array_equal(got, want, err_msg=f"{c=}")
        np.testing.assert_array_equal(got, [(i + c) % n if n else 0 for i in range(m)])


@pytest.mark.parametrize("n", [1, 5, 8, 13, 64, 77])
@pytest.mark.parametrize("c", [-200, -65, -3, -1, 0, 1, 4, 64, 1000])
def test_neighbours_on_a_ring(n: int, c: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    (got,) = cpu.compile_and_run(TURNED, [x, c], options=LANES)
    np.testing.assert_array_equal(got, x * np.roll(x, -c))


def test_what_is_near_is_not_divided() -> None:
    text = cpu.emit(TURNED, options=LANES)
    (near,) = re.findall(r"^near\S*:\n(.*?)^  br label", text, re.DOTALL | re.MULTILINE)
    assert "select <" in near
    assert not re.search("[su](div|rem)", near)
    assert re.search("[su](div|rem)", text)
