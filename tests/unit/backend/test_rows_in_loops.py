"""A short form inside a loop is written in place: a function of its own would cost more than the work."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.backend import cpu
from tapeless.ir.text import parse_function

TEXT = """
def f(x.1: f64[n.0]) {{
  t.9: f64 = for n.0 [0.0] (j.2: i64, s.3: f64) {{
    m.4: i64 = sub n.0 j.2
    r.5: f64 = reduce {size} [0.0] (a.6: f64, b.7: f64) {{
      c.8: f64 = add a.6 b.7
      return c.8
    }} (i.10: i64) {{
      v.11: f64 = index x.1 i.10
      w.12: f64 = mul v.11 s.3
      return w.12
    }}
    q.13: f64 = add r.5 1.0
    return q.13
  }}
  return t.9
}}
"""


@pytest.mark.parametrize(("size", "functions"), [("n.0", 1), ("m.4", 0)], ids=["the same size each time", "rows"])
def test_functions_of_their_own(size: str, functions: int) -> None:
    text = cpu.emit(parse_function(TEXT.format(size=size)))
    assert text.count("define internal void @kernel.nest") == functions
