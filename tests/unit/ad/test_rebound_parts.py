"""Which values a loop only hands on, and that the loop without them and the choice behind it give the same."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import tapeless.ops  # noqa: F401  # registers the operations
from tapeless.ad.rebound import kept_apart
from tapeless.ad.sweep import Sweep
from tapeless.ir.build import Builder
from tapeless.ir.check import check
from tapeless.ir.core import Block, For, Function, If, While
from tapeless.ir.eval import evaluate
from tapeless.ir.text import parse_function

BODY = """
    e: f64 = index g 0
    h: f64 = add e 1.0
    g1: f64[2] = update g h 0
    s1: f64 = add s h
"""

COUNTED = f"""
  outside: f64[2], twin: f64[2], twice: f64[2], own: f64[2], swap: f64[2], number: f64, total: f64, same: f64[2] =
  for k [a a a b a 0.0 0.0 b] (
    i: i64, p: f64[2], q: f64[2], r: f64[2], g: f64[2], v: f64[2], w: f64, s: f64, u: f64[2]) {{
    {BODY}
    return x g1 g1 g1 u y s1 v
  }}
  return outside twin twice own swap number total same
"""

UNTIL = f"""
  count: i64, outside: f64[2], asked: f64[2], twin: f64[2], own: f64[2], total: f64 = while [0 a a a b 0.0] (
    i0: i64, p0: f64[2], q0: f64[2], r0: f64[2], g0: f64[2], s0: f64) {{
    f: f64 = index q0 1
    c: bool = lt i0 k
    c1: bool = lt f 99.0
    c2: bool = and c c1
    return c2
  }} (i: i64, p: f64[2], q: f64[2], r: f64[2], g: f64[2], s: f64) {{
    {BODY}
    j: i64 = add i 1
    return j x x g1 g1 s1
  }}
  return count outside asked twin own total
"""

READ = f"""
  first: f64[2], second: f64[2], third: f64[2], total: f64 = for k [a b a 0.0] (
    i: i64, p: f64[2], g: f64[2], q: f64[2], s: f64) {{
    {BODY}
    l: f64 = index p 1
    l1: f64 = mul l s1
    return x g1 a l1
  }}
  return first second third total
"""

NOTHING = f"""
  own: f64[2], total: f64 = for k [b 0.0] (i: i64, g: f64[2], s: f64) {{
    {BODY}
    return g1 s1
  }}
  return own total
"""


def function_of(text: str) -> Function:
    lines = text.replace("=\n  for", "= for").replace("(\n    i", "(i")
    function = parse_function(f"def f(x: f64[2], y: f64, a: f64[2], b: f64[2], k: i64) {{{lines}}}")
    check(function)
    return function


def parts(function: Function) -> tuple[Function, list[str], list[str]] | None:
    """The function with its loop taken apart, and the names that the loop binds and those that are chosen."""
    (stm,) = function.body.stms
    b = Builder()
    found = kept_apart(cast(Sweep, SimpleNamespace(b=b)), stm)
    if found is None:
        assert not b.stms
        return None
    assert isinstance(found[0].expr, For | While)
    assert isinstance(found[1].expr, If)
    made = Function("parts", function.params, Block((*b.stms, *found), function.body.results))
    check(made)
    return made, *([var.name for var in part.vars] for part in found)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (COUNTED, ["outside", "twin", "twice"]),
        (UNTIL, ["outside", "twin"]),
        (READ, ["third"]),
    ],
)
def test_what_is_only_handed_on_is_chosen_behind_the_loop(text: str, chosen: list[str]):
    function = function_of(text)
    found = parts(function)
    assert found is not None
    made, kept, apart = found
    assert apart == chosen
    assert kept == [var.name for var in function.body.stms[0].vars if var.name not in chosen]
    for trips in (-1, 0, 1, 2, 5):
        args: list[Any] = [np.array([1.0, 2.0]), 7.0, np.array([3.0, 4.0]), np.array([5.0, 6.0]), trips]
        assert all(map(np.array_equal, evaluate(made, args), evaluate(function, args)))


def test_a_loop_that_hands_nothing_on_is_left_alone():
    assert parts(function_of(NOTHING)) is None
