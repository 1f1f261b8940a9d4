"""Which inputs may not be finite: a program that tests numbers made of its inputs expects that; others do not."""

from __future__ import annotations

import pytest

import tapeless.ops  # noqa: F401 - registers the operations
from tapeless.ad.masks import suspects
from tapeless.ir.text import parse_function

PROGRAM = """
def f(x: f64[n], y: f64[n], k: i64) {{
  s: f64 = reduce n [0.0] (p: f64, q: f64) {{
    o: f64 = add p q
    return o
  }} (i: i64) {{
    a: f64 = index x i
    b: f64 = mul a a
    c: f64 = convert[f64] k
    d: f64 = lgamma c
    t: bool = {test}
    e: f64 = index y i
    v: f64 = select t 0.0 e
    return v
  }}
  return s
}}
"""


@pytest.mark.parametrize(
    ("test", "suspected"),
    [
        ("isnan a", True),
        ("isfinite b", True),
        ("ne b b", True),
        ("isinf d", False),
        ("eq d d", False),
        ("lt a 0.0", False),
        ("ne a b", False),
    ],
)
def test_suspects(test: str, suspected: bool) -> None:
    function = parse_function(PROGRAM.format(test=test))
    x, y = (var.name for var in function.params[:2])
    assert suspects(function.body) == ({x, y} if suspected else set())
