"""Records that lanes write, of all lengths: shorter than a vector, a multiple of one, and in between."""

from __future__ import annotations

import numpy as np
import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.ir.text import parse_function

LENGTHS = (2, 7, 8, 9, 16, 18, 30, 64, 65, 72, 121)
DTYPES = {"f64": np.float64, "f32": np.float32}


def _program(length: int, dtype: str) -> str:
    """Record i holds x[i] times 1, 2, ..."""
    fields = "\n".join(
        f"    k.{k}: {dtype} = convert[{dtype}] {k + 1}\n    v.{k}: {dtype} = mul e k.{k}" for k in range(length)
    )
    return f"""
def f(x: {dtype}[n]) {{
  y: {dtype}[n, {length}] = map n (i: i64) {{
    e: {dtype} = index x i
{fields}
    r: {dtype}[{length}] = stack {" ".join(f"v.{k}" for k in range(length))}
    return r
  }}
  return y
}}
"""


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_each_field_goes_to_its_place(length: int, dtype: str) -> None:
    function = parse_function(_program(length, dtype))
    x = np.arange(1, 38, dtype=DTYPES[dtype])  # not a multiple of a vector
    (found,) = cpu.run(cpu.load(cpu.compile(function)), function, [x])
    np.testing.assert_array_equal(found, np.outer(x, np.arange(1, length + 1, dtype=DTYPES[dtype])))


def test_records_are_put_together_in_registers_by_a_loop_when_they_are_long() -> None:
    # Broadcasts are shuffles too, but all of their picks are zero.
    texts = [cpu.emit(parse_function(_program(length, "f64"))) for length in (18, 64, 65, 90)]
    shuffles = [text.count("x i32> <i32") for text in texts]
    assert 0 < shuffles[0] < shuffles[1]
    assert shuffles[1] > shuffles[2] == shuffles[3] > 0
