"""Arrays that a loop overwrites row by row are not filled before; where it also reads them, they are."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ir.core import Apply
from tapeless.ir.text import parse_function
from tapeless.passes.place import analyse

LOOP = """
def f(x: f64[m], n: i64) {{
  k: i64 = max n 0
  z: f64[k, m] = replicate 0.0 k m
  y: f64[m], s: f64[k, m] = for {count} [x z] (i: i64, u: f64[m], t: f64[k, m]) {{
    {body}
    return {results}
  }}
  return y s
}}
"""
PUSH = "w: f64[k, m] = update t u i"
CASES = {
    "each row": ("k", PUSH, "u w", True),
    "fewer rows": ("3", PUSH, "u w", False),
    "a row is read": ("k", f"o: f64[m] = index t 0\n    {PUSH}", "o w", False),
    "a row is read after the write": ("k", f"{PUSH}\n    o: f64[m] = index w 0", "o w", False),
    "another row": ("k", "w: f64[k, m] = update t u 0", "u w", False),
    "all rows are added to": ("k", "w: f64[k, m] = accumulate t u i", "u w", False),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_loop_overwrites(name: str) -> None:
    count, body, results, expected = CASES[name]
    function = parse_function(LOOP.format(count=count, body=body, results=results))
    (zeros,) = [stm.vars[0] for stm in function.body.stms if isinstance(stm.expr, Apply) and stm.expr.op == "replicate"]
    assert analyse(function).is_overwritten(zeros) is expected
